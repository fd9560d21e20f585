"""Columns of a file, errors that name a row's line, and rows that are left out."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import compute

from mixsafe.errors import InputError
from mixsafe.io.files.arrays import arrow_of, numbers
from mixsafe.io.files.csv_records import (
    LONGEST,
    PLACED,
    Kind,
    complaint,
    line_and_text,
    lines_of,
    or_skip,
)
from mixsafe.io.files.spellings import plain_texts
from mixsafe.io.files.table_form import TextForm
from mixsafe.model.mobility.premises import MOST_EXAMPLES

NAMES = pa.dictionary(pa.int32(), pa.string())
"""PyArrow type of a column of names."""

Message = str | Callable[[int], str]
"""What is wrong with a row: a text, or what makes it from the row's index."""

Flags = npt.NDArray[np.bool_]

MOST_LETTERS = 1_000
"""Characters of a name; all are told, sorted and compared."""


@dataclass(eq=False)
class Faults:
    """Rows at fault, collected while the columns of a table are validated.

    Parameters
    ----------
    count
        Rows that are no longer in the table.
    examples
        The first rows at fault: number in the file, and what is wrong.
    wrong
        (n_rows,) rows at fault that are still in the table; None: no row.
    """

    count: int = 0
    examples: list[tuple[int, str]] = field(default_factory=list)
    wrong: Flags | None = None

    def mark(self, wrong: Flags, rows: npt.NDArray[np.int64], messages: list[str]) -> None:
        """Add rows at fault.

        Parameters
        ----------
        wrong
            (n_rows,) flags.
        rows, messages
            Numbers of the first of these rows in the file, and what is wrong with each.
        """
        known = {row for row, _ in self.examples}
        fresh = [one for one in zip(rows.tolist(), messages, strict=True) if one[0] not in known]
        self.examples = sorted([*self.examples, *fresh])[:MOST_EXAMPLES]
        self.wrong = wrong.copy() if self.wrong is None else self.wrong | wrong

    def settle(self) -> Flags | None:
        """Count the marked rows as gone; return the flags of rows to keep, None: all."""
        if self.wrong is None or not self.wrong.any():
            self.wrong = None
            return None
        keep = ~self.wrong
        self.count += int(np.count_nonzero(self.wrong))
        self.wrong = None
        return keep


