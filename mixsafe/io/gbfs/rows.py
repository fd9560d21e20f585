"""Rows of tables of identifiers: the columns of all files together, and rows at fault."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import compute

from mixsafe.errors import InputError
from mixsafe.io.columns.dialects import Layout
from mixsafe.io.columns.instants import Instants, instants, seconds_since_start, with_dates
from mixsafe.io.columns.names import users_of_table
from mixsafe.io.columns.reading import BAD
from mixsafe.io.files.checked_table import CheckedTable, Faults
from mixsafe.io.files.csv_records import LONGEST, MISSING
from mixsafe.io.gbfs.motion import FIELD, LIMITS
from mixsafe.io.gbfs.records import Bools, Ints, Values
from mixsafe.io.gbfs.vehicles import UNKNOWN
from mixsafe.io.gbfs.wanted import Unused, WantedFeed
from mixsafe.io.traces.table import positions
from mixsafe.model.mobility.instant import DateOrder, parse_instant
from mixsafe.model.mobility.premises import MOST_EXAMPLES
from mixsafe.model.numerals import is_decimal

_FILE = 1 << 40
"""More rows than a file has: row r of file f has the number f times this, and r."""


def joined(tables: Sequence[CheckedTable]) -> CheckedTable:
    """The rows of one or more tables with the same columns, in order.

    Columns whose types differ become texts.
    """
    first = tables[0]
    if len(tables) == 1:
        return first
    faults = None
    if first.faults is not None:
        found = [(number, one.faults) for number, one in enumerate(tables) if one.faults]
        examples = [
            (number * _FILE + row, what) for number, one in found for row, what in one.examples
        ]
        faults = Faults(sum(one.count for _, one in found), examples[:MOST_EXAMPLES])
    return _Joined(
        first.file,
        first.header,
        {name: _joined_column([one.columns[name] for one in tables]) for name in first.columns},
        first.form,
        faults=faults,
        skippable=first.skippable,
        parts=tuple(tables),
    )


def _joined_column(columns: Sequence[pa.ChunkedArray]) -> pa.ChunkedArray:
    if len({one.type for one in columns}) > 1:
        columns = [one.cast(pa.string()) for one in columns]
    found = pa.chunked_array([chunk for one in columns for chunk in one.chunks])
    return found.unify_dictionaries() if pa.types.is_dictionary(found.type) else found


@dataclass(frozen=True, eq=False)
class _Joined(CheckedTable):
    """Rows of several tables."""

    parts: tuple[CheckedTable, ...] = ()

    def error(
        self, message: str, row: int, column: str | None = None, hint: str | None = None
    ) -> InputError:
        """The error for a row, with its file and line."""
        for part in self.parts:
            if row < len(part):
                return part.error(message, row, column, hint)
            row -= len(part)
        raise IndexError(row)

    def _numbers(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Numbers of rows, for :meth:`places_of`."""
        begins = np.cumsum([0, *map(len, self.parts)])
        part = np.searchsorted(begins, rows, "right") - 1
        numbers = [
            number * _FILE + self.parts[number]._numbers(rows[part == number] - begins[number])
            for number in np.unique(part).tolist()
        ]
        return np.concatenate(numbers) if numbers else rows

    def places_of(self, numbers: list[int]) -> list[str]:
        """Files and lines of rows."""
        found = (divmod(number, _FILE) for number in numbers)
        return [place for part, row in found for place in self.parts[part].places_of([row])]


_LIMITS = {"range": (0.0, np.inf), "battery": (0.0, 100.0), "disabled": (0.0, 1.0), **LIMITS}
"""Least and largest value of each field that is a number."""

_TRUTH = {"true": 1.0, "false": 0.0}


