"""Smoothed tracks, against sums over all homes and all paths of small cases."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.contest.base import people as homes_module
from mixsafe.contest.base.people import CHAIN, CHAIN_FIRST, Homes, Weights
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.base.score import reidentification, trace_inference
from mixsafe.contest.obfuscations import MergeAndHide, PlanarLaplace
from mixsafe.contest.posterior import smoothing
from mixsafe.contest.posterior.beliefs import _track_evidence, noise_in
from mixsafe.contest.posterior.guesses import PosteriorIds, PosteriorTraces
from mixsafe.contest.posterior.shown_cells import Noise
from mixsafe.contest.posterior.smoothing import (
    LEAST_PART,
    SmoothedTracks,
    track_regions,
    user_regions,
)
from mixsafe.contest.pseudonymizers import PSEUDONYMIZERS, SHUFFLE
from mixsafe.model.mobility.complete_traces import Regions, TraceMatrix
from mixsafe.model.release import Cells

REGIONS = 3
RULES = Rules(Regions(1, REGIONS, 35.65, 139.68, 0.003, 0.004, np.zeros(REGIONS, bool)), 3, 1)
NO_NOISE = Noise(1.0, 0.0)
NOISE = Noise(0.6, 0.1, 0.3, 0.25)
SEEDS = st.integers(0, 2**32 - 1)


def dense(size, region, mass, n_regions):
    """What is known of some regions as (n, n_regions)."""
    found = np.zeros((len(size), n_regions), np.float32)
    found[np.repeat(np.arange(len(size)), size), region] = mass
    return found


def table_of(regions, n_regions=REGIONS):
    """Regions of tracks as (n_tracks, n_regions)."""
    ptr, region, share = regions
    return dense(np.diff(ptr), region, share, n_regions)


def a_release(random, columns):
    """Four tracks of regions, deleted cells (3) and sets of two regions (4, 5); their steps."""
    code = random.integers(REGIONS + 3, size=(4, len(columns))).astype(np.int32)
    ptr, member = np.array([0, 2, 4]), np.array([0, 1, 1, 2], np.int32)
    return Cells(code, REGIONS, ptr, member), np.array(columns) % 3


def shown(release, kernel, content, here):
    """Probability of a content at a region, up to a factor of the content."""
    if content < REGIONS:
        return kernel[here, content]
    if content == release.deleted:
        return 1.0
    first = release.ptr[content - REGIONS - 1]
    return float(here in release.member[first : first + 2])


def path_chance(homes, release, kernel, track, columns, path, skipped):
    """How likely a path goes on from its first region, and shows what the track shows."""
    likely = 1.0
    for at, here in enumerate(path):
        if at:
            stay = float(homes.stays[at - 1])
            likely *= stay * (path[at - 1] == here) + (1 - stay) * homes.moves[path[at - 1], here]
        if at >= skipped:
            content = release.code[track, columns[at - skipped]]
            likely *= shown(release, kernel, content, here)
    return likely


def by_all_paths(homes, release, kernel, track, days, step):
    """Of one track: (n_steps, n_regions) where it is, and likelihoods of days by first region."""
    chance = np.zeros((len(days), REGIONS, release.n_steps, REGIONS))  # day, home, step, region
    first = np.zeros((len(days), REGIONS))
    for day, columns in enumerate(days):
        for path in product(range(REGIONS), repeat=step[columns[-1]] + 1):
            likely = path_chance(homes, release, kernel, track, columns, path, step[columns[0]])
            first[day, path[0]] += likely
            for column in columns:
                chance[day, :, column, path[step[column]]] += homes.morning[:, path[0]] * likely
    by_home = np.array([one[:, days[day][0]].sum(axis=1) for day, one in enumerate(chance)])
    where = np.zeros((release.n_steps, REGIONS))
    for day, columns in enumerate(days):
        home = homes.prior.astype(float)
        for other, others in enumerate(days):
            # A day that is not shown from its first step says nothing of homes.
            if other != day and step[others[0]] == 0:
                home = home * by_home[other]
        for column in columns:
            likely = home @ chance[day, :, column]
            where[column] = likely / likely.sum()
    return where, first


@given(SEEDS, st.sampled_from([NO_NOISE, NOISE]), st.sampled_from([0, 1]))
@settings(max_examples=10, deadline=None)
def test_smoothing_is_a_sum_over_all_homes_and_all_paths(seed, noise, skipped):
    """Protects the two sweeps: days that share a home, sets, deletions, noise, a cut first day."""
    random = np.random.default_rng(seed)
    known = random.integers(REGIONS, size=(4, 6)).astype(np.int32)
    homes = Homes.learn(known, np.tile(np.arange(3), 2), RULES)
    release, step = a_release(random, range(skipped, 6))
    kernel = noise.kernel(RULES.regions)
    found = SmoothedTracks.of_release(release, kernel, homes, step)
    days = [list(range(3 - skipped)), list(range(3 - skipped, 6 - skipped))]
    assert len(found.mornings) == 2 - skipped
    for track in range(4):
        where, first = by_all_paths(homes, release, kernel.astype(float), track, days, step)
        assert np.array([table_of(one)[track] for one in found.regions]) == pytest.approx(
            where, abs=5e-4
        )
        for likely, expected in zip(found.mornings, first[skipped:], strict=True):
            share = likely[track] / likely[track].sum()
            assert share == pytest.approx(expected / expected.sum(), abs=1e-4)


def test_who_moves_house_is_somewhere_on_every_day():
    """Protects tracks whose mornings rule each other out: ten at one home, then ten at another."""
    steps, code = np.tile(np.arange(3), 20), np.full((2, 60), 3, np.int32)
    code[:, :30], code[:, 30:] = 0, 2
    code[:, 1::3] = 3  # deleted
    moves = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32) * 0.999997 + np.float32(1e-6)
    even, stays = np.full((2, 3), 1 / 3, np.float32), np.full(2, 0.5, np.float32)
    homes = Homes(even, even[0], moves, moves, stays)
    kernel = np.eye(3, dtype=np.float32)
    found = SmoothedTracks.of_release(Cells.of_regions(code, 3), kernel, homes, steps)
    where = np.array([table_of(one) for one in found.regions])
    assert where.sum(axis=2) == pytest.approx(np.ones((60, 2)), abs=1e-5)
    assert where[:30, :, 0] == pytest.approx(np.ones((30, 2)), abs=1e-3)
    assert where[30:, :, 2] == pytest.approx(np.ones((30, 2)), abs=1e-3)


def test_tracks_are_smoothed_alike_in_whichever_block_they_are(monkeypatch):
    """Protects releases of more tracks than a block has: what is joined is in order."""
    random = np.random.default_rng(3)
    homes = Homes.learn(random.integers(REGIONS, size=(4, 6)), np.tile(np.arange(3), 2), RULES)
    release, step = a_release(random, range(6))
    parts = []
    for size in (4, 3):
        monkeypatch.setattr(smoothing, "BLOCK", size)
        found = SmoothedTracks.of_release(release, NOISE.kernel(RULES.regions), homes, step)
        parts.append([*found.mornings, *(table_of(one) for one in found.regions)])
    whole, cut = parts
    assert all(one == pytest.approx(other) for one, other in zip(whole, cut, strict=True))


@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_regions_of_users_follow_by_bayes(seed):
    """Protects the step from the crowd to a user: the prior of a user in place of the crowd's."""
    random = np.random.default_rng(seed)
    where = random.dirichlet(np.ones(70), size=3).astype(np.float32)  # more regions than lanes
    crowd = random.dirichlet(np.ones(70))
    users = random.dirichlet(np.ones(70), size=2)
    more = (users / crowd).astype(np.float32)
    by_user = where[:, None] * more  # track, user, region: what a cell shows, times the user
    belief = np.array([[0.5, 0.3], [0.2, 0.0], [0.0, 0.4]], np.float32)  # track, user
    user, track = np.nonzero(belief.T)
    pairs = np.array([0, 2, 4]), track.astype(np.int32), belief.T[user, track]
    found = dense(*user_regions(pairs, track_regions(where, np.float32(0)), more), 70)
    by_user /= by_user.sum(axis=2, keepdims=True)
    assert found == pytest.approx(np.einsum("tu,tur->ur", belief, by_user), abs=2e-3)


