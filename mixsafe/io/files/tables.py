"""Columns of CSV and Parquet files, checked; only those that are needed are read."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import compute
from pyarrow import csv as arrow_csv

from mixsafe.errors import InputError
from mixsafe.io.files.arrays import numbers
from mixsafe.io.files.content import PARQUET, head_of, text_head_of
from mixsafe.io.files.csv_records import LONGEST, Kind, complaint, explain, line_and_text

_DAMAGED = (pa.ArrowException, OSError, UnicodeDecodeError)

NAMES = pa.dictionary(pa.int32(), pa.string())
"""Type of a column of names."""


@dataclass(frozen=True, eq=False)
class Table:
    """Some columns of a file, without a missing value.

    Parameters
    ----------
    file
        For messages.
    header
        Names of all columns of the file.
    columns
        Those that were read: PyArrow chunked arrays of one length.
    is_text
        Whether the file has lines (CSV), or not (Parquet).
    """

    file: str
    header: tuple[str, ...]
    columns: Mapping[str, pa.ChunkedArray]
    is_text: bool

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def values(self, name: str) -> npt.NDArray[Any]:
        """A column as a NumPy array."""
        return numbers(self.columns[name])

    def error(
        self, message: str, row: int, column: str | None = None, hint: str | None = None
    ) -> InputError:
        """The error for a row (from 0); finds its line."""
        if not self.is_text:
            message = f"row {row + 1}: {message}"
            return InputError(message, file=self.file, column=column, hint=hint)
        line, _ = line_and_text(self.file, row, 0)
        return InputError(message, file=self.file, line=line, column=column, hint=hint)

    def check(
        self, wrong: npt.NDArray[np.bool_], name: str, message: str, hint: str | None = None
    ) -> None:
        """Refuse the first row that is ``wrong``; ``{}`` in the message is its cell.

        Raises
        ------
        InputError
            Names the row's line.
        """
        if wrong.any():
            row = int(wrong.argmax())
            cell = str(self.columns[name][row].as_py())
            raise self.error(message.format(cell[:LONGEST]), row, name, hint)


def header_of(path: str | os.PathLike[str]) -> tuple[str, ...]:
    """Column names of a CSV or Parquet file.

    Raises
    ------
    InputError
        The file cannot be read, is empty, binary, or has a blank, nameless or repeated header.
    """
    if head_of(path).startswith(PARQUET):
        return _parquet_header(path)
    first = text_head_of(path).splitlines()[0]
    try:
        names = next(csv.reader([first.decode("utf-8")]), [])
    except UnicodeDecodeError:
        raise InputError(
            "the header is not UTF-8", file=path, line=1, hint="save the file as UTF-8"
        ) from None
    except csv.Error as error:
        raise InputError(f"the header is not CSV: {error}", file=path, line=1) from None
    if not any(names):
        raise InputError("the header is empty", file=path, line=1)
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InputError(
            "two columns have this name", file=path, line=1, column=twice[0], hint="rename one"
        )
    return tuple(names)


def read_table(path: str | os.PathLike[str], kinds: Mapping[str, Kind]) -> Table:
    """Read columns of a CSV or Parquet file.

    Parameters
    ----------
    kinds
        The columns to read, all of them in the file's header. ``name`` comes as a dictionary of
        strings, ``integer`` as int64, ``number`` as finite float64, ``time`` as what it looks
        like (numbers, timestamps, or strings), ``text`` as it is.

    Raises
    ------
    InputError
        Names the line and column of the first cell that is missing or of another kind.
    """
    header = header_of(path)
    for name in kinds:
        if name not in header:
            raise InputError(
                "there is no such column",
                file=path,
                column=name,
                hint=f"the columns are {', '.join(header)}",
            )
    if head_of(path).startswith(PARQUET):
        table = _read_parquet(path, header, kinds)
    else:
        table = _read_csv(path, header, kinds)
    if not len(table):
        raise InputError(
            "there is a header only, no row", file=path, line=2 if table.is_text else None
        )
    for name, kind in kinds.items():
        _check_filled(table, name, kind)
    return table


def _read_csv(
    path: str | os.PathLike[str], header: tuple[str, ...], kinds: Mapping[str, Kind]
) -> Table:
    """Columns of a CSV file, nulls where cells are empty."""
    known = {
        "name": NAMES,
        "integer": pa.int64(),
        "number": pa.float64(),
        "text": pa.string(),
    }
    types = {name: known[kind] for name, kind in kinds.items() if kind in known}
    for attempt in (types, types | dict.fromkeys(kinds.keys() - types.keys(), known["name"])):
        try:
            with Path(path).open("rb") as file:
                data = arrow_csv.read_csv(
                    file,
                    read_options=arrow_csv.ReadOptions(column_names=header, skip_rows=1),
                    convert_options=arrow_csv.ConvertOptions(
                        include_columns=list(kinds), column_types=attempt
                    ),
                )
        except pa.ArrowInvalid:
            continue
        return Table(os.fspath(path), header, dict(zip(kinds, data.columns, strict=True)), True)
    if _has_no_row(path):
        raise InputError("there is a header only, no row", file=path, line=2)
    raise explain(path, kinds)


def _has_no_row(path: str | os.PathLike[str]) -> bool:
    """Whether a text file ends with its first line."""
    return len(text_head_of(path).split(b"\n", 1)) == 1


def _parquet_header(path: str | os.PathLike[str]) -> tuple[str, ...]:
    """Column names of a Parquet file."""
    from pyarrow import parquet  # loaded here: most files are CSV

    try:
        return tuple(parquet.read_schema(path).names)
    except _DAMAGED as error:
        raise _bad_parquet(path, error) from None


def _bad_parquet(path: str | os.PathLike[str], error: Exception) -> InputError:
    """The error for a Parquet file that PyArrow refuses."""
    reason = str(error).partition("\n")[0].partition(".")[0]
    return InputError(f"the Parquet file is damaged: {reason}", file=path)


def _read_parquet(
    path: str | os.PathLike[str], header: tuple[str, ...], kinds: Mapping[str, Kind]
) -> Table:
    """Columns of a Parquet file, nulls where values are missing."""
    from pyarrow import parquet

    try:
        texts = [name for name, kind in kinds.items() if kind == "name"]
        data = parquet.read_table(path, columns=list(kinds), read_dictionary=texts)
        data.validate(full=True)
    except _DAMAGED as error:
        raise _bad_parquet(path, error) from None
    columns = {name: _as_kind(path, data[name], name, kind) for name, kind in kinds.items()}
    return Table(os.fspath(path), header, columns, False)


def _as_kind(
    path: str | os.PathLike[str], column: pa.ChunkedArray, name: str, kind: Kind
) -> pa.ChunkedArray:
    """A Parquet column in the types of its kind.

    Raises
    ------
    InputError
        The column's type does not go with the kind.
    """
    kind_of = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    whole = pa.types.is_integer(kind_of)
    text = pa.types.is_string(kind_of) or pa.types.is_large_string(kind_of)
    if kind == "name" and (whole or text):
        return _coded(column, kind_of)
    if kind == "integer" and whole:
        return column.cast(pa.int64())
    if kind == "number" and (whole or pa.types.is_floating(kind_of)):
        return column.cast(pa.float64())
    if kind in ("time", "text"):
        return column
    wanted = {"name": "names or whole numbers", "integer": "whole numbers", "number": "numbers"}
    raise InputError(f"the column holds {kind_of}, not {wanted[kind]}", file=path, column=name)


def _coded(column: pa.ChunkedArray, kind_of: pa.DataType) -> pa.ChunkedArray:
    """Names or whole numbers as a dictionary of strings, in one chunk.

    Encoding chunk by chunk would give each chunk all names, and comparing those takes longer than
    all the rest.
    """
    if column.type != NAMES:
        whole = column.cast(kind_of).combine_chunks().dictionary_encode()
        column = pa.DictionaryArray.from_arrays(whole.indices, whole.dictionary.cast(pa.string()))
        return pa.chunked_array([column])
    return pa.chunked_array([column.unify_dictionaries().combine_chunks()])


def _check_filled(table: Table, name: str, kind: Kind) -> None:
    """Refuse empty cells, and numbers that are not finite."""
    column = table.columns[name]
    missing = np.zeros(len(table), bool)
    if column.null_count:
        missing |= column.is_null().to_numpy()
    if kind == "number":
        missing |= ~np.isfinite(numbers(column))
    elif kind == "name":
        codes = column.unify_dictionaries().combine_chunks()
        length = compute.utf8_length(compute.utf8_trim_whitespace(codes.dictionary))
        none = np.append(numbers(length) == 0, True)  # a null may stand for no name
        code = codes.indices.fill_null(len(length)) if codes.null_count else codes.indices
        missing |= none[numbers(code)]
    if not missing.any():
        return
    row = int(missing.argmax())
    message = "the value is missing"
    if table.is_text:
        _, text = line_and_text(table.file, row, table.header.index(name))
        found = complaint(text, "number" if kind == "number" else "integer")
        message = message if found is None else found[0]
    raise table.error(message, row, name)
