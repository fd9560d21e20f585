"""Certificates: verdicts with what it takes to check them without trusting who gave them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Rule


class Exchange(NamedTuple):
    """At step ``time``, in one mix zone, ``rows`` come to hold ``tokens``, in this order."""

    time: int
    rows: tuple[int, ...]
    tokens: tuple[int, ...]


Witness = tuple[Exchange, ...]
"""All exchanges of one possible history, in order of time; nobody else exchanges anything."""


@dataclass(frozen=True)
class Claim:
    """A verdict on one user during some steps in which she is in no exchange.

    Parameters
    ----------
    row, start, end
        The user, and the first and last step that the verdict is about.
    k
        Candidates that were asked for.
    verdict
        Whether she has them.
    witnesses
        Of a safe claim: k places in the certificate's pool, each with another token on the row.
    candidates
        Of an unsafe claim: the fewer than k tokens that are possible, ascending.
    decided_by
        Of an unsafe claim: the argument that bounded the candidates.
    """

    row: int
    start: int
    end: int
    k: int
    verdict: Verdict
    witnesses: tuple[int, ...] = ()
    candidates: tuple[int, ...] = ()
    decided_by: str = "-"


@dataclass(frozen=True, eq=False)
class Certificate:
    """A problem, claims about it, and a pool of witnesses that they share.

    Parameters
    ----------
    problem
        The whole question; its requirements are what was asked, unless ``k`` is given.
    rule
        When a user passes.
    k
        Asked of every user at every time; None: the problem's requirements were asked.
    claims
        One per requirement, in their order; or, with ``k``, steps 0 to t* of every user in turn.
    witnesses
        The pool.
    """

    problem: Problem
    rule: Rule
    k: int | None
    claims: tuple[Claim, ...]
    witnesses: tuple[Witness, ...]
