"""Columns of a file without missing values, and errors that name a row's line."""

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
from mixsafe.io.files.csv_records import LONGEST, Kind, complaint, line_and_text
from mixsafe.io.files.spellings import plain_texts

NAMES = pa.dictionary(pa.int32(), pa.string())
"""PyArrow type of a column of names."""


@dataclass(frozen=True, eq=False)
class Table:
    """Selected columns of a file, without missing values.

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
    """

    file: str
    header: tuple[str, ...]
    columns: Mapping[str, pa.ChunkedArray]
    is_text: bool
    begin: int = 0
    written: Mapping[str, pa.Array] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def values(self, name: str) -> npt.NDArray[Any]:
        """A column as a NumPy array."""
        return numbers(self.columns[name])

    def error(
        self, message: str, row: int, column: str | None = None, hint: str | None = None
    ) -> InputError:
        """The error for a row (from 0), with its line."""
        if not self.is_text:
            message = f"row {self.begin + row + 1}: {message}"
            return InputError(message, file=self.file, column=column, hint=hint)
        line, _ = line_and_text(self.file, self.begin + row, 0)
        return InputError(message, file=self.file, line=line, column=column, hint=hint)

    def text_at(self, row: int, name: str) -> str | None:
        """Text of a cell; None if the file has no lines or not this column."""
        if not self.is_text or name not in self.header:
            return None
        return line_and_text(self.file, self.begin + row, self.header.index(name))[1]

    def check(
        self, wrong: npt.NDArray[np.bool_], name: str, message: str, hint: str | None = None
    ) -> None:
        """Refuse the first row marked ``wrong``; ``{}`` in the message is replaced by its cell.

        Raises
        ------
        InputError
            Names the row's line.
        """
        if wrong.any():
            row = int(wrong.argmax())
            cell = str(self.columns[name][row].as_py())
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
    """Refuse empty cells and numbers that are not finite."""
    if kind == "optional":
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
    if not missing.any():
        return
    row = int(missing.argmax())
    message = "the value is missing"
    text = table.text_at(row, name)
    if text is not None:
        found = complaint(text, "number" if kind == "number" else "integer")
        message = message if found is None else found[0]
    raise table.error(message, row, name)