@given(SEEDS, st.floats(0, 1))
@settings(max_examples=20, deadline=None)
def test_few_regions_count_as_much_as_all(seed, filled):
    """Protects the regions that count: none is dropped that has a part of the likeliest's."""
    random = np.random.default_rng(seed)
    likely = random.random((5, 40)).astype(np.float32) ** 2
    likely[random.random(likely.shape) > filled] *= np.float32(1e-4)
    likely[:, 7] += 1
    kept = table_of(track_regions(likely), 40)
    assert np.all((kept > 0) == (likely >= LEAST_PART * likely.max(axis=1, keepdims=True)))
    assert kept.sum(axis=1) == pytest.approx(np.ones(5), abs=1e-5)
    share = likely / likely.sum(axis=1, keepdims=True)
    assert kept == pytest.approx(share, abs=40 * float(LEAST_PART))


def test_cells_that_tell_nothing_leave_users_where_habits_and_homes_have_them():
    """Protects the fall back to GUESS: nothing shown, each user's own probabilities come out."""
    random = np.random.default_rng(6)
    known = Reference(TraceMatrix(random.integers(REGIONS, size=(4, 6)).astype(np.int32)), RULES)
    people, step = known.people, np.arange(3)
    hidden = Cells.of_regions(np.full((4, 3), REGIONS), REGIONS)
    tracks = SmoothedTracks.of_release(hidden, np.eye(3, dtype=np.float32), people.homes, step)
    everybody = np.arange(0, 20, 4), np.tile(np.arange(4), 4).astype(np.int32)
    pairs = *everybody, np.full(16, 0.25, np.float32)
    for at, (usual, more) in enumerate(
        zip(people.habits.mixture.through(), people.more(), strict=True)
    ):
        share = CHAIN if at else CHAIN_FIRST
        found = dense(*user_regions(pairs, tracks.regions[at], more), REGIONS)
        expected = (1 - share) * usual + share * people.homes.day[at]
        assert found == pytest.approx(expected, abs=1e-4)


