"""Numbers that are times, and those that are not."""

import datetime as dt
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.model.mobility.clock_numbers import FIRST, FORMS, LAST, NoTimeError, numbered_times

NOON = 1_709_294_400
"""2024-03-01T12:00:00Z."""

TICKS = (627_667_488_000_000_000, 646_602_048_000_000_000)
"""Ticks of .NET from 1990 to 2050."""


def seconds(*values):
    return numbered_times(np.array(values)).seconds.tolist()


@given(st.integers(FIRST, LAST - 1), st.sampled_from([1, 10**3, 10**6, 10**9]), st.data())
def test_a_unix_time_of_any_unit_is_one_moment_or_refused(second, per_second, data):
    rest = data.draw(st.integers(0, per_second - 1))
    value = second * per_second + rest
    if (per_second == 1 and second >= 1_990_010_100) or value in range(*TICKS):
        return  # May have two readings: hours without separators, or ticks of .NET.
    found = numbered_times(np.array([value]))
    assert found.seconds.tolist() == [second]
    exact = 0 if found.fraction is None else int(found.fraction[0])
    assert exact == rest * (10**9 // per_second)


@given(st.datetimes(dt.datetime(1990, 1, 1), dt.datetime(2049, 12, 31)))
def test_dates_without_separators_are_what_they_say(moment):
    for form, parts in (
        ("%Y%m%d", {"hour": 0, "minute": 0, "second": 0}),
        ("%Y%m%d%H%M", {"second": 0}),
        ("%Y%m%d%H%M%S", {}),
    ):
        expected = moment.replace(**parts, microsecond=0, tzinfo=dt.UTC).timestamp()
        for kind in (np.int64, np.float64):
            found = numbered_times(np.array([int(moment.strftime(form))], kind))
            assert (found.seconds.tolist(), found.naive) == ([expected], True)


def test_no_number_has_two_forms():
    limits = sorted((form.least, form.end) for form in FORMS)
    assert all(one[1] <= other[0] for one, other in itertools.pairwise(limits))


@pytest.mark.parametrize(
    ("value", "says", "way_out"),
    [
        (45352.33, "days since 1899-12-30", "write 2024-03-01 07:55:12"),
        (39744.12, "days since 1899-12-30", "write 2008-10-23 02:52:48"),
        (45352, "days since 1899-12-30", "--column time_id=COLUMN"),
        (739312.3, "days since the year 0", "write 2024-03-01 07:12:00"),
        (60370.5, "days since 1858-11-17", "write 2024-03-01 12:00:00"),
        (2460371.0, "days since 4713 BC", "write 2024-03-01 12:00:00"),
        (17, "17 is not a Unix time from 1990 to 2050", "--column time_id=COLUMN"),
        (0, "0 is not a Unix time", "--column time_id=COLUMN"),
        (-5.5, "-5.5 is not a Unix time", "write 2008-05-17"),
        (float("inf"), "'inf' is not a timestamp", "write 2008-05-17"),
        (2524608000, "2524608000 is not a Unix time", "write 2008-05-17"),
        (20240230, "20240230 is no date and time that exists", "write 2008-05-17"),
        (202403012460, "202403012460 is no date and time that exists", "write 2008-05-17"),
        (2024030108, "reads as 2024-03-01 08:00, and as Unix seconds of 2034-02-20", "2034-02-20T"),
        (2403010801, "reads as 2024-03-01 08:01, and as Unix seconds of 2046-02-23", "2046-02-23T"),
        (638448480000000000, "ticks of .NET", "write 2008-05-17"),
        (240301080159, "is not a Unix time", "write 2008-05-17"),
    ],
)
def test_what_is_no_time_is_refused_with_the_right_way_out(value, says, way_out):
    with pytest.raises(NoTimeError) as caught:
        seconds(value)
    assert says in caught.value.message
    assert way_out in caught.value.hint


def test_a_column_has_one_unit_and_the_first_other_row_is_named():
    assert seconds(NOON, NOON + 1.5) == [NOON, NOON + 1]
    for other in (NOON * 1000, 20240301, 45352.5):
        with pytest.raises(NoTimeError) as caught:
            seconds(NOON, NOON, other, 7)
        assert caught.value.row == 2


def test_days_of_spreadsheets_are_never_squeezed_into_seconds():
    """Two hundred days would otherwise be five steps of 1970."""
    with pytest.raises(NoTimeError):
        seconds(*np.arange(39539.5, 39739.5))
