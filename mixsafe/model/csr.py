"""Lists of different lengths, concatenated in one array (compressed sparse rows)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


def pointers(size: npt.NDArray[np.integer] | npt.NDArray[np.bool_]) -> Ints:
    """(n + 1,) offsets of n lists, from their sizes."""
    ptr = np.zeros(len(size) + 1, np.int64)
    np.cumsum(size, dtype=np.int64, out=ptr[1:])
    return ptr


def ranges(begin: npt.NDArray[np.integer], size: npt.NDArray[np.integer]) -> Ints:
    """Concatenated ranges of the numbers ``begin[i]`` to ``begin[i] + size[i] - 1``."""
    ptr = pointers(size)
    return np.arange(ptr[-1]) + np.repeat(begin - ptr[:-1], size)


def grouped(group: npt.NDArray[np.integer], n_groups: int) -> tuple[Ints, Ints]:
    """Items sorted by group, and (n_groups + 1,) offsets of the groups."""
    order = np.argsort(group, kind="stable")
    return order, pointers(np.bincount(group, minlength=n_groups))


def of_groups(group: tuple[Ints, Ints], chosen: Ints) -> Ints:
    """Items of the chosen groups, given the result of :func:`grouped`, concatenated."""
    order, ptr = group
    return order[ranges(ptr[chosen], ptr[chosen + 1] - ptr[chosen])]
