"""Proofs of all unsafe claims: where single tokens do not show them closures, then clauses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.certify.closing import closed
from mixsafe.certify.refuting import Doubt, refutations
from mixsafe.check.reached import Reached
from mixsafe.model.answer.certificate import Claims
from mixsafe.model.answer.proof import ClauseProof, ClauseProofs, Closure, Closures
from mixsafe.model.answer.verdict import UNSAFE
from mixsafe.model.limits import Deadline
from mixsafe.model.progress import Progress, no_progress
from mixsafe.model.question.problem import Problem
from mixsafe.verify.verification import Grounds

Numbers = npt.NDArray[np.int64]

_NOBODY = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class Proofs:
    """What shows unsafe claims, beside what single tokens can do.

    Parameters
    ----------
    closures, clause_proofs
        As in certificates.
    proof
        (n_claims,) int32: number of the refutation of each claim, or -1.
    """

    closures: Closures
    clause_proofs: ClauseProofs
    proof: npt.NDArray[np.int32]


def prove(
    problem: Problem,
    claims: Claims,
    grounds: Grounds,
    deadline: Deadline,
    progress: Progress = no_progress,
) -> Proofs:
    """Prove unsafe claims so that the checker can replay it.

    Parameters
    ----------
    problem
        The question.
    claims
        All claims; those that are not unsafe are left alone.
    grounds
        What engines know: tokens that they told apart to refute candidates are tracked at once.
    deadline
        When to give up: what has no proof then is only claimed.
    progress
        Called with stage, claims that were looked at, and claims.
    """
    proof = np.full(len(claims), -1, np.int32)
    unsafe = np.flatnonzero(claims.verdict == UNSAFE)
    if not len(unsafe) or not Reached.fits(problem):  # then reachability shows what it can
        return Proofs(Closures.none(), ClauseProofs.none(), proof)
    reached = Reached(problem)
    wires = reached.wire_at(claims.row, claims.start)
    doubtful = _not_shown(reached, wires, claims, unsafe)
    if not len(doubtful):
        return Proofs(Closures.none(), ClauseProofs.none(), proof)
    closures = _closures(reached, wires, claims, doubtful, deadline)
    doubtful = _not_shown(reached, wires, claims, doubtful)
    tracked = _tracked(grounds, doubtful)
    doubts = [_doubt(claims, claim, tracked) for claim in doubtful.tolist()]
    found: list[ClauseProof] = []
    made = refutations(reached, doubts, 0, deadline, progress)
    for claim, one in zip(doubtful.tolist(), made, strict=True):
        if one is not None:
            proof[claim] = len(found)
            found.append(one)
    return Proofs(Closures.of(closures), ClauseProofs.of(found), proof)


def _tracked(grounds: Grounds, doubtful: Numbers) -> dict[int, Numbers]:
    """Tokens that engines told apart on the wires of some claims, by number of the claim."""
    told: dict[int, Numbers] = {}
    for one in grounds.answers.refutations:
        told[one.wire] = np.union1d(told.get(one.wire, _NOBODY), one.tracked)
    wires = zip(doubtful.tolist(), grounds.wire[doubtful].tolist(), strict=True)
    return {claim: told[wire] for claim, wire in wires if wire in told}


def _doubt(claims: Claims, claim: int, tracked: dict[int, Numbers]) -> Doubt:
    left = claims.candidates[claim].astype(np.int64)
    row, start = int(claims.row[claim]), int(claims.start[claim])
    return Doubt(row, start, left, tracked.get(claim, _NOBODY))


def _not_shown(reached: Reached, wires: Numbers, claims: Claims, some: Numbers) -> Numbers:
    """Those claims of some that leave k tokens or more."""
    left = np.bitwise_count(reached.sets[wires[some]]).sum(axis=1)
    return some[left >= claims.k[some]]


def _closures(
    reached: Reached, wires: Numbers, claims: Claims, doubtful: Numbers, deadline: Deadline
) -> list[Closure]:
    """Closures, if they show anything; ``reached`` is narrowed by them."""
    before = reached.sets.copy()
    found = closed(reached, wires[doubtful], claims.k[doubtful], deadline)
    if len(_not_shown(reached, wires, claims, doubtful)) == len(doubtful):
        reached.sets = before
        return []
    return found
