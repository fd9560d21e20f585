"""Lower bounds on small supports (DESIGN, fact 8): what a few users can do among themselves.

Restrict the problem to a few rows and their own tokens; every solution of the small problem is
one of the whole, with everybody else at rest. For up to six rows the states of the small problem,
the permutations of its tokens, are few, so one forward and one backward pass over the zones in
which at least two of the rows meet decide it completely: all candidates of all its wires at once.
"""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt
from numba import njit

MAX_ROWS = 6


def permutation_tables(
    size: int,
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int16]]:
    """All permutations of ``size`` tokens over ``size`` rows, the identity first.

    Returns
    -------
    on_row
        (size!, size) int8: token on each row in each permutation.
    exchanged
        (size!, size, size) int16: permutation after the tokens of two rows are exchanged.
    """
    all_of_them = list(itertools.permutations(range(size)))
    number = {p: i for i, p in enumerate(all_of_them)}
    on_row = np.array(all_of_them, np.int8)
    exchanged = np.empty((len(all_of_them), size, size), np.int16)
    for i, p in enumerate(all_of_them):
        for a in range(size):
            for b in range(size):
                q = list(p)
                q[a], q[b] = q[b], q[a]
                exchanged[i, a, b] = number[tuple(q)]
    return on_row, exchanged
