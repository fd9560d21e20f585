"""A certificate as a folder: tables of columns in Parquet, and a manifest of numbers and hashes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

import numpy as np
import pyarrow as pa

from mixsafe.errors import InputError
from mixsafe.io.files.content import reading, whole
from mixsafe.io.files.json_values import check_halves
from mixsafe.io.files.parquet_columns import group_memory, open_parquet, row_groups
from mixsafe.io.files.writing import arrow_file
from mixsafe.machinery.files import new_file
from mixsafe.model.csr import Ragged

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
            schema, groups = file.schema_arrow, row_groups(file)
            self._memory = [group_memory(group) for group in groups]
        if list(zip(schema.names, schema.types, strict=True)) != list(TABLES[name].items()):
            raise InputError("columns are missing, unknown, or have the wrong type", file=self.path)
        self._empty = pa.schema(list(TABLES[name].items())).empty_table()
        self._first = np.cumsum([0, *(group.num_rows for group in groups)])
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


FORMAT = "mixsafe certificate 10"
_FORMER_FORMATS = tuple(f"mixsafe certificate {number}" for number in range(2, 10))
NAME = "manifest.json"
FORMER = ("certificate.json", "certificate.jsonl")
"""File names of format 1."""

_KEYS = {"format", "version", "parts", "files", "sha256"}
_PART: dict[str, tuple[type, ...]] = {
    "name": (str,),
    "users": (int,),
    "user_ids": (str,),
    "absent": (list,),
    "known_ids": (str, type(None)),
    "steps": (int,),
    "first": (int,),
    "step_seconds": (int, type(None)),
    "tz": (str,),
    "adversary": (str,),
    "distinct": (bool,),
    "k": (int, type(None)),
    "rule": (str,),
    "rule_by_default": (bool,),
    "engine": (str,),
    "weight": (str, type(None)),
    "bound": (int, type(None)),
    "places": (list, type(None)),
    "costs": (list, type(None)),
    "problem": (str,),
    "rows": (dict,),
}


@dataclass(frozen=True)
class Manifest:
    """Metadata of a certificate.

    Parameters
    ----------
    version
        Version of mixsafe that wrote it.
    parts
        For each problem its entry, by key.
    seal
        SHA-256 of the manifest, which contains the hashes of all other files.
    """

    version: str
    parts: tuple[dict[str, Any], ...]
    seal: str


def former(path: Path) -> InputError:
    """The error for a certificate in an older format."""
    return InputError(
        "the certificate has the format of an earlier version of mixsafe",
        file=path,
        hint="write it again: mixsafe verify … --certificates DIR (breaking numbers have none now)",
    )


def seal_of(manifest: dict[str, Any]) -> str:
    """SHA-256 of a manifest without its seal, independent of key order and white space."""
    unsealed = {key: value for key, value in manifest.items() if key != "sha256"}
    content = json.dumps(unsealed, sort_keys=True, separators=(",", ":")).encode()
    return hashlib.sha256(content).hexdigest()


def hash_of(path: Path) -> str:
    """SHA-256 of a file.

    Raises
    ------
    InputError
        It is not a file, or cannot be read.
    """
    with reading(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_manifest(folder: Path, version: str, parts: list[dict[str, Any]]) -> None:
    """Write the manifest of a folder that already contains all other files."""
    files = {f"{table}.parquet": hash_of(file_of(folder, table)) for table in TABLES}
    manifest = {"format": FORMAT, "version": version, "parts": parts, "files": files}
    text = json.dumps({**manifest, "sha256": seal_of(manifest)}, ensure_ascii=False, indent=1)
    new_file(folder / NAME).write_text(f"{text}\n", encoding="utf-8", newline="")


def seal_in(folder: Path) -> str:
    """The seal that the manifest of a folder names, of a certificate that was just written."""
    found: str = json.loads((folder / NAME).read_bytes())["sha256"]
    return found


def read_manifest(folder: Path) -> Manifest:
    """Read a manifest and check the hashes of all files.

    Raises
    ------
    InputError
        It is not a certificate, has an older format, or a file was changed or damaged.
    """
    path = folder / NAME
    found = _ManifestReader(path).manifest()
    for name, wanted in found["files"].items():
        if hash_of(folder / name) != wanted:
            raise InputError(
                "the content does not match its hash: it was changed or damaged",
                file=folder / name,
            )
    return Manifest(found["version"], tuple(found["parts"]), found["sha256"])


@dataclass(frozen=True)
class _ManifestReader:
    """Reads a manifest; errors name the key at fault."""

    path: Path

    def refuse(self, message: str, key: str | None = None) -> NoReturn:
        raise InputError(message, file=self.path, column=key)

    def keys_once(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            self.refuse("an object contains a key twice")
        return found

    def manifest(self) -> dict[str, Any]:
        try:
            content = whole(self.path)
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            self.refuse("not UTF-8 text")
        try:
            found = json.loads(text, object_pairs_hook=self.keys_once)
        except json.JSONDecodeError as error:
            self.refuse(f"not JSON: {error.msg.lower()} at character {error.pos + 1}")
        except (RecursionError, ValueError) as error:
            self.refuse(f"unreadable JSON: {error}")
        check_halves(found, content, self.path)
        if isinstance(found, dict) and found.get("format") in _FORMER_FORMATS:
            raise former(self.path)
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            self.refuse(f"not a certificate: its format is not '{FORMAT}'")
        if found.get("sha256") != seal_of(found):
            self.refuse("the content does not match its hash: it was changed or damaged")
        self._check(found)
        return found

    def _check(self, found: dict[str, Any]) -> None:
        """Refuse missing keys, unknown keys, and values of another type."""
        if set(found) != _KEYS or not isinstance(found["version"], str):
            self.refuse("keys are missing or unknown")
        files, parts = found["files"], found["parts"]
        if not isinstance(files, dict) or set(files) != {f"{table}.parquet" for table in TABLES}:
            self.refuse("files are missing or unknown", "files")
        if not isinstance(parts, list) or not parts:
            self.refuse("the certificate contains no problem", "parts")
        for part in parts:
            if not isinstance(part, dict) or set(part) != set(_PART):
                self.refuse("keys of a problem are missing or unknown", "parts")
            for key, kinds in _PART.items():
                if type(part[key]) not in kinds:
                    self.refuse("the value has the wrong type", key)
            rows = part["rows"]
            if set(rows) != set(TABLES):
                self.refuse("tables are missing or unknown", "rows")
            if any(type(n) is not int or n < 0 for n in rows.values()):
                self.refuse("a number of rows is not an integer from 0 on", "rows")
