"""Timestamps as people and programs write them."""

import datetime as dt
import email.utils

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.model.mobility.clock_numbers import NoTimeError
from mixsafe.model.mobility.instant import parse_instant, written_time

MOMENT = dt.datetime(2024, 3, 1, 8, 15, 30, tzinfo=dt.UTC)

SAME = [
    "2024-03-01T08:15:30Z",
    "2024-03-01t08:15:30z",
    "2024-03-01 08:15:30 UTC",
    "2024-03-01 08:15:30.123456 UTC",
    "2024-03-01T08:15:30,123Z",
    "2024-03-01 08:15:30.5+00",
    "2024-03-01 09:15:30 +0100",
    "2024-03-01 08:15:30.123456789 +0000 UTC",
    "2024-03-01 09:15:30.1 +0100 CET",
    "2024/03/01 08:15:30",
    "2024-3-1 8:15:30",
    "2024.03.01 8:15:30 AM",
    "20240301T081530Z",
    "20240301 08:15:30",
    "Fri, 01 Mar 2024 08:15:30 +0000",
    "Fri, 1 Mar 2024 08:15:30 GMT",
    "Fri Mar 01 08:15:30 +0000 2024",
    "Fri Mar  1 08:15:30 2024",
    "Fri Mar  1 08:15:30 UTC 2024",
    "Fri Mar 01 2024 09:15:30 GMT+0100 (CET)",
    "March 1, 2024, 8:15:30 AM",
    "1 March 2024 08:15:30",
    "01-Mar-2024 08:15:30",
    "Friday, March 1st, 2024 8:15:30 a.m.",
    "1 March 2024 at 08:15:30",
    "2024-Mar-01 08:15:30",
    "01MAR2024:08:15:30",
    "01/Mar/2024:08:15:30 +0000",
    "Mar  1 2024  8:15:30:123AM",
    "2024-03-01_08:15:30",
    "2024-03-01T09:15:30 UTC+1",
    "2024-03-01 04:15:30 GMT-4",
    "2024-03-01T09:15:30+01:00[Europe/Berlin]",
    "2024-03-01 09:15:30.5 +0100 CET m=+0.000012",
    "1709280930",
    "1709280930.75",
    "1709280930123",
    "20240301081530",
]


@pytest.mark.parametrize("text", SAME)
def test_usual_spellings_are_one_moment(text):
    assert parse_instant(text).second == MOMENT.timestamp()


@given(st.datetimes(dt.datetime(1950, 1, 1), dt.datetime(2060, 1, 1)), st.integers(-12, 14))
def test_what_libraries_write_is_read_back(moment, hours):
    moment = moment.replace(microsecond=0, tzinfo=dt.timezone(dt.timedelta(hours=hours)))
    for text in (
        moment.isoformat(),
        moment.strftime("%Y/%m/%d %H:%M:%S%z"),
        email.utils.format_datetime(moment),
        moment.strftime("%a %b %d %H:%M:%S %z %Y"),
        moment.strftime("%B %d, %Y %I:%M:%S %p %z"),
    ):
        assert parse_instant(text).second == moment.timestamp(), text


WRITTEN = {
    "day": ["%d/%m/%Y %H:%M:%S", "%d.%m.%Y, %H:%M:%S", "%d-%m-%Y %I:%M:%S %p"],
    "month": ["%m/%d/%Y %H:%M:%S", "%m/%d/%Y, %I:%M:%S %p", "%m-%d-%Y %H:%M:%S"],
    None: [
        "%Y-%m-%d %H:%M:%S",
        "%Y/%m/%d %I:%M:%S %p",
        "%Y.%m.%d %H:%M:%S UTC",
        "%Y%m%dT%H%M%SZ",
        "%Y%m%d %H:%M:%S",
        "%d-%b-%Y %H:%M:%S",
        "%d%b%Y:%H:%M:%S",
        "%d/%b/%Y:%H:%M:%S +0000",
        "%Y-%b-%d %H:%M:%S",
        "%d. %B %Y %H:%M:%S",
        "%A, %d %B %Y, %H:%M:%S",
        "%a %b %d %H:%M:%S UTC %Y",
        "%B %d, %Y, %I:%M:%S %p",
        "%b %d %Y %I:%M:%S:000%p",
        "%G-W%V-%uT%H:%M:%S",
    ],
}
"""Spellings, by what has to be said of the order of day and month."""


