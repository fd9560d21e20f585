"""Long arrays block by block; a result is stored where its input is, in memory or on disk."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.spill.disk_columns import Array, allocated, cannot_spill

BLOCK = 1 << 21
"""Numbers that are in hand together: some dozen of bytes each."""


def blocks(size: int, block: int | None = None) -> Iterator[slice]:
    """Stretches of at most ``block`` numbers (default ``BLOCK``) that make up 0 to ``size``."""
    block = block or BLOCK
    for begin in range(0, size, block):
        yield slice(begin, min(begin + block, size))


def like(given: Array, size: int, dtype: npt.DTypeLike) -> Array:
    """An uninitialized array, stored where another one is: on the same disk, or in memory.

    The file on disk is unlinked: it is removed with the last reference to the array, however the
    program ends. Windows has no such files; there, the new array is in memory.

    Parameters
    ----------
    given
        The other one, or a part of it.
    size, dtype
        Of the new one.

    Raises
    ------
    InputError
        The disk has not so much room.
    """
    folder = _folder_of(given)
    if folder is None or not size or os.name == "nt":
        return np.empty(size, dtype)
    try:
        handle, name = tempfile.mkstemp(prefix="mixsafe-", dir=folder)
    except OSError as error:
        raise cannot_spill(folder, error) from None
    os.close(handle)
    return allocated(Path(name), size, dtype)


def _folder_of(array: Array) -> Path | None:
    """The folder of an array on disk; None: it is in memory.

    If the scratch folder of the run is removed already, its parent is returned.
    """
    base: object = array
    while base is not None and not isinstance(base, np.memmap):
        base = getattr(base, "base", None)
    if base is None or base.filename is None:
        return None
    return next((folder for folder in Path(base.filename).parents if folder.is_dir()), None)


def mapped_by(change: Callable[[Array], Array], given: Array, dtype: npt.DTypeLike) -> Array:
    """An array with the numbers that ``change`` makes of those of another one, each for itself."""
    made = like(given, len(given), dtype)
    for part in blocks(len(given)):
        made[part] = change(given[part])
    return made


def spread(values: Array, ptr: npt.NDArray[np.int64], part: slice) -> Array:
    """For each entry of a part, the value of the stretch to which it belongs.

    Parameters
    ----------
    values, ptr
        (n,) and (n + 1,): stretch i has the entries ``ptr[i]`` to ``ptr[i + 1] - 1``.
    part
        Entries; at least one.
    """
    low, sizes = _cut(ptr, part)
    return np.repeat(values[low : low + len(sizes)], sizes)


def owners(ptr: npt.NDArray[np.int64], part: slice) -> npt.NDArray[np.int64]:
    """For each entry of a part, the number of its stretch; as :func:`spread`."""
    low, sizes = _cut(ptr, part)
    return np.repeat(np.arange(low, low + len(sizes)), sizes)


def _cut(ptr: npt.NDArray[np.int64], part: slice) -> tuple[int, npt.NDArray[np.int64]]:
    """The first stretch that has entries in a part, and how many it and those after it have."""
    low = int(np.searchsorted(ptr, part.start, side="right")) - 1
    high = int(np.searchsorted(ptr, part.stop, side="left"))
    ends: npt.NDArray[np.int64] = np.clip(ptr[low : high + 1], part.start, part.stop)
    return low, np.diff(ends)


def whole_stretches(ptr: npt.NDArray[np.int64], block: int | None = None) -> Iterator[slice]:
    """Stretches, as in :func:`spread`, up to ``block`` entries (``BLOCK``) at a time, or one."""
    begin, size, block = 0, len(ptr) - 1, block or BLOCK
    while begin < size:
        last = int(np.searchsorted(ptr, ptr[begin] + block, side="right")) - 1
        yield slice(begin, max(last, begin + 1))
        begin = max(last, begin + 1)
