"""The permutations of a few tokens, numbered: the states of the small dynamic programs."""

from __future__ import annotations

import itertools
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt


class Permutations(NamedTuple):
    """All permutations of a few tokens over as many rows or paths, the identity first.

    ``on_path``, (n, size): token on each of them. ``exchanged``, (n, size, size): number of the
    permutation after the tokens of two of them are exchanged. ``moved``, (2, n, n): number of the
    permutation after the tokens of the first one move as the second one says, each path taking the
    token of the path that this has there; then the one before they did.
    """

    on_path: npt.NDArray[np.int8]
    exchanged: npt.NDArray[np.int16]
    moved: npt.NDArray[np.int16]


@cache
def permutations(size: int) -> Permutations:
    """Table of the permutations of ``size`` tokens."""
    listed = list(itertools.permutations(range(size)))
    number = {p: i for i, p in enumerate(listed)}
    exchanged = np.empty((len(listed), size, size), np.int16)
    for i, p in enumerate(listed):
        for a, b in itertools.product(range(size), repeat=2):
            q = list(p)
            q[a], q[b] = q[b], q[a]
            exchanged[i, a, b] = number[tuple(q)]
    on_path = np.array(listed, np.int8)
    base = size ** np.arange(size)
    order = np.argsort(on_path @ base)
    moved = np.searchsorted((on_path @ base)[order], on_path[:, on_path] @ base)
    after = order[moved].astype(np.int16)
    before = np.ascontiguousarray(after[:, np.argmin(after, axis=1)])  # by the inverse
    return Permutations(on_path, exchanged, np.stack([after, before]))
