"""Writers of result tables, CSV or Parquet by the file's ending."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import compute, csv

from mixsafe.errors import InputError
from mixsafe.io.files.arrays import is_text
from mixsafe.io.files.json_values import has_half
from mixsafe.machinery.files import atomic_path
from mixsafe.machinery.temporary_files import scratch_folder

if TYPE_CHECKING:
    import pandas as pd


@contextmanager
def arrow_file(path: str | os.PathLike[str]) -> Iterator[str | IO[bytes]]:
    """Yield the path, or the open file where PyArrow cannot write the path as UTF-8."""
    name = os.fspath(path)
    if not has_half(name):
        yield name
        return
    with Path(path).open("wb") as file:
        yield file


ENDINGS = (".csv", ".parquet")

STDOUT = "-"
"""File name that means CSV to standard output."""

_MOMENT = "%Y-%m-%dT%H:%M:%S%Ez"

PART_ROWS = 1 << 20
"""Rows per Parquet row group."""


_FOR_SPREADSHEETS: ContextVar[bool] = ContextVar("for spreadsheets", default=False)
_FORMULA = r"^[=+\-@\t\r]"


@contextmanager
def for_spreadsheets() -> Iterator[None]:
    """Prefix texts that a spreadsheet would evaluate with an apostrophe, in CSV of the block.

    Such files are for viewing only: names in them differ from those of the data.
    """
    token = _FOR_SPREADSHEETS.set(True)
    try:
        yield
    finally:
        _FOR_SPREADSHEETS.reset(token)


def write_columns(path: str | os.PathLike[str], table: pa.Table) -> None:
    """Write a table atomically.

    CSV has LF line ends, an unquoted header, and quotes only where needed.

    Raises
    ------
    InputError
        Another ending, or the file cannot be written.
    """
    write_parts(path, lambda: [table])


def write_parts(path: str | os.PathLike[str], parts: Callable[[], Iterable[pa.Table]]) -> None:
    """Write a table from batches of rows atomically, as ``write_columns``.

    Parameters
    ----------
    parts
        Returns the batches, at least one, from the first row on at each call; it is called again
        if a text in CSV needs quotes, because then all texts get them. All batches have the same
        columns, and all but the last have ``PART_ROWS`` rows, so that Parquet files equal those of
        ``write_columns``.

    Raises
    ------
    InputError
        Another ending, or the file cannot be written.
    """
    if os.fspath(path) == STDOUT:
        _to_stdout(parts)
        return
    is_csv = _is_csv(path)
    with atomic_path(path) as draft:
        if is_csv:
            _write_csv(draft, parts)
            return
        with _row_groups(draft) as add:
            for table in parts():
                add(table)


def _is_csv(path: str | os.PathLike[str]) -> bool:
    """Whether a table becomes CSV, not Parquet, by the file's ending; others are refused."""
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise InputError(f"cannot write '{ending}' files", file=path, hint="use .csv or .parquet")
    return ending == ".csv"


def _to_stdout(parts: Callable[[], Iterable[pa.Table]]) -> None:
    """Write CSV to standard output once it is complete."""
    with scratch_folder("standard output") as folder:
        whole = folder / "table.csv"
        _write_csv(whole, parts)
        with whole.open("rb") as file:
            sys.stdout.flush()
            shutil.copyfileobj(file, sys.stdout.buffer)


@contextmanager
def _row_groups(path: Path) -> Iterator[Callable[[pa.Table], None]]:
    """Yield what writes each batch as a row group of a Parquet file."""
    from pyarrow import parquet

    with ExitStack() as stack:
        writers: list[Any] = []  # one, created with the first rows

        def add(table: pa.Table) -> None:
            if not writers:
                sink = stack.enter_context(arrow_file(path))
                writers.append(stack.enter_context(parquet.ParquetWriter(sink, table.schema)))
            writers[0].write_table(table)

        yield add


