"""The tables of a certificate: their columns, and reading and writing them as Parquet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from mixsafe.errors import InputError
from mixsafe.io.files.parquet_columns import group_memory, open_parquet
from mixsafe.io.files.writing import arrow_file
from mixsafe.machinery.modes import new_file
from mixsafe.model.answer.ragged import Ragged

_WHOLE, _LIST = pa.int32(), pa.list_(pa.int32())

_HALL_SETS: Mapping[str, pa.DataType] = {"time": _WHOLE, "users": _LIST, "tokens": _LIST}
_CLAUSE_PROOFS: Mapping[str, pa.DataType] = {
    **dict.fromkeys(("user", "time", "begin", "end"), _WHOLE),
    **dict.fromkeys(("tracked", "off", "needed", "lemmas"), _LIST),
}

TABLES: Mapping[str, Mapping[str, pa.DataType]] = {
    "users": {"user_id": pa.string()},
    "published": {"steps_on": _LIST},
    "zones": {"time": _WHOLE, "users": _LIST},
    "pairs": {"zone": _WHOLE, "user": _WHOLE, "leaves": _LIST},
    "sightings": {"user": _WHOLE, "time": _WHOLE},
    "requirements": {"user": _WHOLE, "time": _WHOLE, "k": _WHOLE},
    "claims": {
        "user": _WHOLE,
        "from": _WHOLE,
        "to": _WHOLE,
        "k": _WHOLE,
        "verdict": pa.int8(),
        "decided_by": pa.uint8(),
        "witnesses": _LIST,
        "candidates": _LIST,
        "proof": _WHOLE,
    },
    "witnesses": {"times": _LIST, "sizes": _LIST, "users": _LIST, "tokens": _LIST},
    "known": {"user_id": pa.string()},
    "pins": {"user": _WHOLE, "time": _WHOLE, "tracks": _LIST},
    "base": {"times": _LIST, "sizes": _LIST, "users": _LIST, "tokens": _LIST},
    "closures": _HALL_SETS,
    "clause_proofs": _CLAUSE_PROOFS,
    "chosen": {"zone": _WHOLE},
    "zone_places": {"place": _WHOLE},
    "cores": {
        "requirement": _WHOLE,
        "zones": _LIST,
        "candidates": _LIST,
        "closures": _WHOLE,
        "clause_proofs": _WHOLE,
    },
    "core_closures": _HALL_SETS,
    "core_clause_proofs": _CLAUSE_PROOFS,
    "count": {"number": _WHOLE},
}
"""Columns by table; each table is a file. Users are numbers, from 0 in the order of ``users``.

``published`` has a row per user, or none if something of everybody is published in every step:
how many steps each published step is after the one before it (of the first one: after step 0).

Tables that store a record (claims, Hall sets, clause proofs, cores, requirements) have their
columns in the order of the record's fields, which writer and reader rely on."""

GROUP = 1 << 21
"""Approximate number of values in a row group, the unit of reading."""

_FEW_VALUES = frozenset({"k", "verdict", "decided_by", "proof"})
Column: TypeAlias = "np.ndarray[Any, Any] | Ragged | pa.Array"


def file_of(folder: Path, table: str) -> Path:
    """Path of a table's file."""
    return folder / f"{table}.parquet"


class TableWriter:
    """Writes one table, row group by row group.

    Parameters
    ----------
    folder
        Folder of its file.
    name
        Name of the table.
    group
        Values of a row group, about.
    """

    def __init__(self, folder: Path, name: str, group: int = GROUP) -> None:
        from pyarrow import parquet

        columns = TABLES[name]
        self._schema = pa.schema([pa.field(one, kind, False) for one, kind in columns.items()])
        texts = [one for one, kind in columns.items() if kind == pa.string()]
        few = [one for one in columns if one in _FEW_VALUES]
        leaves = {
            f"{one}.list.element" if kind == _LIST else one: "DELTA_BINARY_PACKED"
            for one, kind in columns.items()
            if one not in texts and one not in few
        }
        self._open = ExitStack()
        self._file = parquet.ParquetWriter(
            self._open.enter_context(arrow_file(new_file(file_of(folder, name)))),
            self._schema,
            compression="zstd",
            compression_level=9,
            use_dictionary=few or False,
            column_encoding=leaves or None,
            write_statistics=False,
        )
        self._waiting: list[pa.Table] = []
        self._values, self._group = 0, group
        self.rows = 0

    def add(self, *columns: Column) -> None:
        """Add rows, given all columns in the order of the table."""
        pairs = zip(columns, self._schema, strict=True)
        arrays = [_array(column).cast(one.type, safe=False) for column, one in pairs]
        table = pa.Table.from_arrays(arrays, schema=self._schema)
        self._waiting.append(table)
        self.rows += len(table)
        self._values += sum(
            len(one.values) if pa.types.is_list(one.type) else len(one) for one in arrays
        )
        if self._values >= self._group:
            self._flush()

    def _flush(self) -> None:
        if self._waiting:
            table = pa.concat_tables(self._waiting).combine_chunks()
            self._file.write_table(table, row_group_size=max(len(table), 1))
        self._waiting, self._values = [], 0

    def close(self) -> None:
        """Write buffered rows and the end of the file."""
        self._flush()
        self._file.close()
        self._open.close()


