"""Order of rows, fractions of seconds, offsets: what must not change an answer, on every path."""

import datetime as dt
import json
from contextlib import closing
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from mixsafe.errors import InputError
from mixsafe.extract.large.extraction import WantedZones
from mixsafe.extract.pose import pose
from mixsafe.from_files.large_sources import extract
from mixsafe.io.problems.side_tables import read_sightings
from mixsafe.io.sources import load
from mixsafe.machinery.spill import SpillRoom
from mixsafe.model.course import Course
from mixsafe.model.mobility.traces import Traces
from mixsafe.verify.query import Query, Settings
from mixsafe.verify.verification import answer

NOON = 1_709_294_400
"""2024-03-01T12:00:00Z, in seconds."""

ROWS = st.lists(
    st.tuples(
        st.sampled_from("abc"),
        st.integers(0, 300).map(lambda tenth: tenth * 100),  # milliseconds
        st.integers(0, 1),
        st.integers(0, 1),
    ),
    min_size=2,
    max_size=30,
)
"""User, milliseconds after noon, and a cell."""


def frame(rows, time):
    users, milliseconds, north, east = map(list, zip(*rows, strict=True))
    lat, lon = (50 + 0.01 * np.array(north), 10 + 0.01 * np.array(east))
    return pd.DataFrame({"user_id": users, "time": time(milliseconds), "lat": lat, "lon": lon})


def iso(milliseconds, zone=dt.UTC):
    moments = [dt.datetime.fromtimestamp(NOON + one / 1000, zone) for one in milliseconds]
    return [one.isoformat(timespec="milliseconds") for one in moments]


def moments(milliseconds, zone):
    return pd.to_datetime(pd.Series(iso(milliseconds, zone)))


def numbers(milliseconds):
    return [NOON * 1000 + one for one in milliseconds]


def clock(unit):
    return lambda milliseconds: pd.to_datetime(
        pd.Series(numbers(milliseconds)), unit="ms", utc=True
    ).dt.as_unit(unit)


def written(folder: Path, table: pd.DataFrame, form: str) -> object:
    """The table in a form that ``load`` reads."""
    if form == "frame":
        return table
    if form == "csv":
        table.to_csv(folder / "t.csv", index=False)
        return folder / "t.csv"
    if form == "parts":
        half = len(table) // 2
        parts = [folder / "1.csv", folder / "2.csv"]
        table[:half].to_csv(parts[0], index=False)
        table[half:].to_csv(parts[1], index=False)
        return parts
    if form == "parquet":
        parquet.write_table(pa.Table.from_pandas(table), folder / "t.parquet")
        return folder / "t.parquet"
    features = [
        {
            "type": "Feature",
            "properties": {"user_id": row.user_id, "time": row.time},
            "geometry": {"type": "Point", "coordinates": [row.lon, row.lat]},
        }
        for row in table.itertuples()
    ]
    (folder / "t.geojson").write_text(
        json.dumps({"type": "FeatureCollection", "features": features})
    )
    return folder / "t.geojson"


def decided(traces: Traces) -> dict[str, object]:
    """All that a verdict rests on."""
    problem = pose(traces, adversary="endpoints", time_step=2)
    found = answer(problem, Query(2), Settings(), Course.begin())
    fixes = [getattr(traces, name).tolist() for name in ("user", "time", "lat", "lon")]
    zones = [getattr(problem.zones, name).tolist() for name in ("time", "members", "place")]
    counted = [note for note in traces.notes if "repeated" in note or "elsewhere" in note]
    return {
        "verdict": found.verdict, "rows": found.rows.lower.tolist(), "fixes": fixes, "zones": zones,
        "notes": counted, "tz": traces.tz, "center": traces.center,
    }  # fmt: skip


@settings(max_examples=10, deadline=None)
@given(
    ROWS,
    st.randoms(use_true_random=False),
    st.sampled_from(
        [
            ("csv", iso), ("csv", numbers), ("parts", iso), ("parquet", clock("ns")),
            ("parquet", clock("us")), ("parquet", clock("ms")), ("frame", clock("ns")),
            ("geojson", iso), ("geojson", numbers),
        ]
    ),
)  # fmt: skip
def test_the_order_of_rows_changes_nothing_in_an_answer(tmp_path_factory, rows, random, how):
    form, time = how
    folder = tmp_path_factory.mktemp("order")
    first = decided(load(written(folder, frame(rows, time), form)))
    random.shuffle(rows)
    assert decided(load(written(folder, frame(rows, time), form))) == first


@settings(max_examples=10, deadline=None)
@given(ROWS, st.randoms(use_true_random=False), st.integers(1, 7))
def test_nor_where_rows_are_sorted_on_disk(tmp_path_factory, rows, random, piece):
    folder = tmp_path_factory.mktemp("large")
    found = []
    for _ in range(2):
        path = written(folder, frame(rows, iso), "csv")
        with closing(SpillRoom(1 << 28, folder)) as room:
            room.piece = piece
            large = extract(path, WantedZones(time_step=2), room)
            small = pose(load(path), time_step=2).zones
            for name in ("time", "members", "place"):
                assert getattr(large.zones, name).tolist() == getattr(small, name).tolist()
            assert sorted(large.zones.notes) == sorted(small.notes)
            found.append(large.zones.members.tolist())
        random.shuffle(rows)
    assert found[0] == found[1]