@contextmanager
def column_stream(path: str | os.PathLike[str]) -> Iterator[Callable[[pa.Table], None]]:
    """Open a stream that writes a table atomically, as ``write_columns``.

    Yields
    ------
    callable
        Writes the next rows; the columns are the same in each call. CSV texts are unquoted.

    Raises
    ------
    InputError
        The file ending is unknown, a text needs quotes, or the file cannot be written.
    """
    is_csv = _is_csv(path)
    with atomic_path(path) as draft:
        if not is_csv:
            with _row_groups(draft) as add:
                yield lambda table: add(_plain(table))
            return
        style = csv.WriteOptions(include_header=False, quoting_style="none")
        with draft.open("wb") as file:

            def add_lines(table: pa.Table) -> None:
                if not file.tell():
                    file.write(",".join(table.column_names).encode() + b"\n")
                try:
                    csv.write_csv(_plain(table), file, style)
                except pa.ArrowInvalid:
                    raise InputError(
                        "a text has a comma, quote or line end", file=path, hint="use .parquet"
                    ) from None

            yield add_lines


def _plain(table: pa.Table) -> pa.Table:
    """Convert dictionaries, which differ between batches, to texts, and timestamps to texts.

    Timestamps keep their zone, as in JSON and on pages: 2008-05-18T05:00:04-07:00.
    """
    plain = [
        column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        for column in table.columns
    ]
    plain = [
        _moments(column) if pa.types.is_timestamp(column.type) and column.type.tz else column
        for column in plain
    ]
    if _FOR_SPREADSHEETS.get():
        plain = [_harmless(column) for column in plain]
    return pa.table(plain, names=table.column_names)


def _moments(times: pa.ChunkedArray) -> pa.ChunkedArray:
    """Texts of timestamps, each made once: a table has far fewer steps than rows."""
    coded = times.cast(pa.timestamp("s", times.type.tz)).dictionary_encode()
    return pa.chunked_array(
        [
            compute.strftime(chunk.dictionary, format=_MOMENT).take(chunk.indices)
            for chunk in coded.chunks
        ],
        pa.string(),
    )


def _harmless(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Escape texts that a spreadsheet would read as formulas."""
    if not is_text(column.type):
        return column
    quoted = compute.binary_replace_slice(column, 0, 0, "'")
    return compute.if_else(compute.match_substring_regex(column, _FORMULA), quoted, column)


def _write_csv(path: Path, parts: Callable[[], Iterable[pa.Table]]) -> None:
    """Write CSV with an unquoted header, which PyArrow would quote."""
    for style in ("none", "needed"):
        options = csv.WriteOptions(include_header=False, quoting_style=style)
        try:
            with path.open("wb") as file:
                for number, table in enumerate(parts()):
                    if not number:
                        file.write(",".join(table.column_names).encode() + b"\n")
                    csv.write_csv(_plain(table), file, options)
        except pa.ArrowInvalid:
            continue  # A text contains a comma, a quote or a line end: all texts are quoted.
        return


def write_wires(path: str | os.PathLike[str], wires: pd.DataFrame) -> None:
    """Write a table of verdicts as CSV or Parquet, by the file's ending, atomically.

    Raises
    ------
    InputError
        Another ending, or the file cannot be written.
    """
    write_tables(path, lambda _: [wires])


def write_tables(
    path: str | os.PathLike[str], tables: Callable[[int], Iterable[pd.DataFrame]]
) -> None:
    """Write a table of verdicts in batches; as :func:`write_wires`.

    Parameters
    ----------
    path
        Path of the file.
    tables
        Returns the batches, at least one, given their number of rows; it may be called twice (see
        :func:`mixsafe.io.files.writing.write_parts`).

    Raises
    ------
    InputError
        As :func:`write_wires`.
    """

    def plain(table: pd.DataFrame) -> pa.Table:
        return pa.Table.from_pandas(table, preserve_index=False).replace_schema_metadata(None)

    write_parts(path, lambda: map(plain, tables(PART_ROWS)))
