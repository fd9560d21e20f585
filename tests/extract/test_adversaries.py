"""What ready-made adversaries have seen, against loops that follow the definitions."""

import datetime as dt
from bisect import bisect_right
from collections import Counter
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.errors import InputError
from mixsafe.extract.adversaries import ADVERSARIES, knowledge
from mixsafe.extract.days import day_starts
from mixsafe.extract.scene import Scene
from mixsafe.extract.schedules import at_home, home_places
from mixsafe.extract.zones import mix_zones
from mixsafe.model.mobility.time_axis import TimeAxis
from tests.support.extraction_worlds import positions_of, worlds

MIDNIGHT = int(dt.datetime(2008, 5, 18, tzinfo=ZoneInfo("America/Los_Angeles")).timestamp())
SPRING = int(dt.datetime(2024, 3, 30, tzinfo=ZoneInfo("Europe/Berlin")).timestamp())


def pairs(known):
    return set(zip(known.row.tolist(), known.time.tolist(), strict=True))


def seen(name, where, **how):
    return pairs(knowledge(name, mix_zones(where), where, **how))


@given(worlds)
def test_nobody_sees_nothing_and_endpoints_are_everybodys_first_and_last_step(world):
    where = positions_of(world)
    assert seen("none", where) == set()
    last = where.axis.steps
    assert seen("endpoints", where) == {
        (user, time) for user in range(len(where.users)) for time in (0, last)
    }


