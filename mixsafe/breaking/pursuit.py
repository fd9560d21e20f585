"""A target that is pursued: its witnesses so far, and what they say of its number."""

from __future__ import annotations

from mixsafe.breaking.allowed import Allowed
from mixsafe.breaking.breaking_answer import Number
from mixsafe.breaking.histories.killing import Killing, Witness, numbers, survives
from mixsafe.breaking.histories.swapping import Meetings
from mixsafe.breaking.histories.target_state import TargetState
from mixsafe.breaking.histories.token_ways import TokenWays
from mixsafe.breaking.hitting import OutOfTimeError, smallest
from mixsafe.breaking.targets import BreakingTarget
from mixsafe.model.limits import Deadline
from mixsafe.network.wires import WireNetwork


class Pursuit:
    """What is known of a target's number.

    Parameters
    ----------
    target, meetings, allowed, network
        What is to fail, who meets whom, which sightings there may be, and all wires.
    at_most
        Larger sets are not looked for.

    Attributes
    ----------
    everything
        The set of all sightings that there may be.
    number
        The number, once it is known, or given up.
    ways
        Of tokens over a single wire, if that is the target.
    n_open
        Proposals that were left open.
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
        self._at_most = self._most = at_most
        self._breaking: int | None = None
        self._witnesses: list[Witness] = []
        self._lower, self._certain = 0, True
        self.everything = (1 << len(self.choices.row)) - 1
        self.number: Number | None = None
        self.ways: TokenWays | None = None
        self.n_open = 0

    def bound(self, breaking: int) -> None:
        """Take in a set that breaks the target: only smaller ones are looked for."""
        self._breaking = breaking
        self._most = min(self._at_most, breaking.bit_count() - 1)

    @property
    def witnesses(self) -> tuple[Witness, ...]:
        """Those that were found so far, and what only stands for one."""
        return tuple(self._witnesses)

    @property
    def is_bounded(self) -> bool:
        """Whether a set is known that breaks the target."""
        return self._breaking is not None

    @property
    def is_wide(self) -> bool:
        """Whether bounds are known that are more than one apart."""
        if self._breaking is None or self.number is not None:
            return False
        return self._breaking.bit_count() - self._lower > 1

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

    def survived(self, witness: Witness | None) -> None:
        """Take in what the last proposal does not kill, if it is known."""
        if witness is not None:
            self._witnesses.append(witness)

    def broke(self, chosen: int) -> None:
        """The last proposal breaks the target, and no smaller one was left to be tried."""
        self.number = self._broken_by(chosen)

    def _broken_by(self, chosen: int) -> Number:
        """The number, as far as it is known, where a set breaks the target."""
        if self._lower > self._at_most:  # sets that are larger than was asked are not told
            return Number(self._lower, None, "robust")
        size, seen = chosen.bit_count(), self.choices
        told = tuple((int(seen.row[one]), int(seen.time[one])) for one in numbers(chosen))
        return Number(self._lower, size, "broken" if size == self._lower else "undecided", told)

    def left_open(self, chosen: int) -> None:
        """The last proposal was not decided: others are looked at, but no bound rises any more."""
        self._certain = False
        self.n_open += 1
        self._witnesses.append((Killing(self.everything & ~chosen),))

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
        never = any(survives(one, self.everything) for one in self._witnesses)
        return Number(self._lower, None, "never" if never else "robust")
