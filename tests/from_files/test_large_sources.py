"""Sources read in pieces and sorted on disk: the zones of the same source read into memory."""

import dataclasses
import datetime as dt
import struct
from contextlib import closing

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import csv, parquet

from mixsafe.errors import InputError
from mixsafe.extract.large.extraction import WantedZones
from mixsafe.extract.large.sorted_zones import gathered, zones_by_time
from mixsafe.extract.positions import positions
from mixsafe.extract.select import select
from mixsafe.extract.zones import mix_zones
from mixsafe.from_files.large_sources import extract, is_large
from mixsafe.io.sources import load
from mixsafe.machinery.spill import SpillRoom
from mixsafe.model.mobility.published_steps import PublishedSteps
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Positions

NOON = dt.datetime(2008, 5, 17, 12, tzinfo=dt.UTC)
LIMIT = 400_000_000

names = st.sampled_from(
    [["1", "2", "10", "3"], ["anna", "bob", "10", "007"], ["-5", "0", "12", "7"]]
)
fixes = st.lists(
    st.tuples(st.integers(0, 3), st.integers(1, 300), st.integers(0, 3), st.integers(0, 3)),
    min_size=1,
    max_size=40,
)
"""(user, second or time_id, latitude, longitude), the last two in steps of the drawn grid."""


NAMES = {
    "names": ["AP2", "AP10", "ap2", "0150"],
    "numbers and names": ["150", "0150", "9", "10"],
    "a name among numbers": ["150", "2", "x", "10"],
    "numbers of software": ["150.0", "2", "+3", "10."],
    "contest by name": ["150", "0150", "lab", "1"],
}
"""Places that are called so: batches of numbers come before and after batches of names."""


def moments(seconds, how):
    at = [NOON + dt.timedelta(seconds=second) for second in seconds]
    if how == "numbers":
        return pa.array([int(moment.timestamp()) for moment in at])
    if how == "fractions":
        return pa.array([moment.timestamp() + 0.25 for moment in at])
    if how == "texts":
        return pa.array([moment.isoformat() for moment in at])
    naive = [moment.replace(tzinfo=None) for moment in at]
    if how == "naive":
        return pa.array(naive, pa.timestamp("s"))
    return pa.array(naive, pa.timestamp("us")).cast(pa.timestamp("us", "Asia/Tokyo"))


def columns_of(dialect, users, rows, how):
    """A table in a dialect: its columns."""
    user, second, north, east = (list(column) for column in zip(*rows, strict=True))
    lat, lon = 35 + np.array(north) * 0.0004, 135 + np.array(east) * 0.0004
    name = pa.array([users[number] for number in user])
    time = moments(second, how)
    if dialect.startswith("contest"):
        region = [1 + place for place in north]
        if dialect != "contest":
            region = [NAMES[dialect][place] for place in north]
        return {"user_id": name, "time_id": second, "reg_id": region}
    if dialect == "regions":
        return {"uid": name, "datetime": time, "reg_id": north, "mood": ["good"] * len(rows)}
    if dialect in NAMES:
        return {"uid": name, "datetime": time, "reg_id": [NAMES[dialect][one] for one in north]}
    if dialect == "numbered":
        return {"lat": lat, "user_id": name, "lng": lon, "time_id": second}
    if dialect == "trackintel":
        places = [f"POINT ({x!r} {y!r})" for x, y in zip(lon.tolist(), lat.tolist(), strict=True)]
        return {"user_id": name, "tracked_at": time, "geometry": places}
    if dialect == "bytes":
        pairs = zip(lon.tolist(), lat.tolist(), strict=True)
        places = pa.array([struct.pack("<BIdd", 1, 1, x, y) for x, y in pairs], pa.binary())
        return {"user_id": name, "tracked_at": time, "geometry": places}
    return {"user_id": name, "timestamp": time, "lon": lon, "lat": lat}


def written(folder, columns, form):
    """A file, or a folder of files, of a table."""
    table = pa.table(columns)
    if form == "csv":
        csv.write_csv(table, folder / "table.csv", csv.WriteOptions(quoting_style="needed"))
        return folder / "table.csv"
    if form == "parquet":
        parquet.write_table(table, folder / "table.parquet", row_group_size=7)
        return folder / "table.parquet"
    parts = folder / "parts"
    key = table.column_names[0]
    for number, value in enumerate(dict.fromkeys(table[key].to_pylist())):
        place = parts / f"{key}={value}"
        place.mkdir(parents=True)
        mine = [number for number, one in enumerate(table[key].to_pylist()) if one == value]
        rest = table.take(mine).drop_columns([key])
        if form == "folder of csv":
            csv.write_csv(rest, place / f"part-{number}.csv")
        else:
            parquet.write_table(rest, place / f"part-{number}.parquet")
    (parts / "_SUCCESS").touch()
    return parts


def in_memory(path, wanted):
    traces = load(path)
    if wanted.part is not None:
        traces = select(traces, **wanted.part)
    where = positions(traces, cell_size=wanted.cell_size, time_step=wanted.time_step)
    return traces, where, mix_zones(where, min_users=wanted.min_users)


def in_pieces(path, wanted, folder, piece):
    with closing(SpillRoom(LIMIT, folder, piece)) as scratch:
        return extract(path, wanted, scratch)


def outcome(work):
    """What work makes, or how it complains."""
    try:
        return work()
    except InputError as error:
        return str(error)


