"""Lists of whole numbers of several lengths, concatenated in one array (compressed sparse rows)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError


def distinct(values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """(n,) distinct numbers of ``values``, ascending.

    ``numpy.unique`` uses hashing from version 2.3 on, which is a hundred times slower than sorting
    if most values differ (three million: 4.8 s instead of 0.04 s of processor time).
    """
    ordered = np.sort(values)
    first = np.ones(len(ordered), np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    return ordered[first]


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


def begins_of(group: npt.NDArray[np.integer], n_groups: int) -> Ints:
    """(n_groups + 1,) offsets of the groups of items that are sorted by group."""
    # Numbers of the same type: else NumPy converts all items first.
    return np.searchsorted(group, np.arange(n_groups + 1, dtype=group.dtype)).astype(np.int64)


def batches(until: Ints, most: int) -> Iterator[tuple[int, int]]:
    """First group, and the one after the last, of runs with so many items at most.

    A group with more is a run of its own.

    Parameters
    ----------
    until
        (n_groups,) items of the groups up to each, this included.
    """
    begin = 0
    while begin < len(until):
        before = until[begin - 1] if begin else 0
        end = max(int(np.searchsorted(until, before + most, side="right")), begin + 1)
        yield begin, end
        begin = end


def of_groups(group: tuple[Ints, Ints], chosen: Ints) -> Ints:
    """Items of the chosen groups, given the result of :func:`grouped`, concatenated."""
    order, ptr = group
    return order[ranges(ptr[chosen], ptr[chosen + 1] - ptr[chosen])]


Whole = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Ragged:
    """Lists of whole numbers: list i is ``values[ptr[i]:ptr[i + 1]]``.

    Parameters
    ----------
    ptr
        (n + 1,) int64, from 0, ascending, to the number of values.
    values
        (n_values,) int32.

    Raises
    ------
    InputError
        The offsets do not fit the values.
    """

    ptr: Ints
    values: Whole

    def __post_init__(self) -> None:
        if (
            not len(self.ptr)
            or self.ptr[0] != 0
            or self.ptr[-1] != len(self.values)
            or np.any(np.diff(self.ptr) < 0)
        ):
            raise InputError("the offsets of lists do not fit their values")

    @classmethod
    def of(cls, lists: Iterable[Iterable[int]]) -> Ragged:
        """Convert Python lists."""
        made = [list(one) for one in lists]
        ptr = np.cumsum([0, *map(len, made)], dtype=np.int64)
        return cls(ptr, np.array([value for one in made for value in one], np.int32))

    @classmethod
    def empty(cls, n: int) -> Ragged:
        """``n`` empty lists."""
        return cls(np.zeros(n + 1, np.int64), np.zeros(0, np.int32))

    @classmethod
    def joined(cls, several: Sequence[Ragged]) -> Ragged:
        """Concatenate lists."""
        sizes = np.concatenate([np.zeros(1, np.int64), *(one.sizes for one in several)])
        values = np.concatenate([np.zeros(0, np.int32), *(one.values for one in several)])
        return cls(np.cumsum(sizes), values)

    def __len__(self) -> int:
        return len(self.ptr) - 1

    def __getitem__(self, i: int) -> Whole:
        """List i."""
        return self.values[self.ptr[i] : self.ptr[i + 1]]

    @property
    def sizes(self) -> Ints:
        """(n,) length of each list."""
        return np.diff(self.ptr)

    @property
    def owner(self) -> Ints:
        """(n_values,) index of the list of each value."""
        return np.repeat(np.arange(len(self)), self.sizes)

    def stretch(self, begin: int, end: int) -> Ragged:
        """Lists ``begin`` to ``end - 1``."""
        ptr = self.ptr[begin : end + 1]
        return Ragged(ptr - ptr[0], self.values[ptr[0] : ptr[-1]])


def column(rows: Sequence[object], name: str) -> Whole:
    """(n,) int32, one field of n records."""
    return np.array([getattr(one, name) for one in rows], np.int32)


def lists(rows: Sequence[object], name: str) -> Ragged:
    """One field of n records, an array of each."""
    return Ragged.of(getattr(one, name).tolist() for one in rows)


def check_lengths(what: str, *columns: Sized) -> None:
    """Refuse columns of different lengths.

    Raises
    ------
    InputError
        Says what they are columns of.
    """
    if len({len(one) for one in columns}) > 1:
        raise InputError(f"columns of {what} differ in length")


def add_up(counts: Whole, total: int) -> bool:
    """Whether numbers from 0 on add up to a total."""
    return not np.any(counts < 0) and int(counts.sum(dtype=np.int64)) == total
