"""Rows of several files in one table keep their files and lines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mixsafe.io.files.checked_table import CheckedTable
from mixsafe.io.files.tables import read_parts
from mixsafe.io.gbfs.rows import joined

KINDS = {"name": "name", "n": "number", "at": "time"}


def tables(folder: Path, *, skip_bad: bool = False) -> list[CheckedTable]:
    (folder / "1.csv").write_text("name,n,at\na,1,1750000000\nb,x,1750000001\nc,3,1750000002\n")
    (folder / "2.csv").write_text("name,n,at\nb,4,2025-06-15T10:00:00\nd,5,2025-06-15T11:00:00\n")
    return list(read_parts(folder, KINDS, skip_bad=skip_bad))


def test_one_table_stays_as_it_is(tmp_path: Path) -> None:
    first, _ = tables(tmp_path, skip_bad=True)
    assert joined([first]) is first


def test_rows_are_named_by_file_and_line_also_where_others_were_left_out(tmp_path: Path) -> None:
    found = joined(tables(tmp_path, skip_bad=True))
    assert len(found) == 4
    assert found.columns["name"].to_pylist() == ["a", "c", "b", "d"]
    assert found.values("n").tolist() == [1, 3, 4, 5]
    _, numbers = found.first_rows(np.array([False, True, True, False]))
    assert found.places_of(numbers.tolist()) == ["1.csv, line 4", "2.csv, line 2"]
    places = [
        (Path(str(one.file)).name, one.line) for one in (found.error("", n) for n in range(4))
    ]
    assert places == [("1.csv", 2), ("1.csv", 4), ("2.csv", 2), ("2.csv", 3)]
    with pytest.raises(IndexError):
        found.error("", 4)


def test_what_is_wrong_with_each_table_is_wrong_with_all(tmp_path: Path) -> None:
    found = joined(tables(tmp_path, skip_bad=True))
    found.check(found.values("n") == 4, "n", "{} is four")
    assert found.faults is not None
    found.faults.settle()
    assert found.faults.count == 2
    numbers, said = zip(*found.faults.examples, strict=True)
    assert found.places_of(list(numbers)) == ["1.csv, line 3", "2.csv, line 2"]
    assert "four" in said[1]


def test_columns_of_several_types_become_texts(tmp_path: Path) -> None:
    found = joined(tables(tmp_path, skip_bad=True))
    texts = "1750000000", "1750000002", "2025-06-15 10:00:00", "2025-06-15 11:00:00"
    assert found.columns["at"].to_pylist() == list(texts)