@given(st.datetimes(dt.datetime(1950, 1, 1), dt.datetime(2060, 1, 1)))
def test_a_moment_in_each_spelling_is_itself_or_needs_the_order(moment):
    """A spelling is read as what was written, and a refused one as soon as its option is said."""
    moment = moment.replace(microsecond=0, tzinfo=dt.UTC)
    for order, forms in WRITTEN.items():
        for form in forms:
            text = moment.strftime(form)
            if order is not None:
                with pytest.raises(NoTimeError) as error:
                    parse_instant(text)
                assert f"--{order}-first" in (error.value.hint or "")
            assert parse_instant(text, order=order).second == moment.timestamp(), text


def test_the_last_midnight_of_a_day_begins_the_next_and_a_leap_second_stays_in_its_minute():
    assert parse_instant("2024-03-01 24:00").second == parse_instant("2024-03-02").second
    before, leap, after = (
        written_time(text)[:2]
        for text in ("2016-12-31T23:59:59.9Z", "2016-12-31T23:59:60.5Z", "2017-01-01T00:00:00Z")
    )
    assert before < leap < after
    assert before[0] == leap[0]


REFUSED = {
    "01.03.2024 08:15": ("could have the day or the month first", "--day-first or --month-first"),
    "3/1/2024 8:15 PM": ("could have the day or the month first", "--day-first or --month-first"),
    "25/03/2024 08:15": ("has the day first", "--day-first"),
    "3/25/2024": ("has the month first", "--month-first"),
    "3/1/24 8:15": ("is not a timestamp", "four digits"),
    "08:15:30": ("has no date", "join the columns"),
    "2024-03-01 08:15:30 CET": ("is not a timestamp", "CET is the name of several zones"),
    "Fri Mar  1 08:15:30 CET 2024": ("is not a timestamp", "say --tz Europe/Berlin"),
    "March 1, 2024 8:15 AM EST": ("is not a timestamp", "EST is the name of several zones"),
    "2024-03-01T08:15:30[Europe/Paris]": ("is not a timestamp", "say --tz Europe/Paris"),
    "2024-03-01 08:15:30 America/New_York": ("is not a timestamp", "--tz America/New_York"),
    "01-Mar-24 08:15": ("is not a timestamp", "four digits"),
    "2024-03-01+01:00": ("is not a timestamp", "write 2008"),
    "2024-03-01-05:00": ("is not a timestamp", "write 2008"),
    "2024-03-01 16:15 PM": ("no time that exists", "write 2008"),
    "2024-03-01 08:15:30:5": ("is not a timestamp", "write 2008"),
    "2024-02-30 08:15": ("no date and time that exists", "write 2008"),
    "2024-03-01 24:01": ("no date and time that exists", "write 2008"),
    "2024-03-01T08:15:60Z": ("no time that exists", "write 2008"),
    "Mon, 01 Mar 2024 08:15:30 +0000": ("2024-03-01 is Friday", ""),
    "noon": ("is not a timestamp", "write 2008"),
    "45352.33": ("days since 1899-12-30", "write 2024-03-01"),
    "": ("is not a timestamp", "write 2008"),
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_has_no_single_reading_is_refused_with_its_way_out(text):
    says, way_out = REFUSED[text]
    with pytest.raises(NoTimeError) as caught:
        parse_instant(text)
    assert says in caught.value.message
    assert way_out in (caught.value.hint or "")


def test_the_order_of_day_and_month_can_be_said():
    for order, month in (("day", 3), ("month", 1)):
        found = parse_instant("1/3/2024 08:15", order=order).second
        assert dt.datetime.fromtimestamp(found, dt.UTC).month == month
    with pytest.raises(NoTimeError, match="no date"):
        parse_instant("25/3/2024", order="month")


def test_an_offset_is_a_zone_too():
    assert parse_instant("2024-03-01 17:15:30", "+09:00").second == MOMENT.timestamp()