def test_a_later_tenth_of_a_second_counts_wherever_its_row_is(tmp_path):
    rows = [("a", 900, 1, 1), ("a", 100, 0, 0)]
    for turn in (rows, rows[::-1]):
        for form, time in (("csv", iso), ("csv", numbers), ("parquet", clock("us"))):
            traces = load(written(tmp_path, frame(turn, time), form))
            assert traces.lat.tolist() == [50.0, 50.01]


def test_the_order_of_day_and_month_is_said_or_told_or_refused(tmp_path):
    path, seen = tmp_path / "t.csv", tmp_path / "seen.csv"
    head = "user_id,time,lat,lon\n"
    path.write_text(head + "a,03.01.2024 08:15,1,1\nb,03.01.2024 08:16,1,1\n")
    with pytest.raises(InputError, match=r"line 2, column 'time'.*--day-first or --month-first"):
        load(path)
    seen.write_text("user_id,time\na,03.01.2024 08:15\n")
    for order, month in (("day_first", "01-03"), ("month_first", "03-01")):
        traces = load(path, **{order: True})
        problem = pose(traces)
        assert str(problem.zones.axis.label(1))[5:10] == month
        assert len(read_sightings(seen, problem.zones.users, problem.zones.axis)) == 1
    path.write_text(head + "a,03.01.2024 08:15,1,1\nb,25.01.2024 08:16,1,1\n")
    assert "with the day first, as '25.01.2024" in load(path).notes[0]
    path.write_text(head + "a,01/25/2024 08:15,1,1\nb,25/01/2024 08:16,1,1\n")
    with pytest.raises(InputError, match=r"line 3.*not in one order"):
        load(path)
    with pytest.raises(InputError, match="not both"):
        load(path, day_first=True, month_first=True)


SPELLINGS = [
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%dT%H:%M:%SZ",
    "%Y/%m/%d %I:%M:%S %p",
    "%d.%m.%Y %H:%M:%S",
    "%m/%d/%Y %I:%M:%S %p",
    "%d-%b-%Y %H:%M:%S",
    "%B %d, %Y, %I:%M:%S %p",
    "%a %b %d %H:%M:%S UTC %Y",
    "%Y-%m-%d %H:%M:%S,5",
    "%Y-%m-%d %H:%M:%S CET",
    "%d.%m.%y %H:%M",
    "%Y%m%d%H%M%S",
    "{unix}",
    "{unix}000",
    "%H:%M:%S",
]
"""Those of the last lines need something else."""

MOMENTS = st.datetimes(dt.datetime(2020, 1, 1), dt.datetime(2026, 1, 1), timezones=st.just(dt.UTC))


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(MOMENTS, st.sampled_from(SPELLINGS)), min_size=1, max_size=3))
@example(
    [
        (dt.datetime(2024, 1, 25, 8, tzinfo=dt.UTC), "%d.%m.%Y %H:%M:%S"),
        (dt.datetime(2024, 1, 5, 8, tzinfo=dt.UTC), "%m/%d/%Y %I:%M:%S %p"),
    ]
)
def test_mixed_spellings_are_right_or_refused_with_their_line(tmp_path_factory, given):
    """Each time is read as itself, or the file is refused, by line, with a way on."""
    path = tmp_path_factory.mktemp("mixed") / "t.csv"
    given = [(moment.replace(microsecond=0), form) for moment, form in given]
    texts = [moment.strftime(form).format(unix=int(moment.timestamp())) for moment, form in given]
    lines = [f'u{row},"{text}",1,1' for row, text in enumerate(texts)]
    path.write_text("\n".join(["user_id,time,lat,lon", *lines]) + "\n")
    for options in ({}, {"day_first": True}, {"month_first": True}):
        refused = None
        try:
            found = load(path, **options)
        except InputError as error:
            refused = error
        if refused is not None:
            assert refused.line is not None
            assert refused.column == "time"
            assert refused.hint
            continue
        wrong = "%m/" if "day_first" in options else "%d." if "month_first" in options else None
        if any(form.startswith(str(wrong)) for _, form in given):
            continue  # as was said
        assert found.time.tolist() == [int(moment.timestamp()) for moment, _ in given], texts


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("05/03/2024 08:00", {"day_first": True}),
        ("05/03/2024 08:00", {"month_first": True}),
        ("0.0", {"column": {"seconds": "time"}}),
        ("7", {"column": {"seconds": "time"}}),
        ("7", {"column": {"time_id": "time"}}),
        ("2024-03-01T08:00:00+01:00\nb,2024-07-01T08:00:00+02:00", {"tz": "Europe/Berlin"}),
        ("2024-03-01 08:00\nb,noon", {"skip_bad": True, "most_bad": 1}),
    ],
)
def test_the_option_that_a_refused_time_names_helps(tmp_path, text, option):
    """With the option that the refusal names, the file is read."""
    path = tmp_path / "t.csv"
    path.write_text(f"user_id,time,lat,lon\na,{text},1,1\n".replace("\nb,", ",1,1\nb,"))
    with pytest.raises(InputError) as caught:
        load(path)
    said = {name: name.replace("_", "-") for name in option}
    if "column" in option:
        (said["column"],) = (f"column {meaning}=time" for meaning in option["column"])
    assert f"--{next(iter(said.values()))}" in (caught.value.hint or "")
    assert len(load(path, **option).time) >= 1


