"""Believable exchanges: against all permutations of small zones, and what rules and notes say."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mixsafe
from mixsafe.errors import InputError
from mixsafe.extract.exchange import believable, continuations
from mixsafe.extract.exchange.continuations import Continuations
from mixsafe.extract.exchange.followed import Followed
from mixsafe.extract.exchange.movement import placed
from mixsafe.extract.exchange.relation import Related
from mixsafe.extract.exchange.rotation import Rotated
from mixsafe.extract.exchange.rules import ExchangeRules, with_rules
from mixsafe.extract.positions import positions
from mixsafe.extract.zones import mix_zones
from mixsafe.model.mobility.traces import Traces
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.movement.permutations import believe
from tests.support.crossings import crossing, zones_of


def model_of(zones: MixZones, traces: Traces) -> Continuations:
    whole = Rotated(zones, np.zeros(len(zones), bool), np.full(len(zones.members), -1))
    return Continuations.of(whole, placed(traces))


@st.composite
def crowds(draw: st.DrawFn) -> tuple[MixZones, Continuations]:
    """Zones of up to 7 members, with fixes around them."""
    n_users = draw(st.integers(2, 7))
    random = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    user = np.repeat(np.arange(n_users), 9)
    time = np.tile(np.arange(9) * 20, n_users) + random.integers(0, 9, 9 * n_users)
    # In the third minute all are in one cell; elsewhere they are where they like.
    place = random.normal(scale=1e-3, size=(len(user), 2))
    place[(time >= 60) & (time < 120)] = 1e-5
    traces = Traces(np.arange(n_users), user.astype(np.int32), time, "unix", *place.T,
                    center=(0.0, 0.0), window=(0, 180))  # fmt: skip
    zones = zones_of(traces)
    return zones, model_of(zones, traces)


def by_enumeration(likelihood: np.ndarray, share: float) -> np.ndarray:
    """Pairs of some permutation that is at least ``share`` times as likely as the likeliest."""
    size = len(likelihood)
    ways = np.array(list(itertools.permutations(range(size))))
    total = likelihood[np.arange(size), ways].sum(axis=1)
    found = np.eye(size, dtype=bool)
    for way in ways[total >= total.max() + np.log(share) - 1e-9]:
        found[np.arange(size), way] = True
    return found


@settings(max_examples=150)
@given(crowds(), st.sampled_from([0.001, 0.05, 0.2, 0.9, 1.0]))
def test_zones_allow_the_pairs_of_believable_permutations(
    crowd: tuple[MixZones, Continuations], share: float
) -> None:
    zones, model = crowd
    found = believable.believed(Related(zones), model, share).related.zones
    for zone, size in enumerate(zones.sizes.tolist()):
        place = zones.ptr[zone] + np.arange(size)
        one, other = np.repeat(place, size), np.tile(place, size)
        likelihood = model.log_likelihoods(one, other).reshape(size, size)
        allowed = np.ones((size, size), bool)
        if found.relation is not None:
            allowed = found.relation.matrix(zone, size)
        np.testing.assert_array_equal(allowed, by_enumeration(likelihood, share))


def test_people_who_drive_straight_on_cannot_be_confused() -> None:
    traces = crossing()
    zones = zones_of(traces)
    everything = with_rules(zones, ExchangeRules(), traces)
    believed = with_rules(zones, ExchangeRules(believable=0.05), traces)
    assert everything.zones.relation is None
    assert believed.n_apart > 0.9 * len(zones)
    assert "0.05 times as likely as the likeliest one" in believed.zones.notes[-1]


def test_without_a_share_nothing_changes() -> None:
    traces = crossing(6, 9)
    zones = zones_of(traces)
    assert with_rules(zones, ExchangeRules(believable=0.0), traces).zones is zones


def test_a_speed_and_a_belief_exclude_what_either_does() -> None:
    traces = crossing(20, 20)
    zones = zones_of(traces)
    speed, belief = ExchangeRules(max_speed=15), ExchangeRules(believable=0.05)
    both = with_rules(zones, replace(speed, believable=0.05), traces).zones.relation
    for rules in (speed, belief):
        one = with_rules(zones, rules, traces).zones.relation
        assert both is not None
        for zone, size in enumerate(zones.sizes.tolist()):
            allowed = one.matrix(zone, size) if one is not None else np.ones((size, size), bool)
            assert not (both.matrix(zone, size) & ~allowed).any()


def test_everybody_is_judged_by_other_people_at_other_times() -> None:
    """Neither by what one does oneself, nor by those in the same zone, whose ways are the other
    half of one's own."""
    traces = crossing()
    zones = zones_of(traces)
    model = model_of(zones, traces)
    table = model.models[-1]  # one feature, known where both fixes are
    known = (model.before.day >= 0) & (model.after.day >= 0)
    person, zone = zones.members % 16, zones.zone_of_member * 16 // len(zones)
    added = continuations._PRIOR * table.true[0].size
    for one in np.flatnonzero(known)[::37].tolist():
        learned_from = known & (person != person[one]) & (zone != zone[one])
        assert table.true[model.part[one]].sum() == learned_from.sum() + added
    mates = np.repeat(np.arange(len(zones)), zones.sizes)
    for mate in (np.flatnonzero(mates == here) for here in (0, len(zones) - 1)):
        assert len(np.unique(model.part[mate] % 16)) == 1