def uniform(seed):
    random = np.random.default_rng(seed)
    known, original = random.integers(1024, size=(2, 80, 40)).astype(np.int32)
    return TraceMatrix(original, 41), Reference(TraceMatrix(known), Rules())


@pytest.mark.parametrize("method", [PlanarLaplace(4, 1), MergeAndHide(0, 0, 0.5)], ids=str)
def test_without_habits_smoothing_finds_no_more_than_chance(method):
    """Protects against a leak: uniform traces say nothing of who is who, noisy or hidden.

    Of 80 users by chance one is found; five or more would be found once in 270 runs.
    """
    original, known = uniform(3)
    cells = method.anonymise(original, known.rules, np.random.RandomState(1))
    table = PSEUDONYMIZERS[SHUFFLE].table(cells, np.random.default_rng(2))
    release, random = table.publish(cells), np.random.default_rng(0)
    named = PosteriorIds(0).attack(known, release, random)
    assert 80 * (1 - reidentification(table, named).value) < 5
    # A release shows where people are, but not who: of somebody else the answers say as much.
    others = TraceMatrix(random.permutation(original.region), 41)
    answer = PosteriorTraces(0).attack(known, release, random)
    told, of_others = (
        trace_inference(one, answer, known.rules).value for one in (original, others)
    )
    assert told == pytest.approx(of_others, abs=0.02)


def test_trained_weights_are_taken_under_noise():
    """Protects what was asked for: noise raises no weight that was trained."""
    original, known = uniform(4)
    trained = Weights(0.3, np.zeros(20), np.zeros(20, np.float32))
    cells = PlanarLaplace(4, 1).anonymise(original, known.rules, np.random.RandomState(1))
    assert not noise_in(known, cells).none
    evidence = [_track_evidence(one, cells)[1] for one in (known, replace(known, trained=trained))]
    assert [bool(one.any()) for one in evidence] == [True, False]


def test_no_move_rules_out_what_a_track_shows(monkeypatch):
    """Protects tracks with a move that the singular values kept put below 0: their mornings count.

    On the preliminary data one morning of forty counted for nothing, and its person was not found.
    """
    monkeypatch.setattr(homes_module, "HUBS", 1)
    random = np.random.default_rng(5)
    known = random.integers(REGIONS, size=(4, 6)).astype(np.int32)
    homes = Homes.learn(known, np.tile(np.arange(3), 2), RULES)
    homes = replace(homes, moves=np.roll(np.eye(REGIONS, dtype=np.float32), 1, axis=1))
    code = random.integers(REGIONS, size=(20, 6)).astype(np.int32)
    release = Cells(code, REGIONS, np.zeros(1, np.int64), np.zeros(0, np.int32))
    kernel = NO_NOISE.kernel(RULES.regions)
    found = SmoothedTracks.of_release(release, kernel, homes, np.tile(np.arange(3), 2))
    for morning, column in zip(found.mornings, (0, 3), strict=True):
        assert np.array_equal(morning.argmax(axis=1), code[:, column])
        assert (morning.max(axis=1) > 0).all()
    for column, regions in enumerate(found.regions):
        assert table_of(regions) == pytest.approx(np.eye(REGIONS)[code[:, column]])
