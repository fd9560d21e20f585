"""Parquet files: what their columns take is known before they are decoded."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from mixsafe.errors import InputError
from mixsafe.io.files import content, parquet_columns
from mixsafe.io.files.parquet_columns import MOST_TIMES, open_parquet
from mixsafe.io.files.tables import read_parts, read_table

KINDS = {"user_id": "name", "time_id": "integer"}


def _same_rows(path: Path, rows: int) -> Path:
    table = pa.table({"user_id": np.zeros(rows, np.int64), "time_id": np.ones(rows, np.int64)})
    parquet.write_table(table, path, compression="zstd")
    return path


@pytest.mark.parametrize("rows", [None, 1 << 16])
def test_rows_that_a_small_file_cannot_hold_are_refused_before_they_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int | None
) -> None:
    """2 MB of equal rows took 5 GB of disk and 46 s, in batches."""
    path = _same_rows(tmp_path / "traces.parquet", 1 << 20)
    monkeypatch.setattr(content, "ALWAYS", 1 << 20)
    with pytest.raises(InputError, match=f"more than {MOST_TIMES} times its size") as refused:
        next(read_parts(path, KINDS, rows))
    assert refused.value.file == str(path)


def test_what_fits_into_memory_easily_is_read_however_well_it_is_packed(tmp_path: Path) -> None:
    path = _same_rows(tmp_path / "traces.parquet", 1 << 20)
    assert path.stat().st_size * 1_000 < 16 << 20
    assert sum(map(len, read_parts(path, KINDS, 1 << 18))) == 1 << 20


def test_places_of_parked_vehicles_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In order of time, a minute's places are those of the minute before: 100 times packed."""
    steps, vehicles = 2_000, 200
    place = np.random.default_rng(1).random(vehicles)
    table = pa.table(
        {
            "user_id": np.tile(np.arange(vehicles), steps),
            "time_id": np.repeat(np.arange(1, steps + 1), vehicles),
            "lat": np.tile(place, steps),
        }
    )
    path = tmp_path / "parked.parquet"
    parquet.write_table(table, path, compression="zstd")
    monkeypatch.setattr(content, "ALWAYS", 0)
    kinds = {**KINDS, "lat": "number"}
    assert path.stat().st_size * 50 < table.nbytes
    assert sum(map(len, read_parts(path, kinds, 1 << 16))) == len(table)


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, header_of = _same_rows(tmp_path / "traces.parquet", 10), parquet_columns.parquet_header

    def exchanging(path: str | os.PathLike[str]) -> tuple[str, ...]:
        found = header_of(path)
        os.unlink(path)
        os.mkfifo(path)
        return found

    monkeypatch.setattr("mixsafe.io.files.tables.parquet_header", exchanging)
    said: list[BaseException] = []

    def read() -> None:
        try:
            read_table(path, KINDS)
        except BaseException as error:  # noqa: BLE001 -- of another thread
            said.append(error)

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    thread.join(20)
    assert not thread.is_alive()
    assert isinstance(said[0], InputError)
    assert "a pipe or a device" in str(said[0])


def test_a_name_has_at_most_a_thousand_characters(tmp_path: Path) -> None:
    """Two names of 10 MB took 19 s, and the message had all of them."""
    names = ["x" * 1_000, "y" * 1_001]
    path = tmp_path / "traces.parquet"
    parquet.write_table(pa.table({"user_id": names, "time_id": [1, 1]}), path)
    with pytest.raises(
        InputError, match=r"row 2: the name y+… has more than 1,000 char"
    ) as refused:
        read_table(path, KINDS)
    assert len(str(refused.value)) < 300


def test_a_column_that_is_not_where_the_header_says_is_a_damaged_file(tmp_path: Path) -> None:
    """A flipped bit in the schema was called a bug."""
    path = tmp_path / "traces.parquet"
    parquet.write_table(pa.table({"user_id": ["a"]}), path)
    with (
        pytest.raises(InputError, match="damaged: it names column time in one place only"),
        open_parquet(path, read_dictionary=["time"]),
    ):
        pass
