"""What is told of mix zones at once: the same as of all of them, or an honest sample."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mixsafe
from mixsafe.extract.exchange.continuations import Continuations, counted_fixes
from mixsafe.extract.exchange.follow_sample import SampleSizes, _counted, _learned, follow_sample
from mixsafe.extract.exchange.followed import Followed
from mixsafe.extract.exchange.movement import placed
from mixsafe.extract.exchange.rotation import Rotated
from mixsafe.extract.exchange.rules import ExchangeRules, with_rules
from mixsafe.model.csr import ranges
from mixsafe.model.mobility.traces import Traces
from mixsafe.model.question.mix_zones import MixZones
from tests.support.crossings import crossing, zones_of


@pytest.fixture(scope="module")
def cabs() -> tuple[MixZones, Traces]:
    traces = mixsafe.load(mixsafe.sample("cabs"))
    return mixsafe.mix_zones(mixsafe.positions(traces)), traces


def test_of_small_data_all_zones_and_all_people_are_followed(
    cabs: tuple[MixZones, Traces],
) -> None:
    zones, traces = cabs
    found = follow_sample(Rotated.never(zones), zones, traces)
    assert found is not None
    whole = Followed.of(zones, traces)
    assert found.total == whole.total()
    assert not found.sampled
    assert found.people is not None
    np.testing.assert_array_equal(found.people.row, np.arange(zones.n_users))
    order = np.argsort(zones.members, kind="stable")
    np.testing.assert_array_equal(found.people.member, zones.members[order])
    np.testing.assert_array_equal(found.people.step, zones.time[zones.zone_of_member[order]])
    np.testing.assert_array_equal(found.people.belief, whole.own[order])


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1 << 32), st.booleans())
def test_the_fixes_around_some_zones_are_those_around_all(seed: int, rotate: bool) -> None:
    """Which fixes count, which are near, and how often they are made: no zone that is left out
    changes it."""
    traces = crossing(8, 6, seed % 100)
    zones, random = zones_of(traces), np.random.default_rng(seed)
    rules = ExchangeRules(rotate="every:15min") if rotate else ExchangeRules(max_speed=200)
    found = with_rules(zones, rules, traces).possible
    assert found is not None
    chosen = np.flatnonzero(random.random(len(found.zones)) < 0.4)
    members = ranges(found.zones.ptr[chosen], found.zones.sizes[chosen])
    for one, other in zip(counted_fixes(found), _counted(found, members), strict=True):
        np.testing.assert_array_equal(one[members], other)
    _, some = _learned(found, chosen, traces, 20, SampleSizes(), random)
    whole = Continuations.of(found, placed(traces))
    for one, other in ((whole.before, some.before), (whole.after, some.after)):
        np.testing.assert_array_equal(one.day[members], other.day)
        known = other.day >= 0
        for name in ("time", "point", "velocity"):
            np.testing.assert_array_equal(
                getattr(one, name)[members][known], getattr(other, name)[known]
            )
    assert (whole.interval, whole.pace) == (some.interval, some.pace)


def test_a_sample_is_near_the_whole_and_always_the_same(cabs: tuple[MixZones, Traces]) -> None:
    zones, traces = cabs
    sizes = SampleSizes(zones=400, pairs=4000, fixes=3000)
    one, again = (follow_sample(Rotated.never(zones), zones, traces, sizes=sizes) for _ in range(2))
    assert one is not None
    assert again is not None
    assert one.total == again.total
    assert one.sampled
    whole = Followed.of(zones, traces).total()
    assert one.total.zones < 400
    assert one.total.named / one.total.members == pytest.approx(
        whole.named / whole.members, abs=0.08
    )
    assert one.total.open / one.total.zones == pytest.approx(whole.open / whole.zones, abs=0.1)
    assert one.people is not None
    assert 0 < len(one.people.row) < zones.n_users
    assert set(one.people.member.tolist()) <= set(one.people.row.tolist())
    n_zones = np.bincount(zones.members, minlength=zones.n_users)  # of each person all zones
    np.testing.assert_array_equal(
        np.bincount(one.people.member, minlength=zones.n_users)[one.people.row],
        n_zones[one.people.row],
    )


def test_zones_that_hide_are_those_that_allow_an_exchange(cabs: tuple[MixZones, Traces]) -> None:
    zones, traces = cabs
    believed = with_rules(zones, ExchangeRules(believable=0.05), traces)
    assert believed.possible is not None
    found = follow_sample(believed.possible, believed.zones, traces, believable=0.05)
    assert found is not None
    relation = believed.zones.relation
    assert relation is not None
    matrices = [relation.matrix(zone, size) for zone, size in enumerate(zones.sizes.tolist())]
    assert found.hiding == sum(
        bool((one & ~np.eye(len(one), dtype=bool)).any()) for one in matrices
    )
    assert 0 < found.hiding < len(zones)
    assert found.people is not None
    stay = np.concatenate([one.sum(axis=1) == 1 for one in matrices])  # all pairs are of some way
    order = np.argsort(zones.members, kind="stable")
    np.testing.assert_array_equal(found.people.alone, stay[order])
    # Beliefs are about all that is possible: what is counted does not change them.
    assert found.total == Followed.of(zones, traces).total()


def test_nothing_is_told_where_nobody_knows_how_far_places_are(
    cabs: tuple[MixZones, Traces],
) -> None:
    zones, traces = cabs
    nowhere = replace(traces, lat=None, lon=None, region=np.ones(len(traces.user), np.int64))
    assert follow_sample(Rotated.never(zones), zones, nowhere) is None
    assert mixsafe.pose(zones).followed is None


def test_numbers_of_other_zones_are_not_those_of_a_problem(cabs: tuple[MixZones, Traces]) -> None:
    problem = mixsafe.pose(cabs[1])
    assert problem.zones_followed is problem.followed is not None
    other = replace(problem, zones=replace(problem.zones, notes=()))
    assert other.zones_followed is None
    assert mixsafe.pose(cabs[1], followed=False).followed is None
