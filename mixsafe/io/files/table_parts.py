"""Tables partitioned into many files of a folder, as Hive, Spark and Dask write them.

In a subfolder ``key=value`` all rows have that value in a column ``key``, which the files omit.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pyarrow as pa

from mixsafe.errors import InputError
from mixsafe.io.files.checked_table import Table
from mixsafe.io.files.csv_records import MISSING, PLACED, Kind, complaint
from mixsafe.io.files.json_text import half_error, has_half
from mixsafe.io.files.lenient_csv import KNOWN
from mixsafe.model.mobility.names import plain
from mixsafe.model.numerals import integer_of

ENDINGS = (".csv", ".csv.gz", ".csv.zst", ".parquet")
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

    path: Path
    partition: Mapping[str, str] = field(default_factory=dict)

    def filled(self, table: Table, kinds: Mapping[str, Kind]) -> Table:
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
            raise InputError(message, file=self.path.parent, column=name, hint=hint)
        if kind in PLACED and text.strip() in MISSING:
            return pa.chunked_array([pa.nulls(rows, KNOWN[kind])])
        number = integer_of(text)
        if kind in ("integer", "region") or (kind == "time" and number is not None):
            return pa.chunked_array([np.full(rows, number, np.int64)])
        if kind in ("number", "coordinate"):
            return pa.chunked_array([np.full(rows, float(text))])
        codes = pa.array(np.zeros(rows, np.int32))
        name = plain(text) if kind == "name" else text
        same = pa.DictionaryArray.from_arrays(codes, pa.array([name], pa.string()))
        return pa.chunked_array([same.cast(pa.string()) if kind in ("text", "geometry") else same])


def parts_of(path: str | os.PathLike[str]) -> tuple[TablePart, ...]:
    """The files of a table, sorted by name; empty for a folder without tables.

    Files and folders whose names begin with a dot or an underscore are ignored.
    """
    whole = Path(path)
    if not whole.is_dir():
        return (TablePart(whole),)
    found = []
    for folder, folders, names in os.walk(whole):
        folders[:] = [name for name in folders if name[0] not in "._"]
        partition = _partition(Path(folder).relative_to(whole))
        found += [
            TablePart(Path(folder, name), partition)
            for name in names
            if name[0] not in "._" and name.lower().endswith(ENDINGS)
        ]
    return tuple(sorted(found, key=lambda part: part.path))


def _partition(below: Path) -> dict[str, str]:
    """Partition values from the names of folders."""
    for name in below.parts:
        if "=" in name and has_half(name):
            raise half_error(name, below)
    pairs = (name.partition("=") for name in below.parts)
    return {unquote(key): unquote(value) for key, equals, value in pairs if equals}
