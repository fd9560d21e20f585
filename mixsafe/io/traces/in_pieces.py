"""Sources of traces that are read in batches."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mixsafe.errors import InputError, about
from mixsafe.io.columns.fixes import Fixes, second_place
from mixsafe.io.columns.names import NameIndex, alike_notes, names_as_written, spelling_notes
from mixsafe.io.columns.place_names import PlaceIndex
from mixsafe.io.files.checked_table import CheckedTable
from mixsafe.model.mobility.fix_pieces import FixPiece
from mixsafe.model.mobility.instant import DateOrder
from mixsafe.model.mobility.place_names import PlaceMeanings, PlaceName
from mixsafe.model.mobility.premises import Premises
from mixsafe.model.mobility.traces import Names

Ints = npt.NDArray[np.int64]


class ReadPieces:
    """The fixes of a source, as :class:`mixsafe.model.mobility.fix_pieces.FixPieces`.

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
