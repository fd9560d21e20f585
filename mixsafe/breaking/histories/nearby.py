"""Witnesses of a single wire among a few people who can come over it: boards, asked by SAT.

Everybody else keeps the own token (fact 8), so what is a history of the board is one of the whole.
A history is made small before it is used: as long as some history with the same candidate agrees,
one person more is seen at home. What is left is killed by few sightings, and says more.
"""

from __future__ import annotations

import numpy as np

from mixsafe.breaking.allowed import SightingChoices
from mixsafe.breaking.histories.killing import KnownUsers, Witness, killing, listed
from mixsafe.breaking.targets import BreakingTarget, Ints
from mixsafe.model.limits import Deadline
from mixsafe.network.core import Core
from mixsafe.network.subproblem import Subproblem
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.sat.encoding import Encoding
from mixsafe.solver.sat.session import Session
from mixsafe.solver.state.witness import Assignment

_CONFLICTS = 20_000  # of each question


class PeopleNearby:
    """A board around a single wire; to be closed at the end.

    Parameters
    ----------
    core
        The question, with what is known before.
    known
        Of whom something is known.
    target, choices
        A single wire, and what may be seen.
    rows
        The people on the board, ascending; the user is one.
    """

    def __init__(
        self,
        core: Core,
        known: KnownUsers,
        target: BreakingTarget,
        choices: SightingChoices,
        rows: Ints,
    ) -> None:
        self._known, self._choices, self._counts = known, choices, choices.counts[0]
        self._needed, self._row = int(target.k[0]) - 1, target.user
        self._board = Subproblem.of(core, rows)
        here = self._board.core
        self._encoding = Encoding.of(here, reachable(here), np.arange(len(rows)))
        self._wire = int(self._board.place(target.wires)[0])
        own = np.searchsorted(rows, target.user)
        self._off = -self._encoding.on(self._wire, int(own))
        self._home = [
            self._encoding.on(wire, int(row)) for wire, row in enumerate(here.network.row)
        ]
        self._session = Session()
        self._session.take_in(self._encoding.formula())
        self._session.start_from(self._encoding.at_home())

    def close(self) -> None:
        """Give the solver's memory back."""
        self._session.close()

    def witness(self, chosen: int, deadline: Deadline) -> Witness | None:
        """Histories that survive what is chosen; None: none were found on the board."""
        at = listed(chosen)
        at = at[np.isin(self._choices.row[at], self._board.rows)]
        before = self._known.wire[self._choices.row[at]]  # there she is at home then, too
        seen = np.concatenate([self._choices.wire[at], before[before >= 0]])
        given = [self._home[wire] for wire in np.unique(self._board.place(seen)).tolist()]
        found, without = list[Assignment](), [self._off]
        while len(found) < self._needed:
            history = self._ask([*given, *without], deadline)
            if history is None:
                return None
            token = int(history[self._wire])
            found.append(self._small(history, token, given, deadline))
            without.append(-self._encoding.on(self._wire, token))
        return tuple(
            killing(self._board.of_whole(one), self._choices, self._counts, self._known)
            for one in found
        )

    def _ask(self, given: list[int], deadline: Deadline) -> Assignment | None:
        """A history of the board that agrees; None: there is none, or it was not found."""
        if not self._session.solve(given, deadline, _CONFLICTS):
            return None
        return self._encoding.told(self._session.true())

    def _small(
        self, history: Assignment, token: int, given: list[int], deadline: Deadline
    ) -> Assignment:
        """A history with the same token on the wire, of which nothing more can be seen."""
        network = self._board.core.network
        given = [*given, self._encoding.on(self._wire, token)]
        moved = np.flatnonzero(history != network.row)
        far = np.abs(network.start[moved] - network.start[self._wire])
        left = moved[np.argsort(-far, kind="stable")].tolist()
        left.remove(self._wire)
        size = 1
        while left:
            some = left[:size]
            less = self._ask([*given, *(self._home[wire] for wire in some)], deadline)
            if less is not None:
                given += [self._home[wire] for wire in some]
                history, size = less, 2 * size
                left = [wire for wire in left if less[wire] != network.row[wire]]
            elif size == 1:
                left = left[1:]
            else:
                size = size // 2
        return history
