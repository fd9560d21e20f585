"""What to suppress: the fewest sightings without which it takes one more to break a target.

Each smallest breaking set must lose a sighting. So this is a hitting set, too, over breaking sets,
found lazily: those are looked for that have none of what is suppressed so far.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

import numpy as np

from mixsafe.breaking.allowed import Allowed
from mixsafe.breaking.breaking_answer import Number, Suppression
from mixsafe.breaking.histories.killing import bits_of, listed, numbers
from mixsafe.breaking.hitting import OutOfTimeError
from mixsafe.breaking.pursuit import Pursuit
from mixsafe.breaking.searching import BreakingSearch
from mixsafe.breaking.targets import BreakingTarget, Ints
from mixsafe.journal.steps import Entry, Journal
from mixsafe.model.limits import SolveLimits
from mixsafe.model.progress import Progress
from mixsafe.network.wires import WireNetwork
from mixsafe.optimize.oracle.hitting_sets import HittingSets


class SuppressionSearch:
    """What to suppress, for targets whose numbers are known.

    Parameters
    ----------
    search
        What found the numbers.
    network, allowed
        All wires, and which sightings there may be.
    limits, progress
        Workers and seed; whom to tell how far it is.
    """

    def __init__(
        self,
        search: BreakingSearch,
        network: WireNetwork,
        allowed: Allowed,
        limits: SolveLimits,
        progress: Progress,
    ) -> None:
        self._search, self._network, self._allowed = search, network, allowed
        self._limits, self._progress = limits, progress

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
        found = CheapestSuppression(self._search, pursuit, size, cost, self._limits)
        found.find()
        if found.upper is None:
            return Suppression(found.lower, None)
        those = np.flatnonzero(np.isin(number, listed(found.without)))
        those = those[np.lexsort((time[those], row[those]))]
        told = zip(row[those].tolist(), time[those].tolist(), strict=True)
        return Suppression(found.lower, found.upper, tuple(told))


class CheapestSuppression:
    """What to suppress for one target: what is known of it so far.

    Parameters
    ----------
    search
        What asks whether sightings break a target.
    pursuit, size
        The target, and its breaking number.
    cost
        (n_choices,) int64: how many sightings say the same as each choice.
    limits
        Workers and seed.

    Attributes
    ----------
    lower, upper
        Bounds on the cost of what must be suppressed; None: nothing is known to be enough.
    without
        What is enough, at the cost of ``upper``.
    """

    def __init__(
        self, search: BreakingSearch, pursuit: Pursuit, size: int, cost: Ints, limits: SolveLimits
    ) -> None:
        self._search, self._pursuit, self._size, self._cost = search, pursuit, size, cost
        self._proven, self._every = HittingSets(cost, limits), HittingSets(cost, limits)
        self._certain, self._turn = True, 0
        self.lower, self.without = 1, 0
        self.upper: int | None = None

    def find(self) -> None:
        """Look for it until it is known, or the time is up."""
        with suppress(OutOfTimeError):
            apart = 0
            while found := self._breaking(apart):
                apart |= found
            self._enough(apart)
            while (tried := self._cheapest()) is not None:
                if not self._breaking(tried):
                    self._enough(tried)

    def _breaking(self, without: int) -> int:
        """A set that breaks the target, or may, with none of some sightings; 0: there is none."""
        one, deadline = self._pursuit, self._search.deadline
        while (chosen := one.another(self._size, without, deadline)) is not None:
            self._turn += 1
            answer = self._search.ask(one, chosen, self._turn)
            if answer.fails is False:
                one.survived(answer.witness)
            elif chosen.bit_count() < self._size:  # not decided here, but no fewer do it
                one.left_open(chosen)
            else:
                self._take_in(chosen, proven=answer.fails is True)
                return chosen
        return 0

    def _take_in(self, chosen: int, *, proven: bool) -> None:
        """One more set that must lose a sighting, or perhaps must."""
        cut = listed(chosen)
        self._every.add(cut)
        if proven:
            self._proven.add(cut)
        self._certain &= proven

    def _enough(self, without: int) -> None:
        """Nothing breaks the target without these."""
        price = sum(int(self._cost[one]) for one in numbers(without))
        if self.upper is None or price < self.upper:
            self.upper, self.without = price, without

    def _cheapest(self) -> int | None:
        """What is to be tried next: the cheapest that hits all sets; None: no other is cheaper."""
        deadline = self._search.deadline
        hit, least = self._every.cheapest(deadline)
        proven = least if self._certain else self._proven.cheapest(deadline)[1]
        self.lower = max(self.lower, proven)
        if hit is None or least == self.upper:
            return None
        return bits_of(hit)


def _recalled(kept: Entry) -> Suppression:
    """What was kept."""
    lower, upper = kept["bounds"].tolist()
    rows, steps = kept["sightings"].tolist()
    return Suppression(lower, None if upper < 0 else upper, tuple(zip(rows, steps, strict=True)))


def _entry(found: Suppression) -> Entry:
    """What to suppress, to be kept."""
    bounds = np.array([found.lower, -1 if found.upper is None else found.upper])
    return {"bounds": bounds, "sightings": np.array(found.sightings, np.int64).reshape(-1, 2).T}
