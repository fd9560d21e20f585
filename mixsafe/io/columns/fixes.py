"""Fixes in the order of a file, and traces from them: sorted by user and time, repeats merged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mixsafe.errors import InputError, about
from mixsafe.io.columns.dialects import Layout
from mixsafe.io.columns.names import (
    Places,
    alike_notes,
    names_as_written,
    spelling_notes,
    users_and_rows,
)
from mixsafe.io.files.arrays import arrow_of
from mixsafe.io.files.checked_table import NAMES, CheckedTable
from mixsafe.model.mobility.instant import DateOrder
from mixsafe.model.mobility.places import PlaceName, names_note, place_name
from mixsafe.model.mobility.premises import Premises
from mixsafe.model.mobility.traces import (
    PlacedTime,
    Traces,
    elsewhere_note,
    equal_to_next,
    in_order,
    same_moment_in_order,
    take,
)

Coordinates = npt.NDArray[np.float64]
Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass(frozen=True, eq=False)
class Fixes:
    """Fixes in file order: the arrays of :class:`mixsafe.model.mobility.traces.Traces`, unsorted.

    Parameters
    ----------
    tables
        Tables of the fixes, in order: for their users, and for error messages.
    user
        Name of the column of users.
    time, clock, lat, lon, tz, order, notes
        Times of fixes and what they mean, coordinates in degrees, zone of the days, what comes
        first in dates whose year comes last, and notes of the reader.
    places
        Regions; None: places are coordinates.
    fraction
        (n_fixes,) int32 nanoseconds after the seconds of ``time``; None: all are 0.
    form
        What kind of numbers the times are; empty: none.
    when
        Name of the column of times in the first table, if there is one.
    premises
        Rows of the tables that are not among the fixes.
    absent
        Names of users of rows that are not among the fixes: they are users without data.
    until
        (n_fixes,) last second of stays that start at these times; None: no stays, or they have
        their fixes already.
    stay_step
        Seconds between the fixes of stays; None: no stays.
    layout
        Columns of the first table that were read, by meaning; None: the format says them.
    """

    tables: tuple[CheckedTable, ...]
    user: str
    time: npt.NDArray[np.int64]
    clock: Literal["unix", "time_id"]
    lat: Coordinates | None = None
    lon: Coordinates | None = None
    places: Places | None = None
    tz: str = "UTC"
    order: DateOrder | None = None
    form: str = ""
    fraction: npt.NDArray[np.int32] | None = None
    notes: tuple[str, ...] = ()
    when: str | None = None
    premises: Premises = field(default_factory=Premises)
    absent: tuple[pa.Array, ...] = ()
    until: npt.NDArray[np.int64] | None = None
    stay_step: int | None = None
    layout: Layout | None = None

    @staticmethod
    def joined(parts: Sequence[Fixes]) -> Fixes:
        """Concatenate the fixes of one or more parts.

        Raises
        ------
        InputError
            A part gives times or places in another form than the first; names its file.
        """
        if len(parts) == 1:
            return parts[0]
        first = parts[0]
        for part in parts[1:]:
            part.check_like(first)
        return replace(
            first,
            tables=tuple(table for part in parts for table in part.tables_as(first.user)),
            time=np.concatenate([part.time for part in parts]),
            lat=_concatenated([part.lat for part in parts]),
            lon=_concatenated([part.lon for part in parts]),
            places=_joined_places(parts),
            fraction=_fractions(parts),
            notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
            premises=Premises.joined(part.premises for part in parts),
            absent=tuple(names for part in parts for names in part.absent),
            stay_step=max(part.stay_step or 0 for part in parts) or None,
        )

    def only(self, keep: npt.NDArray[np.bool_], table: CheckedTable | None = None) -> Fixes:
        """Some of the fixes of one table; users of the others stay users.

        Parameters
        ----------
        keep
            (n_fixes,) flags.
        table
            The table without the other rows; None: it is made.
        """
        (whole,) = self.tables
        others = whole.columns[self.user].filter(arrow_of(~keep))
        names = others.cast(pa.string()).unique().cast(NAMES)
        found = self.taken(np.flatnonzero(keep), whole.only(keep) if table is None else table)
        return replace(found, absent=(*self.absent, names))

    def taken(self, rows: npt.NDArray[np.integer] | slice, table: CheckedTable) -> Fixes:
        """The fixes of some rows, in their order, which are the rows of ``table``."""
        places = self.places
        return replace(
            self,
            tables=(table,),
            time=self.time[rows],
            fraction=None if self.fraction is None else self.fraction[rows],
            lat=None if self.lat is None else self.lat[rows],
            lon=None if self.lon is None else self.lon[rows],
            places=None if places is None else places._replace(region=places.region[rows]),
            until=None if self.until is None else self.until[rows],
        )

    def oldest_first(self) -> Fixes:
        """The fixes of one user in one table, which may begin with the newest."""
        if self.places is not None or not len(self.time) or self.time[0] <= self.time[-1]:
            return self
        (table,), back = self.tables, np.arange(len(self.time), dtype=np.int32)[::-1]
        origin = back if table.origin is None else table.origin[::-1]
        columns = {self.user: table.columns[self.user]}
        return self.taken(np.s_[::-1], replace(table, columns=columns, origin=origin))

    def with_premises(self, more: Premises) -> Fixes:
        """The fixes, with what else they were taken for."""
        return replace(self, premises=Premises.joined((self.premises, more)))

    def tables_as(self, user: str) -> tuple[CheckedTable, ...]:
        """The tables, with the column of users renamed."""
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
        """Refuse fixes whose times or places have another form than those of ``first``.

        Raises
        ------
        InputError
            Names the file.
        """
        clock = "timestamps" if first.clock == "unix" else "numbers of steps"
        where = "coordinates" if first.places is None else "regions"
        unit = f"times are {first.form or 'no numbers'}"
        alike = "read only files of the same kind together"
        zone = "say the zone that days are of: --tz Europe/Berlin (tz= in Python)"
        for fits, what, hint in (
            (self.clock == first.clock, f"times are {clock}", alike),
            ((self.places is None) == (first.places is None), f"places are {where}", alike),
            (self.form == first.form or not (self.form and first.form), unit, alike),
            (self.tz == first.tz, f"times are of the zone {first.tz}", zone),
        ):
            if not fits:
                other = first.tables[0].file
                message = f"{what} in {other}, but not here"
                if other == self.tables[0].file:
                    message = f"{what} in rows before, but not here"
                raise InputError(message, file=self.tables[0].file, hint=hint)

    @property
    def rows(self) -> int:
        """Number of rows that they are; a stay is one."""
        if self.stay_step is None:
            return len(self.time)
        origins = (one.origin for one in self.tables if one.origin is not None)
        return sum(len(np.unique(one)) for one in origins)

    @property
    def names(self) -> pa.ChunkedArray:
        """(n_fixes,) names of users, as a dictionary."""
        if len(self.tables) == 1:
            return self.tables[0].columns[self.user]
        chunks = [chunk for one in self.tables for chunk in one.columns[self.user].chunks]
        return pa.chunked_array(chunks, NAMES)

    @property
    def all_names(self) -> pa.ChunkedArray:
        """Names of users of the fixes, then of users without data."""
        return pa.chunked_array([*self.names.chunks, *self.absent], NAMES)

    @property
    def is_respelled(self) -> bool:
        """True if some names of users are written in another way than they are read."""
        return any(self.user in table.written for table in self.tables)

    def name_fault(self, row: int, message: str, hint: str) -> InputError:
        """The error about the name of a user, with its line."""
        if row >= len(self.time):  # a user without data
            return InputError(message, file=self.tables[0].file, column=self.user, hint=hint)
        table, place = self._placed(row)
        column = self.user if self.user in table.header else None
        return table.error(message, place, column, hint)

    def traces(self, similar: str | None = None) -> Traces:
        """Sorted traces; rows that repeat another one are merged and counted.

        The order of the rows does not matter: see :func:`same_moment_in_order`.

        Parameters
        ----------
        similar
            Whether names that are alike are the ``same`` user or ``different`` ones; None: they are
            refused.

        Raises
        ------
        InputError
            A user has two regions at one time_id, or two names of users are alike; names the
            second line.
        """
        users, user = users_and_rows(self.all_names, self.name_fault, similar)
        user = user[: len(self.time)]
        given: list[npt.NDArray[Any]] = [user, self.time]
        given += [] if self.fraction is None else [self.fraction]
        region, names = (None, None) if self.places is None else self.places.settled()
        places = [array for array in (self.lat, self.lon, region) if array is not None]
        order = in_order(*given)
        keys = [take(key, order) for key in given]
        again = equal_to_next(keys)
        same = _same_place(again, places, order)
        if not np.array_equal(again, same):
            if self.clock == "time_id" and region is not None:
                self._refuse_second_place(again & ~same, order, (region, names))
            order = same_moment_in_order(keys, places, again, order)
            same = _same_place(again, places, order)
        user, time = keys[:2]
        merged = int(np.count_nonzero(same))
        pick = order
        if merged:
            kept = np.flatnonzero(~np.concatenate([[False], same]))
            user, time = user[kept], time[kept]
            pick = kept if order is None else order[kept]
        lat, lon = _picked(self.lat, pick), _picked(self.lon, pick)
        notes = self._spelling_notes()
        if similar == "same":
            notes += alike_notes(len(self.names.unique()) - len(users))
        notes += names_note(names)
        if merged:
            notes += (f"{merged} repeated rows merged",)
        notes += elsewhere_note(int(np.count_nonzero(again & ~same)))
        return Traces(
            users=users,
            user=user,
            time=_copied(time),
            clock=self.clock,
            lat=lat,
            lon=lon,
            region=_picked(region, pick),
            place_names=names,
            tz=self.tz,
            order=self.order,
            center=_middle(lat, lon),
            notes=(*self.notes, *self.premises.notes, *notes),
            ends=self._ends(),
            premises=self.premises,
            stay_step=self.stay_step,
        )

    def _spelling_notes(self) -> tuple[str, ...]:
        """Notes on names of users that are written in several ways."""
        if not self.is_respelled:
            return ()
        with about(self.tables[-1].file):
            return spelling_notes(names_as_written(self.tables, self.user))

    def _ends(self) -> tuple[PlacedTime, ...]:
        """The first and the last time."""
        rows = (int(self.time.argmin()), int(self.time.argmax())) if len(self.time) else ()
        return tuple(PlacedTime(int(self.time[row]), self._error_at(row)) for row in rows)

    def _error_at(self, row: int) -> Callable[[str, str | None], InputError]:
        """A factory of errors about a row's time; it holds no reference to columns."""
        table, place = self._placed(row)
        return partial(_about_time, *table.outline(place), self.when)

    def _placed(self, row: int) -> tuple[CheckedTable, int]:
        """The table that contains a global row, and the row's index in it."""
        for table in self.tables:
            if row < len(table):
                return table, row
            row -= len(table)
        raise IndexError(row)

    def _refuse_second_place(
        self,
        second: npt.NDArray[np.bool_],
        order: npt.NDArray[np.int64] | None,
        places: tuple[npt.NDArray[np.int64], tuple[str, ...] | None],
    ) -> None:
        """Refuse rows that give a user a second region at one time.

        Raises
        ------
        InputError
            Names the first line.
        """
        if not second.any():
            return
        region, names = places
        place = int(second.argmax())
        one, other = (place, place + 1) if order is None else (order[place], order[place + 1])
        row = int(max(one, other))
        fix = (self.names[row].as_py(), int(self.time[row]))
        both = (place_name(int(region[one]), names) for one in (row, min(one, other)))
        raise second_place(*self._placed(row), fix, tuple(both))


