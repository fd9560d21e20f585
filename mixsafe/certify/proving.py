"""Proofs of all unsafe claims: where single tokens do not show them closures, then clauses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.certify.closing import Home, closed
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

    def tracked(doubtful: Numbers) -> dict[int, Numbers]:
        return _tracked(grounds, doubtful)

    if not np.any(claims.verdict == UNSAFE) or not Reached.fits(problem):
        return nothing_proven(claims)  # then reachability shows what it can
    return proofs(Reached(problem), claims, tracked, deadline, progress)


def prove_audit(
    reached: Reached, claims: Claims, home: Home, deadline: Deadline, progress: Progress
) -> Proofs:
    """Prove unsafe claims of an audit so that the checker can replay it.

    Parameters
    ----------
    reached
        Where single tokens can be.
    claims, deadline, progress
        As for :func:`prove`.
    home
        Tokens on all rows at a step in some history that agrees.
    """
    return proofs(reached, claims, lambda _: {}, deadline, progress, home)


def nothing_proven(claims: Claims) -> Proofs:
    """No proofs: reachability shows what it can."""
    return Proofs(Closures.none(), ClauseProofs.none(), np.full(len(claims), -1, np.int32))


def proofs(
    reached: Reached,
    claims: Claims,
    tracked_by: Callable[[Numbers], dict[int, Numbers]],
    deadline: Deadline,
    progress: Progress,
    home: Home | None = None,
) -> Proofs:
    """Closures and refutations of unsafe claims that single tokens do not show.

    Parameters
    ----------
    reached
        Where single tokens can be.
    tracked_by
        Tokens to begin with, for the numbers of some claims.
    claims, deadline, progress, home
        As for :func:`prove` and :func:`prove_audit`.
    """
    made = nothing_proven(claims)
    doubtful = _not_shown(reached, claims, np.flatnonzero(claims.verdict == UNSAFE))
    if not len(doubtful):
        return made
    closures = _closures(reached, claims, doubtful, deadline, home)
    doubtful = _not_shown(reached, claims, doubtful)
    tracked, proof = tracked_by(doubtful), made.proof
    doubts = [_doubt(claims, claim, tracked) for claim in doubtful.tolist()]
    found: list[ClauseProof] = []
    refuted = refutations(reached, doubts, 0, deadline, progress)
    for claim, one in zip(doubtful.tolist(), refuted, strict=True):
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


def _not_shown(reached: Reached, claims: Claims, some: Numbers) -> Numbers:
    """Those claims of some that leave k tokens or more."""
    return some[reached.n_left(claims.row[some], claims.start[some]) >= claims.k[some]]


def _closures(
    reached: Reached, claims: Claims, doubtful: Numbers, deadline: Deadline, home: Home | None
) -> list[Closure]:
    """Closures, if they show anything; ``reached`` is narrowed by them."""
    before = reached.sets.copy()
    about = claims.row[doubtful], claims.start[doubtful], claims.k[doubtful]
    found = closed(reached, *about, deadline, home)
    if len(_not_shown(reached, claims, doubtful)) == len(doubtful):
        reached.sets = before
        return []
    return found
