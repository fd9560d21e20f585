"""Candidates at several places: what is asked again until the places of rows are settled.

The engine decides how many candidates a wire has. Where the candidates that it proved are at too
few places, and those that are left could be at enough, it is asked for more candidates of these
wires, twice as many each time, until they are at enough places or are all of them. No engine needs
to know of places.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.model.answer.verdict import SAFE, UNDECIDED, UNSAFE, Argument
from mixsafe.model.distinct import distinct
from mixsafe.solver.state.answers import Answers
from mixsafe.verify.place_counts import EveryStep, PlaceCounter, PlaceCounts, Stretches

Settle = Callable[[Answers], None]
"""An engine with its limits: settles the questions that are asked, as far as it can."""


@dataclass(frozen=True, eq=False)
class CandidatePlaces:
    """At how many places the candidates of the rows of a result are.

    Parameters
    ----------
    least
        Number of distinct places that was asked for; 1: they were only counted.
    counts
        Of each row.
    named, marked
        Whether places have names, and whether some could be marked as sensitive.
    every_step
        With ``exhaustive``, bounds at every step; else None.
    """

    least: int
    counts: PlaceCounts
    named: bool
    marked: bool
    every_step: EveryStep | None = None

    def verdict(self, by_number: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
        """(n,) verdicts of the rows: unsafe by number or by places, safe by both.

        Parameters
        ----------
        by_number
            (n,) verdicts on the number of candidates alone.
        """
        few = (by_number == UNSAFE) | (self.counts.upper < self.least)
        enough = (by_number == SAFE) & (self.counts.lower >= self.least)
        return np.select([few, enough], [UNSAFE, SAFE], UNDECIDED).astype(np.int8)

    def summary(
        self, weight: npt.NDArray[np.integer], is_safe: npt.NDArray[np.bool_]
    ) -> dict[str, Any]:
        """Shares of the time at one place, and at sensitive places.

        Parameters
        ----------
        weight
            (n,) steps that each row stands for.
        is_safe
            (n,) rows with k candidates or more, wherever they are.
        """
        counts = self.counts
        time, safe_time = int(weight.sum()), int(weight[is_safe].sum())

        def shares(
            steps: npt.NDArray[np.int32], undecided: npt.NDArray[np.int32]
        ) -> dict[str, float | None]:
            return {
                "share_of_time": _share(steps.sum(), time),
                "share_of_safe_time": _share(steps[is_safe].sum(), safe_time),
                "undecided_share_of_time": _share(undecided.sum(), time),
                "undecided_share_of_safe_time": _share(undecided[is_safe].sum(), safe_time),
            }

        marked = shares(counts.sensitive, counts.sensitive_undecided) if self.marked else None
        return {
            "distinct": self.least,
            "named": self.named,
            "one_place": shares(counts.one, counts.one_undecided),
            "sensitive": marked,
        }


def _share(part: np.integer, whole: int) -> float | None:
    """A share; None: of nothing."""
    return round(int(part) / whole, 6) if whole else None


def settle_places(
    answers: Answers,
    of: Stretches,
    k: npt.NDArray[np.int32] | np.int32,
    least: int,
    counter: PlaceCounter,
    settle: Settle,
) -> tuple[PlaceCounts, npt.NDArray[np.uint8]]:
    """Count places of rows whose numbers of candidates are decided, and ask for more candidates.

    Parameters
    ----------
    answers
        What is known of the candidates; more is added.
    of
        The rows; their sets are those of wires.
    k
        (n,) candidates that each row needs, or one number for all.
    least
        Places that each row needs.
    counter
        Where tracks are.
    settle
        The engine.

    Returns
    -------
    counts, decided_by
        Of each row: places, and the argument that settled them; ``NONE`` where nothing more was
        asked, or nothing came of it.
    """
    counts = counter.count(of, answers.proven, answers.possible)
    decided_by = np.full(len(of.index), Argument.NONE, np.uint8)
    while True:
        enough = answers.lower[of.index] >= k
        is_open = enough & (counts.lower < least) & (counts.upper >= least)
        is_open &= answers.lower[of.index] < answers.upper[of.index]
        rows = np.flatnonzero(is_open)
        if not len(rows):
            return counts, decided_by
        wires = distinct(of.index[rows])
        known = answers.lower[wires], answers.upper[wires]
        answers.ask(wires, np.minimum(np.maximum(2 * known[0], least), known[1]))
        settle(answers)
        decided_by[rows] = answers.decided_by[np.searchsorted(wires, of.index[rows])]
        some = Stretches(of.start[rows], of.end[rows], of.index[rows])
        counts.put(rows, counter.count(some, answers.proven, answers.possible))
        if not np.any((answers.lower[wires] > known[0]) | (answers.upper[wires] < known[1])):
            return counts, decided_by
