"""What mix zones allow, by how people move: against the definition, pair by pair."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.errors import InputError
from mixsafe.extract.exchange import relation as zone_relation
from mixsafe.extract.exchange.movement import at_speed, in_steps
from mixsafe.extract.exchange.rotation import Rotated, rotated
from mixsafe.extract.exchange.rules import ExchangeRules, with_rules
from mixsafe.extract.positions import positions
from mixsafe.extract.zones import mix_zones
from mixsafe.model.mobility.traces import Traces
from mixsafe.model.question.mix_zones import MixZones

RADIUS = 6_371_008.8


@st.composite
def moving(draw: st.DrawFn) -> Traces:
    """Up to five people on a line of cells, with a fix now and then, some of them jumping."""
    n_users = draw(st.integers(2, 5))
    cells = st.integers(0, 3)
    fixes = sorted(
        {
            (user, draw(st.integers(0, 359))): draw(cells)
            for user in range(n_users)
            for _ in range(draw(st.integers(1, 6)))
        }.items()
    )
    (user, time), cell = np.array([key for key, _ in fixes]).T, np.array([c for _, c in fixes])
    lat, lon = np.full(len(fixes), 48.0), 11.0 + 0.004 * cell + 0.0001 * (time % 7)
    return Traces(np.arange(n_users), user.astype(np.int32), time, "unix", lat, lon,
                  center=(48.0, 11.01), window=(0, 360))  # fmt: skip


def way(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Metres between two points, latitude and longitude (haversine)."""
    (lat, lon), (other, east) = (tuple(map(math.radians, one)) for one in (a, b))
    half = math.sin((other - lat) / 2) ** 2
    half += math.cos(lat) * math.cos(other) * math.sin((east - lon) / 2) ** 2
    return 2 * RADIUS * math.asin(math.sqrt(half))


def fixes_of(traces: Traces, user: int) -> list[tuple[int, tuple[float, float]]]:
    mine = np.flatnonzero(traces.user == user)
    return [(int(traces.time[i]), (float(traces.lat[i]), float(traces.lon[i]))) for i in mine]


class Stretch(NamedTuple):
    """Fixes count that come before and after an exchange, from the last rotation to the next."""

    until: int
    since: int
    rotated: int
    rotates: int


def may(traces: Traces, a: int, b: int, at: Stretch, speed: float, error: float) -> bool:
    """Whether somebody can come on the track of a and leave on that of b, by the definition."""
    before = [fix for fix in fixes_of(traces, a) if at.rotated <= fix[0] < at.until]
    after = [fix for fix in fixes_of(traces, b) if at.since <= fix[0] < at.rotates]
    if a == b or not before or not after:
        return True
    (left, place), (came, other) = before[-1], after[0]
    return way(place, other) <= speed / 3.6 * (came - left + 1) + 2 * error


def allowed(zones: MixZones, z: int) -> set[tuple[int, int]]:
    members = zones.members[zones.ptr[z] : zones.ptr[z + 1]].tolist()
    size = len(members)
    matrix = np.ones((size, size), bool)
    if zones.relation is not None:
        matrix = zones.relation.matrix(z, size)
    return {(a, b) for i, a in enumerate(members) for j, b in enumerate(members) if matrix[i, j]}


