"""Hiding stretches: cells with too few candidates are not published (docs/develop/facts.md).

How many candidates there are on a track at a time depends on the zones and the sightings only, not
on who was on which track. The adversary knows both. So what is hidden tells her nothing, if it is
hidden by the number of candidates alone: for everybody, whether or not the person passes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.model.answer.verdict import SAFE, UNDECIDED, Verdict
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Requirements, Rule
from mixsafe.remedies.publication import Flags
from mixsafe.verify.query import Query
from mixsafe.verify.rows import Rows
from mixsafe.verify.verification import Verification


@dataclass(frozen=True, eq=False)
class Hiding:
    """Stretches of tracks that are not published.

    Parameters
    ----------
    answer
        What verify says of every wire, or of everybody at some steps.
    """

    answer: Verification

    @property
    def rows(self) -> Rows:
        """Stretches that were asked about, hidden or not."""
        return self.answer.rows

    @property
    def hidden(self) -> Flags:
        """(n_rows,) stretches that are not proven to have enough candidates."""
        return np.asarray(self.rows.verdict != SAFE)

    @property
    def open(self) -> int:
        """Stretches that are undecided.

        Which these are depends on how candidates were searched for, and so on the truth. While
        there are any, what is hidden may tell something.
        """
        return int(np.count_nonzero(self.rows.verdict == UNDECIDED))

    @property
    def share_of_time(self) -> float:
        """Share of everybody's time that is hidden."""
        weight = self._weight
        return float(weight[self.hidden].sum() / max(weight.sum(), 1))

    @property
    def _weight(self) -> npt.NDArray[np.int64]:
        """(n_rows,) steps of each stretch; 0 if there are no data of the user."""
        counts = np.ones(self.answer.problem.zones.n_users, bool)
        counts[self.answer.problem.zones.absent] = False
        return self.rows.weight.astype(np.int64) * counts[self.rows.user]

    @property
    def shown(self) -> Flags:
        """(n_users,) those of whom something is published.

        Of whoever is asked about at some steps only, the other steps are published in any case.
        """
        if not self.answer.every_wire:
            return self._there
        shown = np.zeros(self.answer.problem.zones.n_users, bool)
        shown[self.rows.user[~self.hidden & (self._weight > 0)]] = True
        return shown

    @property
    def unseen(self) -> Flags:
        """(n_users,) those with data of whom nothing is published."""
        return self._there & ~self.shown

    @property
    def _there(self) -> Flags:
        """(n_users,) those with data who were asked about."""
        there = np.zeros(self.answer.problem.zones.n_users, bool)
        there[self.rows.user[self._weight > 0]] = True
        return there

    @property
    def verdict(self) -> Verdict:
        """SAFE if something is published and everything hidden is proven to fail."""
        if self.open:
            return Verdict.UNDECIDED
        return Verdict.SAFE if self.shown.any() else Verdict.UNSAFE

    def stretch_of(
        self, user: npt.NDArray[np.integer], step: npt.NDArray[np.integer]
    ) -> npt.NDArray[np.int64]:
        """(n,) stretch in which each of n cells of a user at a step lies; -1: in none."""
        rows, width = self.rows, np.int64(self.answer.problem.zones.axis.steps + 1)
        starts = rows.user * width + rows.start
        order = np.append(-1, np.argsort(starts, kind="stable"))
        row = order[np.searchsorted(starts[order[1:]], user * width + step, side="right")]
        inside = (rows.user[row] == user) & (rows.end[row] >= step) if len(rows.user) else False
        return np.where((row >= 0) & inside, row, -1)

    def covers(
        self, user: npt.NDArray[np.integer], step: npt.NDArray[np.integer]
    ) -> npt.NDArray[np.bool_]:
        """(n,) whether the cell of a user at a step is hidden, of n cells."""
        return np.append(self.hidden, False)[self.stretch_of(user, step)]

    def published(self) -> tuple[Problem, Query]:
        """The question of what is left: each published stretch has enough candidates.

        Exchanges are those of the whole data: people exchange pseudonyms in all mix zones, also
        where the cells of some, or of all, are hidden.
        """
        left, rows = ~self.hidden & (self._weight > 0), self.rows
        asked = Requirements(
            rows.user[left].astype(np.int32),
            rows.end[left].astype(np.int32),
            rows.k[left].astype(np.int32),
        )
        problem = self.answer.problem
        posed = Problem(f"{problem.name}, published", problem.zones, problem.knowledge, asked)
        return posed, Query(rule=Rule("every"))
