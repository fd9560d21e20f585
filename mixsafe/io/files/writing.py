"""Tables of results, written as CSV or Parquet by the ending of the file's name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import csv

from mixsafe.errors import InputError
from mixsafe.io.files.atomic import atomic_path

ENDINGS = (".csv", ".parquet")


def write_columns(path: str | os.PathLike[str], table: pa.Table) -> None:
    """Write a table, whole or not at all.

    CSV has LF line ends, a header without quotes, and quotes only where a value needs them.

    Raises
    ------
    InputError
        Another ending, or the file cannot be written.
    """
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise InputError(f"cannot write '{ending}' files", file=path, hint="use .csv or .parquet")
    with atomic_path(path) as draft:
        if ending == ".parquet":
            from pyarrow import parquet

            parquet.write_table(table, draft)
        else:
            _write_csv(draft, table)


@contextmanager
def column_stream(path: str | os.PathLike[str]) -> Iterator[Callable[[pa.Table], None]]:
    """Write a table part by part, whole or not at all; as ``write_columns``.

    Yields
    ------
    callable
        Takes the next rows; all parts have the same columns. In CSV, texts stand without quotes.

    Raises
    ------
    InputError
        Another ending, a text that would need quotes, or the file cannot be written.
    """
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise InputError(f"cannot write '{ending}' files", file=path, hint="use .csv or .parquet")
    with atomic_path(path) as draft, ExitStack() as stack:
        if ending == ".csv":
            file = stack.enter_context(draft.open("wb"))
        writers: list[Any] = []  # one, of Parquet, from the first rows on
        style = csv.WriteOptions(include_header=False, quoting_style="none")

        def add(table: pa.Table) -> None:
            table = _plain(table)
            if ending == ".csv":
                if not file.tell():
                    file.write(",".join(table.column_names).encode() + b"\n")
                try:
                    csv.write_csv(table, file, style)
                except pa.ArrowInvalid:
                    raise InputError(
                        "a text has a comma, a quote or a line end", file=path, hint="use .parquet"
                    ) from None
                return
            if not writers:
                from pyarrow import parquet

                writers.append(stack.enter_context(parquet.ParquetWriter(draft, table.schema)))
            writers[0].write_table(table)

        yield add


def _plain(table: pa.Table) -> pa.Table:
    """The table without dictionaries, which differ from part to part."""
    plain = [
        column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        for column in table.columns
    ]
    return pa.table(plain, names=table.column_names)


def _write_csv(path: Path, table: pa.Table) -> None:
    """Write lines as everybody does; PyArrow alone would put the header into quotes."""
    table = _plain(table)
    header = ",".join(table.column_names).encode() + b"\n"
    for style in ("none", "needed"):
        options = csv.WriteOptions(include_header=False, quoting_style=style)
        try:
            with path.open("wb") as file:
                file.write(header)
                csv.write_csv(table, file, options)
        except pa.ArrowInvalid:
            continue  # A text has a comma, a quote or a line end: then all texts get quotes.
        return
