"""Files of certificates that somebody changed and sealed again, by kind of change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from tests.support.certificates import sealed_again
from tests.support.tampered import Random

Tables = dict[str, pa.Table]
FileChange = Callable[[Path, Random], None]

_OTHER_TYPES = (
    *(pa.int8(), pa.int16(), pa.int64(), pa.uint32(), pa.float64(), pa.string()),
    *(pa.list_(pa.int64()), pa.large_list(pa.int32()), pa.list_(pa.float32())),
)
_WORDS: Mapping[str, tuple[Any, ...]] = {
    "name": ("another", 7),
    "users": (0, -1, 1, 2, 3, 4, 2**40, 2.0, "3"),
    "user_ids": ("counted", "integers", "texts", None),
    "absent": ([], [0], [1], [0, 1], [-1], [True], ["0"]),
    "known_ids": (None, "counted", "integers", "texts"),
    "steps": (0, -1, 1, 3, 7, 2**31 - 1, 2**40, 1.5),
    "first": (0, 1, 2, -5, 2**62, None),
    "step_seconds": (None, 0, 1, 60, -1),
    "tz": ("UTC", "Asia/Tokyo", "nowhere", 3),
    "adversary": ("nobody", None),
    "k": (None, 0, 1, 2, 3, -1, 2**40, True),
    "rule": ("every", "some", "share:0.5", "share:1e-12", "share:nan", "share:1.0000001", "most"),
    "engine": ("dp", 1),
    "weight": (None, "count", "members", "most"),
    "bound": (None, 0, 1, 2, 100, -1, 2**70),
    "problem": ("", "0" * 64, None),
}
"""What a part of a manifest may be made to say."""

_PAIRS = (
    ("witnesses", "base"),
    ("closures", "core_closures"),
    ("clause_proofs", "core_clause_proofs"),
    ("users", "known"),
)
"""Tables with the same columns."""


def another_word(folder: Path, random: Random) -> None:
    """The manifest says something else of the problem."""
    key = str(random.choice(list(_WORDS)))
    value = _WORDS[key][random.integers(len(_WORDS[key]))]
    sealed_again(folder, lambda manifest, _: manifest["parts"][0].update({key: value}))


def other_rows(folder: Path, random: Random) -> None:
    """Another number of rows of a table belongs to the problem."""

    def change(manifest: dict[str, Any], _: Tables) -> None:
        rows = manifest["parts"][0]["rows"]
        table = str(random.choice(sorted(rows)))
        rows[table] = rows[table] + int(random.choice([-1, 1]))

    sealed_again(folder, change)


def of_a_table(change: Callable[[pa.Table, Random], pa.Table]) -> FileChange:
    """Change a table that has rows."""

    def changed(folder: Path, random: Random) -> None:
        def change_one(_: dict[str, Any], tables: Tables) -> None:
            name = str(random.choice([one for one, table in tables.items() if len(table)]))
            tables[name] = change(tables[name], random)

        sealed_again(folder, change_one)

    return changed


def another_type(table: pa.Table, random: Random) -> pa.Table:
    """The same numbers, of another type, as far as they can be."""
    place = int(random.integers(table.num_columns))
    kind = _OTHER_TYPES[random.integers(len(_OTHER_TYPES))]
    try:
        column = table.column(place).cast(kind)
    except pa.ArrowException:
        column = pa.nulls(len(table), kind)
    return table.set_column(place, table.column_names[place], column)


def other_columns(table: pa.Table, random: Random) -> pa.Table:
    """Columns are left out, doubled, in another order or exchange their names."""
    names, place = list(table.column_names), int(random.integers(table.num_columns))
    what = random.integers(4)
    if what == 0:
        return table.drop_columns([names[place]])
    if what == 1:
        return table.append_column(names[place], table.column(place))
    if what == 2:
        return table.select(random.permutation(len(names)).tolist())
    return table.rename_columns(random.permutation(names).tolist())


def a_missing_value(table: pa.Table, random: Random) -> pa.Table:
    """A value, or a whole list, is missing."""
    column, row = int(random.integers(table.num_columns)), int(random.integers(len(table)))
    values = table.column(column).to_pylist()
    values[row] = None
    kind = table.schema.types[column]
    return table.set_column(column, table.column_names[column], pa.array(values, kind))


def exchanged_tables(folder: Path, random: Random) -> None:
    """Two tables with the same columns have changed places."""
    one, other = _PAIRS[random.integers(len(_PAIRS))]

    def change(manifest: dict[str, Any], tables: Tables) -> None:
        tables[one], tables[other] = tables[other], tables[one]
        rows = manifest["parts"][0]["rows"]
        rows[one], rows[other] = rows[other], rows[one]

    sealed_again(folder, change)


def other_bytes(folder: Path, random: Random) -> None:
    """Bytes of a table are others."""
    path = random.choice(sorted(str(one) for one in folder.glob("*.parquet")))
    content = bytearray(Path(path).read_bytes())
    for place in random.choice(len(content), random.integers(1, 4), replace=False).tolist():
        content[place] ^= int(random.integers(1, 256))
    Path(path).write_bytes(content)
    sealed_again(folder, lambda *_: None, read=("manifest",))


FILE_KINDS: dict[str, FileChange] = {
    "a word of the manifest": another_word,
    "numbers of rows": other_rows,
    "a column of another type": of_a_table(another_type),
    "columns left out, doubled, exchanged": of_a_table(other_columns),
    "a value that is missing": of_a_table(a_missing_value),
    "tables exchanged": exchanged_tables,
    "bytes of a file, sealed again": other_bytes,
}
"""Changes of the files of a certificate, each sealed again."""