@given(traces=moving(), data=st.data())
def test_pairs_are_those_of_the_definition(traces: Traces, data: st.DataObject) -> None:
    speed, error = (
        data.draw(st.sampled_from([1.0, 15.0, 60.0])),
        data.draw(st.sampled_from([0, 40])),
    )
    zones = mix_zones(positions(traces, cell_size=200.0))
    steps = np.array(sorted(data.draw(st.sets(st.integers(2, 6), max_size=2))), np.int64)
    found = rotated(zones, steps)
    made = zone_relation.related(found, at_speed(traces, speed, error))
    met = {(int(zones.time[z]), u): z for z, u in zip(zones.zone_of_member, zones.members,
                                                      strict=True)}  # fmt: skip
    for z in range(len(made.zones)):
        step = int(made.zones.time[z])
        begin = 60 * (step - 1)
        rotation = bool(found.rotation[z])
        rotations = [-1, *(60 * (one - 1) for one in steps.tolist()), 10**6]
        last = max(one for one in rotations if one < begin)
        following = min(one for one in rotations if one > begin)
        at = Stretch(begin, begin if rotation else begin + 60, last, following)
        members = made.zones.members[made.zones.ptr[z] : made.zones.ptr[z + 1]].tolist()
        expected = {
            (a, b)
            for a in members
            for b in members
            if may(traces, a, b, at, speed, error)
            or (rotation and (step, a) in met and met[step, a] == met.get((step, b)))
        }
        assert allowed(made.zones, z) == expected
    assert made.n_restricted == sum(
        len(allowed(made.zones, z)) < size**2 for z, size in enumerate(made.zones.sizes.tolist())
    )


@given(traces=moving(), speed=st.sampled_from([1.0, 15.0]))
def test_parts_of_a_zone_are_those_between_which_nothing_leads_there_and_back(traces, speed):
    zones = mix_zones(positions(traces, cell_size=200.0))
    made = zone_relation.related(_meetings(zones), at_speed(traces, speed))
    apart = alone = 0
    for z, size in enumerate(zones.sizes.tolist()):
        members = zones.members[zones.ptr[z] : zones.ptr[z + 1]].tolist()
        leads = {a: {a} for a in members}
        for _ in range(size):
            for a, b in allowed(made.zones, z):
                for to in leads.values():
                    to |= {b} if a in to else set()
        parts = {frozenset(b for b in leads[a] if a in leads[b]) for a in members}
        apart += len(parts) > 1
        alone += sum(len(part) == 1 for part in parts)
    assert (made.n_apart, made.n_alone) == (apart, alone)


def _meetings(zones: MixZones) -> Rotated:
    return Rotated(zones, np.zeros(len(zones), bool), np.full(len(zones.members), -1))


@pytest.fixture
def pair() -> Traces:
    """Two who cross at noon: one from the west to the east in two minutes, one back again."""
    time = np.tile(np.array([0, 60, 120]), 2)
    lon = np.array([11.00, 11.01, 11.02, 11.02, 11.01, 11.02])
    return Traces(np.array([4, 5]), np.repeat(np.arange(2, dtype=np.int32), 3), time, "unix",
                  np.full(6, 48.0), lon)  # fmt: skip


def test_a_way_that_is_too_fast_is_allowed_counted_and_named(pair: Traces) -> None:
    zones = mix_zones(positions(pair, cell_size=100.0))
    made = zone_relation.related(_meetings(zones), at_speed(pair, 20.0))
    assert allowed(made.zones, 0) == {(0, 0), (1, 1), (1, 0)}
    assert made.n_jumps == 1
    assert (made.fastest.row, made.fastest.step, made.fastest.time) == (0, 2, 120)
    assert made.fastest.way == pytest.approx(1488, abs=2)
    said = " ".join(with_rules(zones, ExchangeRules(max_speed=20), pair).zones.notes)
    assert "1 memberships lie on a way that is not possible within 20 km/h" in said
    assert "user 4 through the mix zone at 1970-01-01T00:01:00+00:00, 1488 m in 120 s" in said


def test_a_fix_in_the_next_mix_zone_may_be_that_of_another_track(pair: Traces) -> None:
    """In the next mix zone, nobody knows who of those who are there is on a track."""
    together = replace(pair, lon=np.array([11.00, 11.01, 11.02, 11.02, 11.01, 11.02]))
    zones = _meetings(mix_zones(positions(together, cell_size=100.0)))
    assert zones.zones.time.tolist() == [2, 3]
    movement = at_speed(together, 20.0)
    people = zone_relation.related(zones, movement).zones
    tracks = zone_relation.related(zones, movement, tracks=True).zones
    assert people.relation is not None
    assert allowed(tracks, 0) == {(a, b) for a in (0, 1) for b in (0, 1)}


