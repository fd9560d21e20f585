"""The implicit hitting set: sets of sightings are proposed until one of them breaks a target.

Each proposal is a smallest set that kills all witnesses so far. If it does not break the target, a
witness says so, which is one more to be killed. Witnesses of many targets are looked for at once,
by swaps and short walks; what these leave open is asked target by target.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing

import numpy as np

from mixsafe.breaking.allowed import Allowed
from mixsafe.breaking.asking import LONG, SHORT, Asking, TargetAnswer, Tried
from mixsafe.breaking.assignments.conflicts import KnownUsers
from mixsafe.breaking.assignments.sat_subproblems import PeopleNearby
from mixsafe.breaking.assignments.swapping import Meetings
from mixsafe.breaking.assignments.token_paths import TokenPaths
from mixsafe.breaking.breaking_answer import Number
from mixsafe.breaking.from_above import FromAbove
from mixsafe.breaking.pursuit import Pursuit
from mixsafe.breaking.targets import BreakingTarget
from mixsafe.journal.steps import Journal
from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.model.progress import Progress
from mixsafe.model.question.adversary import Knowledge, pins_and_links
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork

_AT_ONCE = 4096
"""Targets that are pursued together: their witnesses are kept until all of them are done."""

_WORTH_IT = 0.1
"""Share of the proposals that walks must find witnesses for, to walk once more."""

_ROUNDS = 100
_FEWEST = 4
"""Targets for which walks are taken together, at least."""

_TURNS = 8
"""Proposals about each wire whose bounds are far apart, before one is pursued to the end."""

_PATIENCE = 4
"""Proposals that may be left open: then bounds are all that is known."""

_PEOPLE = (12, 24)
"""Others among whom witnesses of single wires are looked for."""

_LITTLE = 20_000
"""Tokens on wires, at most, below which walks are more work than to ask at once."""

_NOTHING = Number(0, None, "undecided")
"""What is known of a target that the time did not suffice to look at."""


class BreakingSearch:
    """Numbers of targets.

    Parameters
    ----------
    network, knowledge
        All wires, and the base knowledge.
    allowed
        Which sightings there may be.
    at_most
        Larger sets are not looked for.
    limits, progress
        Time, workers and seed; whom to tell how far it is.

    Attributes
    ----------
    deadline
        When the time is up.
    """

    def __init__(
        self,
        network: WireNetwork,
        knowledge: Knowledge,
        allowed: Allowed,
        at_most: int,
        limits: SolveLimits,
        progress: Progress,
    ) -> None:
        self._network, self._allowed, self._at_most = network, allowed, at_most
        self.deadline, self._progress = Deadline(limits.seconds), progress
        self._known = known = KnownUsers.of(knowledge, network)
        self._asking = Asking(network, knowledge, known, limits, self.deadline)
        self._meetings = Meetings(network, known)
        self._core = Core(network, *pins_and_links(knowledge))
        self._little = network.n_wires * network.n_rows <= _LITTLE

    def numbers(
        self, targets: Sequence[BreakingTarget], journal: Journal, *, keep: bool = False
    ) -> Iterator[Number]:
        """The numbers of all targets, in their order.

        With ``keep`` they have their witnesses, but for those that an earlier run has found.
        """
        for begin in range(0, len(targets), _AT_ONCE):
            some = targets[begin : begin + _AT_ONCE]
            kept = _recalled(journal, begin, len(some))
            started: dict[int, Pursuit] = {}
            for place, one in enumerate(some):
                if place not in kept and not self.deadline.passed:
                    self._progress("looking at swaps", begin + place, len(targets))
                    started[place] = self._begun(one)
            self._walk(started, begin, len(targets))
            self._narrow(list(started.values()), begin, len(targets))
            for place in range(len(some)):
                if place in kept:
                    yield kept[place]
                    continue
                self._progress("looking for breaking sightings", begin + place, len(targets))
                begun = started.pop(place, None)
                found = _NOTHING if begun is None else self._finished(begun)
                if found.status == "undecided" and self.deadline.passed:
                    journal.cut()
                else:
                    journal.keep(f"target {begin + place}", found.entry)
                kept_ones = begun.witnesses if keep and begun is not None else ()
                yield found._replace(witnesses=kept_ones)

    def pursuit(self, target: BreakingTarget) -> Pursuit:
        """What is known of a target before anything is asked."""
        return Pursuit(target, self._meetings, self._allowed, self._network, self._at_most)

    def _begun(self, target: BreakingTarget) -> Pursuit:
        """A pursuit, with what can be said of a single wire at once: what breaks it, or nothing."""
        one = self.pursuit(target)
        if len(target.wires) > 1 or target.k.min() < 2:
            return one
        one.paths = TokenPaths(self._network, self._known, target, one.choices)
        breaking = FromAbove(one.paths, one.everything).breaking(self._at_most, self.deadline)
        if breaking is not None:
            one.bound(breaking)
        self._look_nearby(one)
        return one

    def _look_nearby(self, one: Pursuit) -> None:
        """Take in witnesses among a few people around a single wire, as long as there are some."""
        target = one.swapping.target
        if one.paths is None or self._little:
            return
        for size in _PEOPLE:
            if one.number is not None or self.deadline.passed:
                return
            rows = np.sort(np.append(one.paths.nearest(size), target.user))
            about = target, one.choices, rows
            with closing(PeopleNearby(self._core, self._known, *about)) as subproblem:
                one.survived(subproblem.witness(one.everything, self.deadline))
                while (chosen := one.propose(self.deadline)) is not None:
                    witness = subproblem.witness(chosen, self.deadline)
                    if witness is None:
                        break
                    one.survived(witness)

    def _walk(self, started: dict[int, Pursuit], begin: int, total: int) -> None:
        """Walk for all targets at once, as long as that finds witnesses."""
        if self._little:
            return
        left = list(started.values())
        for number in range(_ROUNDS):
            tried = []
            for done, one in enumerate(left):
                self._progress("proposing sightings", done, len(left))
                chosen = one.propose(self.deadline)
                if chosen is not None:
                    tried.append((one, Tried(one.swapping, one.choices, chosen)))
            if len(tried) < _FEWEST or self.deadline.passed:
                return
            done = begin + len(started) - len(tried)
            self._progress("walking for all targets", done, total)
            found = self._asking.witnesses([asked for _, asked in tried], SHORT, number)
            for (one, _), witness in zip(tried, found, strict=True):
                if witness is not None:
                    one.survived(witness)
            if sum(witness is not None for witness in found) < _WORTH_IT * len(found):
                return
            left = [one for one, _ in tried]

    def _narrow(self, started: Sequence[Pursuit], begin: int, total: int) -> None:
        """Ask about wires in turns, until their bounds are within one: some of them take long."""
        for turn in range(1, _TURNS + 1):
            wide = [one for one in started if one.is_wide]
            for one in [] if self._little else wide:
                chosen = one.propose(self.deadline)
                if chosen is not None and not self.deadline.passed:
                    done = begin + len(started) - len(wide)
                    self._progress("narrowing bounds", done, total)
                    one.take_in(chosen, self.ask(one, chosen, turn))

    def _finished(self, one: Pursuit) -> Number:
        """Ask about proposals until there is a number."""
        asks = one.paths is not None and not one.is_bounded and one.number is None
        if asks and not self.deadline.passed:
            together = self.ask(one, one.everything, 0)
            one.survived(together.witness if together.fails is False else None)
        turn = 0
        while one.n_open < _PATIENCE and (chosen := one.propose(self.deadline)) is not None:
            turn += 1
            one.take_in(chosen, self.ask(one, chosen, turn))
        return one.number or one.given_up

    def ask(self, one: Pursuit, chosen: int, turn: int) -> TargetAnswer:
        """Whether a proposal breaks its target; ``turn``: how many were asked about before."""
        tried = Tried(one.swapping, one.choices, chosen)
        witness = None if self._little else self._asking.witnesses([tried], LONG, turn)[0]
        return self._asking.ask(tried) if witness is None else TargetAnswer(False, witness)


def _recalled(journal: Journal, begin: int, size: int) -> dict[int, Number]:
    """The numbers of the next targets that were kept."""
    found: dict[int, Number] = {}
    while len(found) < size:
        kept = journal.recall(f"target {begin + len(found)}")
        if kept is None:
            break
        found[len(found)] = Number.recalled(kept)
    return found
