"""Columns of a file, errors that name a row's line, and rows that are left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import compute

from mixsafe.errors import InputError
from mixsafe.io.files.arrays import numbers
from mixsafe.io.files.csv_records import (
    LONGEST,
    PLACED,
    Kind,
    complaint,
    line_and_text,
    lines_of,
    or_skip,
)
from mixsafe.io.files.faults import Faults
from mixsafe.io.files.spellings import plain_texts
from mixsafe.model.mobility.premises import MOST_EXAMPLES

NAMES = pa.dictionary(pa.int32(), pa.string())
"""PyArrow type of a column of names."""

MOST_LETTERS = 1_000
"""Characters of a name; all are told, sorted and compared."""


@dataclass(frozen=True, eq=False)
class Table:
    """Selected columns of a file; only positions may be missing.

    Parameters
    ----------
    file
        For messages.
    header
        Names of all columns of the file.
    columns
        The columns read: PyArrow chunked arrays of equal length.
    is_text
        True if the file has lines (CSV), False if not (Parquet).
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
    """

    file: str
    header: tuple[str, ...]
    columns: Mapping[str, pa.ChunkedArray]
    is_text: bool
    begin: int = 0
    written: Mapping[str, pa.Array] = field(default_factory=dict)
    gone: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    faults: Faults | None = None
    skippable: bool = False

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
        if not self.is_text:
            message = f"row {number + 1}: {message}"
            return InputError(message, file=self.file, column=column, hint=hint)
        line, _ = line_and_text(self.file, number, 0)
        return InputError(message, file=self.file, line=line, column=column, hint=hint)

    def text_at(self, row: int, name: str) -> str | None:
        """Text of a cell; None if the file has no lines or not this column."""
        if not self.is_text or name not in self.header:
            return None
        number = int(self._numbers(np.array([row]))[0])
        return line_and_text(self.file, number, self.header.index(name))[1]

    def _numbers(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Numbers in the file, from 0, of rows of the table."""
        if len(self.gone):
            before = np.searchsorted(self.gone - np.arange(len(self.gone)), rows, side="right")
            rows = rows + before
        return rows + self.begin

    def places_of(self, numbers: list[int]) -> list[str]:
        """Lines of rows of the file, as ``line 7``; ``row 6`` if the file has no lines.

        Parameters
        ----------
        numbers
            Numbers of rows in the file, from 0, ascending.
        """
        if not self.is_text:
            return [f"row {number + 1}" for number in numbers]
        return [f"line {line}" for line in lines_of(self.file, numbers)]

    def first_numbers(self, flags: npt.NDArray[np.bool_]) -> list[int]:
        """Numbers in the file of the first flagged rows."""
        return [int(one) for one in self._numbers(np.flatnonzero(flags)[:MOST_EXAMPLES])]

    def only(self, keep: npt.NDArray[np.bool_]) -> Table:
        """The table without the rows that are not to be kept, (n_rows,) flags."""
        numbers_gone = self._numbers(np.flatnonzero(~keep)) - self.begin
        mask = pa.array(keep)
        columns = {name: column.filter(mask) for name, column in self.columns.items()}
        gone = np.sort(np.concatenate([self.gone, numbers_gone]))
        return replace(self, columns=columns, gone=gone)

    def settled(self) -> tuple[Table, npt.NDArray[np.bool_] | None]:
        """The table without rows at fault, and which rows it keeps; None: all."""
        keep = None if self.faults is None else self.faults.settle()
        return (self, None) if keep is None else (self.only(keep), keep)

    def mark(self, wrong: npt.NDArray[np.bool_], name: str, message: str) -> None:
        """Collect rows at fault; ``{}`` in the message is replaced by the cell."""
        first = np.flatnonzero(wrong)[:MOST_EXAMPLES]
        cells = [str(self.columns[name][int(row)].as_py())[:LONGEST] for row in first]
        messages = [f"{name}: {message.format(cell)}" for cell in cells]
        if self.faults is not None:
            self.faults.mark(wrong, self._numbers(first), messages)

    def check(
        self, wrong: npt.NDArray[np.bool_], name: str, message: str, hint: str | None = None
    ) -> None:
        """Refuse the first row marked ``wrong``; ``{}`` in the message is replaced by its cell.

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
        cell = str(self.columns[name][row].as_py())
        # Where every row is at fault, none would be left.
        hint = or_skip(hint) if self.skippable and not wrong.all() else hint
        raise self.error(message.format(cell[:LONGEST]), row, name, hint)


def with_plain_names(table: Table, kinds: Mapping[str, Kind]) -> Table:
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


def check_filled(table: Table, name: str, kind: Kind) -> None:
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
    if text is not None:
        found = complaint(text, "number" if kind == "number" else "integer")
        message = message if found is None else found[0]
    raise table.error(message, row, name, or_skip(None) if table.skippable else None)
