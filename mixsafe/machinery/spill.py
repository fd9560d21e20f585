"""Arrays that do not fit into memory: a folder for them, columns of numbers on disk, and blocks.

Columns are written one part after the other, then used as arrays. Long arrays are worked on block
by block, and a result is stored where its input is, in memory or on disk. Threads make pieces while
those before them are in use.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError, reason_of
from mixsafe.machinery.temporary_files import forget, new_scratch_folder

if TYPE_CHECKING:
    import duckdb


Part = TypeVar("Part")
Piece = TypeVar("Piece")


def ahead(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """The same pieces; a thread makes the next one while one is in use.

    So one more of them is in memory than without.
    """
    source = iter(pieces)
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(_next, source)
        while found := coming.result():
            coming = pool.submit(_next, source)
            yield from found


def _next(source: Iterator[Piece]) -> list[Piece]:
    """The next piece; at the end none."""
    return list(islice(source, 1))


def in_turn(work: Callable[[Part], Piece], parts: Iterable[Part], workers: int) -> Iterator[Piece]:
    """Apply ``work`` to parts on threads; yield results in the order of the parts.

    Parameters
    ----------
    work
        Does a part, without others.
    parts
        Taken up one by one: as many as there are threads are under way, or have been done and wait.
    workers
        Threads, >= 1.
    """
    pool: ThreadPoolExecutor = ThreadPoolExecutor(workers)
    waiting: deque[Future[Piece]] = deque()
    try:
        for part in parts:
            waiting.append(pool.submit(work, part))
            if len(waiting) > workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:  # an error, or Ctrl-C: what has not begun is not begun
        pool.shutdown(cancel_futures=True)


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


ROW_BYTES = 1_600
"""Of the limit for each row of a piece: reading takes some 150 bytes of it, and more than one piece
is under way."""

THREAD_ROW_BYTES = 320
"""Of the limit for each row of a piece that a thread has in hand: two pieces, sorted."""

IDLE_BYTES = 350_000_000
"""Memory that Python and its libraries take, in bytes."""

LARGEST_PIECE = 1 << 20
"""Rows: larger pieces are not faster."""


class SpillRoom:
    """A folder of a run's own; with ``closing``, gone also when it ends by an error or Control-C.

    Parameters
    ----------
    limit
        Memory that the run may take, bytes.
    below
        Folder in which it is made; None: where the system keeps temporary files.
    piece
        Rows of a piece; None: by the limit.

    Raises
    ------
    InputError
        It cannot be made.
    """

    def __init__(self, limit: int, below: Path | None = None, piece: int | None = None) -> None:
        self.limit = limit
        self.piece = piece or max(min(limit // ROW_BYTES, LARGEST_PIECE), 1 << 16)
        try:
            self.path = new_scratch_folder("spill", below)
        except OSError as error:
            where = below or Path(tempfile.gettempdir())
            raise cannot_spill(where, error) from None
        self._gone = weakref.finalize(self, forget, self.path)
        self._columns: list[DiskColumn] = []

    @property
    def threads(self) -> int:
        """Threads that may each have two pieces in hand."""
        affordable = (self.limit - IDLE_BYTES) // (THREAD_ROW_BYTES * self.piece)
        return max(min(os.cpu_count() or 1, affordable), 1)

    def close(self) -> None:
        """Remove it and all that is in it."""
        for column in self._columns:
            column.close()
        self._gone()

    def column(self, name: str, dtype: npt.DTypeLike) -> DiskColumn:
        """A new column in the folder."""
        self._columns.append(DiskColumn(self.path / name, dtype))
        return self._columns[-1]

    def array(self, name: str, size: int, dtype: npt.DTypeLike) -> Array:
        """A new array of zeros on disk.

        Raises
        ------
        InputError
            The disk has not so much room.
        """
        return allocated(self.path / name, size, dtype)

    @contextmanager
    def database(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A database that sorts on disk; it keeps to its part of the limit.

        Raises
        ------
        InputError
            The disk is full, or the limit too small.
        """
        import duckdb

        share = max((self.limit - IDLE_BYTES) // 2, 64_000_000)
        config: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": f"{share // 1_000_000}MB",
            "temp_directory": str(self.path / "sorting"),
            "threads": max(min(os.cpu_count() or 1, share // 150_000_000), 1),
        }
        base = duckdb.connect(config=config)
        try:
            yield base
        except duckdb.OutOfMemoryException:
            raise InputError(
                f"{self.limit / 1e9:g} GB of memory are not enough to sort these data",
                hint="give more (--memory-limit)",
            ) from None
        except duckdb.IOException as error:
            reason = OSError(0, str(error).partition("\n")[0])
            raise cannot_spill(self.path.parent, reason) from None
        finally:
            base.close()
