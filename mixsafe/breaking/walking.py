"""Witnesses of many targets at once, by short walks.

Each target has sightings of its own that are tried. The walks see all of them together: a history
that agrees with more than a target's own sightings is a witness for it all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mixsafe.breaking.allowed import SightingChoices
from mixsafe.breaking.histories.killing import Killing, KnownUsers, Witness, killing, listed
from mixsafe.breaking.histories.swapping import Swapping
from mixsafe.breaking.histories.target_state import TargetState
from mixsafe.certify.witnesses.wanted import Wanted, take
from mixsafe.model.limits import Deadline
from mixsafe.model.question.adversary import Knowledge, pins_and_links
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.local.walks import Effort, walk
from mixsafe.solver.state import tokens
from mixsafe.solver.state.differences import Differences, joined
from mixsafe.solver.state.witness import Assignment

SHORT = (Effort(3, 1, 10, 40, 1),)
LONG = (*SHORT, Effort(5, 1, 10, 800, 2), Effort(5, 1, 10, 150, 5))
"""Walks one after the other, of which each is asked what those before it did not find."""


class Tried(NamedTuple):
    """A target, and sightings that are tried on it.

    Parameters
    ----------
    swapping
        Its swaps.
    choices, chosen
        What may be seen, and the set of what is.
    """

    swapping: Swapping
    choices: SightingChoices
    chosen: int


class Walking:
    """Walks over a network of which something is known.

    Parameters
    ----------
    network, knowledge
        All wires, and the base knowledge.
    deadline
        When to stop.
    """

    def __init__(self, network: WireNetwork, knowledge: Knowledge, deadline: Deadline) -> None:
        self._network, self._knowledge, self._deadline = network, knowledge, deadline
        self._known = KnownUsers.of(knowledge, network)

    def witnesses(
        self, tried: Sequence[Tried], efforts: Sequence[Effort], seed: int
    ) -> list[Witness | None]:
        """For each target a witness that survives what is tried on it; None: none was found.

        Parameters
        ----------
        tried
            Targets that swaps leave open.
        efforts
            How much is tried.
        seed
            Of the drawing.
        """
        core, network, states = self._core(tried), self._network, list[TargetState]()
        for one in tried:
            if self._deadline.passed:
                return [None] * len(tried)
            states.append(TargetState.of_swaps(one.swapping, one.chosen))
        need = np.zeros(network.n_wires, np.int32)
        for state in states:
            left, target = ~state.safe, state.target
            np.maximum.at(need, target.wires[left], target.k[left].astype(np.int32) - 1)
        everybody = tokens.everything(network.n_wires, network.n_rows)
        wanted = Wanted.of(need, network.row, everybody)
        found: list[Differences] = []
        for number, effort in enumerate(efforts):
            sought, shown = wanted.targets(), wanted.shown()
            turn, until = seed * len(LONG) + number, self._deadline
            made = walk(core, sought, shown, effort, seed=turn, deadline=until, writes=True)
            found.append(take(wanted, made, 1 + sum(one.n for one in found)))
        told = joined(found)
        for one, state in zip(tried, states, strict=True):
            self._take_in(state, one.choices, wanted, told)
        return [state.witness() if state.passes else None for state in states]

    def _core(self, tried: Sequence[Tried]) -> Core:
        """The question with all sightings that are tried."""
        those = [(one.choices, listed(one.chosen)) for one in tried]
        none = np.zeros(0, np.int32)
        row = np.concatenate([none, *(choices.row[some] for choices, some in those)])
        time = np.concatenate([none, *(choices.time[some] for choices, some in those)])
        return Core(self._network, *pins_and_links(self._knowledge.with_more(row, time)))

    def _take_in(
        self, state: TargetState, choices: SightingChoices, wanted: Wanted, told: Differences
    ) -> None:
        """Note which of a target's wires walks have shown, and by what."""
        target, kills = state.target, dict[tuple[int, bytes], Killing]()
        for place in np.flatnonzero(~state.safe).tolist():
            if self._deadline.passed:
                return
            at = int(wanted.place[target.wires[place]])
            enough = int(target.k[place])
            if at < 0 or wanted.n_shown[at] < enough:
                continue
            counts, shown = choices.counts[place], []
            for by in wanted.shown_by[at, 1:enough].tolist():
                key = by, counts.tobytes()
                if key not in kills:
                    history = self._history(told, by)
                    kills[key] = killing(history, choices, counts, self._known)
                shown.append(kills[key])
            state.set(place, True, tuple(shown))

    def _history(self, told: Differences, number: int) -> Assignment:
        """The whole of a witness; the first one, number 1, is the first that was told."""
        moved = slice(int(told.ptr[number - 1]), int(told.ptr[number]))
        made: Assignment = self._network.row.copy()
        made[told.wire[moved]] = told.token[moved]
        return made