TOKYO = dt.timezone(dt.timedelta(hours=9))


@pytest.mark.parametrize("form", ["csv", "parts", "parquet", "frame", "geojson"])
def test_days_are_those_of_the_offset_that_the_data_have(form, tmp_path):
    """As with the name of a zone that has this offset; not those of UTC."""
    hours = [(who, 3_600_000 * hour, 0, 0) for who in "ab" for hour in range(-6, 36)]
    days = []
    for zone, tz in ((TOKYO, None), (TOKYO, "Asia/Tokyo"), (dt.UTC, None)):
        said = iso if form in ("csv", "parts", "geojson") else moments
        table = frame(hours, partial(said, zone=zone))
        traces = load(written(tmp_path, table, form), tz=tz)
        problem = pose(traces, adversary="daily", time_step=3600)
        days.append(len(problem.knowledge))
        labels = problem.zones.axis.label(1)
        assert str(labels).endswith("+09:00" if zone is TOKYO else "+00:00")
    assert days[0] == days[1] != days[2]


@settings(max_examples=10, deadline=None)
@given(st.integers(-48, 56).map(lambda quarter: quarter * 15), ROWS)
def test_an_offset_gives_the_verdict_of_its_zone(tmp_path_factory, minutes, rows):
    folder = tmp_path_factory.mktemp("offset")
    zone = dt.timezone(dt.timedelta(minutes=minutes))
    path = written(folder, frame(rows, lambda some: iso(some, zone)), "csv")
    sign, apart = "-" if minutes < 0 else "+", abs(minutes)
    name = f"{sign}{apart // 60:02}:{apart % 60:02}" if minutes else "UTC"
    own = load(path)
    assert own.tz == name
    assert decided(own) == decided(load(path, tz=name))


@pytest.mark.parametrize(
    "rows",
    [
        "a,2024-03-01T08:00:00+01:00,1,1\na,2024-07-01T08:00:00+02:00,1,1\n",
        "a,2024-03-01 08:00:00 +0000,1,1\na,2024-03-01 09:00:00 +0100,1,1\n",
    ],
)
def test_mixed_offsets_need_a_zone(tmp_path, rows):
    path = tmp_path / "t.csv"
    path.write_text("user_id,time,lat,lon\n" + rows)
    with pytest.raises(InputError, match=r"line 3, column 'time'.*offset.*--tz Europe/Berlin"):
        load(path)
    assert load(path, tz="Europe/Berlin").tz == "Europe/Berlin"
    # Not of one file of a source alone, either.
    head, one, two = path.read_text().splitlines(keepends=True)
    parts = [tmp_path / "1.csv", tmp_path / "2.csv"]
    for part, row in zip(parts, (one, two), strict=True):
        part.write_text(head + row)
    with pytest.raises(InputError, match=r"times are of the zone .*--tz"):
        load(parts)


def test_times_without_an_offset_are_of_the_one_that_others_have(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(
        "user_id,time,lat,lon\na,2024-03-01T08:00:00+09:00,1,1\na,2024-03-01T08:01:00,1,1\n"
    )
    found = load(path)
    assert np.diff(found.time).tolist() == [60]
    assert found.notes == ("times without a time zone are read as +09:00",)


@settings(max_examples=10, deadline=None)
@given(
    ROWS,
    st.sampled_from(["milliseconds", "microseconds", "nanoseconds", "days", "matlab", "digits"]),
)
def test_numbers_of_another_unit_give_the_same_verdict_or_are_refused(tmp_path_factory, rows, unit):
    folder = tmp_path_factory.mktemp("units")

    def time(milliseconds):
        if unit == "digits":
            moments = [
                dt.datetime.fromtimestamp(NOON + one // 1000, dt.UTC) for one in milliseconds
            ]
            return [int(one.strftime("%Y%m%d%H%M%S")) for one in moments]
        scale = {"milliseconds": 1, "microseconds": 10**3, "nanoseconds": 10**6}.get(unit)
        if scale is not None:
            return [one * scale for one in numbers(milliseconds)]
        origin = {"days": 25_569, "matlab": 719_529}[unit]
        return [origin + one / 86_400_000 for one in numbers(milliseconds)]

    rows = [(who, one // 1000 * 1000, *at) for who, one, *at in rows]
    right = decided(load(written(folder, frame(rows, iso), "csv")))
    path = written(folder, frame(rows, time), "csv")
    if unit in ("days", "matlab"):
        with pytest.raises(InputError, match="looks like days since"):
            load(path)
    else:
        assert decided(load(path)) == right
