"""Certificates of audits: assignments relative to the paths of tokens in a first one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from mixsafe.certify.audit_claims import claims_of, pairs_to_show, witnessed
from mixsafe.certify.proving import Proofs, nothing_proven, proofs
from mixsafe.certify.witnesses.differences import exchanges_of
from mixsafe.certify.witnesses.witness_pool import Pool
from mixsafe.check.reached import Reached
from mixsafe.errors import InputError
from mixsafe.model.answer.certificate import Audited, Certificate, Claims, Witnesses
from mixsafe.model.answer.verdict import UNDECIDED, UNSAFE
from mixsafe.model.course import Course
from mixsafe.model.csr import pointers
from mixsafe.model.question.adversary import Knowledge, Seen
from mixsafe.model.question.problem import Problem
from mixsafe.release.audit import Audit
from mixsafe.release.evidence import Evidence
from mixsafe.solver.state.differences import Differences, joined
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.verify.auditor.paths import PathQuestion
from mixsafe.verify.auditor.whereabouts import Whereabouts
from mixsafe.version import __version__

Ints = npt.NDArray[np.int64]


def certify_audit(audit: Audit, course: Course | None = None) -> Certificate:
    """Certificate of an audit that kept its proof data.

    A safe verdict for which no witnesses are found, or not in time, is undecided in it.

    Parameters
    ----------
    audit
        Of ``audit(..., keep_proof_data=True)``.
    course
        None: no limit, until all methods are exhausted.

    Raises
    ------
    InputError
        The audit did not keep its proof data, or found no first solution.
    """
    found = audit.findings
    if found is None or found.proof_data is None:
        raise InputError(
            "no certificate: the audit kept no proof data, or found no first solution",
            hint="audit(..., keep_proof_data=True), and more time",
        )
    evidence, course = audit.evidence, course or Course.begin()
    problem, seen = question_of(evidence)
    claims, asked = claims_of(found, audit.k), found.proof_data
    along = asked.paths.along
    differences = _witnesses_of(claims, asked, course)
    proofs = _proofs(problem, seen, claims, asked.paths, course)
    shown = witnessed(claims, along.network, differences)
    return Certificate(
        problem,
        audit.rule,
        audit.k,
        replace(shown, proof=proofs.proof),
        Witnesses.joined([Witnesses.home(1), exchanges_of(along, differences)]),
        proofs.hall_sets,
        proofs.clause_proofs,
        Audited(seen, _base(asked.paths)),
        adversary=adversary_of(evidence),
        engine=audit.engine,
        version=__version__,
    )


def question_of(evidence: Evidence) -> tuple[Problem, Seen]:
    """The question of an audit, in the form of certificates."""
    nothing = Knowledge.of(np.zeros(0, np.int32), np.zeros(0, np.int32))
    return Problem("audit", evidence.zones, nothing), Seen(evidence.users, evidence.pins)


def adversary_of(evidence: Evidence) -> str:
    """What the auditor is called in certificates, with how gaps are read."""
    return ", ".join(filter(None, ("auditor", evidence.how_read)))


def _witnesses_of(claims: Claims, asked: Whereabouts, course: Course) -> Differences:
    """Witnesses along paths: first for a few tracks of each claim, then for all proven ones."""
    network, differences = asked.paths.along.network, joined([])
    for most in (int(claims.k.max(initial=1)) - 1, None):
        left = witnessed(claims, network, differences).verdict
        lacking = np.where(left == claims.verdict, UNDECIDED, claims.verdict).astype(np.int8)
        pairs = pairs_to_show(asked, replace(claims, verdict=lacking), most)
        differences = joined([differences, _search(asked, pairs, course)])
    return differences


def _search(asked: Whereabouts, pairs: TokenSets, course: Course) -> Differences:
    """Witnesses that show tokens on wires, without wires between a zone and its duplicate."""
    pool = Pool(asked.answers, np.zeros(len(pairs), np.int32), course, pairs)
    pool.fill()
    found, place = pool.differences, np.full(len(pairs), -1)
    place[asked.paths.wire] = np.arange(len(asked.paths.wire))
    wire = place[found.wire]
    kept = wire >= 0
    return Differences(pointers(kept)[found.ptr], wire[kept], found.token[kept])


def _base(paths: PathQuestion) -> Witnesses:
    """The first solution, on tracks, as exchanges from a zone of all tracks on."""
    moved = np.flatnonzero(paths.solution != paths.tracks.network.row)
    differences = Differences(np.array([0, len(moved)]), moved, paths.solution[moved])
    return exchanges_of(paths.tracks, differences)


def _proofs(
    problem: Problem, seen: Seen, claims: Claims, paths: PathQuestion, course: Course
) -> Proofs:
    """Proofs of unsafe claims, besides reachability of single tokens."""
    if not np.any(claims.verdict == UNSAFE) or not Reached.fits(problem):
        return nothing_proven(claims)
    network, rows = paths.tracks.network, np.arange(problem.zones.n_users)

    def home(step: int) -> Ints:
        here = np.searchsorted(paths.tracks.real_steps[1:], step, side="right")
        return paths.solution[network.wire_at(rows, here)].astype(np.int64)

    return proofs(Reached(problem, seen.pins), claims, course, home)
