"""Validated columns of CSV and Parquet files; only the columns needed are read."""

from __future__ import annotations

import codecs
import csv
import os
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path

from mixsafe.errors import InputError
from mixsafe.io.files.checked_table import CheckedTable, Faults, check_filled, with_plain_names
from mixsafe.io.files.content import (
    HEAD,
    PARQUET,
    TABLE,
    Held,
    head_of,
    size_of,
    text_head_of,
    whole,
)
from mixsafe.io.files.csv_columns import csv_tables
from mixsafe.io.files.csv_records import Kind, listed
from mixsafe.io.files.parquet_columns import parquet_header, parquet_tables
from mixsafe.io.files.table_form import TableForm, TextForm, is_value, text_form_of
from mixsafe.io.files.table_parts import TablePart, parts_of

_JSON = re.compile(rb"\s*(?:\{\s*[\"}]|\[\s*[{\[\]])")
"""How JSON begins that has objects or lists."""
_THREADS = 2

_MOST_HELD = 1 << 24
"""Bytes of a file that is in memory before it is read, if it is one of several."""


class NoRowError(InputError):
    """A table has a header but no rows."""


def first_file(path: str | os.PathLike[str], form: TableForm | None = None) -> os.PathLike[str]:
    """The file that defines the columns: the first of a folder that is not empty, or the table.

    Raises
    ------
    InputError
        The folder contains no table.
    """
    return _first(path, form).path


def _first(path: str | os.PathLike[str], form: TableForm | None) -> TablePart:
    """The first file of a table."""
    parts = parts_of(path, form)
    if not parts:
        hint = None if form is None else "say which of its files are read, such as --files '*.txt'"
        raise InputError("the folder contains no .csv or .parquet files", file=path, hint=hint)
    return next((part for part in parts if not part.empty), parts[0])


def header_of(path: str | os.PathLike[str], form: TableForm | None = None) -> tuple[str, ...]:
    """Column names of a CSV or Parquet file, or of the first file of a folder.

    Parameters
    ----------
    form
        What the user says of the table; None: nothing can be said.

    Raises
    ------
    InputError
        The file cannot be read, is empty or binary, or a column name is blank or repeated.
    """
    first = _first(path, form)
    own, _ = _own_header(first.path, form)
    return (*own, *(name for name in first.partition if name not in own))


def _own_header(
    path: str | os.PathLike[str], said: TableForm | None
) -> tuple[tuple[str, ...], TextForm | None]:
    """Column names of a file, and how it writes its lines; None: it has none.

    Raises
    ------
    InputError
        As :func:`header_of`.
    """
    if head_of(path).startswith(PARQUET):
        if said is not None and said.columns:
            message = "--columns is for text without a header, and this is Parquet"
            raise InputError(message, file=path, hint="omit --columns")
        return parquet_header(path), None
    form = text_form_of(path, () if said is None else said.columns)
    if form.names:
        return form.names, form
    cells = _header_line(path, form)
    names = [name.strip() for name in cells]
    if not any(names):
        raise InputError("the header is empty", file=path, line=1)
    cells = names if len(names) > 1 else names[0].split()
    if sum(map(is_value, map(form.plain, cells))) > 1:
        hint = "write the names of the columns before it, such as user_id,time,lat,lon"
        if said is not None:
            example = form.separator.join(names)[:60]
            hint = (
                "say what its columns are, in their order: --columns user_id,time,lat,lon (_ is one"
                f" that is not needed) for {example}"
            )
        raise InputError(
            "the file has no header: its first line is data", file=path, line=1, hint=hint
        )
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InputError(
            "two columns have this name", file=path, line=1, column=twice[0], hint="rename one"
        )
    return tuple(names), form


def _refuse_json(path: str | os.PathLike[str], head: bytes) -> None:
    """Refuse JSON where only a table can be read."""
    if _JSON.match(head):
        raise InputError("this is JSON, and a table is needed here", file=path, hint=TABLE)


def _header_line(path: str | os.PathLike[str], form: TextForm) -> list[str]:
    """Cells of the line that has the names of columns.

    Raises
    ------
    InputError
        The line is too long, not UTF-8 or not CSV.
    """
    head = text_head_of(path)
    _refuse_json(path, head)
    lines = head.splitlines()[form.before :]
    first = lines[0] if lines else b""
    if len(first) == len(head) > HEAD - len(codecs.BOM_UTF8):
        raise InputError(
            f"the header line does not end within {HEAD:,} bytes",
            file=path,
            line=1,
            hint="give a CSV or Parquet table",
        )
    try:
        return next(csv.reader([first.decode("utf-8")], delimiter=form.separator), [])
    except UnicodeDecodeError:
        raise InputError(
            "the header is not UTF-8", file=path, line=1, hint="save the file as UTF-8"
        ) from None
    except csv.Error as error:
        raise InputError(f"the header is not CSV: {error}", file=path, line=1) from None


def read_table(path: str | os.PathLike[str], kinds: Mapping[str, Kind]) -> CheckedTable:
    """Read columns of a CSV or Parquet file.

    Parameters
    ----------
    kinds
        The columns to read. ``name`` is returned as a dictionary of strings, ``integer`` as int64,
        ``number`` as finite float64, ``time`` by inferred type (numbers, timestamps or strings),
        ``text`` unchanged, ``optional`` likewise, with missing values.

    Raises
    ------
    InputError
        Names the line and column of the first cell that is empty or of another kind.
    """
    return next(_tables(TablePart(Path(path)), kinds=kinds, rows=None))


