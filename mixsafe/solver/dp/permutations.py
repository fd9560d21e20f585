"""The permutations of a few tokens, numbered: the states of the small dynamic programs."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
import numpy.typing as npt


class Permutations(NamedTuple):
    """All permutations of a few tokens over as many rows or paths, the identity first.

    ``on_path``, (n, size): token on each of them. ``exchanged``, (n, size, size): number of the
    permutation after the tokens of two of them are exchanged.
    """

    on_path: npt.NDArray[np.int8]
    exchanged: npt.NDArray[np.int16]


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
    return Permutations(np.array(listed, np.int8), exchanged)
