"""The implicit hitting set: sets of sightings are proposed until one of them breaks a target.

Each proposal is a smallest set that kills all witnesses so far. If it does not break the target, a
witness says so, which is one more to be killed. Witnesses of many targets are looked for at once,
by swaps and short walks; what these leave open is asked target by target.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from mixsafe.breaking.allowed import Allowed
from mixsafe.breaking.asking import Answer, Asking
from mixsafe.breaking.breaking_answer import STATUSES, Number
from mixsafe.breaking.histories.killing import Killing, Witness, numbers, survives
from mixsafe.breaking.histories.swapping import Meetings
from mixsafe.breaking.hitting import OutOfTimeError, smallest
from mixsafe.breaking.target_state import TargetState
from mixsafe.breaking.targets import BreakingTarget
from mixsafe.breaking.walking import LONG, SHORT, Tried, Walking
from mixsafe.journal.steps import Entry, Journal
from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.model.progress import Progress
from mixsafe.model.question.adversary import Knowledge
from mixsafe.network.wires import WireNetwork

_AT_ONCE = 4096
"""Targets that are pursued together: their witnesses are kept until all of them are done."""

_WORTH_IT = 0.1
"""Share of the proposals that walks must find witnesses for, to walk once more."""

_ROUNDS = 100
_FEWEST = 4
"""Targets for which walks are taken together, at least."""

_PATIENCE = 4
"""Proposals that may be left open: then bounds are all that is known."""

_LITTLE = 20_000
"""Tokens on wires, at most, below which walks are more work than to ask at once."""

_NOTHING = Number(0, None, "undecided")
"""What is known of a target that the time did not suffice to look at."""


class Pursuit:
    """What is known of a target's number.

    Parameters
    ----------
    target, meetings, allowed, network
        What is to fail, who meets whom, which sightings there may be, and all wires.
    at_most
        Larger sets are not looked for.
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
        self._most, self._breaking = at_most, meetings.pinning(target, self.choices)
        if self._breaking is not None and self._breaking.bit_count() > at_most:
            self._breaking = None
        if self._breaking is not None:  # only what is smaller is looked for
            self._most = self._breaking.bit_count() - 1
        self._witnesses: list[Witness] = []
        self._lower, self._certain = 0, True
        self._everything = (1 << len(self.choices.row)) - 1
        self.number: Number | None = None

    def propose(self, deadline: Deadline) -> int | None:
        """A smallest set that no witness so far survives, nor any swaps; None: there is a number.

        Where the time is up, the number is undecided.
        """
        while self.number is None:
            try:
                chosen = smallest(self._witnesses, self._lower, self._most, deadline)
            except OutOfTimeError:
                self.number = self.given_up
                break
            if chosen is None:
                self.number = self._none_left()
                break
            if self._certain:
                self._lower = chosen.bit_count()
            if not self._swapped(chosen):
                return chosen
        return None

    def another(self, size: int, barred: int, deadline: Deadline) -> int | None:
        """A set of at most ``size`` sightings, none ``barred``, as for :meth:`propose`.

        None: no set of so many breaks the target without one that is barred, but for those that
        were left open.

        Raises
        ------
        OutOfTimeError
            The deadline has passed first.
        """
        while True:
            chosen = smallest(self._witnesses, size, size, deadline, barred)
            if chosen is None or not self._swapped(chosen):
                return chosen

    def _swapped(self, chosen: int) -> bool:
        """Whether swaps survive a set, and say so from now on."""
        state = TargetState.of_swaps(self.swapping, chosen)
        if state.passes:
            self.survived(state.witness())
        return state.passes

    def survived(self, witness: Witness) -> None:
        """Take in what the last proposal does not kill."""
        self._witnesses.append(witness)

    def broke(self, chosen: int) -> None:
        """The last proposal breaks the target, and no smaller one was left to be tried."""
        self.number = self._broken_by(chosen)

    def _broken_by(self, chosen: int) -> Number:
        """The number, as far as it is known, where a set breaks the target."""
        size, seen = chosen.bit_count(), self.choices
        told = tuple((int(seen.row[one]), int(seen.time[one])) for one in numbers(chosen))
        status = "broken" if size == self._lower else "undecided"
        return Number(self._lower, size, status, told)

    def left_open(self, chosen: int) -> None:
        """The last proposal was not decided: others are looked at, but no bound rises any more."""
        self._certain = False
        self._witnesses.append((Killing(self._everything & ~chosen),))

    @property
    def given_up(self) -> Number:
        """The bounds so far."""
        if self._breaking is not None:
            return self._broken_by(self._breaking)
        return Number(self._lower, None, "undecided")

    def _none_left(self) -> Number:
        """No set of a size that is looked for is left."""
        if not self._certain:
            return self.given_up
        self._lower = self._most + 1
        if self._breaking is not None:
            return self._broken_by(self._breaking)
        never = any(survives(one, self._everything) for one in self._witnesses)
        return Number(self._lower, None, "never" if never else "robust")


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
        self._asking = Asking(network, knowledge, limits, self.deadline)
        self._walking = Walking(network, knowledge, self.deadline)
        self._meetings = Meetings(network, knowledge)
        self._little = network.n_wires * network.n_rows <= _LITTLE

    def numbers(self, targets: Sequence[BreakingTarget], journal: Journal) -> Iterator[Number]:
        """The numbers of all targets, in their order."""
        for begin in range(0, len(targets), _AT_ONCE):
            some = targets[begin : begin + _AT_ONCE]
            kept = _recalled(journal, begin, len(some))
            started: dict[int, Pursuit] = {}
            for place, one in enumerate(some):
                if place not in kept and not self.deadline.passed:
                    started[place] = self.pursuit(one)
                    self._progress("looking at swaps", begin + place, len(targets))
            self._walk(started, begin, len(targets))
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
                    journal.keep(f"target {begin + place}", _entry(found))
                yield found

    def pursuit(self, target: BreakingTarget) -> Pursuit:
        """What is known of a target before anything is asked."""
        return Pursuit(target, self._meetings, self._allowed, self._network, self._at_most)

    def _walk(self, started: dict[int, Pursuit], begin: int, total: int) -> None:
        """Walk for all targets at once, as long as that finds witnesses."""
        if self._little:
            return
        left = list(started.values())
        for number in range(_ROUNDS):
            tried = []
            for one in left:
                chosen = one.propose(self.deadline)
                if chosen is not None:
                    tried.append((one, Tried(one.swapping, one.choices, chosen)))
            if len(tried) < _FEWEST or self.deadline.passed:
                return
            done = begin + len(started) - len(tried)
            self._progress("walking for all targets", done, total)
            found = self._walking.witnesses([asked for _, asked in tried], SHORT, number)
            for (one, _), witness in zip(tried, found, strict=True):
                if witness is not None:
                    one.survived(witness)
            if sum(witness is not None for witness in found) < _WORTH_IT * len(found):
                return
            left = [one for one, _ in tried]

    def _finished(self, one: Pursuit) -> Number:
        """Ask about proposals until there is a number."""
        left_open = turn = 0
        while left_open < _PATIENCE and (chosen := one.propose(self.deadline)) is not None:
            turn += 1
            answer = self.ask(one, chosen, turn)
            if answer.fails:
                one.broke(chosen)
            elif answer.fails is None:
                one.left_open(chosen)
                left_open += 1
            else:
                one.survived(answer.witness)
        return one.number or one.given_up

    def ask(self, one: Pursuit, chosen: int, turn: int) -> Answer:
        """Whether a proposal breaks its target; ``turn``: how many were asked about before."""
        tried = Tried(one.swapping, one.choices, chosen)
        witness = None if self._little else self._walking.witnesses([tried], LONG, turn)[0]
        return self._asking.ask(tried) if witness is None else Answer(False, witness)


def _recalled(journal: Journal, begin: int, size: int) -> dict[int, Number]:
    """The numbers of the next targets that were kept."""
    found: dict[int, Number] = {}
    while len(found) < size:
        kept = journal.recall(f"target {begin + len(found)}")
        if kept is None:
            break
        lower, upper, status = kept["bounds"].tolist()
        rows, steps = kept["sightings"].tolist()
        seen = tuple(zip(rows, steps, strict=True))
        known = None if upper < 0 else upper
        found[len(found)] = Number(lower, known, STATUSES[status], seen)
    return found


def _entry(found: Number) -> Entry:
    """A number, to be kept."""
    upper = -1 if found.upper is None else found.upper
    bounds = np.array([found.lower, upper, STATUSES.index(found.status)])
    return {"bounds": bounds, "sightings": np.array(found.sightings, np.int64).reshape(-1, 2).T}
