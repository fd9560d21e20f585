"""Certificates of audits: histories told along the ways that tokens have in a first one."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.certify.audit_claims import claims_of, pairs_to_show, witnessed
from mixsafe.certify.proving import Proofs, nothing_proven, prove_audit
from mixsafe.certify.witnesses.differences import exchanges_of
from mixsafe.certify.witnesses.witness_pool import Pool
from mixsafe.check.reached import Reached
from mixsafe.errors import InputError
from mixsafe.model.answer.certificate import Audited, Certificate, Claims, Witnesses
from mixsafe.model.answer.verdict import UNDECIDED, UNSAFE
from mixsafe.model.limits import Deadline
from mixsafe.model.progress import Progress, no_progress
from mixsafe.model.question.adversary import Knowledge, Seen
from mixsafe.model.question.problem import Problem
from mixsafe.network.core import Core
from mixsafe.release.audit import Audit
from mixsafe.release.evidence import Evidence
from mixsafe.release.findings import AuditGrounds, Findings
from mixsafe.solver.state.differences import Differences, joined
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.verify.auditor.whereabouts import rewired
from mixsafe.version import __version__

Ints = npt.NDArray[np.int64]


def certify_audit(
    audit: Audit, progress: Progress = no_progress, deadline: Deadline | None = None
) -> Certificate:
    """Certificate of an audit that kept its grounds.

    A safe verdict for which no witnesses are found, or not in time, is undecided in it.

    Parameters
    ----------
    audit
        Of ``audit(..., keep_grounds=True)``.
    progress
        Called with stage, pieces of tracks that have their witnesses, and those that need some.
    deadline
        When to search no more; None: when all ways are exhausted.

    Raises
    ------
    InputError
        The audit did not keep its grounds, or found no history to begin with.
    """
    found = audit.findings
    if found is None or found.grounds is None:
        raise InputError(
            "there is no certificate of an audit that kept no grounds, or found no first solution",
            hint="audit(..., keep_grounds=True), and more time",
        )
    evidence, until = audit.evidence, deadline or Deadline(None)
    problem, seen = question_of(evidence)
    claims, maps = claims_of(found, audit.k), _Maps.of(found.grounds)
    told = _told(claims, found, maps, until, progress)
    proofs = _proofs(problem, seen, claims, found, until, progress)
    shown = witnessed(claims, found.network, maps.shown(told))
    return Certificate(
        problem,
        audit.rule,
        audit.k,
        replace(shown, proof=proofs.proof),
        Witnesses.joined([Witnesses.home(1), exchanges_of(maps.along, told)]),
        proofs.closures,
        proofs.clause_proofs,
        Audited(seen, _base(found.grounds)),
        adversary="auditor",
        engine=audit.engine,
        version=__version__,
    )


def question_of(evidence: Evidence) -> tuple[Problem, Seen]:
    """What an audit asks, as certificates have it."""
    nothing = Knowledge.of(np.zeros(0, np.int32), np.zeros(0, np.int32))
    return Problem("audit", evidence.zones, nothing), Seen(evidence.users, evidence.pins)


class _Maps(NamedTuple):
    """From wires of the answers' core to those of the release, and of the ways along it.

    Parameters
    ----------
    along
        The question with the ways of tokens for rows.
    wire
        (n_wires,) wire of the release that each of its wires is.
    way_of
        (n_wires,) its wire for each of the answers' core; -1: between the two of a zone.
    core_of
        (n_wires,) wire of the answers' core for each of the release.
    """

    along: Core
    wire: Ints
    way_of: Ints
    core_of: Ints

    @classmethod
    def of(cls, grounds: AuditGrounds) -> _Maps:
        along, wire = rewired(grounds.published, grounds.solution)
        published = np.full(grounds.posed.core.network.n_wires, -1)
        published[grounds.posed.wire] = np.arange(len(wire))
        of_core = published[grounds.wire]
        way = np.argsort(wire)
        core_of = np.argsort(grounds.wire)[grounds.posed.wire]
        return cls(along, wire, np.where(of_core >= 0, way[of_core], -1), core_of)

    def shown(self, told: Differences) -> tuple[Ints, Ints, Ints]:
        """Wires of the release, tokens, and the first witness that shows each; 0 is the base."""
        token = told.token.astype(np.int64)
        witness = np.repeat(np.arange(1, len(told.ptr)), np.diff(told.ptr))
        n_rows = self.along.network.n_rows
        key, first = np.unique(self.wire[told.wire] * n_rows + token, return_index=True)
        return key // n_rows, key % n_rows, witness[first]


def _told(
    claims: Claims, found: Findings, maps: _Maps, deadline: Deadline, progress: Progress
) -> Differences:
    """Witnesses along ways: first of a few tracks for each claim, then of any that are proven."""
    told = joined([])
    if found.grounds is None:
        return told
    for most in (int(claims.k.max(initial=1)) - 1, None):
        lacking = replace(claims, verdict=_lacking(claims, found, told, maps))
        pairs = pairs_to_show(found, lacking, most)
        told = joined([told, _search(found.grounds, maps, pairs, deadline, progress)])
    return told


def _lacking(
    claims: Claims, found: Findings, told: Differences, maps: _Maps
) -> npt.NDArray[np.int8]:
    """Verdicts, undecided where the witnesses so far are enough."""
    left = witnessed(claims, found.network, maps.shown(told)).verdict
    return np.where(left == claims.verdict, UNDECIDED, claims.verdict).astype(np.int8)


def _search(
    grounds: AuditGrounds, maps: _Maps, pairs: TokenSets, deadline: Deadline, progress: Progress
) -> Differences:
    """Witnesses that show users on pieces of tracks, along ways."""
    answers = grounds.answers
    there = np.zeros_like(answers.proven)
    there[maps.core_of] = pairs
    pool = Pool(answers, np.zeros(len(there), np.int32), deadline, there)
    pool.fill(progress)
    made = pool.differences
    kept = maps.way_of[made.wire] >= 0
    ptr = np.concatenate([[0], np.cumsum(kept)])[made.ptr]
    return Differences(ptr, maps.way_of[made.wire[kept]], made.token[kept])


def _base(grounds: AuditGrounds) -> Witnesses:
    """The first solution, from an exchange of everybody on."""
    solution = grounds.solution
    moved = np.flatnonzero(solution != grounds.published.network.row)
    told = Differences(np.array([0, len(moved)]), moved, solution[moved])
    return exchanges_of(grounds.published, told)


def _proofs(
    problem: Problem,
    seen: Seen,
    claims: Claims,
    found: Findings,
    deadline: Deadline,
    progress: Progress,
) -> Proofs:
    """What shows unsafe claims, beside what single tokens can do."""
    grounds = found.grounds
    if grounds is None or not np.any(claims.verdict == UNSAFE) or not Reached.fits(problem):
        return nothing_proven(claims)
    network, rows = grounds.published.network, np.arange(problem.zones.n_users)

    def home(step: int) -> Ints:
        here = np.searchsorted(found.begins[1:], step, side="right")
        wires = network.wire_at(rows, np.full_like(rows, here))
        return grounds.solution[wires].astype(np.int64)

    return prove_audit(Reached(problem, seen.pins), claims, home, deadline, progress)