def _array(column: Column) -> pa.Array:
    if isinstance(column, Ragged):
        values = pa.array(column.values)
        return pa.ListArray.from_arrays(pa.array(column.ptr.astype(np.int32)), values)
    return column if isinstance(column, pa.Array) else pa.array(column)


class StoredTable:
    """Rows of a table's file.

    Parameters
    ----------
    folder, name
        Folder, and name of the table.

    Raises
    ------
    InputError
        It is not a Parquet file, or has other columns than the table.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self.path = file_of(folder, name)
        with open_parquet(self.path) as file:
            metadata, schema = file.metadata, file.schema_arrow
        if list(zip(schema.names, schema.types, strict=True)) != list(TABLES[name].items()):
            raise InputError("columns are missing, unknown, or have the wrong type", file=self.path)
        self._empty = pa.schema(list(TABLES[name].items())).empty_table()
        groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
        self._first = np.cumsum([0, *(group.num_rows for group in groups)])
        self._memory = [group_memory(group) for group in groups]
        self._last: tuple[int, pa.Table] | None = None

    def __len__(self) -> int:
        return int(self._first[-1])

    def memory(self, begin: int, end: int) -> list[int]:
        """Approximate memory of each row group with rows ``begin`` to ``end - 1``, bytes."""
        return [self._memory[group] for group in self._groups(begin, end)]

    def parts(self, begin: int, end: int) -> Iterator[list[Any]]:
        """Yield the columns of the rows ``begin`` to ``end - 1``, one row group at a time.

        Columns are in the order of the table: arrays, :class:`Ragged` for lists, lists of texts.

        Raises
        ------
        InputError
            The file is damaged, or a value is missing.
        """
        yield from map(self._columns, self._slices(begin, end))

    def rows(self, begin: int, end: int) -> list[Any]:
        """Read the columns of the rows ``begin`` to ``end - 1`` at once.

        Raises
        ------
        InputError
            As :meth:`parts`.
        """
        tables = list(self._slices(begin, end)) or [self._empty]
        return self._columns(pa.concat_tables(tables))

    def _slices(self, begin: int, end: int) -> Iterator[pa.Table]:
        """Yield the part of each row group that lies in the rows ``begin`` to ``end - 1``."""
        for group in self._groups(begin, end):
            first, last = self._first[group : group + 2].tolist()
            low, high = max(begin, first), min(end, last)
            if low < high:
                yield self._group(group).slice(low - first, high - low)

    def _groups(self, begin: int, end: int) -> range:
        """Row groups that contain the rows ``begin`` to ``end - 1``."""
        first, last = np.searchsorted(self._first, (begin, end), side="right") - 1
        return range(int(first), min(int(last) + 1, len(self._first) - 1))

    def _group(self, number: int) -> pa.Table:
        """Read a row group; the last one is cached, because small problems share it."""
        if self._last is None or self._last[0] != number:
            with open_parquet(self.path) as file:
                table = file.read_row_group(number)
                table.validate(full=True)
            if any(column.null_count for column in table.columns):
                raise InputError("a value is missing", file=self.path)
            self._last = number, table.cast(self._empty.schema)
        return self._last[1]

    def _columns(self, table: pa.Table) -> list[Any]:
        return [self._column(column) for column in table.columns]

    def _column(self, chunks: pa.ChunkedArray) -> Any:  # noqa: ANN401 - by its type
        column = chunks.combine_chunks() if chunks.num_chunks != 1 else chunks.chunk(0)
        if pa.types.is_string(column.type):
            return column.to_pylist()
        if not pa.types.is_list(column.type):
            return column.to_numpy()
        ptr = column.offsets.to_numpy().astype(np.int64)
        values = column.values.slice(ptr[0], ptr[-1] - ptr[0])
        if values.null_count:
            raise InputError("a value is missing", file=self.path)
        return Ragged(ptr - ptr[0], values.to_numpy())
