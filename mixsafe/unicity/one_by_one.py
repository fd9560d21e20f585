"""Process people, or tracks, one by one on several threads."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import side_by_side

_AT_ONCE = 64
"""People between two progress reports."""


def one_by_one(
    work: Callable[[npt.NDArray[np.int64]], None],
    order: npt.NDArray[np.int64],
    workers: int,
    progress: Callable[[int], None],
) -> None:
    """Do ``work`` on some people after the other.

    Parameters
    ----------
    work
        Looks at some of them, on a thread.
    order
        All of them.
    workers
        Threads, >= 1.
    progress
        Called with how many are done.
    """
    for begin in range(0, len(order), _AT_ONCE):
        progress(begin)
        some = order[begin : begin + _AT_ONCE]
        parts = [some[first::workers] for first in range(workers)]
        side_by_side(work, parts, workers)
