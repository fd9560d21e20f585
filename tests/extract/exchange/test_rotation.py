"""Rotation: when pseudonyms change by schedule, and what a rotation adds to mix zones."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.errors import InputError
from mixsafe.extract.exchange.rotation import Schedule, rotated
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.question.mix_zones import EVERYWHERE
from tests.support.oracles import zones_of
from tests.support.strategies import mix_zones, problems

TOKYO = ZoneInfo("Asia/Tokyo")


def clock(begin: dt.datetime, hours: float, step_seconds: int = 600) -> TimeAxis:
    steps = int(hours * 3600 / step_seconds)
    return TimeAxis(steps, int(begin.timestamp()), step_seconds, str(begin.tzinfo))


def labels(text: str, axis: TimeAxis) -> list[str]:
    return [str(axis.label(int(step)))[:16] for step in Schedule.parse(text).steps(axis)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("daily@04:00", ["2024-01-06T04:00", "2024-01-07T04:00", "2024-01-08T04:00"]),
        ("daily", ["2024-01-06T00:00", "2024-01-07T00:00", "2024-01-08T00:00"]),
        ("weekly@sun23:30", ["2024-01-07T23:30"]),
        ("weekly", ["2024-01-08T00:00"]),
        ("every:1d", ["2024-01-06T05:00", "2024-01-07T05:00", "2024-01-08T05:00"]),
        ("every:100", ["2024-01-05T21:40", "2024-01-06T14:20", "2024-01-07T07:00",
                       "2024-01-07T23:40"]),
    ],
)  # fmt: skip
def test_schedules_follow_the_calendar_of_the_data(text: str, found: list[str]) -> None:
    """Friday, 5 o'clock in Tokyo, and 74 hours from then on."""
    assert labels(text, clock(dt.datetime(2024, 1, 5, 5, tzinfo=TOKYO), 74)) == found


def test_a_day_of_23_hours_has_its_rotation_at_the_time_on_the_clock() -> None:
    paris = ZoneInfo("Europe/Paris")
    axis = clock(dt.datetime(2024, 3, 30, 12, tzinfo=paris), 30)
    assert labels("daily@04:00", axis) == ["2024-03-31T04:00"]


def test_a_step_that_begins_before_the_scheduled_time_keeps_its_pseudonyms() -> None:
    axis = clock(dt.datetime(2024, 1, 5, 3, 55, tzinfo=TOKYO), 2)
    assert labels("daily@04:00", axis) == ["2024-01-05T04:05"]


def test_numbered_steps_rotate_by_days_or_by_steps() -> None:
    axis = TimeAxis(40, 41)
    assert Schedule.parse("daily").steps(axis, 20).tolist() == [21]
    assert Schedule.parse("every:1d").steps(axis, 10).tolist() == [11, 21, 31]
    assert Schedule.parse("every:15").steps(axis).tolist() == [16, 31]
    assert Schedule.parse("weekly").steps(TimeAxis(400), 20).tolist() == [141, 281]


@pytest.mark.parametrize(
    "text", ["", "hourly", "daily@24:00", "daily@04:60", "daily@mon04:00", "weekly@xyz04:00",
             "every:0d", "every:d", "every:2w", "daily@4", "every:1.5h"]
)  # fmt: skip
def test_what_is_no_schedule_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is not a schedule of rotation"):
        Schedule.parse(text)


def test_a_schedule_that_does_not_fit_the_data_is_refused() -> None:
    with pytest.raises(InputError, match=r"falls between the first and the last step of the data"):
        Schedule.parse("every:3d").steps(TimeAxis(40))
    with pytest.raises(InputError, match="needs a clock"):
        Schedule.parse("every:6h").steps(TimeAxis(40))
    axis = clock(dt.datetime(2024, 1, 5, 4, tzinfo=TOKYO), 23)
    with pytest.raises(InputError, match=r"daily@04:00.*2024-01-05T04:00.*2024-01-06T02:50"):
        Schedule.parse("daily@04:00").steps(axis)


@given(asked=problems(), data=st.data())
def test_a_rotation_is_a_zone_of_everybody_and_replaces_those_of_its_step(asked, data) -> None:
    zones = asked.zones
    steps = data.draw(st.sets(st.integers(1, zones.axis.steps), min_size=1, max_size=1))
    meetings = data.draw(st.booleans())
    if zones.n_users < 2:
        return
    found = rotated(zones, np.array(sorted(steps)), meetings=meetings).zones
    users = list(range(zones.n_users))
    kept = [(t, members) for t, members in zones_of(asked) if meetings and t not in steps]
    expected = sorted([*kept, *((step, users) for step in steps)], key=lambda zone: zone[0])
    made = [
        (int(found.time[z]), found.members[found.ptr[z] : found.ptr[z + 1]].tolist())
        for z in range(len(found))
    ]
    assert [zone[0] for zone in made] == [zone[0] for zone in expected]
    assert sorted(made) == sorted((t, sorted(members)) for t, members in expected)


def test_who_has_no_data_does_not_take_part_and_places_are_kept() -> None:
    zones = mix_zones(4, 5, [(2, [0, 1]), (4, [0, 1])])
    zones = replace(zones, place=np.array([7, 8]), absent=np.array([3]))
    found = rotated(zones, np.array([2, 3]))
    assert found.zones.members.tolist() == [0, 1, 2, 0, 1, 2, 0, 1]
    assert found.zones.place.tolist() == [EVERYWHERE, EVERYWHERE, 8]
    assert found.rotation.tolist() == [True, True, False]
    assert found.met.tolist() == [0, 0, -1, -1, -1, -1, -1, -1]


def test_pseudonyms_rotate_among_two_or_more() -> None:
    with pytest.raises(InputError, match="two users or more"):
        rotated(mix_zones(1, 3, []), np.array([2]))
