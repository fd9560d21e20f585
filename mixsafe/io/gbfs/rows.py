"""Rows of tables of identifiers: cells as numbers, times, names, and rows that cannot be read."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import compute

from mixsafe.errors import InputError
from mixsafe.io.columns.instants import instants
from mixsafe.io.columns.names import users_and_rows
from mixsafe.io.columns.no_position import no_position
from mixsafe.io.columns.row_rules import BAD
from mixsafe.io.files.checked_table import Table
from mixsafe.io.files.csv_records import LONGEST, MISSING, Kind
from mixsafe.io.files.tables import read_parts
from mixsafe.io.gbfs.records import Bools, Ints, Values
from mixsafe.io.gbfs.unused import Unused
from mixsafe.io.gbfs.vehicles import UNKNOWN
from mixsafe.io.gbfs.wanted import Wanted
from mixsafe.model.mobility.instant import parse_instant
from mixsafe.model.mobility.premises import MOST_EXAMPLES
from mixsafe.model.numerals import is_decimal

_MOST = {"range": np.inf, "battery": 100.0, "disabled": 1.0}
"""Largest value of each field that is a number."""

_TRUTH = {"true": 1.0, "false": 0.0}


@dataclass(eq=False)
class Rows:
    """Rows of one or several files; rows at fault are marked until they are dropped.

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
        self.kept = np.ones(sum(map(len, self.tables)), bool)
        """(n_rows,) rows that can be used so far."""
        for table in self.tables:
            if table.faults is not None and table.faults.count:
                places = table.places_of([row for row, _ in table.faults.examples])
                what = [what for _, what in table.faults.examples]
                named = [f"{at}: {one}" for at, one in zip(places, what, strict=True)]
                self.unused.count(BAD, named, table.faults.count)

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str],
        kinds: Mapping[str, Kind],
        wanted: Wanted,
        unused: Unused,
    ) -> Rows:
        """Read columns of a table.

        Raises
        ------
        InputError
            A column is missing, or a line cannot be read; names it.
        """
        return cls(
            tuple(read_parts(path, kinds, None, wanted.rules.skip_bad, wanted.form)), wanted, unused
        )

    def __len__(self) -> int:
        return len(self.kept)

    def _at(self, row: int) -> tuple[Table, int]:
        """The table that a row is in, and its number there."""
        for table in self.tables:
            if row < len(table):
                break
            row -= len(table)
        return table, row

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
        """Drop rows that cannot be read.

        Raises
        ------
        InputError
            Names the first one, unless such rows are skipped.
        """
        rows = np.flatnonzero(wrong & self.kept)
        for number, row in enumerate(rows.tolist()):
            if number < MOST_EXAMPLES:
                self.unused.bad(self.error(row, message(row), column, hint))
        if len(rows) > MOST_EXAMPLES:
            self.unused.count(BAD, [], len(rows) - MOST_EXAMPLES)
        self.kept[rows] = False

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

    def positions(self, columns: tuple[str, str]) -> tuple[Values, Values]:
        """(n_rows,) latitudes and longitudes, not numbers where there is no position.

        Raises
        ------
        InputError
            A cell is neither a coordinate nor stands for none, unless such rows are skipped.
        """
        lat, lon = (self._numbers(name, "coordinate") for name in columns)
        return self.placed(columns, lat, lon)

    def placed(self, columns: tuple[str, str], lat: Values, lon: Values) -> tuple[Values, Values]:
        """The same of coordinates that have been read."""
        nowhere = no_position(lat, lon, keep_null_island=self.wanted.rules.keep_null_island)
        lat, lon = np.where(nowhere, np.nan, lat), np.where(nowhere, np.nan, lon)
        hint = "are latitude and longitude swapped?"
        self._refuse_beyond(90, lat, columns[0], "latitude", hint)
        self._refuse_beyond(180, lon, columns[1], "longitude")
        return lat, lon

    def _refuse_beyond(
        self, most: int, value: Values, column: str, what: str, hint: str | None = None
    ) -> None:
        """Refuse coordinates out of range."""

        def message(row: int) -> str:
            return f"{what} {value[row]:g} is not within -{most} to {most}"

        self.refuse(np.abs(value) > most, column, message, hint)

    def fields(self, columns: Mapping[str, str]) -> dict[str, npt.NDArray[Any]]:
        """Fields of all rows, by name, of the columns they are in.

        Raises
        ------
        InputError
            A value of a field that is compared is wrong, unless such rows are skipped.
        """
        found: dict[str, npt.NDArray[Any]] = {}
        for name, column in columns.items():
            if name == "last_reported":
                found[name] = self._cells(column, name, _moment, "not a timestamp")
            elif name in _MOST:
                found[name] = self._numbers(column, name)
            else:
                found[name] = self.texts(column)
        return found

    def texts(self, name: str) -> npt.NDArray[np.object_]:
        """(n_rows,) texts of a column, None where it is empty."""
        texts = self._column(name).cast(pa.string())
        found: npt.NDArray[np.object_] = compute.utf8_trim_whitespace(texts).to_numpy()
        found = found.astype(object)
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
        begin = 0
        for table in self.tables:
            rows = slice(begin, begin + len(table))
            begin += len(table)
            chosen = known[rows] & self.kept[rows]
            if not chosen.any():
                continue
            part = table if chosen.all() else table.only(chosen)
            part = replace(part, faults=None, skippable=False)  # errors are raised here
            try:
                when = instants(part, name, zone)
                found, notes = when.seconds, when.notes
                self.zone = self.zone or when.tz
            except InputError as error:
                if not self.wanted.rules.skip_bad:
                    self.unused.bad(error)
                found, good = self._one_by_one(part, name, zone)
                wrong = np.zeros(len(self), bool)
                wrong[rows][np.flatnonzero(chosen)[~good]] = True
                self.refuse(wrong, name, lambda _row: "the cell is not a timestamp")
                notes = ()
            seconds[rows][chosen] = found
            self.notes += [one for one in notes if one not in self.notes]
        return seconds, known & self.kept

    def _one_by_one(self, table: Table, name: str, zone: str | None) -> tuple[Ints, Bools]:
        """Unix seconds of each cell that is a time, and which are."""
        coded = table.columns[name].combine_chunks()
        coded = coded if pa.types.is_dictionary(coded.type) else coded.dictionary_encode()
        second, good = (
            np.zeros(len(coded.dictionary), np.int64),
            np.ones(len(coded.dictionary), bool),
        )
        for code, cell in enumerate(coded.dictionary.to_pylist()):
            try:
                second[code] = parse_instant(str(cell), zone or "UTC").second
            except (ValueError, OverflowError):
                good[code] = False
        row = coded.indices.to_numpy(zero_copy_only=False)
        return second[row], good[row]

    def filled(self, name: str) -> Bools:
        """(n_rows,) whether a column has a value."""
        column = self._column(name)
        found: Bools = column.is_valid().to_numpy()
        if pa.types.is_string(column.type) or pa.types.is_dictionary(column.type):
            texts = compute.utf8_trim_whitespace(column.cast(pa.string())).fill_null("")
            found = found & ~compute.is_in(texts, value_set=pa.array(MISSING)).to_numpy()
        return found

    def _numbers(self, name: str, what: str) -> Values:
        """(n_rows,) numbers of a column, not a number where it is empty.

        Parameters
        ----------
        what
            The field; ``coordinate`` is always needed, and in no range.

        Raises
        ------
        InputError
            A cell is not a number, or outside its range; names its line.
        """
        most = _MOST.get(what, np.inf)
        least = -np.inf if what == "coordinate" else 0.0
        column = self._column(name)
        try:
            whole: Values = column.cast(pa.float64()).fill_null(np.nan).to_numpy()
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            whole = np.full(1, np.inf)
        outside = (whole < least) | (whole > most) | (whole == np.inf)
        if len(whole) == len(self) and not outside.any():
            return whole

        def number(cell: str) -> float:
            value = _TRUTH.get(cell.lower())
            if value is None and not is_decimal(cell) and math.isfinite(float(cell)):
                raise ValueError(cell)  # 1_000
            value = float(cell) if value is None else value
            if what != "coordinate" and (value == UNKNOWN or not np.isfinite(value)):
                return np.nan
            if not least <= value <= most and not np.isnan(value):
                raise ValueError(cell)
            return value

        limits = f"not a number from {least:g} to {most:g}" if most < np.inf else "not a number"
        return self._cells(name, what, number, limits)

    def _cells(self, name: str, what: str, parse: Callable[[str], float], wrong: str) -> Values:
        """Parse each distinct cell of a column once; not a number where it is empty."""
        column = self._column(name)
        coded = column.cast(pa.string()).combine_chunks().dictionary_encode()
        values = np.full(len(coded.dictionary) + 1, np.nan)
        bad = np.zeros(len(values), bool)
        unknown = np.zeros(len(values), bool)
        for code, cell in enumerate(coded.dictionary.to_pylist()):
            cell = cell.strip()
            if cell in MISSING:
                continue
            try:
                values[code] = parse(cell)
                unknown[code] = np.isnan(values[code])
            except (ValueError, OverflowError):
                bad[code] = True
        code = coded.indices.fill_null(len(values) - 1).to_numpy(zero_copy_only=False)
        if what == "coordinate" or what in self.wanted.fields:
            hint = None
            if what != "coordinate":
                hint = f"leave the field {what} out with --fields"
            self.refuse(
                bad[code],
                name,
                lambda row: f"'{coded[row].as_py()[:LONGEST].strip()}' is {wrong}",
                hint,
            )
        else:
            unknown |= bad
        rows = np.flatnonzero(unknown[code] & self.kept)
        if what != "coordinate" and len(rows):
            first = f"'{coded[int(rows[0])].as_py()[:LONGEST]}' in {self.where(int(rows[0]))}"
            self.unused.unread(name, first, len(rows))
        of_row: Values = values[code]
        return of_row

    def _column(self, name: str) -> pa.ChunkedArray:
        """A column of all tables."""
        chunks = [chunk for table in self.tables for chunk in table.columns[name].chunks]
        if not chunks:
            return pa.chunked_array([pa.array([], pa.string())])
        found = pa.chunked_array(chunks)
        return found.unify_dictionaries() if pa.types.is_dictionary(found.type) else found


def _moment(cell: str) -> float:
    """Unix seconds of a cell; not a number if it stands for none."""
    if cell in ("-1", "0"):
        return np.nan
    return float(parse_instant(cell).second)
