"""Whole assignments, drawn at random: what certificates are made of.

Engines keep what they prove, not the assignments that prove it. Here supports of a few tokens are
decided one after the other (see ``supports``), and the assignment moves from solution to solution.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import compiled, inner
from mixsafe.verify.core.core import Core
from mixsafe.verify.core.timeline import Timeline, rewind, timeline, wire_at
from mixsafe.verify.core.witness import Assignment
from mixsafe.verify.search.generator import beginning, next_random
from mixsafe.verify.search.scratch import Scratch, Shown, new_scratch
from mixsafe.verify.search.support_sampling import meeting
from mixsafe.verify.search.supports import explore

_NEAR = (1, 2, 4, 8, 20, 60)  # wires to either side that a support spans, one of these
_DEPTH = 6  # supports after one another before a search begins anew at the identity


class _Moves(NamedTuple):
    """What solutions are moved with, a support of one size at a time."""

    line: Timeline
    scratch: Scratch
    shown: Shown  # no wire is open: nothing is noted


class Wanderer:
    """Draws assignments of ``core``; the same ones for the same calls."""

    def __init__(self, core: Core, seed: int = 0) -> None:
        self._core = core
        line = timeline(core)
        random = beginning(seed + 1)
        nothing = Shown(np.full(core.network.n_wires, -1, np.int32), np.zeros((1, 1), np.uint64))
        self._moves = [
            _Moves(line, new_scratch(size, core.network.n_zones, random), nothing)
            for size in (2, 3, 4)
        ]

    def wander(self, assignment: Assignment, wires: npt.NDArray[np.int64]) -> None:
        """Move ``assignment`` to another solution, with a support around each of ``wires``."""
        for moves in self._moves:
            _wander(wires, assignment, moves)

    def seek(self, wire: int, wanted: npt.NDArray[np.int64], tries: int) -> Assignment | None:
        """An assignment near the identity with one of the ``wanted`` tokens on ``wire``."""
        for moves in self._moves:
            found: Assignment = self._core.network.row.copy()
            if _seek(wire, wanted, tries, found, moves):
                return found
        return None


@compiled
def _wander(  # pragma: no cover - compiled
    wires: npt.NDArray[np.int64], on: Assignment, moves: _Moves
) -> None:
    for wire in wires:
        _step(wire, -1, on, moves)


@compiled
def _seek(  # pragma: no cover - compiled
    wire: int, wanted: npt.NDArray[np.int64], tries: int, on: Assignment, moves: _Moves
) -> bool:
    for number in range(tries):
        partner = -1
        if number % _DEPTH == 0:
            for one in range(len(on)):
                on[one] = moves.line.net.row[one]  # at home, it is plain where a wanted token is
            partner = wanted[next_random(moves.scratch.random, len(wanted))]
        _step(wire, partner, on, moves)
        for token in wanted:
            if on[wire] == token:
                return True
    return False


@inner
def _step(  # pragma: no cover - compiled
    wire: int, partner: int, on: Assignment, moves: _Moves
) -> None:
    """Decide one support around ``wire``, and move to one of its solutions.

    The second token is ``partner``, which is at home, unless that is -1.
    """
    net, s = moves.line.net, moves.scratch
    near, row = _NEAR[next_random(s.random, len(_NEAR))], net.row[wire]
    first, last = net.first[row], net.first[row + 1] - 1
    begin = np.int64(net.start[wire - near if wire - near > first else first])
    end = np.int64(moves.line.horizon)
    if wire + near < last:
        end = np.int64(net.start[wire + near + 1])
    if _draw(wire, partner, begin, end, on, moves):
        explore(begin, end, on, moves.line, s, moves.shown)


@inner
def _draw(  # pragma: no cover - compiled
    wire: int, partner: int, begin: int, end: int, on: Assignment, moves: _Moves
) -> bool:
    """Draw the token on ``wire``, its ``partner``, and others whom those drawn before meet."""
    net, paths, random = moves.line.net, moves.scratch.paths, moves.scratch.random
    paths.tokens[0], paths.at[0] = on[wire], rewind(wire, on[wire], begin, on, net)
    drawn = 1
    if partner >= 0:
        paths.tokens[1], paths.at[1] = partner, wire_at(partner, begin, net)
        drawn = 2
    for i in range(drawn, len(paths.tokens)):
        via = next_random(random, i)
        met = meeting(paths.at[via], paths.tokens[via], begin, end, on, net, random)
        if met < 0:
            return False
        for j in range(i):
            if paths.tokens[j] == on[met]:
                return False
        paths.tokens[i], paths.at[i] = on[met], rewind(met, on[met], begin, on, net)
    return True
