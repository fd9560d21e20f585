"""Rows of tables of identifiers: the columns of all files together, and rows at fault."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import compute

from mixsafe.errors import InputError
from mixsafe.io.columns.instants import instants, with_dates
from mixsafe.io.columns.names import users_and_rows
from mixsafe.io.columns.row_rules import BAD
from mixsafe.io.files.checked_table import Table
from mixsafe.io.files.csv_records import LONGEST, MISSING
from mixsafe.io.gbfs.records import Bools, Ints, Values
from mixsafe.io.gbfs.unused import Unused
from mixsafe.io.gbfs.vehicles import UNKNOWN
from mixsafe.io.gbfs.wanted import Wanted
from mixsafe.model.mobility.instant import DateOrder, parse_instant
from mixsafe.model.mobility.premises import MOST_EXAMPLES
from mixsafe.model.numerals import is_decimal

_MOST = {"range": np.inf, "battery": 100.0, "disabled": 1.0}
"""Largest value of each field that is a number."""

_TRUTH = {"true": 1.0, "false": 0.0}


@dataclass(eq=False)
class Rows:
    """Rows of one or several files; rows at fault are marked, and stay.

    Parameters
    ----------
    tables
        The files, or parts of them.
    wanted
        What is read, and how strictly.
    unused
        Takes what is not used.
    """

    tables: tuple[Table, ...]
    wanted: Wanted
    unused: Unused
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.zone: str | None = None
        """Time zone that the times of the table say."""
        self._begins = np.cumsum([0, *map(len, self.tables)])
        self.left_out = np.zeros(len(self), bool)
        """(n_rows,) rows that are not used, though nothing is wrong with them."""

    @classmethod
    def of(
        cls,
        path: str | os.PathLike[str],
        tables: Iterable[Table],
        wanted: Wanted,
        unused: Unused,
        dates: Mapping[str, str | None],
    ) -> Rows:
        """The rows of tables, at least one.

        Parameters
        ----------
        path
            For messages.
        dates
            Columns of dates, by the columns of times that they are before.

        Raises
        ------
        InputError
            A date is missing before a time of the day; names its line. Or all rows are at fault.
        """
        found = []
        for table in tables:
            dated = replace(table, columns=dict(map(_without_blanks, table.columns.items())))
            for time, date in dates.items():
                dated = with_dates(dated, time, date)
            found.append(dated)
        rows = cls(tuple(found), wanted, unused)
        if not len(rows):
            rows.settle(path)
        return rows

    def __len__(self) -> int:
        return int(self._begins[-1])

    @property
    def kept(self) -> Bools:
        """(n_rows,) rows that can be used so far."""
        found = ~self.left_out
        for table, rows in self._parts():
            if table.faults is not None and table.faults.wrong is not None:
                found[rows] &= ~table.faults.wrong
        return found

    def _parts(self) -> Iterable[tuple[Table, slice]]:
        """The tables, and their rows."""
        ends = zip(self._begins[:-1].tolist(), self._begins[1:].tolist(), strict=True)
        return zip(self.tables, (slice(*one) for one in ends), strict=True)

    def settle(self, path: str | os.PathLike[str]) -> None:
        """Count the rows at fault, once all are marked.

        Raises
        ------
        InputError
            There are too many of them, or no other ones.
        """
        self.left_out = ~self.kept
        for table in self.tables:
            table.settled()
            if table.faults is not None and table.faults.count:
                places = table.places_of([row for row, _ in table.faults.examples])
                what = [what for _, what in table.faults.examples]
                named = [f"{at}: {one}" for at, one in zip(places, what, strict=True)]
                self.unused.count(BAD, named, table.faults.count)
        self.unused.check(int(np.count_nonzero(self.kept)), path)
        if self.left_out.all():
            raise InputError("no row can be used", file=path)

    def _at(self, row: int) -> tuple[Table, int]:
        """The table that a row is in, and its number there."""
        number = int(np.searchsorted(self._begins, row, "right")) - 1
        return self.tables[number], row - int(self._begins[number])

    def error(self, row: int, message: str, column: str, hint: str | None = None) -> InputError:
        """The error about a row."""
        table, at = self._at(row)
        return table.error(message, at, column, hint)

    def where(self, row: int) -> str:
        """Line of a row, such as ``line 7``."""
        table, at = self._at(row)
        _, numbers = table.first_rows(np.arange(len(table)) == at)
        return table.places_of(numbers.tolist())[0]

    def refuse(
        self,
        wrong: Bools,
        column: str,
        message: Callable[[int], str],
        hint: str | None = None,
    ) -> None:
        """Mark rows that cannot be read.

        Raises
        ------
        InputError
            Names the first one, unless such rows are skipped.
        """
        for table, rows in self._parts():
            table.check(wrong[rows], column, lambda row, at=rows.start: message(at + row), hint)  # type: ignore[misc]

    def leave_out(self, reason: str, chosen: Bools, names: npt.NDArray[Any]) -> None:
        """Count rows that are not used, and name the first of them."""
        self.name(reason, chosen, names)
        self.left_out |= chosen

    def name(self, reason: str, chosen: Bools, names: npt.NDArray[Any]) -> None:
        """Count rows for a reason, and name the first of them."""
        rows = np.flatnonzero(chosen)
        first = [f"{self.where(row)} ({names[row]})" for row in rows[:MOST_EXAMPLES].tolist()]
        if len(rows):
            self.unused.count(reason, first, len(rows))

    def names(self, name: str) -> npt.NDArray[np.str_]:
        """(n_rows,) names of a column of the kind ``name``.

        Raises
        ------
        InputError
            Two of them are alike.
        """

        def fault(row: int, message: str, hint: str) -> InputError:
            return self.error(row, message, name, hint)

        users, row = users_and_rows(self._column(name), fault, self.wanted.similar)
        return users.astype(np.str_)[row]

    def placed(
        self, find: Callable[[Table], tuple[Values | None, Values | None, Bools | None]]
    ) -> tuple[Values, Values]:
        """(n_rows,) latitudes and longitudes, not numbers where there is no position.

        Parameters
        ----------
        find
            Finds those of a table, and rows without a position, as
            :func:`mixsafe.io.traces.table.positions`.

        Raises
        ------
        InputError
            A cell is no coordinate, unless such rows are skipped.
        """
        found = np.full((2, len(self)), np.nan)
        for table, rows in self._parts():
            lat, lon, nowhere = find(table)
            found[:, rows] = lat, lon
            if nowhere is not None:
                found[:, rows][:, nowhere] = np.nan
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
            if name == "last_reported" or name in _MOST:
                found[name] = self._numbers(column, name)
            else:
                found[name] = self.texts(column)
        return found

    def texts(self, name: str) -> npt.NDArray[np.object_]:
        """(n_rows,) texts of a column, None where it is empty."""
        texts = compute.utf8_trim_whitespace(self._column(name).cast(pa.string()))
        found: npt.NDArray[np.object_] = texts.to_numpy().astype(object)
        found[found == ""] = None
        return found

    def times(self, name: str, zone: str | None, needed: Bools | None = None) -> tuple[Ints, Bools]:
        """(n_rows,) Unix seconds of a column, and whether there is one.

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
        seconds, known = np.zeros(len(self), np.int64), self.filled(name)
        missing = ~known if needed is None else ~known & needed
        self.refuse(missing, name, lambda _row: "the value is missing")
        for table, rows in self._parts():
            when = instants(table, name, zone, self.wanted.rules.date_order)
            seconds[rows] = when.seconds
            self.zone = self.zone or when.tz
            self.notes += [one for one in when.notes if one not in self.notes]
        return seconds, known

    def filled(self, name: str) -> Bools:
        """(n_rows,) whether a column has a value."""
        found: Bools = self._column(name).is_valid().to_numpy()
        return found

    def _numbers(self, name: str, what: str) -> Values:
        """(n_rows,) numbers of a field, not a number where it is unknown.

        Raises
        ------
        InputError
            The field is compared, and a cell is no number, or outside its range; names its line.
        """
        most = _MOST.get(what, np.inf)
        column = self._column(name)
        try:
            whole: Values = column.cast(pa.float64()).fill_null(np.nan).to_numpy()
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            whole = np.full(1, np.inf)
        outside = (whole < 0) | (whole > most) | (whole == np.inf)
        if what in _MOST and len(whole) == len(self) and not outside.any():
            return whole

        def number(cell: str) -> float:
            value = _TRUTH.get(cell.lower())
            if value is None and not is_decimal(cell) and math.isfinite(float(cell)):
                raise ValueError(cell)  # 1_000
            value = float(cell) if value is None else value
            if value == UNKNOWN or not np.isfinite(value):
                return np.nan
            if not 0 <= value <= most:
                raise ValueError(cell)
            return value

        limits = f"not a number from 0 to {most:g}" if most < np.inf else "not a number"
        if what == "last_reported":
            order = self.wanted.rules.date_order
            return self._cells(name, what, partial(_moment, order), "not a timestamp")
        return self._cells(name, what, number, limits)

    def _cells(self, name: str, what: str, parse: Callable[[str], float], wrong: str) -> Values:
        """Parse each distinct cell of a column once; not a number where it is empty."""
        coded = self._column(name).cast(pa.string()).combine_chunks().dictionary_encode()
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
            self.refuse(
                bad[code],
                name,
                lambda row: f"'{coded[row].as_py()[:LONGEST].strip()}' is {wrong}",
                f"leave the field {what} out with --fields",
            )
        rows = np.flatnonzero(unknown[code] & self.kept)
        if len(rows):
            first = f"'{coded[int(rows[0])].as_py()[:LONGEST]}' in {self.where(int(rows[0]))}"
            self.unused.unread(name, first, len(rows))
        of_row: Values = values[code]
        return of_row

    def _column(self, name: str) -> pa.ChunkedArray:
        """A column of all tables."""
        chunks = [chunk for table in self.tables for chunk in table.columns[name].chunks]
        kinds = {chunk.type for chunk in chunks}
        if len(kinds) > 1:
            chunks = [chunk.cast(pa.string()) for chunk in chunks]
        found = pa.chunked_array(chunks)
        return found.unify_dictionaries() if pa.types.is_dictionary(found.type) else found


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
