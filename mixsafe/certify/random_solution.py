"""Whole assignments, drawn at random: what certificates are made of.

Engines keep what they prove, not the assignments that prove it. Here supports of a few tokens are
decided one after the other (see ``supports``), and the assignment moves from solution to solution.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import compiled
from mixsafe.verify.core.core import Core
from mixsafe.verify.core.permutations import Permutations, permutations
from mixsafe.verify.core.timeline import Timeline, rewind, timeline
from mixsafe.verify.core.tokens import TokenSets
from mixsafe.verify.core.witness import Assignment
from mixsafe.verify.search.support_sampling import meeting
from mixsafe.verify.search.supports import Scratch, explore, new_scratch, next_random

_NEAR = np.array([1, 2, 4, 8, 20, 60])  # wires to either side that a support spans, one of these
_DEPTH = 6  # supports after one another before a search begins anew at the identity


class _Moves(NamedTuple):
    """What solutions are moved with, a support of one size at a time."""

    line: Timeline
    table: Permutations
    scratch: Scratch
    random: npt.NDArray[np.uint64]
    place: npt.NDArray[np.int32]  # no wire is open here,
    found: TokenSets  # so nothing is noted


class Wanderer:
    """Draws assignments of ``core``; the same ones for the same calls."""

    def __init__(self, core: Core, seed: int = 0) -> None:
        self._core = core
        line = timeline(core)
        random = np.array([88172645463325252 ^ (seed + 1)], np.uint64)
        place, found = np.full(core.network.n_wires, -1, np.int32), np.zeros((1, 1), np.uint64)
        self._moves = [
            _Moves(line, table, new_scratch(size, len(table.on_path)), random, place, found)
            for size, table in ((size, permutations(size)) for size in (2, 3, 4))
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
            on[:] = moves.line.net.row  # at home, it is plain where a wanted token is
            partner = int(wanted[next_random(moves.random, len(wanted))])
        _step(wire, partner, on, moves)
        for token in wanted:
            if on[wire] == token:
                return True
    return False


@compiled
def _step(  # pragma: no cover - compiled
    wire: int, partner: int, on: Assignment, moves: _Moves
) -> None:
    """Decide one support around ``wire``, and move to one of its solutions.

    The second token is ``partner``, which is at home, unless that is -1.
    """
    line, table, scratch, random, place, found = moves
    near, row = _NEAR[next_random(random, len(_NEAR))], line.net.row[wire]
    first, last = line.net.first[row], line.net.first[row + 1] - 1
    begin = line.net.start[max(first, wire - near)]
    end = line.horizon if wire + near >= last else line.net.start[wire + near + 1]
    if _draw(wire, partner, begin, end, on, moves):
        explore(begin, end, on, line, table, scratch, random, place, found)


@compiled
def _draw(  # pragma: no cover - compiled
    wire: int, partner: int, begin: int, end: int, on: Assignment, moves: _Moves
) -> bool:
    """Draw the token on ``wire``, its ``partner``, and others whom those drawn before meet."""
    line, s, random = moves.line, moves.scratch, moves.random
    s.tokens[0], s.at[0] = on[wire], rewind(wire, on[wire], begin, on, line.net)
    drawn = 1
    if partner >= 0:
        first, last = line.net.first[partner], line.net.first[partner + 1]
        later = np.searchsorted(line.net.start[first:last], begin, side="right")
        s.tokens[1], s.at[1] = partner, first + later - 1
        drawn = 2
    for i in range(drawn, len(s.tokens)):
        via = next_random(random, i)
        met = meeting(s.at[via], s.tokens[via], begin, end, on, line, random)
        if met < 0:
            return False
        for j in range(i):
            if s.tokens[j] == on[met]:
                return False
        s.tokens[i], s.at[i] = on[met], rewind(met, on[met], begin, on, line.net)
    return True
