"""Candidates at several places: what is asked until the places of rows are settled.

The engine first decides how many candidates a wire has. Where those that it proved are at too few
places, and those that are left could be at enough, ``auto`` goes on to search, for tokens at
further places. Other engines are asked for more candidates of these wires.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.model.answer.verdict import SAFE, UNDECIDED, UNSAFE, Argument
from mixsafe.model.course import Course
from mixsafe.model.csr import distinct
from mixsafe.solver.registry import Engine
from mixsafe.solver.state.answers import Answers
from mixsafe.verify.place_counts import EveryStep, PlaceCounter, PlaceCounts, PlaceStretches

MORE = 16
"""Further candidates of a wire that bounds are asked for: one of them may be at another place."""

Method = Callable[[Answers, PlaceStretches, int, PlaceCounter], npt.NDArray[np.uint8]]
"""Settles places of rows, as far as it can; returns the argument that settled each."""


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
    without_fix
        (n,) rows whose number of places only tracks that show no place leave open.
    """

    least: int
    counts: PlaceCounts
    named: bool
    marked: bool
    without_fix: npt.NDArray[np.bool_]
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
        open_rows = (counts.lower < self.least) & (counts.upper >= self.least) & is_safe
        return {
            "distinct": self.least,
            "named": self.named,
            "one_place": shares(counts.one, counts.one_undecided),
            "sensitive": marked,
            "without_fix": int(np.count_nonzero(open_rows & self.without_fix)),
        }


def _share(part: np.integer, whole: int) -> float | None:
    """A share; None: of nothing."""
    return round(int(part) / whole, 6) if whole else None


def settle_places(
    answers: Answers,
    of: PlaceStretches,
    k: npt.NDArray[np.int32] | np.int32,
    least: int,
    counter: PlaceCounter,
    method: Method,
) -> tuple[PlaceCounts, npt.NDArray[np.uint8]]:
    """Count places of rows whose numbers of candidates are decided, and look for further places.

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
    method
        Settles the places of rows, as far as it can.

    Returns
    -------
    counts, decided_by
        Of each row: places, and the argument that settled them; ``NONE`` where nothing more was
        asked, or nothing came of it.
    """
    counts = counter.count(of, answers.proven, answers.possible)
    decided_by = np.full(len(of.sets), Argument.NONE, np.uint8)
    known = answers.lower[of.sets], answers.upper[of.sets]
    is_open = (known[0] >= k) & (known[0] < known[1])
    rows = np.flatnonzero(is_open & (counts.lower < least) & (counts.upper >= least))
    if len(rows):
        some = PlaceStretches._make(column[rows] for column in of)
        decided_by[rows] = method(answers, some, least, counter)
        # A solution shows candidates of other rows, too
        lower, upper = answers.lower[of.sets], answers.upper[of.sets]
        changed = np.flatnonzero((lower > known[0]) | (upper < known[1]))
        some = PlaceStretches._make(column[changed] for column in of)
        counts.put(changed, counter.count(some, answers.proven, answers.possible))
    return counts, decided_by


def left_open(
    answers: Answers,
    of: PlaceStretches,
    counts: PlaceCounts,
    least: int,
    counter: PlaceCounter,
) -> npt.NDArray[np.bool_]:
    """(n,) rows whose places are open although no token is left that matters."""
    too_few = (counts.lower < least) & (counts.upper >= least)
    rows = np.flatnonzero(too_few)
    if len(rows):
        of_rows = PlaceStretches._make(column[rows] for column in of)
        further = counter.further(of_rows, answers.proven, answers.possible, least)
        too_few[rows] = ~further.any(axis=1)
    return too_few


def method_of(engine: Engine, decide: Callable[[Answers], None], course: Course) -> Method:
    """How an engine settles places: ``auto`` by its searches, others by more candidates.

    Parameters
    ----------
    decide
        The engine: settles questions about numbers of candidates.
    """
    if engine.name == "auto":
        return partial(_search, course)
    return partial(_ask_for_more, decide)


def _search(
    course: Course, answers: Answers, of: PlaceStretches, least: int, counter: PlaceCounter
) -> npt.NDArray[np.uint8]:
    """Bound the wires of the rows again, by more candidates; then look for further places."""
    # Loaded here: most questions are not about places, and to load a solver takes a while.
    from mixsafe.solver import auto, bounds
    from mixsafe.verify.placed_questions import PlacedQuestions

    wires = distinct(of.sets)
    answers.ask(wires, np.minimum(answers.lower[wires] + MORE, answers.upper[wires]))
    bounds.decide(answers, course)
    questions = PlacedQuestions(answers, of, least, counter)
    auto.search(questions, course)
    return questions.settled_by


def _ask_for_more(
    decide: Callable[[Answers], None],
    answers: Answers,
    of: PlaceStretches,
    least: int,
    counter: PlaceCounter,
) -> npt.NDArray[np.uint8]:
    """Ask for twice as many candidates each time, until places are settled or these are all."""
    decided_by = np.full(len(of.sets), Argument.NONE, np.uint8)
    while True:
        counts = counter.count(of, answers.proven, answers.possible)
        is_open = (counts.lower < least) & (counts.upper >= least)
        is_open &= answers.lower[of.sets] < answers.upper[of.sets]
        rows = np.flatnonzero(is_open)
        if not len(rows):
            return decided_by
        wires = distinct(of.sets[rows])
        known = answers.lower[wires], answers.upper[wires]
        answers.ask(wires, np.minimum(np.maximum(2 * known[0], least), known[1]))
        decide(answers)
        decided_by[rows] = answers.decided_by[np.searchsorted(wires, of.sets[rows])]
        if not np.any((answers.lower[wires] > known[0]) | (answers.upper[wires] < known[1])):
            return decided_by
