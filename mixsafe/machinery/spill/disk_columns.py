"""Columns of numbers on disk: written one part after the other, then used as arrays."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError, reason_of

Array = npt.NDArray[Any]


class DiskColumn:
    """A column that grows on disk.

    Parameters
    ----------
    path
        Of its file, which is made.
    dtype
        Of its numbers.
    """

    def __init__(self, path: Path, dtype: npt.DTypeLike) -> None:
        self.path, self.dtype, self._size = path, np.dtype(dtype), 0
        self._file = path.open("w+b", buffering=0)

    def __len__(self) -> int:
        return self._size

    def append(self, values: Array) -> None:
        """Add values at the end.

        Raises
        ------
        InputError
            The disk is full, or another error of the system.
        """
        data = np.ascontiguousarray(values, self.dtype)
        left = data.data.cast("B") if len(data) else memoryview(b"")
        try:
            while left:
                left = left[self._file.write(left) or 0 :]
        except OSError as error:
            raise cannot_spill(self.path.parent, error) from None
        self._size += len(data)

    def blocks(self, size: int) -> Iterator[Array]:
        """Its values, ``size`` at a time, read anew."""
        for begin in range(0, self._size, size):
            yield self.part(begin, min(size, self._size - begin))

    def part(self, begin: int, size: int) -> Array:
        """``size`` values from ``begin`` on."""
        return np.fromfile(self.path, self.dtype, size, offset=begin * self.dtype.itemsize)

    def array(self) -> Array:
        """All values as an array on disk; ends appending.

        The file is unlinked where the system allows that: it is removed with the last reference to
        the array, however the program ends.
        """
        self._file.close()
        return mapped(self.path, self.dtype, self._size)

    def close(self) -> None:
        """End appending."""
        self._file.close()

    def forget(self) -> None:
        """Remove it from the disk."""
        self._file.close()
        self.path.unlink()


def allocated(path: Path, size: int, dtype: npt.DTypeLike) -> Array:
    """A new array of zeros in a file; its room on the disk is taken at once.

    Raises
    ------
    InputError
        The disk has not so much room.
    """
    try:
        with path.open("wb") as file:
            length = size * np.dtype(dtype).itemsize
            if length and hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, length)  # no bus error later
            file.truncate(length)
    except OSError as error:
        path.unlink(missing_ok=True)
        raise cannot_spill(path.parent, error) from None
    return mapped(path, dtype, size)


def mapped(path: Path, dtype: npt.DTypeLike, size: int) -> Array:
    """The numbers of a file as an array; the file loses its name where the system allows that."""
    if not size:
        path.unlink(missing_ok=True)
        return np.empty(0, dtype)
    # A plain array of the map: what is compiled for arrays does not know their descendants.
    array = np.asarray(np.memmap(path, dtype, "r+", shape=(size,)))
    with contextlib.suppress(OSError):  # Windows keeps files in use; the folder goes at the end
        path.unlink()
    return array


def cannot_spill(folder: Path, error: OSError) -> InputError:
    """The error for a disk that does not take what does not fit into memory."""
    return InputError(
        f"cannot write what does not fit into memory: {reason_of(error)}",
        file=folder,
        hint="give a folder with more space (--temporary-folder)",
    )


def exact_mean(column: DiskColumn, block: int = 1 << 20) -> float:
    """The mean of a column, to the last bit that of NumPy's ``array.mean()``.

    NumPy adds in pairs (``pairwise_sum`` in its loops_utils.h): the sum of n numbers is that of the
    first half, rounded down to a multiple of 8, and of the rest. The same halves are taken here
    until they have at most ``block`` numbers, >= 128.
    """

    def total(begin: int, size: int) -> np.float64:
        if size <= block:
            return np.float64(column.part(begin, size).sum())
        half = size // 2 - size // 2 % 8
        return total(begin, half) + total(begin + half, size - half)

    return float(total(0, len(column)) / len(column))