@dataclass(frozen=True, eq=False)
class CheckedTable:
    """Selected columns of a file; only positions may be missing.

    Parameters
    ----------
    file
        For messages, and to find the lines of rows.
    header
        Names of all columns of the file.
    columns
        The columns read: PyArrow chunked arrays of equal length.
    form
        How the file writes its lines; None: it has none (Parquet).
    begin
        Number of rows of the file before these, if the file is read in batches.
    written
        Distinct names of a column as written in the file, if some are spelled in another way than
        in ``columns`` (:func:`mixsafe.model.mobility.names.plain`).
    gone
        (n_gone,) ascending numbers of rows that were left out, from ``begin`` on.
    faults
        Where rows at fault are collected; None: the first one is refused.
    skippable
        True if a refusal shall say that rows at fault can be skipped.
    origin
        (n_rows,) numbers of the rows that these were, if a row was made into several, or the rows
        were turned around; ``gone`` are of those.
    called
        Names in messages of columns that are not the file's.
    among
        True if the file is one of several.
    """

    file: str | os.PathLike[str]
    header: tuple[str, ...]
    columns: Mapping[str, pa.ChunkedArray]
    form: TextForm | None
    begin: int = 0
    written: Mapping[str, pa.Array] = field(default_factory=dict)
    gone: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    faults: Faults | None = None
    skippable: bool = False
    origin: npt.NDArray[np.int32] | None = None
    called: Mapping[str, str] = field(default_factory=dict)
    among: bool = False

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def values(self, name: str) -> npt.NDArray[Any]:
        """A column as a NumPy array."""
        return numbers(self.columns[name])

    def error(
        self, message: str, row: int, column: str | None = None, hint: str | None = None
    ) -> InputError:
        """The error for a row (from 0), with its line."""
        number = int(self._numbers(np.array([row]))[0])
        column = None if column is None else self.called.get(column, column)
        if self.form is None:
            message = f"row {number + 1}: {message}"
            return InputError(message, file=self.file, column=column, hint=hint)
        line, _ = line_and_text(self.file, self.form, number, 0)
        return InputError(message, file=self.file, line=line, column=column, hint=hint)

    def text_at(self, row: int, name: str) -> str | None:
        """Text of a cell; None if the file has no lines or not this column."""
        if self.form is None or name not in self.header:
            return None
        number = int(self._numbers(np.array([row]))[0])
        return line_and_text(self.file, self.form, number, self.header.index(name))[1]

    def _numbers(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Numbers in the file, from 0, of rows of the table."""
        if self.origin is not None:
            rows = self.origin[rows].astype(np.int64)
        if len(self.gone):
            before = np.searchsorted(self.gone - np.arange(len(self.gone)), rows, side="right")
            rows = rows + before
        return rows + self.begin

    def places_of(self, numbers: list[int]) -> list[str]:
        """Lines of rows of the file, as ``line 7``; ``row 6`` if the file has no lines.

        One of several files is named, too.

        Parameters
        ----------
        numbers
            Numbers of rows in the file, from 0, ascending.
        """
        which = f"{PurePath(self.file).name}, " if self.among else ""
        if self.form is None:
            return [f"{which}row {number + 1}" for number in numbers]
        return [f"{which}line {line}" for line in lines_of(self.file, self.form, numbers)]

    def first_rows(self, flags: Flags) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The first flagged rows that are different rows of the file, and their numbers there."""
        rows = np.flatnonzero(flags)
        if self.origin is not None:
            rows = rows[np.unique(self.origin[rows], return_index=True)[1]]
        rows = rows[:MOST_EXAMPLES]
        return rows, self._numbers(rows)

    def outline(self, row: int) -> tuple[CheckedTable, int]:
        """The table without its columns, for messages about a row, and the row's index there."""
        row = row if self.origin is None else int(self.origin[row])
        return replace(self, columns={}, written={}, origin=None), row

    def repeated(
        self,
        times: npt.NDArray[np.int64],
        columns: Mapping[str, pa.ChunkedArray],
        called: Mapping[str, str],
    ) -> CheckedTable:
        """The table with each row as several.

        Parameters
        ----------
        times
            (n_rows,) how many rows each becomes, >= 1; so many times what is wrong with it.
        columns
            Columns of the new rows.
        called
            Names in messages of those that are not the file's.
        """
        origin = np.repeat(np.arange(len(self), dtype=np.int32), times)
        if self.faults is not None and self.faults.wrong is not None:
            self.faults.wrong = self.faults.wrong[origin]
        return replace(self, columns=columns, origin=origin, called=called)

    def only(self, keep: Flags) -> CheckedTable:
        """The table without the rows that are not to be kept, (n_rows,) flags."""
        mask = arrow_of(keep)
        columns = {name: column.filter(mask) for name, column in self.columns.items()}
        if self.origin is not None:
            return replace(self, columns=columns, origin=self.origin[keep])
        numbers_gone = self._numbers(np.flatnonzero(~keep)) - self.begin
        gone = np.sort(np.concatenate([self.gone, numbers_gone]))
        return replace(self, columns=columns, gone=gone)

    def settled(self) -> tuple[CheckedTable, Flags | None]:
        """The table without rows at fault, and which rows it keeps; None: all."""
        keep = None if self.faults is None else self.faults.settle()
        return (self, None) if keep is None else (self.only(keep), keep)

    def mark(self, wrong: Flags, name: str, message: Message) -> None:
        """Collect rows at fault; for the message see :meth:`check`."""
        first, numbers = self.first_rows(wrong)
        column = self.called.get(name, name)
        messages = [f"{column}: {self._told(message, int(row), name)}" for row in first]
        if self.faults is not None:
            self.faults.mark(wrong, numbers, messages)

    def _told(self, message: Message, row: int, name: str) -> str:
        """A message about a row."""
        if not isinstance(message, str):
            return message(row)
        return message.format(str(self.columns[name][row].as_py())[:LONGEST])

    def check(self, wrong: Flags, name: str, message: Message, hint: str | None = None) -> None:
        """Refuse the first row marked ``wrong``.

        Parameters
        ----------
        message
            ``{}`` in it is replaced by the row's cell; or it is made from the row's index.

        If rows at fault are collected, these are, and are still in the columns.

        Raises
        ------
        InputError
            Names the row's line.
        """
        if not wrong.any():
            return
        if self.faults is not None:
            self.mark(wrong, name, message)
            return
        row = int(wrong.argmax())
        # Where every row is at fault, none would be left.
        hint = or_skip(hint) if self.skippable and not wrong.all() else hint
        raise self.error(self._told(message, row, name), row, name, hint)


def with_plain_names(table: CheckedTable, kinds: Mapping[str, Kind]) -> CheckedTable:
    """The table with plain names in its columns of names, and as they are written beside them."""
    columns, written = dict(table.columns), {}
    for name in (name for name, kind in kinds.items() if kind == "name"):
        # One chunk, because unifying the dictionaries of many chunks is slow.
        whole = table.columns[name].unify_dictionaries().combine_chunks()
        texts = plain_texts(whole.dictionary)
        if texts is not whole.dictionary:
            written[name] = whole.dictionary
            whole = texts.take(whole.indices).dictionary_encode().cast(NAMES)
        columns[name] = pa.chunked_array([whole])
    return replace(table, columns=columns, written=written)


def check_filled(table: CheckedTable, name: str, kind: Kind) -> None:
    """Refuse or collect empty cells and numbers that are not finite."""
    if kind == "optional" or kind in PLACED:
        return
    column = table.columns[name]
    missing = np.zeros(len(table), bool)
    if column.null_count:
        missing |= column.is_null().to_numpy()
    if kind == "number":
        missing |= ~np.isfinite(numbers(column))
    elif kind == "name":
        codes = column.unify_dictionaries().combine_chunks()
        length = compute.utf8_length(compute.utf8_trim_whitespace(codes.dictionary))
        none = np.append(numbers(length) == 0, True)  # a dictionary code may point to a null
        code = codes.indices.fill_null(len(length)) if codes.null_count else codes.indices
        missing |= none[numbers(code)]
        long = np.append(numbers(length) > MOST_LETTERS, False)
        if long.any():
            message = f"the name {{}}… has more than {MOST_LETTERS:,} characters"
            table.check(long[numbers(code)], name, message)
    if not missing.any():
        return
    message = "the value is missing"
    if table.faults is not None:
        table.mark(missing, name, message)
        return
    row = int(missing.argmax())
    text = table.text_at(row, name)
    if text is not None and table.form is not None:
        found = complaint(table.form.plain(text), "number" if kind == "number" else "integer")
        message = message if found is None else found[0]
    raise table.error(message, row, name, or_skip(None) if table.skippable else None)