def read_parts(
    path: str | os.PathLike[str],
    kinds: Mapping[str, Kind],
    rows: int | None = None,
    skip_bad: bool | None = None,
    form: TableForm | None = None,
) -> Iterator[CheckedTable]:
    """Read columns of a CSV or Parquet file, or of all such files of a folder, in batches.

    Parameters
    ----------
    kinds
        The columns to read, with the kind of each (:func:`read_table`).
    rows
        Approximate number of rows per batch, >= 1; None: whole files.
    skip_bad
        Leave out rows at fault and count them in ``faults`` of a table; False: refuse them, and
        say that they can be left out; None: refuse them.
    form
        What the user says of the table; None: nothing.

    Yields
    ------
    Table
        The next rows, at least one, unless all are left out. Files of a folder are read in the
        order of their names.

    Raises
    ------
    InputError
        As :func:`read_table`, when the batch at fault is read; or no file has a row.
    """
    parts = parts_of(path, form)
    found: Iterator[CheckedTable]
    if len(parts) == 1 or rows is not None:
        read = partial(_tables, kinds=kinds, rows=rows, skip_bad=skip_bad, said=form)
        found = chain.from_iterable(read(part, alone=len(parts) == 1) for part in parts)
    else:
        found = tables_of(map(held, parts), kinds, skip_bad, form)
    first = next(found, None)
    if first is None:
        raise InputError("the files have headers but no rows", file=path)
    yield from chain([first], found)


def tables_of(
    parts: Iterable[tuple[TablePart, os.PathLike[str]]],
    kinds: Mapping[str, Kind],
    skip_bad: bool | None = None,
    form: TableForm | None = None,
) -> Iterator[CheckedTable]:
    """Read columns of several files as :func:`read_parts`, in threads, some of them ahead.

    Parameters
    ----------
    parts
        Files, and what they are read from: best from memory, because threads that ask the system
        wait for each other.

    Raises
    ------
    InputError
        As :func:`read_parts`, but there may be no row.
    """
    read = partial(_tables, kinds=kinds, rows=None, alone=False, skip_bad=skip_bad, said=form)
    with ThreadPoolExecutor(_THREADS) as pool:
        waiting: deque[Future[list[CheckedTable]]] = deque()
        for part, source in parts:
            if not waiting and size_of(source) < HEAD:  # handing it over would take longer
                yield from read(part, source)
                continue
            waiting.append(pool.submit(lambda *which: list(read(*which)), part, source))
            if len(waiting) > 2 * _THREADS:
                yield from waiting.popleft().result()
        for left in waiting:
            yield from left.result()


def held(part: TablePart) -> tuple[TablePart, os.PathLike[str]]:
    """A file, and its bytes if they are few."""
    if size_of(part.path) > _MOST_HELD:
        return part, part.path
    content = whole(part.path)
    return part, Held(part.path, lambda: content)


def _tables(
    part: TablePart,
    source: os.PathLike[str] | None = None,
    *,
    kinds: Mapping[str, Kind],
    rows: int | None,
    alone: bool = True,
    skip_bad: bool | None = None,
    said: TableForm | None = None,
) -> Iterator[CheckedTable]:
    """Yield the validated rows of a file, at once or in batches.

    Parameters
    ----------
    source
        What it is read from; None: itself.

    Raises
    ------
    InputError
        As :func:`read_table`; also if a file that is ``alone`` has no rows.
    """
    path = source or part.path
    if said is not None and said.files is not None and not size_of(path):
        return  # a user without data, as in T-Drive
    header, form = _own_header(path, said)
    for name in kinds:
        if name not in header and name not in part.partition:
            raise InputError(
                "the column does not exist",
                file=path,
                column=name,
                hint=f"the columns are {listed(header)}",
            )
    own = {name: kind for name, kind in kinds.items() if name in header}
    found = False
    read = (
        parquet_tables(path, header, own, rows)
        if form is None
        else csv_tables(path, form, header, own, rows, skip_bad)
    )
    for table in read:
        if not len(table) and not len(table.gone):
            continue
        found = True
        table = replace(table, file=part.path, among=not alone)
        table = checked(with_plain_names(table, own), own, skip_bad)
        yield table if len(own) == len(kinds) else part.filled(table, kinds)
    if alone and not found:
        raise NoRowError(
            "the file has a header but no rows",
            file=path,
            line=None if form is None else form.skipped + 1,
        )


def checked(table: CheckedTable, kinds: Mapping[str, Kind], skip_bad: bool | None) -> CheckedTable:
    """The table without missing values, as :func:`read_parts` yields it.

    Raises
    ------
    InputError
        Names the line of the first row at fault, unless these are left out.
    """
    if skip_bad and table.faults is None:
        table = replace(table, faults=Faults())
    if skip_bad is not None:
        table = replace(table, skippable=True)
    for name, kind in kinds.items():
        check_filled(table, name, kind)
    return table.settled()[0]
