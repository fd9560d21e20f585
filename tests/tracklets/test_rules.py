"""Rules never exclude what happened, and those that would are named by the truth."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mixsafe.errors import InputError
from mixsafe.io.gbfs.reading import read_feed
from mixsafe.model.tracklets import Moments, Tracklets
from mixsafe.tracklets.rules import (
    ComparedTracklets,
    LinkRules,
    TrackletPairs,
    check_rules,
    rules_of,
    true_links,
)
from tests.support.feeds import random_fleet, write_lines

ALL = ("type", "battery", "range", "uri")


@given(seed=st.integers(0, 10**6), missed=st.integers(0, 2))
def test_no_rule_excludes_a_ride(tmp_path_factory, seed, missed):
    path = write_lines(tmp_path_factory.mktemp("fleet") / "feed.jsonl", *random_fleet(seed))
    try:
        tracklets = read_feed(path, truth="truth", missed_polls=missed).tracklets
    except InputError:  # fewer than two vehicles were seen
        assume(False)
    for one in check_rules(tracklets, LinkRules(fields=ALL)):
        assert one.sound, one
        assert one.of == len(true_links(tracklets))


def two(**fields: tuple[float, float]) -> Tracklets:
    """An end at time 100 or up to 160, 1 km south of a beginning at time 400, from 340 on."""

    def moments(begins: bool, side: int, times: tuple[list[int], list[int]]) -> Moments:
        return Moments(
            *(np.array(one) for one in times),
            lat=np.array([52.5, 52.5 + 1 / 111.195]),
            lon=np.full(2, 13.4),
            cut=np.array([begins, not begins]),
            fields={name: np.full(2, values[side], float) for name, values in fields.items()},
        )

    return Tracklets(
        np.array(["e", "b"]),
        moments(True, 1, ([0, 340], [0, 400])),
        moments(False, 0, ([100, 900], [160, 900])),
        (0, 900),
        np.array([0, 0]),
    )


def excluded(tracklets: Tracklets, **rules) -> list[str]:
    """Names of the rules that exclude the link from e to b."""
    pairs = TrackletPairs(ComparedTracklets(tracklets), np.array([0]), np.array([1]))
    found = rules_of(tracklets, LinkRules(**rules))
    assert all(one.sentence.endswith(".") for one in found)
    return [one.name for one in found if not one.allows(pairs)[0]]


@pytest.mark.parametrize(
    ("rules", "names"),
    [
        ({}, []),
        # between 180 and 300 s
        ({"min_gap": 300}, []),
        ({"min_gap": 301}, ["time"]),
        ({"max_gap": 180}, []),
        ({"max_gap": 179}, ["time"]),
        # 1,000 m in 300 s are 12 km/h, and 11.5 km/h with an error of 20 m at both ends
        ({"max_speed": 12.01, "error": 0}, []),
        ({"max_speed": 11.99, "error": 0}, ["speed"]),
        ({"max_speed": 11.53, "error": 20}, []),
        ({"max_speed": 11.51, "error": 20}, ["speed"]),
    ],
)
def test_times_and_speeds_are_exact(rules, names):
    assert excluded(two(), **rules) == names


@pytest.mark.parametrize(
    ("battery", "rules", "names"),
    [
        ((0.5, 0.5), {}, []),
        ((0.5, 0.55), {}, []),
        ((0.5, 0.56), {}, ["battery"]),
        ((0.5, np.nan), {}, []),
        ((0.5, 0.56), {"battery_tolerance": 0.1}, []),
        ((0.5, 0.9), {"recharge_after": 300}, []),
        ((0.5, 0.9), {"recharge_after": 301}, ["battery"]),
        ((0.5, 0.9), {"recharge_after": 60, "recharge_rate": 4.3}, []),
        ((0.5, 0.9), {"recharge_after": 60, "recharge_rate": 4.1}, ["battery"]),
        ((0.5, 0.9), {"fields": ()}, []),
    ],
)
def test_a_battery_rises_only_where_it_may(battery, rules, names):
    assert excluded(two(battery=battery), **rules) == names


def test_a_range_rises_by_a_tolerance():
    assert excluded(two(range=(5000, 6000))) == []
    assert excluded(two(range=(5000, 6001))) == ["range"]
    assert excluded(two(range=(5000, 9000)), recharge_after=60) == []


def test_equal_fields_are_compared_on_request():
    tracklets = two(uri=(1, 2), last_reported=(7, 8), colour=(3, 4))
    assert excluded(tracklets) == []
    assert excluded(tracklets, fields=("uri",)) == ["uri"]
    assert excluded(tracklets, fields=("last_reported", "colour")) == ["last_reported", "colour"]
    assert excluded(two(uri=(1, np.nan), type=(1, 1)), fields=("uri", "type")) == []


def test_unknown_places_exclude_nothing():
    tracklets = two()
    tracklets.ends.lat[:] = np.nan
    assert excluded(tracklets, max_speed=0, error=0) == []


def test_a_rule_that_excludes_rides_is_named():
    found = {one.name: one for one in check_rules(two(battery=(0.5, 0.9)), LinkRules())}
    assert found["battery"].excluded == found["battery"].of == 1
    assert not found["battery"].sound
    assert found["time"].sound
    # Wilson's interval for 1 of 1
    assert (found["battery"].low, found["battery"].high) == pytest.approx((0.2065, 1), abs=1e-3)


def test_two_identifiers_of_a_vehicle_at_once_are_refused():
    tracklets = two()
    tracklets.ends.earliest[0] = tracklets.ends.latest[0] = 400
    with pytest.raises(InputError, match="'e' and 'b' are of one vehicle"):
        true_links(tracklets)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"max_speed": -1}, "max speed: -1"),
        ({"error": float("nan")}, "error: nan"),
        ({"min_gap": 9, "max_gap": 8}, "the longest time between two tracklets, 8 s"),
        ({"fields": ("station",)}, "a ride changes the field 'station'"),
        ({"fields": ("colour",)}, "no record has the field 'colour'"),
    ],
)
def test_rules_that_make_no_sense_are_refused(rules, message):
    with pytest.raises(InputError, match=message):
        rules_of(two(), LinkRules(**rules))