def _about_time(
    table: CheckedTable, row: int, when: str | None, message: str, hint: str | None
) -> InputError:
    """The error about a row's time."""
    column = when if when in table.header else None
    return table.error(message, row, column, hint)


def traces_of(parts: Iterable[Fixes], similar: str | None = None) -> Traces:
    """The traces of one or more parts of a table, in order.

    Parameters
    ----------
    similar
        Whether names that are alike are the ``same`` user or ``different`` ones; None: they are
        refused.

    Raises
    ------
    InputError
        As :meth:`Fixes.traces`.
    """
    found = Fixes.joined(list(parts)).traces(similar)
    # Arrow's pool keeps the memory of the tables, several times that of the traces: give it back.
    pa.default_memory_pool().release_unused()
    return found


def second_place(
    table: CheckedTable, row: int, fix: tuple[str, int], regions: tuple[PlaceName, ...]
) -> InputError:
    """The error for a row that gives a user a second region at one time.

    Parameters
    ----------
    table, row
        The row at fault: the later of the two.
    fix
        User and time of both rows.
    regions
        Region of the row at fault, and region of the other row.
    """
    return table.error(
        f"user {fix[0]} is in region {regions[0]} at time {fix[1]},"
        f" and in region {regions[1]} at the same time",
        row,
        hint="remove one of the two rows",
    )


