"""A part of the traces: the period is fixed first, and nobody gets lost."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.errors import InputError
from mixsafe.extract.positions import positions
from mixsafe.extract.select import select
from mixsafe.model.mobility.instant import EARLIEST, LATEST
from tests.support.extraction_worlds import numbered, timed

DAY = 86_400


def listed(traces):
    users = traces.users[traces.user].tolist()
    return list(zip(users, traces.time.tolist(), traces.region.tolist(), strict=True))


fixes = st.lists(
    st.tuples(st.integers(0, 5), st.integers(1, 60), st.integers(1, 4)),
    min_size=1,
    max_size=50,
    unique_by=lambda fix: fix[:2],
)


@given(fixes, st.integers(1, 6), st.integers(0, 3))
def test_a_sample_keeps_all_fixes_of_its_users_and_the_period_of_all(fixes, n_users, seed):
    traces = numbered(fixes, 6)
    part = select(traces, users=n_users, seed=seed)
    times = [time for _, time, _ in fixes]
    assert len(set(part.users.tolist())) == len(part.users) == n_users
    assert part.users.tolist() == sorted(part.users.tolist())
    assert part.window == (min(times), max(times) + 1)
    assert listed(part) == [fix for fix in listed(traces) if fix[0] in part.users]


def test_a_sample_is_made_by_its_seed_alone():
    traces = numbered([(user, 1, 1) for user in range(100)], 100)
    once, again, other = (select(traces, users=10, seed=seed).users.tolist() for seed in (1, 1, 2))
    assert once == again
    assert once != other
    drawn = [select(traces, users=10, seed=seed).users.tolist() for seed in range(4)]
    unsaid = select(traces, users=10).users.tolist()
    assert [unsaid == one for one in drawn] == [True, False, False, False]


def test_a_part_of_a_part_has_the_period_of_the_part_whoever_is_in_it():
    part = select(numbered([(0, 1, 1), (0, 5, 1), (1, 3, 1)], 2), start=2, end=9)
    assert select(part, user_list=[1]).window == (2, 9)


@given(fixes, st.integers(1, 60), st.integers(1, 30))
def test_a_period_has_the_fixes_from_its_start_to_before_its_end(fixes, start, length):
    inside = [fix for fix in sorted(fixes) if start <= fix[1] < start + length]
    traces = numbered(fixes, 6)
    if not inside:
        with pytest.raises(InputError, match="no fix in the period"):
            select(traces, start=start, end=start + length)
        return
    part = select(traces, start=str(start), end=start + length)
    assert listed(part) == inside
    assert part.window == (start, start + length)
    assert len(part.users) == 6


def test_days_of_numbered_steps_are_counted_in_steps():
    traces = numbered([(0, time, 1) for time in range(41, 81)], 1)
    assert select(traces, days=1).window == (41, 61)
    assert select(traces, days=2, start=43, steps_per_day=10).window == (43, 63)


def test_days_of_a_clock_are_24_hours_from_the_first_fix_or_from_the_start():
    traces = timed([(0, 1000, 1), (0, 1000 + 3 * DAY, 2)], 1)
    assert select(traces, days=1).window == (1000, 1000 + DAY)
    part = select(traces, days=3, start="1970-01-01T01:00:00+01:00")
    assert part.window == (0, 3 * DAY)
    assert part.notes == ()
    assert positions(part, time_step=60).axis.steps == 3 * 24 * 60


def test_a_start_without_a_zone_is_utc_and_that_is_said():
    part = select(timed([(0, 1000, 1)], 1), start="1970-01-01", end="1970-01-02")
    assert part.window == (0, DAY)
    assert part.notes == tuple(
        f"the {name} 1970-01-0{day} is without a time zone and taken as UTC"
        for day, name in ((1, "start"), (2, "end"))
    )


def test_a_start_that_clocks_skip_or_show_twice_is_told_as_such():
    """In Berlin clocks go from 2 to 3 on the one day, and from 3 to 2 on the other."""
    traces = timed([(0, 1616900000, 1)], 1, tz="Europe/Berlin")
    part = select(traces, start="2021-03-28T02:30", end="2021-10-31T02:30")
    assert part.window == (1616895000, 1635640200)
    assert [note.partition(", ")[2] for note in part.notes] == [
        "where it does not exist (clocks set forward); the offset before is used",
        "where it occurs twice (clocks set back); the first is used",
    ]


def test_users_without_a_fix_in_the_period_stay_and_are_counted():
    part = select(numbered([(0, 1, 1), (1, 5, 1)], 3), end=3)
    assert len(part.users) == 3
    assert part.notes == ("2 of 3 users have no data in the period, and are not judged",)


def test_a_list_of_users_keeps_their_order_in_the_data_whatever_its_own():
    traces = numbered([(user, 1, user) for user in range(5)], 5)
    part = select(traces, user_list=["3", 1, "1"])
    assert part.users.tolist() == [1, 3]
    assert listed(part) == [(1, 1, 1), (3, 1, 3)]


def test_coordinates_are_selected_with_their_fixes():
    from dataclasses import replace

    traces = timed([(0, 0, 0), (1, 0, 1), (1, 1, 2)], 2)
    traces = replace(traces, lat=np.arange(3.0), lon=np.arange(3.0) + 10, center=(1.0, 11.0))
    part = select(traces, user_list=[1])
    assert (part.lat.tolist(), part.lon.tolist()) == ([1.0, 2.0], [11.0, 12.0])
    assert part.center == (1.0, 11.0)


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"users": 0}, "not within 1 to 2"),
        ({"users": 3}, "not within 1 to 2"),
        ({"user_list": ["7"]}, "user 7"),
        ({"user_list": []}, "empty"),
        ({"users": 1, "user_list": [1]}, "not both"),
        ({"end": 5, "days": 1}, "not both"),
        ({"days": 0}, "not positive: 0"),
        ({"start": 9, "end": 9}, "before it begins"),
        ({"start": 100}, "before it begins"),
        ({"start": 5, "end": 6}, "no fix in the period"),
        ({"start": "noon"}, "'noon' is not a time"),
    ],
)
def test_what_cannot_be_selected_is_refused(how, says):
    with pytest.raises(InputError, match=says):
        select(numbered([(0, 1, 1), (1, 10, 1)], 2), **how)


def test_an_empty_period_of_a_clock_is_shown_in_the_datas_own_zone():
    begin = 10957 * DAY  # 2000-01-01T00:00:00Z
    traces = timed([(0, begin, 1), (0, begin + 9 * DAY, 1)], 1, tz="Asia/Tokyo")
    with pytest.raises(InputError) as caught:
        select(traces, start=begin + DAY, end=begin + 2 * DAY)
    assert "from 2000-01-02T09:00:00+09:00 to 2000-01-03T09:00:00+09:00" in str(caught.value)


@pytest.mark.parametrize(
    "how", [{"days": 10**9}, {"start": "9999-12-31T00:00:00+09:00", "days": 2}]
)
def test_a_period_beyond_all_calendars_is_refused(how):
    with pytest.raises(InputError, match="exceeds the years"):
        select(timed([(0, 0, 1)], 1, tz="Asia/Tokyo"), **how)


def test_calendars_reach_from_their_first_second_to_the_last_but_one_and_numbers_further():
    first = timed([(0, EARLIEST, 1)], 1)
    assert select(first, days=1).window == (EARLIEST, EARLIEST + DAY)
    for beyond in (timed([(0, EARLIEST - 1, 1)], 1), timed([(0, LATEST - DAY, 1)], 1)):
        with pytest.raises(InputError, match="exceeds the years"):
            select(beyond, days=1)
    for far in (2 * LATEST, 2 * EARLIEST):
        assert select(numbered([(0, far, 1)], 1), days=1).window == (far, far + 20)


def test_who_gives_no_time_is_told_which_kind_the_data_have():
    for traces, kind in ((numbered([(0, 1, 1)], 1), "time_id"), (timed([(0, 1, 1)], 1), "Unix")):
        with pytest.raises(InputError) as caught:
            select(traces, start="noon")
        assert kind in str(caught.value.hint)


def test_nothing_can_be_selected_from_nothing():
    with pytest.raises(InputError, match="no fix"):
        select(numbered([], 2), days=1)
