"""Ends and beginnings with random links, whose weights tests choose."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.model.csr import pointers
from mixsafe.model.tracklets import LinkProblem

Floats = npt.NDArray[np.float64]


def random_problem(random: np.random.Generator, ends: int, begins: int) -> LinkProblem:
    """Some ends and beginnings, with a random half of all links."""
    n = ends + begins
    linked = random.random((ends, begins)) < 0.5
    end, begin = np.nonzero(linked)
    first = np.where(np.arange(n) < ends, 0, 10)
    nobody = np.zeros(n, bool)
    ptr = pointers(np.bincount(end, minlength=n))
    to = (ends + begin).astype(np.int32)
    same = np.zeros((0, 2), np.int32)
    return LinkProblem(first, first + 1, ptr, to, nobody, nobody, same)
