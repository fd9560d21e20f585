"""Working memory of supports, made once and used again and again: compiled functions make none."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.solver.dp.permutations import Permutations, permutations

MAX_EVENTS = 1024  # meetings of a support that are followed
MAX_LENGTH = 4096  # wires of a path that are followed; longer windows are skipped

Longs = npt.NDArray[np.int64]
States = npt.NDArray[np.uint8]


class Paths(NamedTuple):
    """The tokens of a support; path a is where the a-th of them is now."""

    tokens: Longs  # (size,)
    at: Longs  # (size,): wire that each path has come to
    known: Longs  # (size,): next sighting of each token
    length: Longs  # (size,)
    wire: Longs  # (size, MAX_LENGTH): wires of each path
    stage: Longs  # (size, MAX_LENGTH): events before each wire


class Events(NamedTuple):
    """Meetings of two or more paths, in order of time."""

    time: Longs  # (MAX_EVENTS,)
    met: Longs  # (MAX_EVENTS,): how many paths meet
    who: Longs  # (MAX_EVENTS, size): which paths


class Reach(NamedTuple):
    """Sets of permutations of the tokens over the paths, one after each event."""

    reached: States  # (MAX_EVENTS + 1, permutations): from the present, forward
    returns: States  # (MAX_EVENTS + 1, permutations): of these, to a good end
    orbit: Longs  # (permutations,): where one meeting leads
    choice: Longs  # (permutations,): what may be drawn of that
    drawn: Longs  # (MAX_EVENTS + 1,): a solution


class Scratch(NamedTuple):
    """Working memory for supports of one size, and the state of a random generator."""

    paths: Paths
    events: Events
    reach: Reach
    table: Permutations
    random: npt.NDArray[np.uint64]  # (1,)
    seen: npt.NDArray[np.int32]  # (n_zones + 1,): marks of zones, and the current mark


def new_scratch(size: int, n_zones: int, random: npt.NDArray[np.uint64]) -> Scratch:
    """Working memory for supports of ``size`` tokens."""
    table = permutations(size)
    n = len(table.on_path)
    return Scratch(
        Paths(
            _longs(size), _longs(size), _longs(size), _longs(size), _longs(size, MAX_LENGTH),
            _longs(size, MAX_LENGTH),
        ),
        Events(_longs(MAX_EVENTS), _longs(MAX_EVENTS), _longs(MAX_EVENTS, size)),
        Reach(
            _states(MAX_EVENTS + 1, n), _states(MAX_EVENTS + 1, n), _longs(n), _longs(n),
            _longs(MAX_EVENTS + 1),
        ),
        table,
        random,
        np.zeros(n_zones + 1, np.int32),
    )  # fmt: skip


def _longs(*shape: int) -> Longs:
    return np.zeros(shape, np.int64)


def _states(*shape: int) -> States:
    return np.zeros(shape, np.uint8)
