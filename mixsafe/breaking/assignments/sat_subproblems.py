"""Small subproblems with all tokens tracked, decided by SAT.

In a subproblem of a few users who can come over a wire, all other tokens stay on their own rows
(fact 8), so each of its assignments is one of the whole problem. Witness minimization: an
assignment is reduced before use, by fixing wires to their own tokens while the same candidate
remains possible. A small assignment has a small conflict set, which makes a stronger core.
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

_CONFLICTS = 20_000  # limit of each SAT call about users nearby


class WireShown(NamedTuple):
    """Whether a wire has its candidates (None: not known), and the assignments that show it."""

    safe: bool | None
    assignments: tuple[Assignment, ...] = ()


class SatSubproblem:
    """A core as one SAT formula; call :meth:`close` after use.

    Parameters
    ----------
    core
        The core.
    possible
        (n_wires, words): domain of each wire.
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
        """Free the solver's memory."""
        self._session.close()

    def others(self, wire: int, most: int, deadline: Deadline) -> WireShown:
        """Assignments with ``most`` different other tokens on a wire."""
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
        """Small assignments with ``most`` other tokens on a wire; None: not found within limits.

        ``given``: literals that hold in each.
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
        """A satisfying assignment; None: there is none, or none within the limits."""
        if not self._session.solve(given, deadline, _CONFLICTS):
            return None
        return self._encoding.assignment(self._session.true())

    def _small(
        self, assignment: Assignment, wire: int, given: list[int], deadline: Deadline
    ) -> Assignment:
        """Reduce an assignment, keeping the token on the wire (witness minimization)."""
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
    """A subproblem around a single wire; call :meth:`close` after use.

    Parameters
    ----------
    core
        The core with the base knowledge.
    known
        Base knowledge by user.
    target, choices
        A single wire, and the allowed sightings.
    rows
        Rows of the subproblem, ascending, with the target's user.
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
        """Free the solver's memory."""
        self._subproblem.close()

    def witness(self, chosen: int, deadline: Deadline) -> Witness | None:
        """Assignments that survive the chosen sightings; None: not found in the subproblem."""
        at = listed(chosen)
        at = at[np.isin(self._choices.row[at], self._part.rows)]
        before = self._known.wire[self._choices.row[at]]  # there she is on her own row, too
        seen = np.concatenate([self._choices.wire[at], before[before >= 0]])
        given = [self._subproblem.home[wire] for wire in np.unique(self._part.place(seen)).tolist()]
        found = self._subproblem.small_others(self._wire, self._needed, given, deadline)
        if found is None:
            return None
        return tuple(
            conflicts(self._part.of_whole(one), self._choices, self._counts, self._known)
            for one in found
        )
