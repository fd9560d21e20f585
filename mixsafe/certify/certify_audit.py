"""Certificates of audits: assignments relative to the paths of tokens in a first one.

They claim of each known user, between mix zones, on how many tracks she can be. Tables of audits
have a row for each stretch of time in which a user's tracks stay the same. In between tracks may
meet; then other assignments may be needed as witnesses, so claims end there.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from mixsafe.certify.proving import Proofs, nothing_proven, proofs
from mixsafe.certify.witness_pool import Pool, exchanges_of
from mixsafe.check.reached import Reached
from mixsafe.errors import InputError
from mixsafe.model.answer.certificate import Audited, Certificate, Claims, Witnesses
from mixsafe.model.answer.verdict import SAFE, UNDECIDED, UNSAFE, Argument
from mixsafe.model.course import Course
from mixsafe.model.csr import Ragged, pointers, ranges
from mixsafe.model.question.adversary import Knowledge, Seen
from mixsafe.model.question.problem import Problem
from mixsafe.network.wires import WireNetwork
from mixsafe.release.audit import Audit
from mixsafe.release.evidence import Evidence
from mixsafe.release.findings import Findings
from mixsafe.solver.state import tokens
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.solver.state.witness import Differences, joined
from mixsafe.verify.auditor.paths import FIRST, PathQuestion
from mixsafe.verify.auditor.whereabouts import Whereabouts
from mixsafe.verify.rows import verdict_codes
from mixsafe.version import __version__

Ints = npt.NDArray[np.int64]


def claims_of(found: Findings, k: int) -> Claims:
    """Claims without witnesses, user by user, and step by step of the findings."""
    n_steps = len(found.begins) - FIRST
    user, here = np.divmod(np.arange(found.n_known * n_steps), n_steps)
    here += FIRST
    lower, upper = found.lower.count[user, here], found.upper.count[user, here]
    every_k = np.full(len(user), k, np.int32)
    verdict = verdict_codes(lower, upper, every_k).astype(np.int8)
    return Claims(
        user.astype(np.int32),
        found.begins[here].astype(np.int32),
        found.ends[here].astype(np.int32),
        every_k,
        verdict,
        found.decided_by[user, here],
        Ragged.empty(len(user)),
        _candidates(found, np.flatnonzero(verdict == UNSAFE), n_steps, len(user)),
        np.full(len(user), -1, np.int32),
    )


def _candidates(found: Findings, unsafe: Ints, n_steps: int, n_claims: int) -> Ragged:
    """Tracks that are possible where a verdict is unsafe, and none elsewhere."""
    owner, track = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    users, steps = np.divmod(unsafe, n_steps)
    rows = np.arange(found.network.n_rows)
    for step in np.unique(steps).tolist():
        those = np.flatnonzero(steps == step)
        wires = found.network.wire_at(rows, step + FIRST)
        may = tokens.are_in(found.possible, wires[:, None], users[those])
        which, row = np.nonzero(may.T)
        owner.append(unsafe[those[which]])
        track.append(row)
    owners, tracks = np.concatenate(owner), np.concatenate(track)
    order = np.lexsort((tracks, owners))
    ptr = pointers(np.bincount(owners, minlength=n_claims))
    return Ragged(ptr, tracks[order].astype(np.int32))


def pairs_to_show(asked: Whereabouts, claims: Claims, most: int | None) -> TokenSets:
    """(n_wires, words): users on wires of the engines' question that claims need witnesses of.

    Parameters
    ----------
    asked
        What is proven.
    claims
        Those that are safe need witnesses.
    most
        Maximum tracks of each claim besides that of the first solution, long pieces first; None:
        all that are proven.
    """
    paths, proven = asked.paths, asked.answers.proven
    network, wanted = paths.along.network, np.zeros_like(proven)
    verdict = claims.verdict.reshape(asked.n_known, -1)
    lasts = network.end - network.start
    for step in range(verdict.shape[1]):
        users = np.flatnonzero(verdict[:, step] == SAFE)
        wires = network.wire_at(np.arange(network.n_rows), step + FIRST)
        wires = wires[np.argsort(-lasts[wires], kind="stable")]
        may = tokens.are_in(proven, paths.wire[wires, None], users)
        may &= network.row[wires, None] != users
        if most is not None:
            may &= np.cumsum(may, axis=0) <= most
        piece, which = np.nonzero(may)
        bits = np.uint64(1) << (users[which] & 63).astype(np.uint64)
        np.bitwise_or.at(wanted, (paths.wire[wires[piece]], users[which] >> 6), bits)
    return wanted


def witnessed(claims: Claims, network: WireNetwork, differences: Differences) -> Claims:
    """The claims with witnesses; claims with too few are undecided.

    Parameters
    ----------
    claims
        Claims without witnesses, of :func:`claims_of`.
    network
        The network of paths.
    differences
        Witnesses 1, 2, ... relative to paths; witness 0 is the first solution, the identity.
    """
    by = np.repeat(np.arange(1, differences.n + 1), np.diff(differences.ptr))
    pair, first = np.unique(
        differences.wire * network.n_rows + differences.token, return_index=True
    )
    (wire, user), witness = np.divmod(pair, network.n_rows), by[first]
    n_users = int(claims.row.max(initial=-1)) + 1
    n_steps = len(claims) // max(n_users, 1)
    begin = np.maximum(network.start[wire].astype(np.int64), FIRST) - FIRST
    end = np.minimum(network.end[wire].astype(np.int64) - FIRST + 1, n_steps)
    known = np.flatnonzero((user < n_users) & (end > begin))
    begin, sizes = begin[known], (end - begin)[known]
    claim = np.repeat(user[known], sizes) * n_steps + ranges(begin, sizes)
    number = np.repeat(witness[known], sizes)
    order = np.argsort(claim, kind="stable")
    claim, number = claim[order], number[order]
    rank = np.arange(len(claim)) - np.searchsorted(claim, claim)
    used = (claims.verdict[claim] == SAFE) & (rank < claims.k[claim] - 1)
    count = np.bincount(claim[used], minlength=len(claims)) + 1  # the base is one of them
    enough = (claims.verdict == SAFE) & (count >= claims.k)
    used &= enough[claim]
    lost = (claims.verdict == SAFE) & ~enough
    owner = np.concatenate([np.flatnonzero(enough), claim[used]])
    numbers = np.concatenate([np.zeros(np.count_nonzero(enough), np.int64), number[used]])
    numbers = numbers[np.argsort(owner, kind="stable")]
    ptr = pointers(np.where(enough, claims.k, 0))
    return Claims(
        claims.row, claims.start, claims.end, claims.k,
        np.where(lost, UNDECIDED, claims.verdict).astype(np.int8),
        np.where(lost, Argument.NONE, claims.decided_by).astype(np.uint8),
        Ragged(ptr, numbers.astype(np.int32)), claims.candidates, claims.proof,
    )  # fmt: skip


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