@dataclass(eq=False)
class FeedRows:
    """Rows of a table; those at fault are marked, and stay.

    Parameters
    ----------
    path
        For messages.
    table
        Of one or several files.
    wanted
        What is read, and how strictly.
    unused
        Takes what is not used.
    """

    path: str | os.PathLike[str]
    table: CheckedTable
    wanted: WantedFeed
    unused: Unused
    notes: list[str] = field(default_factory=list)
    zone: str | None = None
    """Time zone that the times of the table say."""

    def __post_init__(self) -> None:
        self.left_out = np.zeros(len(self), bool)
        """(n_rows,) rows that are not used, though nothing is wrong with them."""

    @classmethod
    def of(
        cls,
        path: str | os.PathLike[str],
        tables: Iterable[CheckedTable],
        wanted: WantedFeed,
        unused: Unused,
        dates: Mapping[str, str | None],
    ) -> FeedRows:
        """The rows of tables, at least one.

        Parameters
        ----------
        dates
            Columns of dates, by the columns of times that they are before.

        Raises
        ------
        InputError
            A date is missing before a time of the day; names its line. Or all rows are at fault.
        """
        table = joined(list(tables))
        table = replace(table, columns=dict(map(_without_blanks, table.columns.items())))
        for time, date in dates.items():
            table = with_dates(table, time, date)
        rows = cls(path, table, wanted, unused)
        if not len(rows):
            rows.settle()
        return rows

    def __len__(self) -> int:
        return len(self.table)

    @property
    def file_of_row(self) -> Ints:
        """(n_rows,) number of the file of each row."""
        parts = self.table.parts if isinstance(self.table, _Joined) else (self.table,)
        return np.repeat(np.arange(len(parts)), [len(part) for part in parts])

    @property
    def kept(self) -> Bools:
        """(n_rows,) rows that can be used so far."""
        faults = self.table.faults
        marked = None if faults is None else faults.wrong
        return ~self.left_out if marked is None else ~self.left_out & ~marked

    def settle(self) -> None:
        """Count the rows at fault, once all are marked.

        Raises
        ------
        InputError
            There are too many of them, or no other ones.
        """
        self.left_out, faults = ~self.kept, self.table.faults
        if faults is not None:
            faults.settle()
        if faults is not None and faults.count:
            places = self.table.places_of([row for row, _ in faults.examples])
            named = [f"{at}: {one}" for at, (_, one) in zip(places, faults.examples, strict=True)]
            self.unused.count(BAD, named, faults.count)
        self.unused.check(int(np.count_nonzero(self.kept)), self.path)
        if self.left_out.all():
            raise InputError("no row can be used", file=self.path)

    def where(self, chosen: Bools) -> list[str]:
        """Lines of the first of some rows, such as ``line 7``."""
        return self.table.places_of(self.table.first_rows(chosen)[1].tolist())

    def leave_out(self, reason: str, chosen: Bools, names: npt.NDArray[Any]) -> None:
        """Count rows that are not used, and name the first of them."""
        self.name(reason, chosen, names)
        self.left_out |= chosen

    def name(self, reason: str, chosen: Bools, names: npt.NDArray[Any]) -> None:
        """Count rows for a reason, and name the first of them."""
        if chosen.any():
            pairs = zip(self.where(chosen), names[chosen], strict=False)
            first = [f"{line} ({name})" for line, name in pairs]
            self.unused.count(reason, first, int(np.count_nonzero(chosen)))

    def names(self, name: str) -> npt.NDArray[np.str_]:
        """(n_rows,) names of a column of the kind ``name``.

        Raises
        ------
        InputError
            Two of them are alike.
        """
        users, row = users_of_table(self.table, name, self.wanted.similar)
        return users.astype(np.str_)[row]

    def placed(self, layout: Layout) -> tuple[Values, Values]:
        """(n_rows,) latitudes and longitudes, not numbers where there is no position.

        Raises
        ------
        InputError
            A cell is no coordinate, unless such rows are skipped.
        """
        lat, lon, nowhere = positions(self.table, layout, self.wanted.crs, self.wanted.rules)
        found = np.array([lat, lon], np.float64)
        if nowhere is not None:
            found[:, nowhere] = np.nan
        return found[0], found[1]

    def fields(self, columns: Mapping[str, str]) -> dict[str, npt.NDArray[Any]]:
        """Fields of all rows, by name, of the columns they are in.

        Raises
        ------
        InputError
            A value of a field that is compared is wrong, unless such rows are skipped.
        """
        found: dict[str, npt.NDArray[Any]] = {}
        for name, column in columns.items():
            if name == "last_reported" or name in _LIMITS:
                found[name] = self._numbers(column, name)
            else:
                found[name] = self.texts(column)
        return found

    def texts(self, name: str) -> npt.NDArray[np.object_]:
        """(n_rows,) texts of a column, None where it is empty."""
        texts = compute.utf8_trim_whitespace(self.table.columns[name].cast(pa.string()))
        found: npt.NDArray[np.object_] = texts.to_numpy().astype(object)
        found[found == ""] = None
        return found

    def times(
        self, name: str, zone: str | None, needed: Bools | None = None
    ) -> tuple[Ints, Bools, bool]:
        """(n_rows,) Unix seconds of a column, whether there is one, and whether clocks say them.

        Parameters
        ----------
        zone
            Of times without one; None: UTC.
        needed
            (n_rows,) rows that must have one; None: all.

        Raises
        ------
        InputError
            A cell is no time, unless such rows are skipped.
        """
        known = self.filled(name)
        missing = ~known if needed is None else ~known & needed
        self.table.check(missing, name, "the value is missing")
        when = self._noted(instants(self.table, name, zone, self.wanted.rules.date_order))
        are_local = when.tz is None and not when.form.startswith("Unix")
        return when.seconds, known, are_local

    def moments(self, layout: Layout) -> tuple[Ints, Values]:
        """(n_rows,) Unix seconds, rounded down, and parts of a second after these.

        Raises
        ------
        InputError
            A cell is no time, unless such rows are skipped.
        """
        name, order = layout.time, self.wanted.rules.date_order
        self.table.check(~self.filled(name), name, "the value is missing")
        when = self._noted(
            seconds_since_start(self.table, name)
            if layout.seconds
            else instants(self.table, name, self.wanted.tz, order)
        )
        whole = np.zeros(len(self)) if when.fraction is None else when.fraction / 1e9
        return when.seconds, whole

    def _noted(self, when: Instants) -> Instants:
        """Times, after what they say of their zone and of themselves is noted."""
        self.zone = self.zone or when.tz
        self.notes += [one for one in when.notes if one not in self.notes]
        return when

    def filled(self, name: str) -> Bools:
        """(n_rows,) whether a column has a value."""
        found: Bools = self.table.columns[name].is_valid().to_numpy()
        return found

    def _numbers(self, name: str, what: str) -> Values:
        """(n_rows,) numbers of a field, not a number where it is unknown.

        Raises
        ------
        InputError
            The field is compared, and a cell is no number, or outside its range; names its line.
        """
        least, most = _LIMITS.get(what, (0.0, np.inf))
        column = self.table.columns[name]
        try:
            whole: Values = column.cast(pa.float64()).fill_null(np.nan).to_numpy()
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            whole = np.full(1, np.inf)
        outside = (whole < least) | (whole > most) | np.isinf(whole)
        if what in _LIMITS and len(whole) == len(self) and not outside.any():
            return whole

        def number(cell: str) -> float:
            value = _TRUTH.get(cell.lower())
            if value is None and not is_decimal(cell) and math.isfinite(float(cell)):
                raise ValueError(cell)  # 1_000
            value = float(cell) if value is None else value
            if (value == UNKNOWN and least == 0) or not np.isfinite(value):
                return np.nan
            if not least <= value <= most:
                raise ValueError(cell)
            return value

        limits = f"not a number from {least:g} to {most:g}" if most < np.inf else "not a number"
        if what in LIMITS and least == 0 and most == np.inf:
            limits = "not a number from 0 on"
        if what == "last_reported":
            order = self.wanted.rules.date_order
            return self._cells(name, what, partial(_moment, order), "not a timestamp")
        return self._cells(name, FIELD.get(what, what), number, limits)

    def _cells(self, name: str, what: str, parse: Callable[[str], float], wrong: str) -> Values:
        """Parse each distinct cell of a column once; not a number where it is empty."""
        coded = self.table.columns[name].cast(pa.string()).combine_chunks().dictionary_encode()
        values = np.full(len(coded.dictionary) + 1, np.nan)
        bad = np.zeros(len(values), bool)
        for code, cell in enumerate(coded.dictionary.to_pylist()):
            try:
                values[code] = parse(cell.strip())
            except (ValueError, OverflowError):
                bad[code] = True
        code = coded.indices.fill_null(len(values) - 1).to_numpy(zero_copy_only=False)
        unknown = np.isnan(values)
        unknown[-1] = False
        if what in self.wanted.fields:
            unknown &= ~bad
            self.table.check(
                bad[code],
                name,
                lambda row: f"'{coded[row].as_py()[:LONGEST].strip()}' is {wrong}",
                f"leave the field {what} out with --fields",
            )
        rows = unknown[code] & self.kept
        if rows.any():
            first = f"'{coded[int(rows.argmax())].as_py()[:LONGEST]}' in {self.where(rows)[0]}"
            self.unused.unread(name, first, int(np.count_nonzero(rows)))
        of_row: Values = values[code]
        return of_row


def _without_blanks(named: tuple[str, pa.ChunkedArray]) -> tuple[str, pa.ChunkedArray]:
    """A column whose texts are null where they stand for nothing."""
    name, column = named
    if not any(one(column.type) for one in _TEXTS):
        return named
    texts = column.cast(pa.string())
    blank = compute.is_in(compute.utf8_trim_whitespace(texts), value_set=pa.array(MISSING))
    return name, compute.if_else(blank, pa.scalar(None, pa.string()), texts)


_TEXTS = pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view


def _moment(order: DateOrder | None, cell: str) -> float:
    """Unix seconds of a cell; not a number if it stands for none."""
    if cell in ("-1", "0"):
        return np.nan
    return float(parse_instant(cell, order=order).second)
