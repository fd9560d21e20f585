"""A target that is pursued: its witnesses so far, and what they say of its number.

It is an implicit hitting set, whose cores are witnesses: what breaks the target kills each of them.
"""

from __future__ import annotations

from mixsafe.breaking.allowed import Allowed
from mixsafe.breaking.asking import TargetAnswer
from mixsafe.breaking.assignments.conflicts import Witness, hits_of, numbers, set_of, survives
from mixsafe.breaking.assignments.swapping import Meetings
from mixsafe.breaking.assignments.target_state import TargetState
from mixsafe.breaking.assignments.token_paths import TokenPaths
from mixsafe.breaking.breaking_answer import Number
from mixsafe.breaking.targets import BreakingTarget
from mixsafe.model.limits import Deadline
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.hitting.implicit import ImplicitHittingSet


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
    paths
        Of tokens over a single wire, if that is the target.
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
        self._open: list[int] = []
        self._barred = 0
        self._search = ImplicitHittingSet(most=at_most)

    def begin_without(self, barred: int, size: int) -> None:
        """Look for sets of at most ``size`` sightings that have none of those ``barred``."""
        self._barred, self.number = barred, None
        self._search = ImplicitHittingSet(most=size)
        for witness in self._witnesses:
            self._search.refute(*hits_of(witness, barred))
        for chosen in self._open:
            self._search.leave_open(self._others(chosen))

    def bound(self, breaking: int) -> None:
        """Take in a set that breaks the target: only smaller ones are looked for."""
        self._search.accept(list(numbers(breaking)))

    @property
    def witnesses(self) -> tuple[Witness, ...]:
        """Those that were found so far."""
        return tuple(self._witnesses)

    @property
    def is_bounded(self) -> bool:
        """Whether a set is known that breaks the target."""
        return self._search.upper is not None

    @property
    def is_wide(self) -> bool:
        """Whether bounds are known that are more than one apart."""
        upper = self._search.upper
        return upper is not None and self.number is None and upper - self._search.lower > 1

    def propose(self, deadline: Deadline) -> int | None:
        """A smallest set that no witness so far survives, nor any swaps; None: there is a number.

        Where the time is up, the number is undecided.
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
        """Whether swaps survive a set, and say so from now on."""
        state = TargetState.of_swaps(self.swapping, chosen)
        if state.passes:
            self.survived(state.witness())
        return state.passes

    def survived(self, witness: Witness | None) -> None:
        """Take in what the last proposal does not kill, if it is known."""
        if witness is not None:
            self._witnesses.append(witness)
            self._search.refute(*hits_of(witness, self._barred))

    def take_in(self, chosen: int, answer: TargetAnswer) -> None:
        """Take in what became of the last proposal."""
        if answer.fails:
            self._broke(chosen)
        elif answer.fails is None:
            self.left_open(chosen)
        else:
            self.survived(answer.witness)

    def _broke(self, chosen: int) -> None:
        """The last proposal breaks the target, and no smaller one was left to be tried."""
        self.bound(chosen)
        self.number = self._broken()

    def _broken(self) -> Number:
        """The number, as far as it is known, where a set breaks the target."""
        lower, size = self._search.lower, self._search.upper
        if lower > self._at_most:  # sets that are larger than was asked are not told
            return Number(lower, None, "robust")
        seen = self.choices
        told = tuple((int(seen.row[one]), int(seen.time[one])) for one in self._search.best)
        return Number(lower, size, "broken" if size == lower else "undecided", told)

    def left_open(self, chosen: int) -> None:
        """The last proposal was not decided: others are looked at, but no bound rises any more."""
        self._open.append(chosen)
        self._search.leave_open(self._others(chosen))

    def _others(self, chosen: int) -> list[int]:
        """All sightings that come into question but those of a set."""
        return list(numbers(self.everything & ~chosen & ~self._barred))

    @property
    def n_open(self) -> int:
        """Proposals that were left open."""
        return len(self._open)

    @property
    def given_up(self) -> Number:
        """The bounds so far."""
        if self.is_bounded:
            return self._broken()
        return Number(self._search.lower, None, "undecided")

    def _none_left(self) -> Number:
        """No set of a size that is looked for is left."""
        if self.is_bounded or not self._search.is_certain:
            return self.given_up
        never = any(survives(one, self.everything) for one in self._witnesses)
        return Number(self._search.lower, None, "never" if never else "robust")
