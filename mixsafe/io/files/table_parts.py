"""Tables partitioned into many files of a folder, as Hive, Spark and Dask write them.

In a subfolder ``key=value`` all rows have that value in a column ``key``, which the files omit. In
other folders the names of files and folders may be such values, too: the user says which.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pyarrow as pa

from mixsafe.errors import InputError
from mixsafe.io.files.arrays import arrow_of, arrow_texts
from mixsafe.io.files.checked_table import CheckedTable
from mixsafe.io.files.content import size_of
from mixsafe.io.files.csv_columns import KNOWN
from mixsafe.io.files.csv_records import MISSING, PLACED, Kind, complaint
from mixsafe.io.files.json_values import half_error, has_half
from mixsafe.io.files.spellings import regions_of
from mixsafe.io.files.table_form import TableForm
from mixsafe.model.mobility.names import plain
from mixsafe.model.numerals import integer_of

ENDINGS = (".csv", ".csv.gz", ".csv.zst", ".parquet")
TEXTS = (".plt", ".txt", ".tsv", ".dat", ".txt.gz", ".tsv.gz")
"""Endings of files in which others publish tables without a header."""

_MISSING = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True)
class TablePart:
    """One file of a partitioned table.

    Parameters
    ----------
    path
        The file.
    partition
        Partition values from folder names, by column.
    """

    path: os.PathLike[str]
    partition: Mapping[str, str] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        """True if the file has no byte; of files that a pattern names, it has then no rows."""
        return not size_of(self.path)

    def filled(self, table: CheckedTable, kinds: Mapping[str, Kind]) -> CheckedTable:
        """Add the partition columns to the rows of the file.

        Raises
        ------
        InputError
            A partition value is missing or not of the kind needed.
        """
        columns = dict(table.columns)
        for name, kind in kinds.items():
            if name not in columns:
                columns[name] = self._constant(name, kind, len(table))
        ordered = {name: columns[name] for name in kinds}
        return replace(table, columns=ordered)

    def _constant(self, name: str, kind: Kind, rows: int) -> pa.ChunkedArray:
        """A constant column with the partition value."""
        text = self.partition[name]
        wrong = ("the value is missing", None) if text == _MISSING else complaint(text, kind)
        if wrong is not None:
            message, hint = wrong
            raise InputError(message, file=Path(self.path).parent, column=name, hint=hint)
        if kind in PLACED and kind != "region" and text.strip() in MISSING:
            return pa.chunked_array([pa.nulls(rows, KNOWN[kind])])
        number = integer_of(text)
        if kind == "integer" or (kind == "time" and number is not None):
            return pa.chunked_array([np.full(rows, number, np.int64)])
        if kind in ("number", "coordinate"):
            return pa.chunked_array([np.full(rows, float(text))])
        codes = arrow_of(np.zeros(rows, np.int32))
        name = plain(text) if kind == "name" else text
        same = pa.DictionaryArray.from_arrays(codes, arrow_texts([name]))
        if kind == "region":
            return regions_of(pa.chunked_array([same]))
        return pa.chunked_array([same.cast(pa.string()) if kind in ("text", "geometry") else same])


def parts_of(
    path: str | os.PathLike[str], form: TableForm | None = None, *, tables: bool = True
) -> tuple[TablePart, ...]:
    """The files of a table, sorted by name; empty for a folder without tables.

    Files and folders whose names begin with a dot or an underscore are ignored.

    Parameters
    ----------
    form
        What the user says of them; None: nothing.
    tables
        Whether only tables are meant, where the user says nothing; else all files of the folder.

    Raises
    ------
    InputError
        No file of the folder has a name as the user says, or there is no folder.
    """
    whole, form = Path(path), form or TableForm()
    if not whole.is_dir():
        if form.files is not None:
            message = "this is a file, and --files says which files of a folder are read"
            raise InputError(message, file=path, hint="omit --files, or give the folder")
        return (TablePart(whole),)
    files = sorted(_files(whole), key=lambda file: file.parts)
    if form.files is not None:
        said = [(one, form.values_of(one.relative_to(whole))) for one in files]
        found = tuple(TablePart(one, values) for one, values in said if values is not None)
        if not found:
            raise _no_file(whole, files, form.files)
        return found
    endings: tuple[str, ...] = ENDINGS if tables else ("",)
    if form.columns and not any(_ends(one, endings) for one in files):
        endings = TEXTS
    return tuple(
        TablePart(one, _partition(one.parent.relative_to(whole)))
        for one in files
        if _ends(one, endings)
    )


def _files(whole: Path) -> Iterator[Path]:
    """Files of a folder."""
    for folder, folders, names in os.walk(whole):
        folders[:] = [name for name in folders if name[0] not in "._"]
        yield from (Path(folder, name) for name in names if name[0] not in "._")


def _ends(file: Path, endings: tuple[str, ...]) -> bool:
    return file.name.lower().endswith(endings)


def _no_file(whole: Path, files: list[Path], pattern: str) -> InputError:
    """The error for a folder none of whose files is meant."""
    if not files:
        return InputError("the folder is empty", file=whole)
    one = files[0].relative_to(whole).as_posix()
    message = f"no file of the folder is called as --files '{pattern}' says"
    return InputError(message, file=whole, hint=f"it holds {len(files):,} files, such as {one}")


def _partition(below: Path) -> dict[str, str]:
    """Partition values from the names of folders."""
    for name in below.parts:
        if "=" in name and has_half(name):
            raise half_error(name, below)
    pairs = (name.partition("=") for name in below.parts)
    return {unquote(key): unquote(value) for key, equals, value in pairs if equals}
