"""Suppression: the fewest sightings to suppress so that breaking a target takes one more sighting.

Each smallest breaking set must lose a sighting. So this is also a hitting set, over breaking sets
that are generated lazily: the oracle looks for one that avoids all sightings suppressed so far.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from mixsafe.breaking.allowed import Allowed
from mixsafe.breaking.assignments.conflicts import listed, set_of
from mixsafe.breaking.breaking_answer import Number, Suppression
from mixsafe.breaking.pursuit import Pursuit
from mixsafe.breaking.searching import BreakingSearch
from mixsafe.breaking.targets import BreakingTarget, Ints
from mixsafe.journal.steps import Entry, Journal
from mixsafe.model.progress import Progress
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.hitting.implicit import Answer, ImplicitHittingSet


class SuppressionSearch:
    """Search for the sightings to suppress, for targets with known numbers.

    Parameters
    ----------
    search
        The search that found the numbers.
    network, allowed
        All wires, and the allowed sightings.
    progress
        Progress callback.
    """

    def __init__(
        self,
        search: BreakingSearch,
        network: WireNetwork,
        allowed: Allowed,
        progress: Progress,
    ) -> None:
        self._search, self._network, self._allowed = search, network, allowed
        self._progress = progress

    def numbers(
        self, targets: Sequence[BreakingTarget], found: Sequence[Number], journal: Journal
    ) -> Iterator[Number]:
        """The same numbers, with a suppression where they are exact and not 0."""
        for place, (target, number) in enumerate(zip(targets, found, strict=True)):
            if number.status != "broken" or not number.lower:
                yield number
                continue
            step = f"suppress {place}"
            kept = journal.recall(step)
            if kept is None:
                self._progress("looking for what to suppress", place, len(targets))
                suppression = self._of(target, number.lower)
                if suppression.lower != suppression.upper and self._search.deadline.passed:
                    journal.cut()
                else:
                    journal.keep(step, _entry(suppression))
            else:
                suppression = _recalled(kept)
            yield number._replace(suppress=suppression)

    def _of(self, target: BreakingTarget, size: int) -> Suppression:
        """Sightings to suppress so that no ``size`` sightings break a target."""
        pursuit = self._search.pursuit(target)
        row, time, number = self._allowed.saying(target, self._network, pursuit.choices)
        cost = np.bincount(number, minlength=len(pursuit.choices.row))
        found = cheapest_suppression(self._search, pursuit, size, cost)
        lower = max(1, found.lower)
        if found.upper is None:
            return Suppression(lower, None)
        those = np.flatnonzero(np.isin(number, found.best))
        those = those[np.lexsort((time[those], row[those]))]
        sightings = zip(row[those].tolist(), time[those].tolist(), strict=True)
        return Suppression(lower, found.upper, tuple(sightings))


def cheapest_suppression(
    search: BreakingSearch, pursuit: Pursuit, size: int, cost: Ints
) -> ImplicitHittingSet:
    """Bounds on the suppression for one target: each breaking set is a core.

    Parameters
    ----------
    search
        The oracle: whether sightings break a target.
    pursuit, size
        The target, and its breaking number.
    cost
        (n_choices,) int64: number of sightings equivalent to each choice.
    """
    asked = 0

    def breaking_without(suppressed: Sequence[int]) -> Answer:
        """A set that breaks the target, or may break it, without the suppressed sightings."""
        nonlocal asked
        pursuit.begin_without(set_of(suppressed), size)
        while (chosen := pursuit.propose(search.deadline)) is not None:
            asked += 1
            answer = search.ask(pursuit, chosen, asked)
            if answer.fails is False:
                pursuit.survived(answer.witness)
            elif chosen.bit_count() < size:  # undecided here, but no smaller set breaks it
                pursuit.left_open(chosen)
            else:
                return Answer(False if answer.fails else None, listed(chosen).tolist())
        return Answer(None if search.deadline.passed else True)

    found = ImplicitHittingSet(cost)
    found.run(breaking_without, search.deadline)
    return found


def _recalled(kept: Entry) -> Suppression:
    """Suppression from a journal entry."""
    lower, upper = kept["bounds"].tolist()
    rows, steps = kept["sightings"].tolist()
    return Suppression(lower, None if upper < 0 else upper, tuple(zip(rows, steps, strict=True)))


def _entry(found: Suppression) -> Entry:
    """Journal entry of a suppression."""
    bounds = np.array([found.lower, -1 if found.upper is None else found.upper])
    return {"bounds": bounds, "sightings": np.array(found.sightings, np.int64).reshape(-1, 2).T}
