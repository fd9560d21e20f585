"""Traces in regions, written piece by piece."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pyarrow import parquet

from mixsafe.errors import InputError
from mixsafe.io.contest.writing import day_folder, region_stream
from mixsafe.io.sources import load
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.model.mobility.traces import Traces

REGION = np.random.default_rng(1).integers(0, 9, (7, 10)).astype(np.int32)


def pieces() -> list[TraceMatrix]:
    return [TraceMatrix(REGION[:3]), TraceMatrix(REGION[3:4]), TraceMatrix(REGION[4:])]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_pieces_are_one_table(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"traces.{ending}"
    with region_stream(path) as add:
        for piece in pieces():
            add(piece)
    traces = load(path)
    assert isinstance(traces, Traces)
    np.testing.assert_array_equal(TraceMatrix.of_traces(traces).region, REGION)


def test_a_folder_has_the_steps_of_each_day(tmp_path: Path) -> None:
    folder = tmp_path / "traces"
    with day_folder(folder, steps=10, steps_per_day=4) as add:
        for piece in pieces():
            add(piece)
    assert sorted(str(path.relative_to(folder)) for path in folder.rglob("*.*")) == [
        f"day={day}/part-0.parquet" for day in (1, 2, 3)
    ]
    table = parquet.read_table(folder).to_pandas().sort_values(["user_id", "time_id"])
    assert np.array_equal(table["user_id"], np.repeat(np.arange(1, 8), 10))
    assert np.array_equal(table["time_id"], np.tile(np.arange(1, 11), 7))
    assert np.array_equal(table["reg_id"], REGION.reshape(-1) + 1)
    assert np.array_equal(table["day"].astype(int), (table["time_id"] - 1) // 4 + 1)


def test_a_folder_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    def fail() -> None:
        with day_folder(tmp_path / "traces", steps=10, steps_per_day=5) as add:
            add(pieces()[0])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_something_in_it_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with (
        pytest.raises(InputError, match="not empty"),
        day_folder(tmp_path, steps=10, steps_per_day=5),
    ):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with day_folder(tmp_path / "empty", steps=10, steps_per_day=5) as add:
        add(TraceMatrix(REGION))
    assert len(list((tmp_path / "empty").iterdir())) == 2