@given(worlds, st.integers(1, 70), st.integers(1, 25))
def test_days_of_numbered_steps_end_at_multiples_of_their_length(world, first, length):
    where = positions_of(world)
    axis = TimeAxis(where.axis.steps, first)
    where = positions_of(world, axis)
    days = {}
    for step in range(1, axis.steps + 1):
        days.setdefault((axis.label(step) - 1) // length, []).append(step)
    ends = {0} | {day[place] for day in days.values() for place in (0, -1)}
    assert seen("daily", where, steps_per_day=length) == {
        (user, time) for user in range(len(where.users)) for time in ends
    }


@given(
    st.integers(-5_000, 90_000),
    st.sampled_from([600, 1800, 3600, 7000, 100_000]),
    st.integers(1, 400),
    st.sampled_from([("America/Los_Angeles", MIDNIGHT), ("Europe/Berlin", SPRING), ("UTC", 0)]),
)
@settings(max_examples=60)
def test_a_step_belongs_to_the_calendar_day_in_which_it_begins(off, length, steps, place):
    tz, midnight = place
    axis = TimeAxis(steps, midnight + off, length, tz)
    starts, last = [], None
    for step in range(1, steps + 1):
        second = axis.first + (step - 1) * length
        day = dt.datetime.fromtimestamp(second, ZoneInfo(tz)).date()
        if day != last:
            starts.append(step)
        last = day
    assert day_starts(axis).tolist() == starts
    some = range(1, steps + 1, 7)
    found = day_starts(axis, at=np.array(some), most_days=0)
    own = {starts[bisect_right(starts, step) - 1] for step in some}
    assert own <= set(found.tolist()) <= set(starts)


def test_a_day_has_twenty_numbered_steps_unless_it_is_said_otherwise():
    assert day_starts(TimeAxis(45)).tolist() == [1, 21, 41]


def test_more_days_than_calendars_have_are_refused() -> None:
    """One time that is a slip may make them; the days would fill all memory."""
    with pytest.raises(InputError, match="107374182 days of 20 steps; choose a period"):
        day_starts(TimeAxis(2**31 - 2))
    with pytest.raises(InputError, match="span 1491309 days; choose a period"):
        day_starts(TimeAxis(2**31 - 2, step_seconds=60))


def test_a_day_of_a_clock_change_has_its_own_length():
    axis = TimeAxis(72, SPRING, 3600, "Europe/Berlin")
    assert day_starts(axis).tolist() == [1, 25, 48, 72]


def naive_homes(world, n_users, first_hour):
    counts = Counter(
        (user, place) for (user, step), place in world.items() if first_hour(user, step)
    )
    homes = {}
    for user in range(n_users):
        mine = [(-count, place) for (who, place), count in counts.items() if who == user]
        homes[user] = min(mine)[1] if mine else -1
    return homes


@given(worlds, st.integers(1, 70), st.integers(2, 10), st.integers(1, 3))
def test_home_is_where_a_user_is_most_often_in_the_first_steps_of_days(world, first, day, hour):
    where = positions_of(world, TimeAxis(max(step for _, step in world), first))
    homes = naive_homes(world, len(where.users), lambda _, step: (first + step - 2) % day < hour)
    how = {"steps_per_day": day, "steps_per_hour": hour}
    assert dict(enumerate(home_places(where, **how).tolist())) == homes
    assert seen("home", where, **how) == {(user, 0) for user in homes} | {
        (user, step) for (user, step), place in world.items() if place == homes[user]
    }


@given(worlds, st.sampled_from([600, 900, 3599, 3600, 5000]))
def test_with_a_clock_the_first_hour_begins_with_the_users_first_position_of_the_day(world, length):
    axis = TimeAxis(
        max(step for _, step in world), MIDNIGHT + 68_000, length, "America/Los_Angeles"
    )
    where = positions_of(world, axis)

    def second(step):
        return axis.first + (step - 1) * length

    def day(step):
        return dt.datetime.fromtimestamp(second(step), ZoneInfo(axis.tz)).date()

    def first_hour(user, step):
        first = min(other for who, other in world if who == user and day(other) == day(step))
        return second(step) - second(first) < 3600

    homes = naive_homes(world, len(where.users), first_hour)
    assert dict(enumerate(home_places(where).tolist())) == homes


def test_the_first_hour_has_3600_seconds_the_last_of_which_still_counts():
    for length, home in ((3599, 4), (3600, 9)):  # where 4 counts it is a draw, which 4 wins
        axis = TimeAxis(2, MIDNIGHT, length, "America/Los_Angeles")
        assert home_places(positions_of({(0, 1): 9, (0, 2): 4}, axis)).tolist() == [home]


def test_among_equally_frequent_places_the_lowest_id_is_home():
    where = positions_of({(0, 1): 9, (0, 2): 4, (0, 3): 9, (1, 1): 5, (1, 2): 5, (1, 21): 3})
    assert home_places(where).tolist() == [4, 5]


def test_a_user_without_a_position_in_any_first_hour_is_known_at_step_0_only():
    where = positions_of({(0, 1): 7, (1, 5): 7})
    assert home_places(where).tolist() == [7, -1]
    assert seen("home", where) == {(0, 0), (0, 1), (1, 0)}


def test_who_has_no_home_is_not_at_home_in_a_place_with_a_strange_number():
    where = positions_of({(0, 1): 7, (1, 5): -1})
    assert seen("home", where) == {(0, 0), (0, 1), (1, 0)}


def test_a_day_has_twenty_steps_and_its_first_hour_two_unless_it_is_said_otherwise():
    long = positions_of({(0, step): 7 for step in range(1, 46)})
    assert seen("daily", long) == {(0, time) for time in (0, 1, 20, 21, 40, 41, 45)}
    # Steps 1, 21 and 22 are early; a step to either side would make it a draw, which 4 would win.
    where = positions_of({(0, 1): 4, (0, 20): 4, (0, 21): 9, (0, 22): 9, (0, 23): 4})
    assert home_places(where).tolist() == [9]
    assert seen("home", where) == {(0, 0), (0, 21), (0, 22)}


@given(worlds, st.integers(0, 9))
def test_homes_of_some_users_after_the_other_are_those_of_all(world, at_once):
    where = positions_of(world)
    scene = Scene(mix_zones(where), where)
    whole, parts = at_home(scene), at_home(scene, at_once)
    assert (parts.row.tolist(), parts.time.tolist()) == (whole.row.tolist(), whole.time.tolist())


def test_home_needs_positions():
    zones = mix_zones(positions_of({(0, 1): 7, (1, 1): 7}))
    with pytest.raises(InputError, match="only zones"):
        knowledge("home", zones)


def test_an_unknown_adversary_is_told_the_known_ones():
    zones = mix_zones(positions_of({(0, 1): 7, (1, 1): 7}))
    with pytest.raises(InputError, match=", ".join(ADVERSARIES.names())):
        knowledge("nosy", zones)


@pytest.mark.parametrize("how", [{"steps_per_day": 0}, {"steps_per_hour": 0}])
def test_days_and_hours_have_a_length(how):
    with pytest.raises(InputError, match="positive"):
        seen("home", positions_of({(0, 1): 7}), **how)


def test_on_the_contests_osaka_data_home_tells_about_four_and_a_half_sightings(published):
    from mixsafe.extract.positions import positions
    from mixsafe.io.sources import load

    where = positions(load(published("pwscup2019/orgtraces_team001_data01_IDP.csv")))
    known = knowledge("home", mix_zones(where), where)
    assert len(known) / len(where.users) == pytest.approx(4.5, abs=0.1)
