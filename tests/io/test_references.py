"""Sightings, requirements and lists of users: files that refer to data read before."""

import numpy as np
import pytest

from mixsafe.errors import InputError
from mixsafe.io.problems.side_tables import read_requirements, read_sightings, read_user_list
from mixsafe.model.mobility.time_axis import TimeAxis

NUMBERED = TimeAxis(40, 41)
NOON = 1211025600  # 2008-05-17T12:00:00Z
TIMED = TimeAxis(10, NOON, 60, "America/Los_Angeles")
NUMBERS = np.array([1, 2, 10])
NAMES = np.array(["007", "ann", "bob"], object)


def write(tmp_path, content):
    path = tmp_path / "file.csv"
    path.write_bytes(content.encode())
    return path


def sightings(tmp_path, content, users=NUMBERS, axis=NUMBERED):
    known = read_sightings(write(tmp_path, content), users, axis)
    return list(zip(known.row.tolist(), known.time.tolist(), strict=True))


def test_sightings_are_sorted_and_merged(tmp_path):
    content = "user_id,time_id\n10,80\n1,41\n10,41\n1,41\n10,40\n"
    assert sightings(tmp_path, content) == [(0, 1), (2, 0), (2, 1), (2, 40)]


def test_time_0_is_before_anything_whatever_the_first_time_is(tmp_path):
    assert sightings(tmp_path, "user_id,time_id\n2,0\n") == [(1, 0)]


def test_columns_may_have_the_names_that_those_of_traces_may_have(tmp_path):
    assert sightings(tmp_path, "uid,step\n10,41\n") == [(2, 1)]
    named = "uid,datetime\nann,2008-05-17T12:00:59Z\n"
    assert sightings(tmp_path, named, NAMES, TIMED) == [(1, 1)]
    assert sightings(tmp_path, "User ID,Timestamp\n1,2008-05-17T12:01:00Z\n", axis=TIMED) == [
        (0, 2)
    ]


def test_users_are_found_by_the_names_that_they_have(tmp_path):
    assert sightings(tmp_path, "user_id,time_id\nbob,41\n007,42\n", NAMES) == [(0, 2), (2, 1)]
    with pytest.raises(InputError, match="user 7 is not in the data"):
        sightings(tmp_path, "user_id,time_id\n7,41\n", NAMES)
    with pytest.raises(InputError, match="user 01 is not in the data"):
        sightings(tmp_path, "user_id,time_id\n01,41\n", NUMBERS)


def test_with_a_clock_a_time_is_a_moment_inside_a_step(tmp_path):
    times = "2008-05-17T12:00:59Z", "2008-05-17T05:09:00-07:00", "2008-05-17T11:59:59Z"
    for one, two, ten in (times, (NOON + 59, NOON + 540, NOON - 1)):
        content = f"user_id,time\n1,{one}\n2,{two}\n10,{ten}\n"
        assert sightings(tmp_path, content, axis=TIMED) == [(0, 1), (1, 10), (2, 0)]


def test_with_a_clock_a_time_id_is_the_number_of_a_step(tmp_path):
    assert sightings(tmp_path, "user_id,time_id\n1,10\n2,0\n", axis=TIMED) == [(0, 10), (1, 0)]


BAD = {
    "no user column": ("time_id\n41\n", NUMBERED, 1, "user_id", "no column of users found"),
    "no time column": ("user_id\n1\n", NUMBERED, 1, "time_id", "no column of numbers of steps"),
    "moments for numbers": (
        "user_id,time\n1,5\n",
        NUMBERED,
        1,
        "time_id",
        "no column of numbers of steps",
    ),
    "an unknown user": ("user_id,time_id\n1,41\n3,41\n", NUMBERED, 3, "user_id", "user 3 is not"),
    "beyond the end": ("user_id,time_id\n1,41\n1,81\n", NUMBERED, 3, "time_id", "40 to 80"),
    "before the start": ("user_id,time_id\n1,39\n", NUMBERED, 2, "time_id", "time 39 is outside"),
    "no number": ("user_id,time_id\n1,late\n", NUMBERED, 2, "time_id", "not a whole number"),
    "an empty cell": ("user_id,time_id\n1,41\n,41\n", NUMBERED, 3, "user_id", "empty"),
    "a step too late": ("user_id,time_id\n1,11\n", TIMED, 2, "time_id", "0 to 10"),
    "a moment too late": (
        f"user_id,time\n1,{NOON + 600}\n",
        TIMED,
        2,
        "time",
        "outside the data's 2008-05-17T04:59:00-07:00 to 2008-05-17T05:09:00-07:00",
    ),
    "no moment": ("user_id,time\n1,noon\n", TIMED, 2, "time", "'noon' is not a timestamp"),
    "no row": ("user_id,time_id\n", NUMBERED, 2, None, "no row"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_fault_in_sightings_is_named_with_its_line_and_column(name, tmp_path):
    content, axis, line, column, says = BAD[name]
    with pytest.raises(InputError, match=says) as caught:
        sightings(tmp_path, content, axis=axis)
    assert (caught.value.line, caught.value.column) == (line, column)


def test_requirements_stay_in_the_order_of_the_file(tmp_path):
    content = "k,user_id,time_id\n3,10,41\n9,1,80\n2,10,41\n"
    asked = read_requirements(write(tmp_path, content), NUMBERS, NUMBERED)
    assert asked.row.tolist() == [2, 0, 2]
    assert asked.time.tolist() == [1, 40, 1]
    assert asked.k.tolist() == [3, 9, 2]


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        ("0", "k = 0 is not from 2 to 2147483647"),
        ("1", "k = 1 is not from 2"),
        ("-1", "k = -1 is not from 2"),
        ("2147483648", "k = 2147483648 is not from 2"),
        ("2.5", "'2.5' is not a whole number"),
        ("", "empty"),
        ("nan", "'nan' is not a whole number"),
    ],
)
def test_a_k_that_nobody_can_meet_is_named_with_its_line(cell, says, tmp_path):
    path = write(tmp_path, f"user_id,time_id,k\n1,41,3\n2,41,{cell}\n")
    with pytest.raises(InputError, match=says) as caught:
        read_requirements(path, NUMBERS, NUMBERED)
    assert (caught.value.line, caught.value.column) == (3, "k")


@pytest.mark.parametrize(
    "content", ["ann\nbob\n", "user_id\nann\nbob\n", "ann\r\n\r\nbob", '\ufeff"ann"\n bob \n']
)
def test_a_list_of_users_has_a_name_a_line(content, tmp_path):
    assert read_user_list(write(tmp_path, content)) == ["ann", "bob"]


def test_a_table_that_says_who_is_kept_is_a_list_of_those(tmp_path):
    table = "user_id,kept,round\nann,true,0\ncarl,false,2\nbob,True,0\n"
    assert read_user_list(write(tmp_path, table)) == ["ann", "bob"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "empty"),
        ("user_id\n", "no name"),
        ("ann\nbob,carl\n", "line 2: 2 fields"),
        ("user_id,kept\nann,false\n", "no name"),
        ("user_id,kept\nann,true\nbob,yes\n", "line 3: kept is 'yes'"),
        ("user_id,kept\nann\n", "line 2: 1 fields instead of 2"),
    ],
)
def test_a_list_without_names_or_with_more_is_refused(content, says, tmp_path):
    with pytest.raises(InputError, match=says):
        read_user_list(write(tmp_path, content))
