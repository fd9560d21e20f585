"""What to suppress: the fewest sightings without which it takes one more to break a target.

Each smallest breaking set must lose a sighting. So this is a hitting set, too, over breaking sets,
found lazily: those are looked for that have none of what is suppressed so far.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from mixsafe.breaking.allowed import Allowed
from mixsafe.breaking.assignments.conflicts import numbers, set_of
from mixsafe.breaking.breaking_answer import Number, Suppression
from mixsafe.breaking.pursuit import Pursuit
from mixsafe.breaking.searching import BreakingSearch
from mixsafe.breaking.targets import BreakingTarget, Ints
from mixsafe.journal.steps import Entry, Journal
from mixsafe.model.progress import Progress
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.hitting.implicit import Answer, ImplicitHittingSet


class SuppressionSearch:
    """What to suppress, for targets whose numbers are known.

    Parameters
    ----------
    search
        What found the numbers.
    network, allowed
        All wires, and which sightings there may be.
    progress
        Whom to tell how far it is.
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
        """The same numbers, with what to suppress where they are exact and not 0."""
        for place, (target, number) in enumerate(zip(targets, found, strict=True)):
            if number.status != "broken" or not number.lower:
                yield number
                continue
            step = f"suppress {place}"
            kept = journal.recall(step)
            if kept is None:
                self._progress("looking for what to suppress", place, len(targets))
                told = self._of(target, number.lower)
                if told.lower != told.upper and self._search.deadline.passed:
                    journal.cut()
                else:
                    journal.keep(step, _entry(told))
            else:
                told = _recalled(kept)
            yield number._replace(suppress=told)

    def _of(self, target: BreakingTarget, size: int) -> Suppression:
        """What to suppress, so that no ``size`` sightings break a target."""
        pursuit = self._search.pursuit(target)
        row, time, number = self._allowed.saying(target, self._network, pursuit.choices)
        cost = np.bincount(number, minlength=len(pursuit.choices.row))
        found = cheapest_suppression(self._search, pursuit, size, cost)
        lower = max(1, found.lower)
        if found.upper is None:
            return Suppression(lower, None)
        those = np.flatnonzero(np.isin(number, found.best))
        those = those[np.lexsort((time[those], row[those]))]
        told = zip(row[those].tolist(), time[those].tolist(), strict=True)
        return Suppression(lower, found.upper, tuple(told))


def cheapest_suppression(
    search: BreakingSearch, pursuit: Pursuit, size: int, cost: Ints
) -> ImplicitHittingSet:
    """What to suppress for one target, as far as it is known: each breaking set is a core.

    Parameters
    ----------
    search
        What asks whether sightings break a target.
    pursuit, size
        The target, and its breaking number.
    cost
        (n_choices,) int64: how many sightings say the same as each choice.
    """
    asked = 0

    def breaking_without(suppressed: Sequence[int]) -> Answer:
        """A set that breaks the target, or may, with none of some sightings."""
        nonlocal asked
        pursuit.begin_without(set_of(suppressed), size)
        while (chosen := pursuit.propose(search.deadline)) is not None:
            asked += 1
            answer = search.ask(pursuit, chosen, asked)
            if answer.fails is False:
                pursuit.survived(answer.witness)
            elif chosen.bit_count() < size:  # not decided here, but no fewer do it
                pursuit.left_open(chosen)
            else:
                return Answer(False if answer.fails else None, list(numbers(chosen)))
        return Answer(None if search.deadline.passed else True)

    found = ImplicitHittingSet(cost)
    found.run(breaking_without, search.deadline)
    return found


def _recalled(kept: Entry) -> Suppression:
    """What was kept."""
    lower, upper = kept["bounds"].tolist()
    rows, steps = kept["sightings"].tolist()
    return Suppression(lower, None if upper < 0 else upper, tuple(zip(rows, steps, strict=True)))


def _entry(found: Suppression) -> Entry:
    """What to suppress, to be kept."""
    bounds = np.array([found.lower, -1 if found.upper is None else found.upper])
    return {"bounds": bounds, "sightings": np.array(found.sightings, np.int64).reshape(-1, 2).T}
