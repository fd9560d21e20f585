"""Proofs of all unsafe claims: where single tokens do not show them Hall sets, then clauses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.certify.hall_sets import Home, closed
from mixsafe.certify.refuting import Doubt, refutations
from mixsafe.check.reached import MOST_BYTES, Reached
from mixsafe.model.answer.certificate import Claims, ClauseProof, ClauseProofs, HallSet, HallSets
from mixsafe.model.answer.verdict import UNSAFE, Argument
from mixsafe.model.course import Course, Deadline
from mixsafe.model.question.problem import Problem
from mixsafe.network.compression import useful
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.propagate.reachability import narrow

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Proofs:
    """Proofs of unsafe claims, besides reachability of single tokens.

    Parameters
    ----------
    hall_sets, clause_proofs
        Hall sets, and refutations of clauses, in the form of certificates.
    proof
        (n_claims,) int32: number of the refutation of each claim, or -1.
    """

    hall_sets: HallSets
    clause_proofs: ClauseProofs
    proof: npt.NDArray[np.int32]


class FollowedTokens(Reached):
    """Where single tokens can be, as the checker finds it, by the engines' compiled sweeps.

    Parameters
    ----------
    problem
        A publisher's question.
    """

    def __init__(self, problem: Problem) -> None:
        network = useful(WireNetwork.of(problem.zones))
        self._core = Core.of(network, problem.knowledge)
        super().__init__(problem)

    def follow(self) -> None:
        """Follow tokens there and back."""
        narrow(self._core, self.sets)


def prove(problem: Problem, claims: Claims, course: Course, most_bytes: int = MOST_BYTES) -> Proofs:
    """Prove unsafe claims so that the checker can replay it.

    Parameters
    ----------
    problem
        The question.
    claims
        All claims; those that are not unsafe are left alone.
    course
        Claims without a proof at its deadline are only claimed.
    most_bytes
        Of the sets of all wires, which proofs need.
    """
    by = claims.decided_by[claims.verdict == UNSAFE]
    if np.all(by == Argument.REACHABILITY) or not Reached.fits(problem, most_bytes):
        return nothing_proven(claims)  # reachability shows what it can, and is no part of a proof
    return proofs(FollowedTokens(problem), claims, course)


def nothing_proven(claims: Claims) -> Proofs:
    """No proofs: reachability shows what it can."""
    return Proofs(HallSets.none(), ClauseProofs.none(), np.full(len(claims), -1, np.int32))


def proofs(reached: Reached, claims: Claims, course: Course, home: Home | None = None) -> Proofs:
    """Hall sets and refutations of unsafe claims that single tokens do not show.

    Parameters
    ----------
    reached
        Where single tokens can be.
    claims, course
        All claims; when the run ends, and whom it tells how far it is.
    home
        In an audit: tokens on all rows at a step in some assignment that agrees.
    """
    result = nothing_proven(claims)
    doubtful = _not_shown(reached, claims, np.flatnonzero(claims.verdict == UNSAFE))
    if not len(doubtful):
        return result
    hall_sets = _hall_sets(reached, claims, doubtful, course.deadline, home)
    doubtful = _not_shown(reached, claims, doubtful)
    proof = result.proof
    doubts = [_doubt(claims, claim) for claim in doubtful.tolist()]
    found: list[ClauseProof] = []
    refuted = refutations(reached, doubts, course)
    for claim, one in zip(doubtful.tolist(), refuted, strict=True):
        if one is not None:
            proof[claim] = len(found)
            found.append(one)
    return Proofs(HallSets.of(hall_sets), ClauseProofs.of(found), proof)


def _doubt(claims: Claims, claim: int) -> Doubt:
    left = claims.candidates[claim].astype(np.int64)
    return Doubt(int(claims.row[claim]), int(claims.start[claim]), left)


def _not_shown(reached: Reached, claims: Claims, some: Numbers) -> Numbers:
    """Those claims of some that leave k tokens or more."""
    return some[reached.n_left(claims.row[some], claims.start[some]) >= claims.k[some]]


def _hall_sets(
    reached: Reached, claims: Claims, doubtful: Numbers, deadline: Deadline, home: Home | None
) -> list[HallSet]:
    """Hall sets, if they show anything; they narrow ``reached``."""
    before = reached.sets.copy()
    about = claims.row[doubtful], claims.start[doubtful], claims.k[doubtful]
    found = closed(reached, *about, deadline, home)
    if len(_not_shown(reached, claims, doubtful)) == len(doubtful):
        reached.sets = before
        return []
    return found
