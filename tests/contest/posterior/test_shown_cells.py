"""Noise is estimated from a release alone, and what it leaves is neither more nor less."""

import numpy as np
import pytest

from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.base.score import reidentification
from mixsafe.contest.link_attack import LinkIds
from mixsafe.contest.obfuscations import (
    MergeAndHide,
    NoObfuscation,
    PlanarLaplace,
    RandomizedResponse,
)
from mixsafe.contest.posterior.guesses import (
    HabitTraces,
    MatchedIds,
    PosteriorIds,
    PosteriorTraces,
)
from mixsafe.contest.posterior.shown_cells import Noise, shown_alike
from mixsafe.contest.pseudonymizers import PSEUDONYMIZERS, SHUFFLE
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.synthesize.scenarios.town import town


@pytest.fixture(scope="module")
def few():
    """Eighty inhabitants: their original traces, and what is known of them."""
    region = town(80, days=4, random=np.random.default_rng(5)).region
    return TraceMatrix(region[:, 40:], 41), Reference(TraceMatrix(region[:, :40]), Rules())


def noise_of(few, method):
    original, known = few
    cells = method.anonymise(original, known.rules, np.random.RandomState(1))
    return Noise.of_release(known.habits, cells)


def test_the_part_of_true_cells_is_what_randomized_response_leaves(few):
    for epsilon in (5.0, 8.0):
        kept = np.exp(epsilon) / (np.exp(epsilon) + 1023)
        found = noise_of(few, RandomizedResponse(epsilon))
        assert found.same == pytest.approx(kept, abs=0.08)
        assert found.anywhere == pytest.approx(1 - kept, abs=0.1)


def test_laplace_noise_is_near_and_sets_and_unchanged_cells_have_none(few):
    near = noise_of(few, PlanarLaplace(4, 1))
    assert near.near > 0.5
    assert 0.15 <= near.scale_km <= 0.4
    assert near.anywhere < 0.1
    assert noise_of(few, MergeAndHide(1, 1, 0.1)).none
    unchanged = noise_of(few, NoObfuscation())
    assert unchanged.none
    assert unchanged.ratios(few[1].habits) is few[1].habits.ratio


def test_noise_of_a_scale_shows_regions_as_often_as_planar_laplace_noise_does():
    """Protects what is shown: the region where noise ends, not how far its centre is."""
    rules, draws = Rules(), 200_000
    middle = rules.regions.columns * (rules.regions.rows // 2) + rules.regions.columns // 2
    original = TraceMatrix(np.full((draws, 1), middle, np.int32))
    shown = PlanarLaplace(4, 1).shown(original, rules, np.random.RandomState(1))
    often = np.bincount(shown[:, 0], minlength=rules.regions.count) / draws
    expected = Noise(0.0, 0.0, 1.0, 0.25).kernel(rules.regions)[middle]
    assert np.abs(often - expected).sum() < 0.05


@pytest.mark.parametrize("near", [False, True])
def test_ratios_are_those_of_what_is_seen_and_average_to_one(few, near):
    """Over the crowd a likelihood ratio is 1 in the mean, whatever the noise."""
    habits = few[1].habits
    noise = Noise(0.5, 0.2, 0.3, 0.5) if near else Noise(0.5, 0.5)
    ratio = noise.ratios(habits)
    assert np.exp(ratio[:, :-1]).mean(axis=2) == pytest.approx(1, abs=1e-3)
    assert np.abs(ratio[:, :-1]).max() < np.abs(habits.ratio[:, :-1]).max()
    assert not ratio[:, -1].any()


def test_under_noise_beliefs_find_no_less_than_whole_tracks(few):
    """What nobody should lose by: cells that are noise speak against whoever showed them."""
    original, known = few
    found = {"POST": 0.0, "LINK": 0.0}
    for seed in range(3):
        random = np.random.default_rng(seed)
        cells = RandomizedResponse(6).anonymise(original, known.rules, random)
        table = PSEUDONYMIZERS[SHUFFLE].table(cells, random)
        for attacker in (PosteriorIds(0), LinkIds(0)):
            answer = attacker.attack(known, table.publish(cells), random)
            found[attacker.short] += 1 - reidentification(table, answer).value
    assert found["POST"] >= found["LINK"]


@pytest.mark.parametrize("exchanged", [0, 1])
def test_cells_that_are_all_noise_say_nothing(few, exchanged):
    """Protects the way past the search: guesses are those of habits, and nobody is named twice."""
    original, known = few
    cells = RandomizedResponse(0.1).anonymise(original, known.rules, np.random.RandomState(1))
    assert Noise.of_release(known.habits, cells).everything
    random = np.random.default_rng(1)
    answers = [
        one.attack(known, cells, random) for one in (PosteriorTraces(exchanged), HabitTraces())
    ]
    assert np.array_equal(*answers)
    assert PosteriorIds(exchanged).attack(known, cells, random).shape == (80, 40)[: 1 + exchanged]
    named = MatchedIds(exchanged).attack(known, cells, random).reshape(80, -1)
    assert np.array_equal(np.sort(named, axis=0), np.tile(np.arange(80)[:, None], named.shape[1]))


@pytest.mark.parametrize(
    "method", [MergeAndHide(1, 1, 0.2), RandomizedResponse(6.0), PlanarLaplace(4, 1)]
)
def test_held_out_days_are_shown_as_the_release_shows_its_own(few, method):
    original, known = few
    cells = method.anonymise(original, known.rules, np.random.RandomState(1))
    noise = Noise.of_release(known.habits, cells)
    alike = shown_alike(cells, noise, known.rules.regions, original.region)

    def kinds(shown):
        same = np.mean(shown.code == original.region)
        return same, np.mean(shown.code == shown.deleted), np.mean(shown.code > shown.deleted)

    assert kinds(alike) == pytest.approx(kinds(cells), abs=0.1)
    hidden = alike.code > alike.deleted
    ptr, member = alike.members_of(alike.code[hidden])
    cell = np.repeat(np.arange(hidden.sum()), np.diff(ptr))
    holds_it = member == original.region[hidden][cell]
    assert np.all(np.bincount(cell, holds_it, minlength=hidden.sum()) == 1)
