"""A fleet of shared vehicles: nothing is at two places, nobody flies, ids follow their rule."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mixsafe.errors import InputError
from mixsafe.geometry.grid import EARTH_RADIUS
from mixsafe.model.tracklets import FleetFeed, FleetReports
from mixsafe.synthesize.sharing.shared_fleet import (
    FIRST_SECOND,
    HEARTBEAT,
    TYPES,
    FleetSettings,
    shared_fleet,
)

SMALL = FleetSettings(vehicles=80, days=2, turnover=0.05)


def made(**changes: object) -> FleetFeed:
    return shared_fleet(replace(SMALL, **changes), seed=7)


def by_vehicle(feed: FleetFeed) -> FleetReports:
    """Reports of a vehicle after those of another one, each in order of time."""
    return feed.reports.take(np.lexsort((feed.reports.since, feed.reports.vehicle)))


def metres(reports: FleetReports) -> np.ndarray:
    """From each report to the next one, as the crow flies."""
    lat, lon = np.deg2rad(reports.lat), np.deg2rad(reports.lon)
    north, east = np.diff(lat), np.diff(lon) * np.cos(lat[:-1])
    return EARTH_RADIUS * np.hypot(north, east)


@pytest.mark.parametrize("depot", [False, True])
def test_a_vehicle_is_at_one_place_at_a_time_and_keeps_its_type(depot: bool) -> None:
    reports = by_vehicle(made(depot=depot))
    same = np.diff(reports.vehicle) == 0
    assert np.all(reports.since[1:][same] >= reports.until[:-1][same])
    assert np.all(np.diff(reports.kind)[same] == 0)
    assert np.all(reports.since < reports.until)
    assert reports.since.min() == FIRST_SECOND
    assert reports.until.max() == FIRST_SECOND + 2 * 86_400
    assert np.max(reports.until - reports.since) <= HEARTBEAT


def test_as_many_vehicles_as_asked_are_parked_at_night_and_fewer_when_people_ride() -> None:
    reports = made(turnover=0.0).reports

    def parked(hour: float) -> int:
        at = FIRST_SECOND + int(hour * 3600)
        return int(((reports.since <= at) & (at < reports.until)).sum())

    assert parked(0) == 80
    assert 70 <= parked(27) <= 80
    assert np.unique(reports.vehicle).size == 80
    assert min(parked(hour) for hour in np.arange(16, 19, 0.25)) < 78


def test_a_vehicle_that_leaves_for_good_is_replaced_by_another() -> None:
    feed = made(turnover=0.5)
    gone = feed.n_vehicles - 80
    assert 40 <= gone <= 120
    last = np.zeros(feed.n_vehicles, np.int64)
    np.maximum.at(last, feed.reports.vehicle, feed.reports.until)
    ended = int((last[:80] < FIRST_SECOND + 86_400).sum())
    assert ended > 10


def test_nobody_is_faster_than_the_fastest_and_no_ride_takes_over_two_hours() -> None:
    reports = by_vehicle(made())
    moved = (np.diff(reports.vehicle) == 0) & (np.diff(reports.identifier) != 0)
    gap = (reports.since[1:] - reports.until[:-1])[moved]
    assert gap.min() >= 60
    assert gap.max() <= 7200
    assert np.all(metres(reports)[moved] <= 24 / 3.6 * gap + 40)
    assert np.median(metres(reports)[moved]) > 500
    stayed = (np.diff(reports.vehicle) == 0) & ~moved
    assert metres(reports)[stayed].max() <= 2 * np.hypot(8, 8) + 1


def test_batteries_fall_with_the_way_and_rise_only_when_somebody_changes_them() -> None:
    reports = by_vehicle(made())
    rise = np.diff(reports.battery)
    electric = np.array([one.max_range is not None for one in TYPES])[reports.kind]
    assert np.array_equal(np.isnan(reports.battery), ~electric)
    moved = (np.diff(reports.vehicle) == 0) & (np.diff(reports.identifier) != 0)
    assert not np.any(rise[moved] > 0)
    ridden = moved & electric[1:]
    longest = np.array([one.max_range or 1 for one in TYPES])[reports.kind[1:]]
    used, way = -rise[ridden] * longest[ridden], metres(reports)[ridden]
    by_van = used == 0
    assert 0 < by_van.mean() < 0.1
    assert np.all(used[~by_van] >= 0.85 * (way[~by_van] - 25) - 1)
    swapped = np.flatnonzero(rise > 0)
    swapped = swapped[np.diff(reports.vehicle)[swapped] == 0]
    assert len(swapped) > 3
    assert reports.disabled[swapped].all()
    assert (reports.battery[swapped + 1] == 1).all()
    assert reports.battery[~reports.disabled & electric].min() >= 0.15 - 1e-9


def test_in_a_depot_empty_vehicles_are_gone_for_hours_and_come_back_full_with_another_id() -> None:
    reports = by_vehicle(made(depot=True, rides=8.0))
    rose = np.flatnonzero((np.diff(reports.battery) > 0) & (np.diff(reports.vehicle) == 0))
    assert len(rose) > 3
    gap = reports.since[rose + 1] - reports.until[rose]
    assert gap.min() >= 3 * 3600
    assert (np.diff(reports.identifier)[rose] != 0).all()


def test_ids_change_after_each_trip_and_only_then() -> None:
    reports = by_vehicle(made())
    same = np.diff(reports.vehicle) == 0
    gone = reports.since[1:] > reports.until[:-1]
    np.testing.assert_array_equal(np.diff(reports.identifier)[same] != 0, gone[same])
    owners = {}
    for one, vehicle in zip(reports.identifier.tolist(), reports.vehicle.tolist(), strict=True):
        assert owners.setdefault(one, vehicle) == vehicle


def test_ids_that_never_change_are_the_vehicles() -> None:
    reports = made(rotate="never").reports
    np.testing.assert_array_equal(reports.identifier, reports.vehicle)


def test_by_a_schedule_all_ids_change_at_its_times_and_at_no_other() -> None:
    reports = by_vehicle(made(rotate="every:6h"))
    assert not np.any(
        (reports.since - FIRST_SECOND) // 21_600 < (reports.until - 1 - FIRST_SECOND) // 21_600
    )
    epoch = (reports.since - FIRST_SECOND) // 21_600
    same = np.diff(reports.vehicle) == 0
    changed = np.diff(reports.identifier) != 0
    np.testing.assert_array_equal(changed[same], np.diff(epoch)[same] != 0)


def test_the_rule_of_rotation_changes_nothing_else() -> None:
    one, two = made().reports, made(rotate="never").reports
    for name in ("since", "until", "lat", "lon", "battery", "vehicle"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


def test_the_time_stamp_that_is_kept_survives_most_trips() -> None:
    fresh, kept = by_vehicle(made()), by_vehicle(made(keep=("last_reported",)))
    np.testing.assert_array_equal(fresh.last_reported, fresh.since)
    moved = (np.diff(kept.vehicle) == 0) & (np.diff(kept.identifier) != 0)
    assert np.mean(np.diff(kept.last_reported)[moved] == 0) > 0.9
    assert np.all(kept.last_reported <= kept.since)
    assert np.all(kept.last_reported > kept.since - 2 * 86_400)


def test_names_are_of_one_identifier_each() -> None:
    feed = made()
    names = feed.names(np.arange(100_000))
    assert len(set(names)) == 100_000
    assert {len(name) for name in names} == {16}
    assert feed.names(np.array([5])) == [names[5]]


@pytest.mark.parametrize(
    "wrong",
    [
        {"vehicles": 0},
        {"days": 0},
        {"area": 0.0},
        {"rides": float("nan")},
        {"poll": 0},
        {"rotate": "sometimes"},
        {"rotate": "every:30d"},
        {"keep": ("battery",)},
        {"turnover": 2.0},
    ],
)
def test_settings_that_make_no_fleet_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError):
        replace(SMALL, **wrong)
