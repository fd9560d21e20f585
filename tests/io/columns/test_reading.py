"""Rows that are no data: the answer is that of the other rows, from every kind of source.

What is a position, and what devices write without one.
"""

from __future__ import annotations

import json
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

import mixsafe
from mixsafe.errors import InputError
from mixsafe.extract.large.extraction import WantedZones
from mixsafe.from_files.large_sources import extract
from mixsafe.io.columns.reading import Reading, RowRules, no_position
from mixsafe.machinery.spill import SpillRoom

START = 1_700_000_000
NOWHERE = [
    ("0", "0"), ("0.0000", "-0.0"), ("", ""), ("NA", "NA"), ("91", "181"), ("-999", "-999"),
    ("52.52", ""), ("null", "13.4"), ("9999", "9999"), ("52.5", "181.0"), ("inf", "13.4"),
]  # fmt: skip


def walkers(seed: int) -> pd.DataFrame:
    """Users who meet now and then in cells of 100 m, all in texts."""
    random = np.random.default_rng(seed)
    users, steps = 6, 30
    number = np.arange(users * steps)
    return pd.DataFrame({
        "user_id": [f"u{one}" for one in number // steps],
        "time": START + 60 * (number % steps),
        "lat": (52.5 + random.integers(0, 4, len(number)) / 500).astype(str),
        "lon": (13.4 + random.integers(0, 3, len(number)) / 500).astype(str),
    })  # fmt: skip


def with_defects(seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A data set with rows without a position, and the same without these rows."""
    random = np.random.default_rng(seed)
    given = walkers(seed)
    lost = random.random(len(given)) < 0.2
    lost[given.user_id.to_numpy() == "u5"] |= seed % 2 == 0  # sometimes all of a user's
    # Several users at once, as where a receiver has no view of the sky.
    lost |= given.time.isin(START + 60 * random.integers(0, 30, 3)).to_numpy()
    which = random.integers(0, len(NOWHERE), len(given))
    given.loc[lost, "lat"] = [NOWHERE[one][0] for one in which[lost]]
    given.loc[lost, "lon"] = [NOWHERE[one][1] for one in which[lost]]
    return given, given[~lost]


def as_numbers(given: pd.DataFrame) -> pd.DataFrame:
    """Coordinates as numbers, NaN where a text says none."""
    known = given.replace({"lat": {"": "nan", "NA": "nan", "null": "nan"}})
    known = known.replace({"lon": {"": "nan", "NA": "nan", "null": "nan"}})
    return known.astype({"lat": float, "lon": float})


def in_geojson(given: pd.DataFrame, path: Path) -> Path:
    """A feature per row; a coordinate that is no number is null."""
    features = []
    for row in as_numbers(given).itertuples():
        places = [one if np.isfinite(one) else None for one in (row.lon, row.lat)]
        geometry = {"type": "Point", "coordinates": places} if any(places) else None
        shape = geometry if row.Index % 2 or any(places) else {"type": "Point", "coordinates": []}
        properties = {"user_id": row.user_id, "time": int(row.time)}
        features.append({"type": "Feature", "geometry": shape, "properties": properties})
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return path


def in_wkt(given: pd.DataFrame) -> pd.DataFrame:
    """Points as texts, empty where a coordinate is no number."""
    numbers = as_numbers(given)
    texts = [
        f"POINT ({x} {y})" if np.isfinite(x) and np.isfinite(y) else ("POINT EMPTY", None)[i % 2]
        for i, (x, y) in enumerate(zip(numbers.lon, numbers.lat, strict=True))
    ]
    return given[["user_id", "time"]].assign(geometry=texts)


def verdicts(source: object) -> tuple[dict[str, str], list, int]:
    """Zones, and what each user's verdict is, by names."""
    problem = mixsafe.pose(source)
    zones = problem.zones
    names = np.asarray(zones.users)
    found = [
        (int(time), sorted(names[zones.members[a:b]].tolist()))
        for time, a, b in zip(zones.time, zones.ptr[:-1], zones.ptr[1:], strict=True)
    ]
    users = mixsafe.verify(problem, k=2, rule="share:0.3").users
    return dict(zip(users.user_id, users.verdict, strict=True)), sorted(found), len(names)


@pytest.mark.parametrize("seed", range(6))
def test_rows_without_a_position_change_no_verdict_in_any_format(seed, tmp_path):
    given, clean = with_defects(seed)
    given.to_csv(tmp_path / "given.csv", index=False)
    clean.to_csv(tmp_path / "clean.csv", index=False)
    expected, zones, _ = verdicts(mixsafe.load(tmp_path / "clean.csv"))
    skipped = len(given) - len(clean)
    parquet.write_table(pa.Table.from_pandas(as_numbers(given)), tmp_path / "given.parquet")
    parquet.write_table(pa.Table.from_pandas(in_wkt(given)), tmp_path / "wkt.parquet")
    sources = [
        tmp_path / "given.csv",
        tmp_path / "given.parquet",
        tmp_path / "wkt.parquet",
        as_numbers(given),
        given,
        in_geojson(given, tmp_path / "given.geojson"),
        [tmp_path / "given.csv"],
    ]
    for source in sources:
        traces = mixsafe.load(source)
        assert [(one.reason, one.count) for one in traces.premises.skipped] == [
            ("no position", skipped)
        ]
        found, same, users = verdicts(traces)
        assert users == 6
        assert same == zones
        assert {name: found[name] for name in expected} == expected
    with closing(SpillRoom(1 << 20, tmp_path)) as room:
        large = extract([tmp_path / "given.csv"], WantedZones(), room)
        assert large.zones.premises.skipped[0].count == skipped
        found, same, users = verdicts(large)
        assert (users, same) == (6, zones)
        assert {name: found[name] for name in expected} == expected


def test_the_first_rows_without_a_position_are_named(tmp_path):
    text = (
        "user_id,time,lat,lon\nvan 3,1700000005,1,1\n\nvan 3,1700000006,0,0\nb,1700000007,,\n"
        "b,1700000008,NA,3\nb,1700000009,2,2\nb,1700000010,91,181\n"
    )
    (tmp_path / "given.csv").write_text(text)
    (skipped,) = mixsafe.load(tmp_path / "given.csv").premises.skipped
    assert skipped.note == "4 rows skipped: no position (line 4 (van 3), line 5 (b), line 6 (b), …)"


def test_null_island_can_be_kept_and_all_rows_without_a_position_are_refused(tmp_path):
    path = tmp_path / "given.csv"
    path.write_text("user_id,time,lat,lon\na,1700000005,0,0\nb,1700000005,0,0\n")
    with pytest.raises(InputError, match="no row can be used: 2 rows skipped: no position"):
        mixsafe.load(path)
    assert len(mixsafe.load(path, keep_null_island=True).time) == 2


def test_zero_in_metres_of_a_plane_is_a_place_and_in_web_mercator_is_not(tmp_path):
    path = tmp_path / "given.csv"
    path.write_text("user_id,time,lat,lon\na,1700000005,0,0\nb,1700000005,1000,2000\n")
    assert len(mixsafe.load(path, crs="metres").time) == 2
    pytest.importorskip("pyproj")
    assert len(mixsafe.load(path, crs="EPSG:3857").time) == 1


def test_what_is_out_of_range_and_no_fill_value_is_refused(tmp_path):
    path = tmp_path / "given.csv"
    path.write_text("user_id,time,lat,lon\na,1700000005,91,181\nb,1700000005,95.3,13\n")
    with pytest.raises(InputError, match=r"line 3, column 'lat': latitude 95\.3 is not within"):
        mixsafe.load(path)


BAD = {
    "no number": f"a,{START},north,13.4",
    "no time": "a,,52.5,13.4",
    "no user": f",{START},52.5,13.4",
    "a truncated line": f"a,{START},52",
    "too many fields": f"a,{START},52.5,13.4,7",
    "an impossible latitude": f"a,{START},95.3,13.4",
    "no timestamp": "a,yesterday,52.5,13.4",
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_rows_are_refused_with_a_way_on_and_skipped_if_asked(kind, tmp_path):
    given = walkers(1)
    clean, dirty = tmp_path / "clean.csv", tmp_path / "dirty.csv"
    given.to_csv(clean, index=False)
    lines = clean.read_text().splitlines()
    dirty.write_text("\n".join([*lines[:50], BAD[kind], *lines[50:]]) + "\n")
    with pytest.raises(InputError, match=r"line 51.*--skip-bad"):
        mixsafe.load(dirty)
    traces = mixsafe.load(dirty, skip_bad=True)
    (skipped,) = traces.premises.skipped
    assert (skipped.reason, skipped.count) == ("bad row", 1)
    assert skipped.examples[0].startswith("line 51: ")
    assert verdicts(traces)[1] == verdicts(mixsafe.load(clean))[1]
    reading = Reading(rules=RowRules(skip_bad=True))
    with closing(SpillRoom(1 << 20, tmp_path)) as room:
        large = extract([dirty], WantedZones(), room, reading)
        assert large.zones.premises.skipped == traces.premises.skipped
        assert verdicts(large)[1] == verdicts(traces)[1]


def test_more_bad_rows_than_allowed_are_refused(tmp_path):
    path = tmp_path / "given.csv"
    rows = [f"a,{time},52.5,13.4" for time in range(1_700_000_000, 1_700_000_096)]
    path.write_text("user_id,time,lat,lon\n" + "\n".join([*rows, *["a,x,52.5,13.4"] * 4]) + "\n")
    with pytest.raises(
        InputError, match=r"4 of 100 rows are bad, more than 1%: line 98: time: 'x'"
    ):
        mixsafe.load(path, skip_bad=True)
    for most in ("4%", "4", 4):
        assert len(mixsafe.load(path, skip_bad=True, most_bad=most).time) == 96
    with pytest.raises(InputError, match="more than 3"):
        mixsafe.load(path, skip_bad=True, most_bad=3)


def test_bad_rows_of_frames_and_parquet_are_skipped_if_asked(tmp_path):
    given = as_numbers(walkers(1))
    given.loc[7, "lat"] = 95.3
    given.loc[9, "user_id"] = None
    parquet.write_table(pa.Table.from_pandas(given), tmp_path / "given.parquet")
    for source in (given, tmp_path / "given.parquet"):
        with pytest.raises(InputError, match=r"row 10: the value is missing.*--skip-bad"):
            mixsafe.load(source)
        (skipped,) = mixsafe.load(source, skip_bad=True, most_bad="2%").premises.skipped
        assert skipped.count == 2
        assert skipped.examples[0].startswith("row 8: lat: latitude 95.3")


def test_a_bad_row_is_named_where_lines_end_at_a_carriage_return_alone(tmp_path):
    """Its line was not found, which was an internal failure."""
    path = tmp_path / "returns.csv"
    path.write_bytes(b"user_id,time,lat,lon\n" + b"a,1709280930,52,13\rb\r" * 2)
    found = mixsafe.load(path, skip_bad=True, most_bad=2)
    assert "2 rows skipped: bad row (line 3: 1 fields instead of 4, line 5: " in found.notes[0]


def test_a_broken_line_that_is_not_utf_8_is_refused_without_a_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Arrow cannot hand on such a line, and wrote a traceback to the terminal."""
    told: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", told.append)
    path = tmp_path / "fixes.csv"
    path.write_bytes(
        b"user_id,time,lat,lon\na,2024-01-01T00:00:00Z,52,13\nb,2024-01-01T00:00:00Z,52,13,\x8f\xff\n"
    )
    with pytest.raises(InputError, match="line 3: the line is not UTF-8"):
        mixsafe.load(path, skip_bad=True)
    assert not told


@pytest.mark.parametrize(
    ("lat", "lon"),
    [
        (0, 0), (-0.0, 1e-8), (91, 181), (91, 12.5), (52.5, 181), (-999, -999), (52.5, -999),
        (9999, 9999), (-9999, 52), (99.9, 13), (999.99, 13), (np.nan, 13), (52, np.inf),
        (214.7483647, 214.7483647), (52, 99999),
    ],
)  # fmt: skip
def test_missing_and_fill_values_are_no_position(lat: float, lon: float) -> None:
    assert no_position(np.array([52.5, lat]), np.array([13.4, lon])).tolist() == [False, True]


@pytest.mark.parametrize(
    ("lat", "lon"),
    [(0, 9.7), (51.48, 0), (0.001, 0.001), (39, 99.99), (95.3, 13), (90, 180), (350, 5_800_000)],
)
def test_the_equator_and_mistakes_are_not_taken_for_missing(lat: float, lon: float) -> None:
    assert not no_position(np.array([lat]), np.array([lon])).any()


def test_null_island_is_kept_if_asked_for() -> None:
    zero = np.zeros(1)
    assert not no_position(zero, zero, keep_null_island=True).any()


def test_the_origin_of_a_plane_is_a_place() -> None:
    y = np.array([0.0, 999, -999, -9999, -9999, np.nan])
    x = np.array([0.0, 999, 12, -9999, 3, 1])
    assert no_position(y, x, degrees=False).tolist() == [False, False, False, True, False, True]


def test_numbers_of_half_the_precision_are_recognized() -> None:
    lat = np.array([91, 214.7483647, 999.9], np.float32).astype(float)
    assert no_position(lat, np.full(3, 13.4)).all()
