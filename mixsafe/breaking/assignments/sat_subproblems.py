"""Small subproblems with all tokens tracked, decided by SAT.

In a subproblem of a few people who can come over a wire, everybody else keeps the own token (fact
8), so each of its assignments is one of the whole problem. An assignment is made small before it is
used: as long as one with the same candidate agrees, one more person is seen at home. A small
assignment contradicts few sightings, and so tells more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mixsafe.breaking.allowed import SightingChoices
from mixsafe.breaking.assignments.conflicts import KnownUsers, Witness, conflicts, listed
from mixsafe.breaking.targets import BreakingTarget, Ints
from mixsafe.model.limits import Deadline
from mixsafe.network.core import Core
from mixsafe.network.subproblem import Subproblem
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.sat.encoding import Encoding
from mixsafe.solver.sat.session import Session
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.solver.state.witness import Assignment

_CONFLICTS = 20_000  # of each question about people nearby


class WireShown(NamedTuple):
    """What is known of a wire: whether it has its candidates (None: not known), shown by what."""

    safe: bool | None
    assignments: tuple[Assignment, ...] = ()


class SatSubproblem:
    """A question as one formula; to be closed at the end.

    Parameters
    ----------
    core
        The question.
    possible
        (n_wires, words): who may be where.
    """

    def __init__(self, core: Core, possible: TokenSets) -> None:
        network = core.network
        self._network = network
        self._encoding = Encoding.of(core, possible, np.arange(network.n_rows))
        self.home = [self._encoding.on(wire, int(row)) for wire, row in enumerate(network.row)]
        self._session = Session()
        self._session.take_in(self._encoding.formula())
        self._session.start_from(self._encoding.at_home())

    def close(self) -> None:
        """Give the solver's memory back."""
        self._session.close()

    def others(self, wire: int, most: int, deadline: Deadline) -> WireShown:
        """Assignments with as many other tokens on a wire, one after the other."""
        found, without = list[Assignment](), [-self.home[wire]]
        answer: bool | None = True
        while len(found) < most and answer:
            answer = self._session.solve(without, deadline)
            if answer:
                found.append(self._encoding.assignment(self._session.true()))
                without.append(-self._encoding.on(wire, int(found[-1][wire])))
        return WireShown(answer, tuple(found))

    def small_others(
        self, wire: int, most: int, given: Sequence[int], deadline: Deadline
    ) -> list[Assignment] | None:
        """Small assignments with as many other tokens on a wire; None: some were not found soon.

        ``given``: literals that hold in all of them.
        """
        found, without = list[Assignment](), [-self.home[wire]]
        while len(found) < most:
            assignment = self._soon([*given, *without], deadline)
            if assignment is None:
                return None
            there = self._encoding.on(wire, int(assignment[wire]))
            found.append(self._small(assignment, wire, [*given, there], deadline))
            without.append(-there)
        return found

    def _soon(self, given: list[int], deadline: Deadline) -> Assignment | None:
        """An assignment that agrees; None: there is none, or it was not found."""
        if not self._session.solve(given, deadline, _CONFLICTS):
            return None
        return self._encoding.assignment(self._session.true())

    def _small(
        self, assignment: Assignment, wire: int, given: list[int], deadline: Deadline
    ) -> Assignment:
        """An assignment of which nothing more can be seen, and the same token is on the wire."""
        network = self._network
        moved = np.flatnonzero(assignment != network.row)
        far = np.abs(network.start[moved] - network.start[wire])
        left = moved[np.argsort(-far, kind="stable")].tolist()
        left.remove(wire)
        size = 1
        while left:
            some = [self.home[other] for other in left[:size]]
            less = self._soon([*given, *some], deadline)
            if less is not None:
                given = [*given, *some]
                assignment, size = less, 2 * size
                left = [other for other in left if less[other] != network.row[other]]
            elif size == 1:
                left = left[1:]
            else:
                size = size // 2
        return assignment


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
        self._needed = int(target.k[0]) - 1
        self._part = Subproblem.of(core, rows)
        self._subproblem = SatSubproblem(self._part.core, reachable(self._part.core))
        self._wire = int(self._part.place(target.wires)[0])

    def close(self) -> None:
        """Give the solver's memory back."""
        self._subproblem.close()

    def witness(self, chosen: int, deadline: Deadline) -> Witness | None:
        """Assignments that survive what is chosen; None: none were found on the board."""
        at = listed(chosen)
        at = at[np.isin(self._choices.row[at], self._part.rows)]
        before = self._known.wire[self._choices.row[at]]  # there she is at home then, too
        seen = np.concatenate([self._choices.wire[at], before[before >= 0]])
        given = [self._subproblem.home[wire] for wire in np.unique(self._part.place(seen)).tolist()]
        found = self._subproblem.small_others(self._wire, self._needed, given, deadline)
        if found is None:
            return None
        return tuple(
            conflicts(self._part.of_whole(one), self._choices, self._counts, self._known)
            for one in found
        )
