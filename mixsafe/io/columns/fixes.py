"""Fixes in the order of a file, made into traces: sorted by user and time, repeats merged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mixsafe.errors import InputError
from mixsafe.io.columns.names import blanks_note, names_as_written, users_and_rows
from mixsafe.io.files.checked_table import Table
from mixsafe.model.mobility.traces import PlacedTime, Traces

Coordinates = npt.NDArray[np.float64]
Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass(frozen=True, eq=False)
class Fixes:
    """Fixes as they come: the arrays of :class:`mixsafe.model.mobility.traces.Traces`, unsorted.

    Parameters
    ----------
    tables
        Where they come from, one after the other: their users, and for messages.
    user
        Name of the tables' column of users.
    time, clock, lat, lon, region, tz, notes
        As in :class:`mixsafe.model.mobility.traces.Traces`.
    when
        Name of the first table's column of times, if it has one.
    """

    tables: tuple[Table, ...]
    user: str
    time: npt.NDArray[np.int64]
    clock: Literal["unix", "time_id"]
    lat: Coordinates | None = None
    lon: Coordinates | None = None
    region: npt.NDArray[np.int64] | None = None
    tz: str = "UTC"
    notes: tuple[str, ...] = ()
    when: str | None = None

    @classmethod
    def joined(cls, parts: Sequence[Fixes]) -> Fixes:
        """The fixes of all parts, one after the other; at least one part.

        Raises
        ------
        InputError
            A part says times or places in another way than the first; names its file.
        """
        if len(parts) == 1:
            return parts[0]
        first = parts[0]
        for part in parts[1:]:
            part.check_like(first)
        return cls(
            tables=tuple(table for part in parts for table in part.tables_as(first.user)),
            user=first.user,
            time=np.concatenate([part.time for part in parts]),
            clock=first.clock,
            lat=_concatenated([part.lat for part in parts]),
            lon=_concatenated([part.lon for part in parts]),
            region=_concatenated([part.region for part in parts]),
            tz=first.tz,
            notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
            when=first.when,
        )

    def tables_as(self, user: str) -> tuple[Table, ...]:
        """The tables, with a column of users of that name."""
        if self.user == user:
            return self.tables
        return tuple(
            replace(
                table,
                columns={user: table.columns[self.user]},
                written={user: table.written[self.user]} if self.user in table.written else {},
            )
            for table in self.tables
        )

    def check_like(self, first: Fixes) -> None:
        """Refuse fixes that say times or places in another way than the ``first`` ones.

        Raises
        ------
        InputError
            Names the file.
        """
        told = "moments" if first.clock == "unix" else "numbers of steps"
        where = "coordinates" if first.region is None else "regions"
        for fits, what in (
            (self.clock == first.clock, f"times are {told}"),
            ((self.region is None) == (first.region is None), f"places are {where}"),
        ):
            if not fits:
                other = first.tables[0].file
                message = f"in {other} {what}, and not here"
                hint = "read files of one kind together"
                raise InputError(message, file=self.tables[0].file, hint=hint)

    @property
    def names(self) -> pa.ChunkedArray:
        """(n_fixes,) names of users, as a dictionary."""
        if len(self.tables) == 1:
            return self.tables[0].columns[self.user]
        chunks = [chunk for one in self.tables for chunk in one.columns[self.user].chunks]
        return pa.chunked_array(chunks)

    @property
    def has_blanks(self) -> bool:
        """Whether there are blanks around names of users."""
        return any(self.user in table.written for table in self.tables)

    def traces(self) -> Traces:
        """Sorted traces; rows that repeat the row before them are merged, and counted.

        Rows of one user and time stay in the order of the file.

        Raises
        ------
        InputError
            A user is in two regions at one time_id; names the line of the second.
        """
        users, user = users_and_rows(self.names)
        order = in_order(user, self.time)
        user, time = take(user, order), take(self.time, order)
        places = [array for array in (self.lat, self.lon, self.region) if array is not None]
        again = (user[1:] == user[:-1]) & (time[1:] == time[:-1])
        same = again.copy()
        for place in places:
            ordered = take(place, order)
            same &= ordered[1:] == ordered[:-1]
        if self.clock == "time_id" and self.region is not None:
            self._refuse_second_place(again & ~same, order)
        merged = int(np.count_nonzero(same))
        pick = order
        if merged:
            kept = np.flatnonzero(~np.concatenate([[False], same]))
            user, time = user[kept], time[kept]
            pick = kept if order is None else order[kept]
        lat, lon = _picked(self.lat, pick), _picked(self.lon, pick)
        blanks = blanks_note(names_as_written(self.tables, self.user)) if self.has_blanks else ()
        notes = (*blanks, f"{merged} repeated rows merged") if merged else blanks
        return Traces(
            users=users,
            user=user,
            time=_own(time),
            clock=self.clock,
            lat=lat,
            lon=lon,
            region=_picked(self.region, pick),
            tz=self.tz,
            center=None if lat is None or lon is None else (float(lat.mean()), float(lon.mean())),
            notes=(*self.notes, *notes),
            ends=self._ends(),
        )

    def _ends(self) -> tuple[PlacedTime, ...]:
        """The first time and the last one."""
        rows = (int(self.time.argmin()), int(self.time.argmax())) if len(self.time) else ()
        return tuple(PlacedTime(int(self.time[row]), self._error_at(row)) for row in rows)

    def _error_at(self, row: int) -> Callable[[str, str | None], InputError]:
        """What makes the error about a row's time; it keeps no column."""
        table, place = self._placed(row)
        return partial(_about_time, replace(table, columns={}, written={}), place, self.when)

    def _placed(self, row: int) -> tuple[Table, int]:
        """The table in which a row of all is, and which of its rows that is."""
        for table in self.tables:
            if row < len(table):
                return table, row
            row -= len(table)
        raise IndexError(row)

    def _refuse_second_place(
        self, second: npt.NDArray[np.bool_], order: npt.NDArray[np.int64] | None
    ) -> None:
        """Refuse rows that put a user where she cannot be.

        Raises
        ------
        InputError
            Names the line of the first one.
        """
        if not second.any() or self.region is None:
            return
        place = int(second.argmax())
        one, other = (place, place + 1) if order is None else (order[place], order[place + 1])
        row = int(max(one, other))
        fix = (self.names[row].as_py(), int(self.time[row]))
        regions = (int(self.region[row]), int(self.region[min(one, other)]))
        raise second_place(*self._placed(row), fix, regions)