def _concatenated(
    arrays: Sequence[npt.NDArray[Scalar] | None],
) -> npt.NDArray[Scalar] | None:
    """Concatenate arrays; None if there are none."""
    there = [array for array in arrays if array is not None]
    return np.concatenate(there) if there else None


def _joined_places(parts: Sequence[Fixes]) -> Places | None:
    """Regions of all parts; None if they have coordinates."""
    there = [part.places for part in parts if part.places is not None]
    return Places.joined(there) if there else None


def _fractions(parts: Sequence[Fixes]) -> npt.NDArray[np.int32] | None:
    """Fractions of all parts; None if no part has any."""
    if all(part.fraction is None for part in parts):
        return None
    return np.concatenate(
        [
            np.zeros(len(part.time), np.int32) if part.fraction is None else part.fraction
            for part in parts
        ]
    )


def _picked(
    array: npt.NDArray[Scalar] | None, pick: npt.NDArray[np.int64] | None
) -> npt.NDArray[Scalar] | None:
    """Select entries of an optional array; ``pick`` None selects all."""
    return None if array is None else _copied(take(array, pick))


def _middle(lat: Coordinates | None, lon: Coordinates | None) -> tuple[float, float] | None:
    """Mean latitude and longitude; None: there is none."""
    if lat is None or lon is None or not len(lat):
        return None
    return float(lat.mean()), float(lon.mean())


def _copied(array: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
    """A copy of a view: a view would keep the whole table in memory."""
    return array if array.flags.owndata else array.copy()


def _same_place(
    again: npt.NDArray[np.bool_],
    places: Sequence[npt.NDArray[Any]],
    order: npt.NDArray[np.int64] | None,
) -> npt.NDArray[np.bool_]:
    """(n - 1,) those of ``again`` whose next row is also at the same place."""
    if not again.any():
        return again
    return again & equal_to_next([take(place, order) for place in places])
