"""The implicit hitting set: sets of sightings are proposed until one of them breaks a target.

Each proposal is a smallest set that contradicts all witnesses so far. If it does not break the
target, a witness shows that and becomes one more core. Swaps and short walks look for witnesses of
many targets at once; an engine decides each target that they leave open.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mixsafe.breaking import plan
from mixsafe.breaking.allowed import Allowed
from mixsafe.breaking.asking import LONG, SHORT, BreakingOracle, TargetAnswer, Tried
from mixsafe.breaking.assignments.conflicts import KnownUsers
from mixsafe.breaking.assignments.swapping import Meetings
from mixsafe.breaking.assignments.token_paths import TokenPaths
from mixsafe.breaking.breaking_answer import Number
from mixsafe.breaking.from_above import FromAbove
from mixsafe.breaking.pursuit import Pursuit
from mixsafe.breaking.targets import BreakingTarget
from mixsafe.model.course import Course
from mixsafe.model.journal import Journal
from mixsafe.model.question.adversary import Knowledge
from mixsafe.network.wires import WireNetwork

_AT_ONCE = 4096
"""Targets per batch: their witnesses stay in memory until the batch is done."""

_NOTHING = Number(0, None, "undecided")
"""Result for targets not reached before the time limit."""


class BreakingSearch:
    """Search for the breaking numbers of targets.

    Parameters
    ----------
    network, knowledge
        All wires, and the base knowledge.
    allowed
        The allowed sightings.
    at_most
        Largest set size to search for.
    course
        Of the search for all targets.
    """

    def __init__(
        self,
        network: WireNetwork,
        knowledge: Knowledge,
        allowed: Allowed,
        at_most: int,
        course: Course,
    ) -> None:
        self._network, self._allowed, self._at_most = network, allowed, at_most
        self.course = course
        self._known = known = KnownUsers.of(knowledge, network)
        self._asking = BreakingOracle(network, knowledge, known, course.aside.silent)
        self._meetings = Meetings(network, known)
        self._small = network.n_wires * network.n_rows <= plan.SMALL

    def numbers(self, targets: Sequence[BreakingTarget]) -> Iterator[Number]:
        """Numbers of all targets, in order."""
        journal = self.course.journal
        for begin in range(0, len(targets), _AT_ONCE):
            some = targets[begin : begin + _AT_ONCE]
            kept = _recalled(journal, begin, len(some))
            started: dict[int, Pursuit] = {}
            for place, one in enumerate(some):
                if place not in kept and not self.course.passed:
                    self.course.progress("looking at swaps", begin + place, len(targets))
                    started[place] = self._begun(one)
            self._walk(started, begin, len(targets))
            self._narrow(list(started.values()), begin, len(targets))
            for place in range(len(some)):
                if place in kept:
                    yield kept[place]
                    continue
                self.course.progress("looking for breaking sightings", begin + place, len(targets))
                begun = started.pop(place, None)
                found = _NOTHING if begun is None else self._finished(begun)
                if found.status == "undecided" and self.course.passed:
                    journal.cut()
                else:
                    journal.keep(f"target {begin + place}", found.entry)
                yield found

    def pursuit(self, target: BreakingTarget) -> Pursuit:
        """A new pursuit of a target, without any witness."""
        return Pursuit(target, self._meetings, self._allowed, self._network, self._at_most)

    def _begun(self, target: BreakingTarget) -> Pursuit:
        """A pursuit; for a single wire with an upper bound, where one is found."""
        one = self.pursuit(target)
        if len(target.wires) > 1 or target.k.min() < 2:
            return one
        one.paths = TokenPaths(self._network, self._known, target, one.choices)
        breaking = FromAbove(one.paths, one.everything).breaking(
            self._at_most, self.course.deadline
        )
        if breaking is not None:
            one.bound(breaking)
        return one

    def _walk(self, started: dict[int, Pursuit], begin: int, total: int) -> None:
        """Walk for all targets at once, while that finds witnesses."""
        if self._small:
            return
        left = list(started.values())
        for number in range(plan.ROUNDS):
            tried = []
            for done, one in enumerate(left):
                self.course.progress("proposing sightings", done, len(left))
                chosen = one.propose(self.course.deadline)
                if chosen is not None:
                    tried.append((one, Tried(one.swapping, chosen)))
            if len(tried) < plan.FEWEST or self.course.passed:
                return
            done = begin + len(started) - len(tried)
            self.course.progress("walking for all targets", done, total)
            found = self._asking.witnesses([asked for _, asked in tried], SHORT, number)
            for (one, _), witness in zip(tried, found, strict=True):
                if witness is not None:
                    one.survived(witness)
            if sum(witness is not None for witness in found) < plan.WORTH * len(found):
                return
            left = [one for one, _ in tried]

    def _narrow(self, started: Sequence[Pursuit], begin: int, total: int) -> None:
        """Decide proposals in turns until bounds differ by at most one: some wires take long."""
        for turn in range(1, plan.TURNS + 1):
            wide = [one for one in started if one.is_wide]
            for one in [] if self._small else wide:
                chosen = one.propose(self.course.deadline)
                if chosen is not None and not self.course.passed:
                    done = begin + len(started) - len(wide)
                    self.course.progress("narrowing bounds", done, total)
                    one.take_in(chosen, self.ask(one, chosen, turn))

    def _finished(self, one: Pursuit) -> Number:
        """Decide proposals until the number is known or given up."""
        asks = one.paths is not None and not one.is_bounded and one.number is None
        if asks and not self.course.passed:
            together = self.ask(one, one.everything, 0)
            one.survived(together.witness if together.fails is False else None)
        turn, patience = 0, plan.PATIENCE
        while one.n_open < patience and (chosen := one.propose(self.course.deadline)) is not None:
            turn += 1
            one.take_in(chosen, self.ask(one, chosen, turn))
        return one.number or one.given_up

    def ask(self, one: Pursuit, chosen: int, turn: int) -> TargetAnswer:
        """Whether a proposal breaks its target; ``turn``: number of the proposal, for the seed."""
        tried = Tried(one.swapping, chosen)
        witness = None if self._small else self._asking.witnesses([tried], LONG, turn)[0]
        return self._asking.ask(tried) if witness is None else TargetAnswer(False, witness)


def _recalled(journal: Journal, begin: int, size: int) -> dict[int, Number]:
    """Numbers of the next targets from the journal, by place."""
    found: dict[int, Number] = {}
    while len(found) < size:
        kept = journal.recall(f"target {begin + len(found)}")
        if kept is None:
            break
        found[len(found)] = Number.recalled(kept)
    return found
