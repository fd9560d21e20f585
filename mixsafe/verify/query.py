"""Queries about a problem, and options of their decision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mixsafe.errors import InputError
from mixsafe.model.arguments import CourseOptions, KeptCourseOptions
from mixsafe.model.course import RunKey
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Requirements, Rule, check_k
from mixsafe.solver.registry import Engine


@dataclass(frozen=True)
class Query:
    """What is asked.

    Parameters
    ----------
    k
        k candidates for every user at every time; None: what the problem requires.
    at
        With ``k``: at these steps only.
    rule
        When a user passes; None: ``every`` where times are asked for, else ``some``.
    exhaustive
        All candidates of every user and time.
    distinct_places
        Distinct places at which the candidates of a requirement must be, >= 1; 1: places are only
        counted; None: they are not.
    """

    k: int | None = None
    at: Sequence[int] | None = None
    rule: Rule | None = None
    exhaustive: bool = False
    distinct_places: int | None = None

    @property
    def run_key(self) -> RunKey:
        """The query as plain values, for a journal."""
        key: dict[str, str | int | bool | None] = {
            "k": self.k,
            "at": None if self.at is None else ",".join(map(str, self.at)),
            "rule": None if self.rule is None else str(self.rule),
            "exhaustive": self.exhaustive,
        }
        if self.distinct_places is not None:
            key["distinct_places"] = self.distinct_places
        return key

    def requirements(self, problem: Problem) -> Requirements | None:
        """What is asked at single steps; None when whole wires are asked about.

        Raises
        ------
        InputError
            Nothing is asked, k is below 2, or a step is not in 0..t*.
        """
        n_users, k = problem.zones.n_users, self.k
        if k is not None:
            check_k(k)
        if self.at is None:
            if k is None and problem.requirements is None and not self.exhaustive:
                hint = "give k, requirements, or ask exhaustively"
                raise InputError("nothing is asked", hint=hint)
            return problem.requirements if k is None else None
        if k is None:
            raise InputError("times are given, but not k")
        return _everybody(k, self.at, n_users, problem.zones.axis.steps)


def _everybody(k: int, at: Sequence[int], n_users: int, horizon: int) -> Requirements:
    """The requirements that every user has ``k`` candidates at some steps."""
    steps = sorted(set(at))
    if not steps or steps[0] < 0 or steps[-1] > horizon:
        raise InputError(f"steps {list(at)} are not in 0..{horizon}")
    row, time_step = np.divmod(np.arange(n_users * len(steps)), len(steps))
    return Requirements(
        row.astype(np.int32),
        np.array(steps, np.int32)[time_step],
        np.full(len(row), k, np.int32),
    )


class DecisionOptions(CourseOptions, total=False):
    """How a question is decided.

    Parameters
    ----------
    keep_proof_data
        Keep the proof data in the result, for certificates; an error is raised if the bounds of
        every wire are too large for that.
    """

    keep_proof_data: bool


class Options(DecisionOptions, KeptCourseOptions, total=False):
    """How a problem is decided: :class:`DecisionOptions`, and what only problems have.

    Parameters
    ----------
    encoding
        Of engine ``cpsat``: ``flow`` or ``permutation``.
    keep_candidates
        Keep the candidates in the result, for pages; implied by ``keep_proof_data``.
    """

    encoding: str | None
    keep_candidates: bool


@dataclass(frozen=True)
class Settings:
    """The engine, and what is kept of the answer, as in :class:`Options`."""

    engine: str | Engine = "auto"
    encoding: str | None = None
    keep_proof_data: bool = False
    keep_candidates: bool = False