def test_beliefs_are_right_as_often_as_they_say() -> None:
    """Where a zone tells nearly nothing, above all: learned from zone-mates, people would be taken
    for each other more often than not."""
    traces = mixsafe.load(mixsafe.sample("cabs"))
    zones = mix_zones(positions(traces))
    belief, right = np.zeros(len(zones.members)), np.zeros(len(zones.members))
    for pairs in believable.zone_pairs(zones, model_of(zones, traces)):
        chances = np.zeros(len(pairs.excess))
        believe(pairs.excess, pairs.size, chances)
        own = pairs.one == pairs.other
        begin = np.flatnonzero(np.diff(pairs.one, prepend=-1))
        highest = np.maximum.reduceat(chances, begin)
        tied = np.isclose(chances, np.repeat(highest, np.repeat(pairs.size, pairs.size)))
        belief[pairs.one[own]] = highest
        right[pairs.one[own]] = tied[own] / np.add.reduceat(tied, begin)
    assert right.mean() == pytest.approx(belief.mean(), abs=0.005)
    unsure = (belief > 0.5) & (belief < 0.6)
    assert unsure.sum() > 400
    assert right[unsure].mean() == pytest.approx(belief[unsure].mean(), abs=0.04)


def test_few_continuations_are_taken_to_be_normal_and_a_note_says_so() -> None:
    traces = crossing(6, 9)
    zones = zones_of(traces)
    found = with_rules(zones, ExchangeRules(believable=0.05), traces).zones
    assert len(zones.members) < continuations.LEAST_TO_LEARN
    assert "too few to learn from: ways are taken to be normally distributed" in found.notes[-1]


def test_large_zones_are_left_as_they_are_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(believable, "MOST_MEMBERS", 1)
    traces = crossing(20, 20)
    zones = zones_of(traces)
    found = with_rules(zones, ExchangeRules(believable=0.05), traces).zones
    assert found.relation is None
    assert f"{len(zones)} mix zones have more than" in found.notes[-1]
    limited = with_rules(zones, ExchangeRules(max_speed=15), traces).zones
    both = with_rules(zones, ExchangeRules(max_speed=15, believable=0.05), traces).zones
    assert limited.relation is not None
    assert both.relation is not None
    np.testing.assert_array_equal(limited.relation.words, both.relation.words)


def test_rotations_allow_believable_pairs_of_everybody() -> None:
    """Everybody changes pseudonyms twice, kilometres apart: nobody takes one for another."""
    traces = crossing()
    rules = ExchangeRules(rotate="every:70min", meetings=False, believable=0.05)
    found = with_rules(zones_of(traces), rules, traces)
    assert found.zones.sizes.tolist() == [60]
    assert found.zones.relation is not None
    allowed = found.zones.relation.matrix(0, 60)
    assert 60 <= np.count_nonzero(allowed) < 60 * 60
    assert allowed.diagonal().all()


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_a_share_is_between_0_and_1(share: float) -> None:
    with pytest.raises(InputError, match="is not between 0 and 1"):
        ExchangeRules(believable=share)


def test_places_without_coordinates_are_refused() -> None:
    named = Traces(np.arange(2), np.array([0, 1], np.int32), np.array([60, 60]), "unix",
                   region=np.array([1, 1]), place_names=("a",))  # fmt: skip
    zones = mix_zones(positions(named))
    with pytest.raises(InputError, match="beliefs need coordinates"):
        with_rules(zones, ExchangeRules(believable=0.05), named)


def test_verdicts_are_about_believable_candidates() -> None:
    traces = crossing()
    possible = mixsafe.verify(traces, k=2)
    believed = mixsafe.verify(traces, k=2, rules=ExchangeRules(believable=0.05))
    shares = [one.summary["share_of_time_safe"] for one in (believed, possible)]
    assert shares[0] < shares[1]


def test_people_who_drive_straight_on_are_followed() -> None:
    traces = crossing()
    zones = zones_of(traces)
    followed = Followed.of(zones, traces)
    total = followed.total()
    assert total.zones == len(zones)
    assert total.named > 0.9 * total.members
    assert total.sure_right > 0.95 * total.sure > 0
    assert total.open == int(followed.open.sum()) > len(zones) / 2
    assert sum(numbers.zones for _, _, numbers in followed.by_size()) == total.zones
    assert followed.notes == ()


def test_people_who_go_anywhere_are_followed_by_chance() -> None:
    """Everybody is somewhere else before and after: members are named as by chance."""
    traces = crossing()
    zones = zones_of(traces)
    random = np.random.default_rng(1)
    lat, lon = (random.uniform(-0.1, 0.1, len(traces.time)) for _ in range(2))
    total = Followed.of(zones, replace(traces, lat=lat, lon=lon)).total()
    assert abs(total.named - total.zones) < 0.1 * total.members
    assert total.sure < 0.05 * total.members
