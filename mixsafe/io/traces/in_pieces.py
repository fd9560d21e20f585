"""Sources of traces in batches, and the memory that a source needs, without reading it."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mixsafe.errors import InputError, about
from mixsafe.io.columns.fixes import Fixes, second_place
from mixsafe.io.columns.names import (
    NameIndex,
    PlaceIndex,
    alike_notes,
    names_as_written,
    spelling_notes,
)
from mixsafe.io.files.checked_table import CheckedTable
from mixsafe.io.files.content import PARQUET, head_of, size_of, unpacked_head_of
from mixsafe.io.files.parquet_columns import parquet_rows
from mixsafe.io.files.table_form import TableForm
from mixsafe.io.files.table_parts import parts_of
from mixsafe.model.mobility.instant import DateOrder
from mixsafe.model.mobility.places import PlaceMeanings, PlaceName
from mixsafe.model.mobility.premises import Premises
from mixsafe.model.mobility.traces import FixPiece, Names

FIX_BYTES = 120
"""Approximate memory per fix while traces are read and zones extracted, bytes."""

_SMALL = 1 << 20
"""Bytes of a source that fits into memory whatever is in a row."""

PACKED_TIMES = 5
"""Approximate decompression ratio of a packed text of numbers."""


def memory_of(
    path: str | os.PathLike[str], form: TableForm | None = None, time_step: int = 60
) -> int:
    """Estimate the memory for reading a table of fixes and extracting mix zones, bytes.

    Parameters
    ----------
    path
        CSV or Parquet file, or folder of such files; for other formats the result is meaningless.
    form
        What the user says of the table; None: nothing.
    time_step
        Length of a time step, seconds, in each of which a stay has a fix.

    Raises
    ------
    InputError
        A file cannot be read.
    """
    parts = parts_of(path, form)
    fixes = sum(_rows(part.path) for part in parts if not part.empty)
    if sum(size_of(part.path) for part in parts) > _SMALL:
        fixes *= _per_row(path, form, time_step)
    return FIX_BYTES * fixes


def _per_row(path: str | os.PathLike[str], form: TableForm | None, time_step: int) -> int:
    """Number of fixes of a row; more than one where rows have whole lines of them, or are stays."""
    from mixsafe.io.files.tables import header_of
    from mixsafe.io.lines.line_columns import fixes_per_row
    from mixsafe.io.traces.table import fixes_of_a_row, layout_of_file

    names: tuple[str, ...] = ()
    try:
        names = header_of(path, form)
        layout = layout_of_file(path, plane=True, form=form)
        return fixes_of_a_row(path, layout, form, time_step)
    except InputError:  # no table, or one whose columns are named by an option
        return fixes_per_row(path, names, form)


def _rows(path: str | os.PathLike[str]) -> int:
    """Number of rows of a file; for text, extrapolated from the first lines."""
    head = head_of(path)
    if head.startswith(PARQUET):
        return parquet_rows(path)
    size, content = os.stat(path).st_size, unpacked_head_of(path)
    if content != head:
        size *= PACKED_TIMES
    return size * (content.count(b"\n") or 1) // len(content)


Ints = npt.NDArray[np.int64]


class ReadPieces:
    """The fixes of a source, as :class:`mixsafe.model.mobility.traces.FixPieces`.

    Parameters
    ----------
    parts
        Batches of its rows, as a format reads them.
    similar
        Whether names that are alike are the ``same`` user or ``different`` ones; None: they are
        refused.
    """

    def __init__(self, parts: Iterator[Fixes], similar: str | None = None) -> None:
        self.clock: Literal["unix", "time_id"] = "unix"
        self.tz = "UTC"
        self.order: DateOrder | None = None
        self.notes: tuple[str, ...] = ()
        self.premises = Premises()
        self._parts = parts
        self._names = NameIndex(similar)
        self._places = PlaceIndex()
        self._begins: list[int] = []
        self._tables: list[CheckedTable] = []

    def __iter__(self) -> Iterator[FixPiece]:
        """Yield the batches; only names and row offsets are kept."""
        rows, written = 0, None
        for part in self._parts:
            if not self._tables:
                self.clock, self.tz, self.order = part.clock, part.tz, part.order
                outline = replace(part.tables[0], columns={}, written={}, origin=None)
                first = part.taken(np.zeros(0, np.int64), outline)
            part.check_like(first)
            self.notes = tuple(dict.fromkeys((*self.notes, *part.notes)))
            self.premises = Premises.joined((self.premises, part.premises))
            self._begins.append(rows)
            self._tables += [
                replace(one, columns={}, written={}, origin=None) for one in part.tables
            ]
            if part.is_respelled and written is None:
                written = self._names.names
            if written is not None:
                more = names_as_written(part.tables, part.user)
                written = pa.concat_arrays([written, more]).unique()
            rows += len(part.time)
            user = self._names.numbers_of(part.all_names, part.name_fault)[: len(part.time)]
            if not len(part.time):
                continue
            region = None if part.places is None else self._places.codes_of(part.places)
            yield FixPiece(user, part.time, part.lat, part.lon, region, part.fraction)
        self.notes += self.premises.notes
        if written is not None:
            with about(self._tables[-1].file):
                self.notes += spelling_notes(written)
        self.notes += alike_notes(self._names.merged)

    def users(self) -> tuple[Names, npt.NDArray[np.int32]]:
        """Sorted names, (n_users,), and the position of each user number among them."""
        return self._names.ordered()

    def place_meanings(self, known: Callable[[], Ints]) -> PlaceMeanings | None:
        """What codes of regions stand for; None: they are numbers."""
        return self._places.meanings(known()) if self._places.has_names else None

    def second_place(
        self, row: int, fix: tuple[str, int], regions: tuple[PlaceName, PlaceName]
    ) -> InputError:
        """The error for a row (from 0) that gives a user a second region at one time."""
        number = bisect_right(self._begins, row) - 1
        return second_place(self._tables[number], row - self._begins[number], fix, regions)
