"""The implicit hitting set: sets of sightings are proposed until one of them breaks a target.

Each proposal is a smallest set that contradicts all witnesses so far, which are its cores. If it
does not break the target, a witness shows that and becomes one more core. Swaps and short walks
look for witnesses of many targets at once; an engine decides each target that they leave open.
Upper bounds without an engine are sets of sightings proven to break a single wire.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mixsafe.breaking import plan
from mixsafe.breaking.asking import LONG, SHORT, BreakingOracle, TargetAnswer, TargetState, Tried
from mixsafe.breaking.breaking_answer import Number
from mixsafe.breaking.conflicts import (
    KnownUsers,
    TokenPaths,
    Witness,
    hits_of,
    listed,
    set_of,
    survives,
    useful,
)
from mixsafe.breaking.swapping import Meetings
from mixsafe.breaking.targets import Allowed, BreakingTarget
from mixsafe.model.course import Course, Deadline, Journal
from mixsafe.model.question.adversary import Knowledge
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.hitting import ImplicitHittingSet

_AT_ONCE = 4096
"""Targets per batch: their witnesses stay in memory until the batch is done."""


class FromAbove:
    """The fewest sightings that leave too few token paths.

    Parameters
    ----------
    paths
        Token paths over the wire, and around it.
    everything
        The set of all allowed sightings.
    """

    def __init__(self, paths: TokenPaths, everything: int) -> None:
        self._paths, self._everything = paths, everything
        self._witnesses: list[Witness] = []
        self._search = ImplicitHittingSet()

    def breaking(self, at_most: int, deadline: Deadline) -> int | None:
        """A set that breaks the wire; None: even all sightings leave enough paths.

        It is minimum if ``at_most`` sightings suffice, otherwise minimal (no sighting can be
        dropped). After the deadline it may not be minimal, or be None.
        """
        if self._paths.witness(self._everything) is not None:
            return None
        self._search = ImplicitHittingSet(most=at_most)
        while (found := self._search.propose(deadline)) is not None:
            if self._breaks(set_of(found)):
                return set_of(found)
        return self._greedy(deadline)

    def _breaks(self, chosen: int) -> bool:
        """Whether a set leaves too few paths; if not, add the paths left as a core."""
        left = self._paths.witness(chosen)
        if left is not None:
            self._witnesses.append(left)
            self._search.refute(*hits_of(left))
        return left is None

    def _greedy(self, deadline: Deadline) -> int | None:
        """A set that leaves too few paths, minimal if there is time.

        It takes all sightings that help to contradict the paths left, short paths first.
        """
        chosen = 0
        while not self._breaks(chosen):
            if deadline.passed:
                return None
            chosen |= useful(self._witnesses[-1], chosen)
        for one in listed(chosen).tolist():
            if deadline.passed:
                break
            without = chosen & ~(1 << one)
            if not any(survives(left, without) for left in self._witnesses) and self._breaks(
                without
            ):
                chosen = without
        return chosen


class Pursuit:
    """Search for the breaking number of one target.

    Parameters
    ----------
    target, meetings, allowed, network
        The target, meetings of users, allowed sightings, and all wires.
    at_most
        Largest set size to search for.

    Attributes
    ----------
    everything
        The set of all allowed sightings.
    number
        The number, once the search has ended.
    n_open
        Number of undecided proposals.
    paths
        Token paths, if the target is a single wire.
    """

    def __init__(
        self,
        target: BreakingTarget,
        meetings: Meetings,
        allowed: Allowed,
        network: WireNetwork,
        at_most: int,
    ) -> None:
        self.choices = allowed.for_target(target, network)
        self.swapping = meetings.swaps(target, self.choices)
        self._at_most = at_most
        self._witnesses: list[Witness] = []
        self.everything = (1 << len(self.choices.row)) - 1
        self.number: Number | None = None
        self.paths: TokenPaths | None = None
        self.n_open = 0
        self._search = ImplicitHittingSet(most=at_most)

    def bound(self, breaking: int) -> None:
        """Record a set that breaks the target; the search continues with smaller ones."""
        self._search.accept(listed(breaking).tolist())

    @property
    def is_bounded(self) -> bool:
        """Whether a breaking set is known."""
        return self._search.upper is not None

    @property
    def is_wide(self) -> bool:
        """Whether an upper bound is known and exceeds the lower one by more than one."""
        upper = self._search.upper
        return upper is not None and self.number is None and upper - self._search.lower > 1

    def propose(self, deadline: Deadline) -> int | None:
        """A smallest set that contradicts all witnesses and swaps; None: the search has ended.

        After the deadline the number is undecided.
        """
        while self.number is None:
            found = self._search.propose(deadline)
            if found is None:
                self.number = self._none_left() if self._search.is_exhausted else self.given_up
                break
            chosen = set_of(found)
            if not self._swapped(chosen):
                return chosen
        return None

    def _swapped(self, chosen: int) -> bool:
        """Whether swaps survive a set; if so, add them as a witness."""
        state = TargetState.of_swaps(self.swapping, chosen)
        if state.passes:
            self.survived(state.witness())
        return state.passes

    def survived(self, witness: Witness | None) -> None:
        """Add a witness that survives the last proposal, if there is one."""
        if witness is not None:
            self._witnesses.append(witness)
            self._search.refute(*hits_of(witness))

    def take_in(self, chosen: int, answer: TargetAnswer) -> None:
        """Record the answer about the last proposal."""
        if answer.fails:
            self._broke(chosen)
        elif answer.fails is None:
            self.left_open(chosen)
        else:
            self.survived(answer.witness)

    def _broke(self, chosen: int) -> None:
        """Record that the last proposal, a smallest one, breaks the target."""
        self.bound(chosen)
        self.number = self._broken()

    def _broken(self) -> Number:
        """The number, or its bounds, where a breaking set is known."""
        lower, size = self._search.lower, self._search.upper
        if lower > self._at_most:  # sets larger than at_most are not reported
            return Number(lower, None, "robust")
        seen = self.choices
        sightings = tuple((int(seen.row[one]), int(seen.time[one])) for one in self._search.best)
        return Number(lower, size, "broken" if size == lower else "undecided", sightings)

    def left_open(self, chosen: int) -> None:
        """Record an undecided proposal: the search continues, but the lower bound stays."""
        self.n_open += 1
        self._search.leave_open(listed(self.everything & ~chosen).tolist())

    @property
    def given_up(self) -> Number:
        """The number as undecided, with the bounds so far."""
        if self.is_bounded:
            return self._broken()
        return Number(self._search.lower, None, "undecided")

    def _none_left(self) -> Number:
        """The number once all sets up to the largest size are excluded."""
        if self.is_bounded or not self._search.is_certain:
            return self.given_up
        never = any(survives(one, self.everything) for one in self._witnesses)
        return Number(self._search.lower, None, "never" if never else "robust")


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
