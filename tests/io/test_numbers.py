"""All readers take the same numbers: decimal ones in ASCII digits, of 64 bits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import mixsafe
from mixsafe.errors import InputError
from mixsafe.io.columns.reading import Reading, RowRules
from mixsafe.io.files.tables import read_parts, read_table
from mixsafe.io.gbfs.reading import read_feed
from mixsafe.io.problems.problem import MOST_STEPS, read_problems
from mixsafe.io.problems.side_tables import read_sightings
from mixsafe.io.problems.zone_table import read_zones
from mixsafe.io.traces.place_sightings import read_place_sightings
from mixsafe.io.traces.published_sets import read_cabspotting
from mixsafe.model.mobility.time_axis import TimeAxis

HEX = ("0x10", "0X1F")
ODD = (*HEX, "1_000", "\uff11\uff12", "\u0663", "\u00b2", "9" * 5000)
"""Texts that Python or PyArrow reads as a number, or fails to."""

AXIS = TimeAxis(40)


def trace_step(folder: Path, number: str) -> object:
    return mixsafe.load(written(folder, f"user_id,time_id,reg_id\nann,{number},7\nbob,2,7\n"))


def trace_region(folder: Path, number: str) -> mixsafe.Traces:
    return mixsafe.load(written(folder, f"user_id,time_id,reg_id\nann,1,{number}\nbob,2,7\n"))


def trace_time(folder: Path, number: str) -> object:
    return mixsafe.load(written(folder, f"user_id,time,reg_id\nann,{number},7\nbob,{number},7\n"))


def trace_latitude(folder: Path, number: str) -> object:
    rows = f"ann,2024-03-01 08:00,{number},9\nbob,2024-03-01 08:00,4,9\n"
    return mixsafe.load(written(folder, f"user_id,time,lat,lon\n{rows}"))


def zone_time(folder: Path, number: str) -> object:
    rows = f"{number},0,ann\n{number},0,bob\n"
    return read_zones(written(folder, f"time_id,zone_id,user_id\n{rows}"))


def sighting_time(folder: Path, number: str) -> object:
    path = written(folder, f"user_id,time_id\nann,{number}\n")
    return read_sightings(path, np.array(["ann"], object), AXIS)


def sighting_place(folder: Path, number: str) -> object:
    path = written(folder, f"user_id,time_id,reg_id\nann,1,{number}\n")
    return read_place_sightings(path, axis=AXIS, n_regions=40)


def partition(folder: Path, number: str) -> object:
    inner = folder / f"time_id={number[:200]}"
    inner.mkdir()
    written(inner, "user_id,reg_id\nann,7\nbob,7\n")
    return mixsafe.load(folder)


def parquet_texts(folder: Path, number: str) -> mixsafe.Traces:
    table = pa.table({"user_id": ["ann", "bob"], "time_id": [1, 1], "reg_id": [number, "7"]})
    parquet.write_table(table, folder / "t.parquet")
    return mixsafe.load(folder / "t.parquet")


def cab(folder: Path, number: str) -> object:
    good = "37.75 -122.39 0 1213084687\n"
    (folder / "new_a.txt").write_text(f"{good}37.75 -122.39 0 {number}\n", "utf-8")
    return read_cabspotting(folder)


def cab_latitude(folder: Path, number: str) -> object:
    (folder / "new_a.txt").write_text(f"{number} -122.39 0 1213084687\n", "utf-8")
    return read_cabspotting(folder)


def feed(folder: Path, number: str) -> object:
    rows = f"a,2026-05-17 10:00:00,1,{number}\na,2026-05-17 10:01:00,1,2\n"
    return read_feed(written(folder, f"id,time,lat,lon\n{rows}"))


def problem(folder: Path, number: str) -> object:
    path = folder / "p.json"
    path.write_text(f'{{"users": 2, "horizon": {number}, "zones": []}}', "utf-8")
    return read_problems(path)


def written(folder: Path, text: str) -> Path:
    path = folder / "t.csv"
    path.write_text(text, "utf-8")
    return path


READERS = (
    trace_step, trace_time, trace_latitude, zone_time, sighting_time, sighting_place, partition,
    cab, cab_latitude, feed, problem,
)  # fmt: skip


@pytest.mark.parametrize("number", ODD, ids=lambda text: ascii(text[:8]))
@pytest.mark.parametrize("reader", READERS)
def test_no_reader_takes_another_spelling_of_a_number(
    tmp_path: Path, reader: Callable[[Path, str], object], number: str
) -> None:
    """It was 16, 1000 or 12, "the file cannot be read as CSV", or a traceback."""
    if reader in (trace_latitude, cab_latitude, feed) and len(number) > 100:
        return  # infinite: no position, and counted as that
    with pytest.raises(InputError) as caught:
        reader(tmp_path, number)
    said = str(caught.value)
    assert len(said) < 1000
    assert "cannot be read" not in said
    assert (
        number in (*HEX, "9" * 5000)
        or reader in (partition, problem)
        or "line" in said
        or ("parquet" in said)
    )


@pytest.mark.parametrize("number", ODD, ids=lambda text: ascii(text[:8]))
@pytest.mark.parametrize("reader", [trace_region, parquet_texts])
def test_a_place_in_another_spelling_is_a_name_and_not_that_number(
    tmp_path: Path, reader: Callable[[Path, str], mixsafe.Traces], number: str
) -> None:
    """It is as it is written; 0x10 is not place 16."""
    found = reader(tmp_path, number)
    assert found.place_names == tuple(sorted([number, "7"]))


@pytest.mark.parametrize("rows", [None, 1])
@pytest.mark.parametrize("name", ["0x10", "0X", "1_000", "9" * 900], ids=lambda text: text[:8])
def test_names_may_look_like_such_numbers(tmp_path: Path, name: str, rows: int | None) -> None:
    """They are names, and their columns of numbers are read as ever."""
    path = written(tmp_path, f"user_id,n\n{name},1\n{name},+2\n{name},3\n")
    parts = list(read_parts(path, {"user_id": "name", "n": "integer"}, rows))
    assert {one for part in parts for one in part.columns["user_id"].to_pylist()} == {name}
    assert [n for part in parts for n in part.values("n").tolist()] == [1, 2, 3]


def test_a_hexadecimal_number_is_found_where_two_blocks_meet(tmp_path: Path) -> None:
    """PyArrow reads blocks of a megabyte, and mixsafe looks at each of them."""
    for before in range((1 << 20) - 3, (1 << 20) + 2):
        rows, rest = divmod(before - len("name,n\nb,"), 100)
        begin = f"name,n\n{'a' * rest}" + f"{'a' * 97},1\n" * rows
        path = written(tmp_path, f"{begin}b,0x10\n")
        with pytest.raises(InputError, match="column 'n': '0x10' is not a whole"):
            read_table(path, {"name": "name", "n": "integer"})


@pytest.mark.parametrize("cell", ["", " ", "NA"])
def test_a_region_may_be_missing(tmp_path: Path, cell: str) -> None:
    """The file "cannot be read as CSV"."""
    rows = f"ann,1,3\nann,2,{cell}\nbob,1,3\n"
    traces = mixsafe.load(written(tmp_path, f"user_id,time_id,reg_id\n{rows}"))
    assert [one.count for one in traces.premises.skipped] == [1]
    assert len(traces.time) == 2


def test_a_cab_off_the_globe_is_refused_without_a_warning(tmp_path: Path) -> None:
    """NumPy warned of an overflow, with a path of mixsafe; it was an outlier."""
    lines = [f"{lat} -122.39 0 {1213084687 - n}\n" for n, lat in enumerate((37.7, 1e308, 37.8))]
    (tmp_path / "new_a.txt").write_text("".join(lines), "utf-8")
    with pytest.raises(
        InputError, match=r"line 2, column 'latitude': latitude 1e.308 is not within"
    ):
        read_cabspotting(tmp_path)
    reading = Reading(rules=RowRules(skip_bad=True, most_bad=1))
    assert len(read_cabspotting(tmp_path, reading).time) == 2


def test_bad_numbers_are_skipped_with_the_other_bad_rows(tmp_path: Path) -> None:
    good = "".join(f"u{n % 3},{n},5\n" for n in range(1, 301))
    path = written(tmp_path, f"user_id,time_id,reg_id\n{good}u1,0x10,5\nu2,1_000,5\nu0,+301,5\n")
    traces = mixsafe.load(path, skip_bad=True)
    assert [one.count for one in traces.premises.skipped] == [2]
    assert len(traces.time) == 301


@pytest.mark.parametrize("first", [2**31 + 5, 2**40, 2**63 - 9])
def test_steps_may_have_large_numbers_if_they_are_close(tmp_path: Path, first: int) -> None:
    rows = "".join(f"{first + t},{t},{who}\n" for t in range(3) for who in ("ann", "bob"))
    zones = read_zones(written(tmp_path, f"time_id,zone_id,user_id\n{rows}"))
    assert zones.axis.label(zones.axis.steps) == first + 2
    assert zones.time.tolist() == [1, 2, 3]


@pytest.mark.parametrize("last", [MOST_STEPS + 1, 2**40, 2**63 - 1])
def test_zones_too_far_apart_are_refused_by_the_line_of_the_farthest(
    tmp_path: Path, last: int
) -> None:
    """They were "not in order of time"."""
    rows = "1,0,ann\n1,0,bob\n2,0,ann\n2,0,bob\n" + f"{last},1,ann\n{last},1,bob\n"
    path = written(tmp_path, f"time_id,zone_id,user_id\n{rows}")
    with pytest.raises(InputError, match=f"line 6, column 'time_id': .* span {last} .* {last} is"):
        read_zones(path)


def test_users_of_a_problem_have_64_bits(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_text(f'{{"users": [1, {10**30}], "horizon": 2, "zones": []}}', "utf-8")
    with pytest.raises(InputError, match=r"column 'users': user 10.* is not from -922337203"):
        read_problems(path)


@pytest.mark.parametrize(
    "said",
    [{"max_speed": 1e308}, {"max_speed": 20.0, "error": 1e308}, {"max_step": 1e308}],
    ids=str,
)
def test_limits_of_movement_in_python_are_in_a_range(said: dict[str, float]) -> None:
    """A product overflowed, with a warning that named a file of mixsafe."""
    step = "max_step" in said
    when = {"time_id": [1, 2]} if step else {"time": ["2024-03-01 08:00", "2024-03-01 08:01"]}
    where = {"reg_id": [1, 1]} if step else {"lat": [35.0, 35.0], "lon": [9.0, 9.0]}
    table = pa.table({"user_id": ["ann", "bob"], **when, **where})
    rules = mixsafe.ExchangeRules(**said)
    with pytest.raises(InputError, match=r"is above 1e\+12"):
        mixsafe.verify(table, k=2, rules=rules)


def test_a_time_step_in_python_is_in_a_range() -> None:
    """It was an OverflowError."""
    rows = {"user_id": ["ann", "bob"], "time": ["2024-03-01 08:00"] * 2, "reg_id": [1, 1]}
    with pytest.raises(InputError, match="is above 2147483647"):
        mixsafe.verify(pa.table(rows), k=2, time_step=2**63)
