"""A folder for what does not fit into memory, for as long as it is needed."""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.machinery.spill.disk_columns import Array, DiskColumn, allocated, cannot_spill
from mixsafe.machinery.temporary_files import forget, new_scratch_folder

if TYPE_CHECKING:
    import duckdb

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