def test_who_jumps_stays_if_asked_for(pair: Traces) -> None:
    zones = _meetings(mix_zones(positions(pair, cell_size=100.0)))
    made = zone_relation.related(zones, at_speed(pair, 20.0), jumpers_stay=True).zones
    assert allowed(made, 0) == {(0, 0), (1, 1)}


def test_the_error_of_a_fix_counts_at_both_ends(pair: Traces) -> None:
    zones = mix_zones(positions(pair, cell_size=100.0))
    near = 1488 - 20 / 3.6 * 121
    for error, free in ((near / 2 - 5, False), (near / 2 + 5, True)):
        made = zone_relation.related(_meetings(zones), at_speed(pair, 20.0, error))
        assert (made.zones.relation is None) == free


def test_everybody_has_a_speed_or_all_have_one(pair: Traces) -> None:
    zones = mix_zones(positions(pair, cell_size=100.0))
    by_name = with_rules(zones, ExchangeRules(max_speed={"4": 20, 5: 20}), pair).zones
    assert by_name.relation is not None
    assert with_rules(zones, ExchangeRules(max_speed={4: 20}), pair).zones.relation is None


def test_regions_are_as_far_apart_as_on_the_contests_grid_and_nights_are_long() -> None:
    """Both come from region 1; 34 is one further north and east, 3 is two further east."""

    def walk(last: int, at: int) -> Traces:
        region = np.array([1, 9, 34, 1, 9, last])
        time = np.tile(np.array([at, at + 1, at + 2]), 2)
        return Traces(np.array([1, 2]), np.repeat(np.arange(2, dtype=np.int32), 3), time,
                      "time_id", region=region)  # fmt: skip

    def relation(last: int, at: int, regions: float) -> bool:
        traces = walk(last, at)
        zones = mix_zones(positions(traces))
        zones = replace(zones, time=zones.time[1:2], ptr=np.array([0, 2]),
                        members=np.array([0, 1], np.int32), place=None)  # fmt: skip
        movement = in_steps(traces, regions, 20)
        return zone_relation.related(_meetings(zones), movement).zones.relation is not None

    assert not relation(34, 3, 0.5)
    assert not relation(3, 3, 1.0)
    assert relation(3, 3, 0.9)
    assert not relation(3, 19, 0.9)  # the last one is the next morning


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"max_speed": 0.0}, "not above 0"),
        ({"max_speed": -5.0}, "not above 0"),
        ({"max_speed": 5.0, "error": -1.0}, "not a distance"),
        ({"max_step": 2.0}, "needs regions and numbered times"),
    ],
)
def test_limits_that_do_not_fit_are_refused(pair: Traces, rules: dict, message: str) -> None:
    zones = mix_zones(positions(pair, cell_size=100.0))
    with pytest.raises(InputError, match=message):
        with_rules(zones, ExchangeRules(**rules), pair)


def test_rules_that_exclude_each_other_are_refused() -> None:
    with pytest.raises(InputError, match="not by both"):
        ExchangeRules(max_speed=5.0, max_step=1.0)
    with pytest.raises(InputError, match="neither at mix zones nor at scheduled times"):
        ExchangeRules(meetings=False)
    with pytest.raises(InputError, match="not a schedule"):
        ExchangeRules(rotate="sometimes")


def test_mix_zones_alone_do_not_say_how_people_move(pair: Traces) -> None:
    zones = mix_zones(positions(pair, cell_size=100.0))
    with pytest.raises(InputError, match="from traces only"):
        with_rules(zones, ExchangeRules(max_speed=5.0))


def test_too_many_pairs_are_refused(pair: Traces, monkeypatch: pytest.MonkeyPatch) -> None:
    zones = mix_zones(positions(pair, cell_size=100.0))
    monkeypatch.setattr(zone_relation, "MOST_PAIRS", 3)
    with pytest.raises(InputError, match="too many pairs to compare"):
        with_rules(zones, ExchangeRules(max_speed=5.0), pair)
