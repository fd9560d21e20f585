"""Assignments that show that a target passes, as witnesses of a certificate.

The search records an absence of a user without the assignments that it stands for. This module
constructs them: her token moves to another row where she leaves, and from row to row until it is
back, or stays away; another token comes to her row. All others make room for the two.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mixsafe.breaking.assignments.conflicts import Away, Conflicts, Moved
from mixsafe.breaking.targets import Flags, Ints
from mixsafe.certify.witnesses.differences import exchanges_of
from mixsafe.model.answer.certificate import Witnesses
from mixsafe.network.core import Core
from mixsafe.solver.propagate.spreading import AFTER, BEFORE, spread
from mixsafe.solver.state.differences import Differences
from mixsafe.solver.state.witness import complete

HOME = 0
"""Number of the identity assignment, in which each token stays on its own row."""


class RecordedAssignments:
    """Deduplicated assignments, by their numbers as witnesses.

    Parameters
    ----------
    core
        The core with the base knowledge.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        self._numbers: dict[bytes, int] = {}
        self._moved: list[Moved] = []

    def take(self, assignment: Moved) -> int:
        """Number of an assignment, added if it is new."""
        key = assignment.wire.tobytes() + assignment.token.tobytes()
        if key not in self._numbers:
            self._numbers[key] = len(self._moved) + 1
            self._moved.append(assignment)
        return self._numbers[key]

    @property
    def witnesses(self) -> Witnesses:
        """All assignments, as exchanges; the first one is the identity."""
        differences = Differences(
            np.cumsum([0, *(len(one.wire) for one in self._moved)]),
            np.concatenate([np.zeros(0, np.int64), *(one.wire for one in self._moved)]),
            np.concatenate([np.zeros(0, np.int32), *(one.token for one in self._moved)]),
        )
        return Witnesses.joined([Witnesses.home(1), exchanges_of(self._core, differences)])


def recorded_by(core: Core, conflicts: Conflicts, most: int) -> list[Moved]:
    """Assignments that a conflict set belongs to, ``most`` at most; empty if unknown.

    Parameters
    ----------
    core
        The core with the base knowledge.
    conflicts
        Of an assignment, or of an absence.
    most
        For an absence: maximum number of other tokens that come, each in one assignment.
    """
    assignment = conflicts.assignment
    if isinstance(assignment, Away):
        return _with_others_there(core, assignment, most)
    return [] if assignment is None else [assignment]


def _with_others_there(core: Core, away: Away, most: int) -> list[Moved]:
    """Assignments with a user away for a while, each with a different token on her row."""
    network, (user, begin, end) = core.network, away
    zone = int(network.comes_from[begin])
    came = network.before[network.zone_ptr[zone] : network.zone_ptr[zone + 1]]
    came = came[network.row[came] != user]
    mine = np.zeros(network.n_wires, np.bool_)
    mine[network.first[user] : network.first[user + 1]] = True
    out = _path_away(core, (user, end), came + 1, mine)
    home = np.arange(network.first[user], begin)
    own = np.concatenate([home, out, np.arange(end, network.first[user + 1])])
    after = np.zeros(0, np.int64)  # of the other token once she is back: the row that she left
    if end < network.first[user + 1]:
        after = np.arange(out[-1] + 1, network.first[network.row[out[-1]] + 1])
    found = []
    for token, path in _arrivals(core, came, mine, most):
        known = np.full(network.n_wires, -1, np.int32)
        known[own] = user
        known[np.concatenate([path, np.arange(begin, end), after])] = token
        tracked = np.zeros(network.n_rows, np.bool_)
        tracked[[user, token]] = True
        assignment = complete(core, known, tracked)
        wire = np.flatnonzero(assignment != network.row)
        found.append(Moved(wire, assignment[wire]))
    return found


def _path_away(core: Core, back: tuple[int, int], left: Ints, mine: Flags) -> Ints:
    """Wires of others that carry a user's token from where she leaves until she is back."""
    network, (user, end) = core.network, back
    if end == network.first[user + 1]:
        return np.arange(left[0], network.first[network.row[left[0]] + 1])
    ahead = spread(network, AFTER, left, mine)
    return np.array(ahead.path(end)[:0:-1], np.int64)


def _arrivals(core: Core, came: Ints, mine: Flags, most: int) -> Iterator[tuple[int, Ints]]:
    """Other tokens that can come to a zone, each with its path, avoiding the user's row."""
    network = core.network
    back = spread(network, BEFORE, came, mine)
    begins = np.isin(back.wire, network.first[:-1]) & ~mine[back.wire]
    for wire in back.wire[begins][:most].tolist():
        yield int(network.row[wire]), np.array(back.path(wire), np.int64)