def assert_same(one, other):
    """Two records hold the same, to the last bit and type."""
    for field in dataclasses.fields(one):
        mine, theirs = getattr(one, field.name), getattr(other, field.name)
        if isinstance(theirs, np.ndarray):
            assert mine.dtype == theirs.dtype, field.name
            assert mine.tobytes() == theirs.tobytes() or mine.tolist() == theirs.tolist()
        elif isinstance(theirs, PublishedSteps):
            assert_same(mine, theirs)
        else:
            assert mine == theirs, field.name


PARTS = [
    None,
    {"users": 2, "seed": 3},
    {"start": "2008-05-17T12:01:00", "end": "2008-05-17T12:04:00Z"},
    {"days": 1, "user_list": ["10"]},
    {"start": "noon"},
    {"users": 9},
]
FORMS = ["csv", "parquet", "folder of csv", "folder of parquet"]


DIALECTS = ["contest", "regions", "numbered", "trackintel", "bytes", "MDL", *NAMES]


@settings(max_examples=40)
@given(
    dialect=st.sampled_from(DIALECTS),
    how=st.sampled_from(["numbers", "fractions", "texts", "naive", "zoned"]),
    form=st.sampled_from(FORMS),
    users=names,
    rows=fixes,
    piece=st.integers(1, 9),
    time_step=st.sampled_from([1, 60]),
    min_users=st.integers(2, 3),
    part=st.sampled_from(PARTS),
)
def test_pieces_make_the_zones_of_the_whole(
    dialect, how, form, users, rows, piece, time_step, min_users, part, tmp_path_factory
):
    folder = tmp_path_factory.mktemp("large")
    if dialect == "bytes":
        form = form.replace("csv", "parquet")
    path = written(folder, columns_of(dialect, users, rows, how), form)
    wanted = WantedZones(50.0, time_step, min_users, part)
    whole = outcome(lambda: in_memory(path, wanted))
    pieces = outcome(lambda: in_pieces(path, wanted, folder, piece))
    if isinstance(whole, str):
        assert pieces == whole
        return
    traces, where, zones = whole
    assert_same(pieces.positions, where)
    assert_same(pieces.zones, zones)
    told = pieces.traces
    assert told.place_names == traces.place_names
    assert (told.clock, told.tz, told.window, told.center, told.notes) == (
        traces.clock,
        traces.tz,
        traces.window,
        traces.center,
        traces.notes,
    )
    assert sorted(folder.iterdir()) == [folder / path.relative_to(folder).parts[0]]


def test_a_table_is_large_when_its_fixes_would_take_more_than_the_limit(tmp_path):
    columns = {"user_id": [1] * 1000, "time_id": list(range(1, 1001)), "reg_id": [1] * 1000}
    for form in ("csv", "parquet", "folder of parquet"):
        (tmp_path / form).mkdir()
        path = written(tmp_path / form, columns, form)
        assert is_large(path, 60_000)
        assert not is_large(path, 240_000)


@pytest.mark.parametrize("crowded", [False, True])
def test_zones_are_found_by_time_unless_one_step_has_more_people_than_memory(crowded, tmp_path):
    random = np.random.default_rng(4)
    users, steps = 200, 30
    row, step = np.divmod(np.flatnonzero(random.random(users * steps) < 0.5), steps)
    if crowded:
        row, step = np.arange(users), np.full(users, 7)
    place = random.integers(0, 20, len(row))
    where = Positions(np.arange(users), TimeAxis(steps), *map(np.int32, (row, step + 1)), place)
    with closing(SpillRoom(LIMIT, tmp_path, 99 if crowded else 256)) as scratch:
        columns = {}
        for name, values in (("user", row), ("step", step + 1), ("place", place)):
            columns[name] = scratch.column(name, np.int64 if name == "place" else np.int32)
            columns[name].append(values)
        parts = zones_by_time(columns, steps, 3, scratch)
        assert (parts is None) == crowded
        if parts is not None:
            found = gathered(parts, scratch)
            zones = mix_zones(where, min_users=3)
            assert len(list(zones.time)) > 100
            for name in ("time", "ptr", "members", "place"):
                assert np.array_equal(getattr(found, name), getattr(zones, name))


def test_nothing_is_left_behind_by_an_error(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("user_id,time_id,reg_id\n1,1,1\n1,2,2\n2,x,1\n")
    with pytest.raises(InputError, match="line 4, column 'time_id': 'x' is not a whole number"):
        in_pieces(path, WantedZones(), tmp_path, 1)
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_wrong_with_the_data_is_said_before_what_is_asked_of_them(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("user_id,time_id,reg_id\n1,1,1\n2,3,1\n1,1,2\n2,4,1\n")
    for part in ({"start": "noon"}, {"users": 3}, {"user_list": ["9"]}, {"start": 9}):
        wanted = WantedZones(part=part)
        whole = outcome(lambda wanted=wanted: in_memory(path, wanted))
        assert "line 4" in whole
        assert outcome(lambda wanted=wanted: in_pieces(path, wanted, tmp_path, 1)) == whole


def test_a_damaged_line_is_named_as_if_the_file_were_read_at_once(tmp_path):
    path = tmp_path / "table.csv"
    rows = [f"{user},2008-05-17T12:00:0{user}Z,{user},5" for user in range(9)]
    for broken in (
        "9,2008-05-17T12:00:09Z,95,5",
        "9,noon,1,1",
        "9,2008-05-17T12:00:09Z,1",
        ",1,1,1",
    ):
        path.write_text("\n".join(["user_id,time,lat,lon", *rows, broken, *rows]) + "\n")
        whole = outcome(lambda: load(path)).partition("; or skip")[0]
        assert "line 11" in whole
        apart = outcome(lambda: in_pieces(path, WantedZones(), tmp_path, 1))
        assert apart.partition("; or skip")[0] == whole  # a batch of one row has no other rows
