"""Mix zones as a table: in, out, and back again; every fault at its line and column."""

import datetime as dt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.errors import InputError
from mixsafe.io.problems.zone_table import read_zones, write_zones
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.question.mix_zones import MixZones

HEADER = "time_id,zone_id,user_id\n"


def read(tmp_path, content):
    path = tmp_path / "zones.csv"
    path.write_text(content)
    return read_zones(path)


def listed(zones):
    """(time_id, names of members) of each zone."""
    return [
        (zones.axis.label(int(time)), zones.users[zones.members[start:end]].tolist())
        for time, start, end in zip(zones.time, zones.ptr[:-1], zones.ptr[1:], strict=True)
    ]


def test_a_zone_is_what_shares_time_and_zone_in_whatever_order(tmp_path):
    rows = "9,a,4\n7,b,2\n7,a,3\n9,a,2\n7,a,1\n7,b,8\n"
    zones = read(tmp_path, HEADER + rows)
    assert listed(zones) == [(7, [1, 3]), (7, [2, 8]), (9, [2, 4])]
    assert (zones.axis.first, zones.axis.steps) == (7, 3)
    assert zones.notes == ("time runs from 7, the first zone, to 9, the last zone",)


def test_names_that_differ_in_blanks_only_are_one_and_that_is_said(tmp_path):
    zones = read(tmp_path, HEADER + "7,a,1\n7, a,2\n8,b,2\n8,b, 1 \n")
    assert listed(zones) == [(7, [1, 2]), (8, [1, 2])]
    assert zones.notes[1:] == (
        "1 names of users merged with other spellings of the same names",
        "1 names of zones merged with other spellings of the same names",
    )


def test_columns_may_come_in_any_order_among_others(tmp_path):
    zones = read(tmp_path, "user_id,size,zone_id,time_id\nann,2,0,1\nbob,2,0,1\n")
    assert listed(zones) == [(1, ["ann", "bob"])]


@st.composite
def partitions(draw):
    """Disjoint zones of users 0 to 7 at times 3 to 8, as MixZones whose ends have a zone."""
    time, ptr, members = [], [0], []
    for step in range(1, 7):
        crowd = draw(st.permutations(range(8)))
        sizes = draw(st.lists(st.integers(2, 4), max_size=2))
        for size in sizes or ([2] if step in (1, 6) else []):
            time.append(step)
            members += sorted(crowd[:size])
            crowd = crowd[size:]
            ptr.append(len(members))
    names = np.array([f"user {letter}" for letter in "abcdefgh"], object)
    rows = np.array(members, np.int32)
    return MixZones(names, TimeAxis(6, 3), np.array(time, np.int32), np.array(ptr), rows)


@given(partitions(), st.sampled_from(["zones.csv", "zones.parquet"]))
def test_zones_that_were_written_come_back(tmp_path_factory, zones, name):
    path = tmp_path_factory.getbasetemp() / name
    write_zones(path, zones)
    assert listed(read_zones(path)) == listed(zones)


def test_what_is_written_is_plain_csv(tmp_path):
    zones = MixZones(
        np.array([10, 20, 30]),
        TimeAxis(2, 41),
        np.array([1, 2], np.int32),
        np.array([0, 2, 4]),
        np.array([0, 2, 0, 1], np.int32),
    )
    write_zones(tmp_path / "zones.csv", zones)
    written = (tmp_path / "zones.csv").read_bytes()
    assert written == b"time_id,zone_id,user_id\n41,0,10\n41,0,30\n42,1,10\n42,1,20\n"


def test_names_with_commas_and_quotes_come_back(tmp_path):
    names = np.array(['a,b "c"', "d"], object)
    zones = MixZones(
        names, TimeAxis(1), np.ones(1, np.int32), np.array([0, 2]), np.array([0, 1], np.int32)
    )
    write_zones(tmp_path / "zones.csv", zones)
    assert listed(read_zones(tmp_path / "zones.csv")) == [(1, names.tolist())]


def test_with_a_clock_time_ids_are_numbers_of_steps(tmp_path):
    noon = int(dt.datetime(2008, 5, 17, 12, tzinfo=dt.UTC).timestamp())
    zones = MixZones(
        np.arange(2),
        TimeAxis(9, noon, 60),
        np.array([4], np.int32),
        np.array([0, 2]),
        np.array([0, 1], np.int32),
    )
    write_zones(tmp_path / "zones.csv", zones)
    assert (tmp_path / "zones.csv").read_text() == HEADER + "4,0,0\n4,0,1\n"


BAD = {
    "a missing column": ("time_id,user_id\n1,1\n", None, "zone_id", "the column does not exist"),
    "a header only": (HEADER, 2, None, "no row"),
    "no number": (HEADER + "1,0,1\n1,0,2\nx,0,3\n", 4, "time_id", "'x' is not a whole number"),
    "an empty zone name": (HEADER + "1,0,1\n1,,2\n", 3, "zone_id", "empty"),
    "an empty user name": (HEADER + "1,0,1\n1,0,\n", 3, "user_id", "empty"),
    "time 0": (HEADER + "0,0,1\n0,0,2\n", 2, "time_id", "time 0 is below 1"),
    "two zones at a time": (
        HEADER + "1,0,1\n1,0,2\n1,7,3\n1,7,1\n",
        5,
        "user_id",
        "user 1 is in zone 0 and in zone 7 at time 1",
    ),
    "twice in a zone": (
        HEADER + "2,0,2\n2,0,1\n2,0,2\n",
        4,
        "user_id",
        "user 2 is twice in zone 0 at time 2",
    ),
    "a lone member": (
        HEADER + "1,0,1\n1,0,2\n2,0,2\n",
        4,
        "user_id",
        "zone 0 at time 2 has only one member",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_fault_is_named_with_its_line_and_column(name, tmp_path):
    content, line, column, says = BAD[name]
    with pytest.raises(InputError, match=says) as caught:
        read(tmp_path, content)
    assert (caught.value.line, caught.value.column) == (line, column)


def test_a_million_users_in_one_zone_are_read_like_others(tmp_path):
    n_users = 1_000_000
    rows = "".join(f"1,0,{user}\n" for user in range(n_users))
    zones = read(tmp_path, HEADER + rows)
    assert zones.sizes.tolist() == [n_users]


def test_a_table_of_another_ending_is_not_written(tmp_path):
    zones = read(tmp_path, HEADER + "1,0,1\n1,0,2\n")
    with pytest.raises(InputError, match=r"\.xlsx"):
        write_zones(tmp_path / "zones.xlsx", zones)
    assert [path.name for path in tmp_path.iterdir()] == ["zones.csv"]