def _about_time(
    table: Table, row: int, when: str | None, message: str, hint: str | None
) -> InputError:
    """The error about the time in a row."""
    column = when if when in table.header else None
    return table.error(message, row, column, hint)


def traces_of(parts: Iterable[Fixes]) -> Traces:
    """The traces of some parts of a table, one after the other; at least one part.

    Raises
    ------
    InputError
        As :meth:`Fixes.traces`.
    """
    found = Fixes.joined(list(parts)).traces()
    # Arrow keeps what tables took, several times the traces, for tables to come: there are none.
    pa.default_memory_pool().release_unused()
    return found


def second_place(
    table: Table, row: int, fix: tuple[str, int], regions: tuple[int, int]
) -> InputError:
    """The error for a row that puts a user where she cannot be.

    Parameters
    ----------
    table, row
        The row at fault, the later one.
    fix
        User and time of both rows.
    regions
        That of the row at fault, and that of the other one.
    """
    return table.error(
        f"user {fix[0]} is in region {regions[0]} at time {fix[1]},"
        f" and in region {regions[1]} at the same time",
        row,
        hint="a user is at one place at a time",
    )


def _concatenated(
    arrays: Sequence[npt.NDArray[Scalar] | None],
) -> npt.NDArray[Scalar] | None:
    """Arrays one after the other, if they are there."""
    there = [array for array in arrays if array is not None]
    return np.concatenate(there) if there else None


def _picked(
    array: npt.NDArray[Scalar] | None, pick: npt.NDArray[np.int64] | None
) -> npt.NDArray[Scalar] | None:
    """Some entries of an array that may not be there; None: all of them."""
    return None if array is None else _own(take(array, pick))


def _own(array: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
    """The array in memory of its own: a view of a table would keep the table, too."""
    return array if array.flags.owndata else array.copy()


def in_order(
    user: npt.NDArray[np.int32], time: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64] | None:
    """A stable order by user and time; None if it is that of the arrays."""
    later = (user[1:] > user[:-1]) | ((user[1:] == user[:-1]) & (time[1:] >= time[:-1]))
    return None if later.all() else np.lexsort((time, user))


def take(array: npt.NDArray[Scalar], order: npt.NDArray[np.int64] | None) -> npt.NDArray[Scalar]:
    """An array in an order; itself where there is nothing to change."""
    return array if order is None else array[order]
