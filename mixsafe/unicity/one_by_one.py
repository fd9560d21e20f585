"""Process people, or tracks, one by one on several threads."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import side_by_side
from mixsafe.model.course import Course

_AT_ONCE = 64
"""People between two progress reports."""


def one_by_one(
    work: Callable[[npt.NDArray[np.int64]], None],
    order: npt.NDArray[np.int64],
    course: Course,
    stage: str,
) -> None:
    """Do ``work`` on some people after the other.

    Parameters
    ----------
    work
        Looks at some of them, on a thread.
    order
        All of them.
    course
        Threads, and whom to tell how many are done.
    stage
        What is told that is done.
    """
    for begin in range(0, len(order), _AT_ONCE):
        course.progress(stage, begin, len(order))
        some = order[begin : begin + _AT_ONCE]
        parts = [some[first :: course.workers] for first in range(course.workers)]
        side_by_side(work, parts, course.workers)
