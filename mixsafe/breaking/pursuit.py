"""The search state of one target: its witnesses so far, and the bounds that they imply.

It is an implicit hitting set with witnesses as cores: a breaking set contradicts each of them.
"""

from __future__ import annotations

from mixsafe.breaking.allowed import Allowed
from mixsafe.breaking.asking import TargetAnswer
from mixsafe.breaking.assignments.conflicts import Witness, hits_of, listed, set_of, survives
from mixsafe.breaking.assignments.swapping import Meetings
from mixsafe.breaking.assignments.target_state import TargetState
from mixsafe.breaking.assignments.token_paths import TokenPaths
from mixsafe.breaking.breaking_answer import Number
from mixsafe.breaking.targets import BreakingTarget
from mixsafe.model.limits import Deadline
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.hitting import ImplicitHittingSet


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
