"""Stretches of time of users, cut into the columns of a chart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.spill import blocks
from mixsafe.model.csr import ranges
from mixsafe.model.question.mix_zones import MixZones

Ints = npt.NDArray[np.int64]
AnyInts = npt.NDArray[np.integer[Any]]


def time_in_columns(
    zones: MixZones, row: AnyInts, start: AnyInts, end: AnyInts, until: Ints
) -> Iterator[tuple[Ints, Ints, Ints]]:
    """Cut stretches of users at the edges of columns, some at a time.

    Parameters
    ----------
    row, start, end
        (n,) each: user, first and last step of each stretch.
    until
        (n_columns + 1,) the last step before each column, and the last one of all.

    Yields
    ------
    stretch, column, weight
        (n_pieces,) each: number of the stretch and of the column, and the steps of the piece in
        which something of the user is published.
    """
    for part in blocks(len(row)):
        first_step, last_step = np.maximum(start[part], 1).astype(np.int64), end[part]
        first, last = (np.searchsorted(until, edge) - 1 for edge in (first_step, last_step))
        sizes = np.maximum(last - first + 1, 0)
        piece, column = np.repeat(np.arange(len(sizes)), sizes), ranges(first, sizes)
        begins = np.maximum(first_step[piece], until[column] + 1)
        ends = np.minimum(last_step[piece], until[column + 1])
        stretch = piece + part.start
        yield stretch, column, zones.time_of(row[stretch], begins, ends)
