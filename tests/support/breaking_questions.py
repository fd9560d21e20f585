"""Random questions about breaking numbers, and whether brute force gives the same answer."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mixsafe.breaking.breaking import breaking
from mixsafe.breaking.breaking_answer import BreakingNumbers
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.problem import Problem
from tests.support.oracles import breaking_number, breaks_under, zones_of
from tests.support.random_problems import random_problem

TARGETS = ("lost", "every", "share:0.5", "followed", "each")
SHARES = {"lost": 0.0, "every": 1.0, "share:0.5": 0.5, "followed": 0.0, "each": 1.0}
"""Of what is asked about a target, how much must hold; at least one step of it."""


@dataclass(frozen=True)
class Drawn:
    """A question: as :func:`mixsafe.breaking.breaking.breaking` takes it."""

    problem: Problem
    k: int | None
    target: str
    sightings: str | Knowledge
    away: int | None
    at_most: int

    def answer(self, **changed: Any) -> BreakingNumbers:
        """What mixsafe says, perhaps of a changed question."""
        asked = {
            "problem": self.problem,
            "k": self.k,
            "target": self.target,
            "sightings": self.sightings,
            "away": self.away,
            "at_most": self.at_most,
        }
        return breaking(**{**asked, **changed})

    def expected(self) -> list[int | None]:
        """What brute force says of each target; None: no set of at most so many sightings."""
        return [
            breaking_number(
                self.problem,
                one,
                self._needed_of(one),
                self._allowed(one[0][0]),
                away=self._away,
                at_most=self.at_most,
            )
            for one in self._asked()
        ]

    def breaks(self) -> list[Callable[[Sequence[tuple[int, int]]], bool]]:
        """For each target whether some sightings break it, by brute force."""
        return [
            breaks_under(self.problem, one, self._needed_of(one), self._away)
            for one in self._asked()
        ]

    @property
    def _away(self) -> int | None:
        return 0 if self.target == "each" and self.away is None else self.away

    def _needed_of(self, one: list[tuple[int, int, int, int, int]]) -> float:
        """Steps, of those asked about a target, that must hold."""
        return max(1.0, SHARES[self.target] * sum(weight for *_, weight in one))

    def _asked(self) -> list[list[tuple[int, int, int, int, int]]]:
        """Stretches that each target is about, by user and time."""
        asked, horizon = self.problem.requirements, self.problem.zones.axis.steps
        whole = {}
        for user in range(self.problem.zones.n_users):
            events = [t for t, members in zones_of(self.problem) if user in members]
            for start, after in zip([0, *events], [*events, horizon + 1], strict=True):
                whole.update({(user, t): (start, after - 1) for t in range(start, after)})
        if asked is None:
            every = sorted({(user, *ends) for (user, _), ends in whole.items()})
            stretches = [(*one, self._needed(0), one[2] - max(one[1], 1) + 1) for one in every]
            stretches = [one for one in stretches if one[4] > 0]
        else:
            table = zip(asked.row.tolist(), asked.time.tolist(), asked.k.tolist(), strict=True)
            stretches = [
                (user, *whole[user, t], self._needed(k), 1)
                for user, t, k in sorted(table, key=lambda one: one[:2])
            ]
        if self.target == "each":
            return [[one] for one in stretches]
        users = sorted({one[0] for one in stretches})
        return [[one for one in stretches if one[0] == user] for user in users]

    def _needed(self, required: int) -> int:
        if self.target == "followed":
            return 2
        return required if self.k is None else self.k

    def _allowed(self, user: int) -> list[tuple[int, int]]:
        """Sightings that there may be, for a target about a user."""
        if isinstance(self.sightings, Knowledge):
            row, time = self.sightings.row.tolist(), self.sightings.time.tolist()
            return list(zip(row, time, strict=True))
        users = [user] if self.sightings == "self" else range(self.problem.zones.n_users)
        steps = range(self.problem.zones.axis.steps + 1)
        return [(one, step) for one in users for step in steps]


def drawn(random: np.random.Generator, **sizes: int) -> Drawn:
    """A question that brute force can answer."""
    problem = random_problem(random, **sizes)
    if random.random() < 0.8:
        problem = replace(problem, requirements=None)
    users, steps = problem.zones.n_users, problem.zones.axis.steps
    of = ("self", "anybody", "listed")[int(random.integers(3))]
    sightings: str | Knowledge = of
    if of == "listed":
        row, time = np.nonzero(random.random((users, steps + 1)) < 6 / (users * (steps + 1)))
        sightings = Knowledge.of(row, time)
    away = (None, None, 0, 1, 2)[int(random.integers(5))]
    k = None if problem.requirements is not None else int(random.integers(2, 6))
    target = TARGETS[int(random.integers(len(TARGETS)))]
    many = 10_000 // (problem.zones.n_users + 1)
    most = 2 if of == "anybody" and math.comb(users * steps, 3) > many else 3
    return Drawn(problem, k, target, sightings, away, most)


def differences(question: Drawn) -> list[str]:
    """Where mixsafe and brute force do not say the same."""
    found, wrong = question.answer(), []
    told = zip(found.numbers, found.targets, question.expected(), question.breaks(), strict=True)
    for number, one, least, breaks in told:
        if least is None:
            same = number.status in ("robust", "never") and number.lower == question.at_most + 1
            same &= number.upper is None and not number.sightings
        else:
            same = number.status == "broken" and number.lower == number.upper == least
            same &= least == len(number.sightings)
        if number.upper is not None:
            same &= number.upper == len(number.sightings) and breaks(number.sightings)
            same &= set(number.sightings) <= set(question._allowed(one.user))
        if not same:
            wrong.append(f"user {one.user} from {one.start}: {number}, not {least}")
    return wrong
