"""Beliefs against all assignments of tiny releases, and the messages against enumeration."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.posterior import exchanged as exchanged_beliefs
from mixsafe.contest.posterior.beliefs import in_order, ratios_of
from mixsafe.contest.posterior.exchanged import (
    enumerated,
    exchanged_belief,
    piece_weights,
    user_of_track,
)
from mixsafe.contest.posterior.guesses import PosteriorIds, PosteriorTraces
from mixsafe.contest.posterior.shown_cells import Noise
from mixsafe.contest.posterior.whole_tracks import matched, matched_exactly
from mixsafe.contest.pseudonymizers import MIXZONE, PSEUDONYMIZERS, SHUFFLE
from mixsafe.model.mobility.complete_traces import Regions, TraceMatrix
from mixsafe.model.release import Cells
from mixsafe.synthesize.scenarios.town import town

GRID = Regions(1, 3, 35.65, 139.68, 0.003, 0.004, np.zeros(3, bool))


def exchanges(shown, deleted):
    """All ways in which pseudonyms may be exchanged in one step: who has whose afterwards."""
    for order in permutations(range(len(shown))):
        same = all(
            mine == theirs or (shown[mine] == shown[theirs] != deleted)
            for mine, theirs in enumerate(order)
        )
        if same:
            yield order


def all_assignments(release, ratio, weight, step, exchanged):
    """Probabilities of users on tracks after each step, by walking through every assignment."""
    n_users, n_steps = release.code.shape
    found, total = np.zeros((n_steps, n_users, n_users)), 0.0
    choices = [
        list(exchanges(shown, release.deleted)) if exchanged else [tuple(range(n_users))]
        for shown in release.code.T
    ]
    for start in permutations(range(n_users)):
        for assignment in product(*choices):
            track, chance, tracks = list(start), 1.0, []
            for at, order in enumerate(assignment):
                track = [order[one] for one in track]
                tracks.append(track)
                for user, one in enumerate(track):
                    shown = float(ratio[step[at], release.code[one, at], user])
                    chance *= np.exp(float(weight[step[at]]) * shown)
            total += chance
            for at, assigned in enumerate(tracks):
                found[at, assigned, np.arange(n_users)] += chance
    return found / total


def random_release(random, n_users, n_steps, contents=4):
    release = Cells.of_regions(random.integers(contents, size=(n_users, n_steps)), 3)
    ratio = random.normal(size=(2, 4, n_users)).astype(np.float32)
    return release, ratio, random.random(2).astype(np.float32), np.arange(n_steps) % 2


@given(st.integers(1, 3), st.integers(1, 3), st.booleans(), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_enumerated_beliefs_are_those_of_all_assignments(n_users, n_steps, exchanged, seed):
    presolved = random_release(np.random.default_rng(seed), n_users, n_steps)
    expected = all_assignments(*presolved, exchanged)
    assert user_of_track(*presolved, int(exchanged)) == pytest.approx(expected, abs=1e-7)


def test_the_attack_on_a_small_exchanged_release_is_the_likeliest_user_over_all_assignments():
    """Protects the exact answer for few users: no approximation is used where none is needed."""
    random = np.random.default_rng(4)
    known = Reference(TraceMatrix(random.integers(3, size=(3, 6)).astype(np.int32)), RULES)
    release = Cells.of_regions(random.integers(3, size=(3, 3)), 3)
    step = known.rules.step_of_day(release.time_ids)
    noise = Noise.of_release(known.habits, release)
    weight = noise.weights(piece_weights(known))
    presolved = release, ratios_of(known, release, 1), weight, step
    likely = all_assignments(*presolved, True)
    answer = PosteriorIds(1).attack(known, release, random)
    for at in range(3):
        chosen = likely[at][np.arange(3), answer[:, at]]
        assert chosen == pytest.approx(likely[at].max(axis=1), abs=1e-6)


@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
@settings(max_examples=20, deadline=None)
def test_a_small_shuffled_release_is_answered_by_all_matchings(seed, n_users):
    """Protects the exact answer for few users: a sum over every matching, written out."""
    random = np.random.default_rng(seed)
    evidence = random.normal(size=(n_users, n_users)).astype(np.float32)
    expected, total = np.zeros((n_users, n_users)), 0.0
    for user_of in permutations(range(n_users)):
        chance = float(np.exp(sum(evidence[track, user] for track, user in enumerate(user_of))))
        total += chance
        for track, user in enumerate(user_of):
            expected[track, user] += chance
    assert matched_exactly(evidence) == pytest.approx(expected / total, abs=1e-6)


RULES = Rules(GRID, steps_per_day=3, home_steps=1)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_messages_about_tracks_come_close_to_all_matchings(seed):
    """Belief propagation is exact where pairs exclude each other little."""
    random = np.random.default_rng(seed)
    evidence = 0.5 * random.normal(size=(5, 5)).astype(np.float32)
    exact = np.zeros((5, 5))
    for order in permutations(range(5)):
        exact[np.arange(5), order] += np.exp(evidence[np.arange(5), order].sum())
    exact /= exact[0].sum()
    found = matched(evidence)
    assert found.sum(axis=0) == pytest.approx(np.ones(5), abs=0.1)
    assert found == pytest.approx(exact, abs=0.15)


def by_user(places, n_users, n_steps):
    """(n_steps, n_users, contents) what is believed of where users are."""
    table = np.zeros((n_steps * n_users, 4))
    owner = np.repeat(np.arange(n_steps * n_users), np.diff(places.ptr))
    np.add.at(table, (owner, places.content), places.mass)
    return table.reshape(n_steps, n_users, 4)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_messages_through_zones_come_close_to_all_assignments(seed):
    """Prices hold in the mean, so that the error is of the order of one over the users."""
    release, ratio, weight, step = random_release(np.random.default_rng(seed), 6, 4)
    presolved = release, ratio, np.float32(0.5) * weight, step
    exact, near = enumerated(*presolved), exchanged_belief(*presolved)
    apart = np.abs(by_user(exact.places, 6, 4) - by_user(near.places, 6, 4))
    assert apart.mean() < 0.05
    assert apart.max() < 0.2


def test_two_who_meet_and_part_are_told_by_where_they_go():
    habits = np.array([[0, 1, 0], [2, 1, 2]] * 4, np.int32)
    known = Reference(TraceMatrix(np.tile(habits[:2], 2)), RULES)
    release = Cells.of_regions(np.array([[0, 1, 2], [2, 1, 0]], np.int32), 3)
    answer = PosteriorIds().attack(known, release, np.random.default_rng(0))
    assert answer[:, [0, 2]].tolist() == [[0, 1], [1, 0]]


@given(st.integers(1, 6), st.integers(1, 4), st.booleans(), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_tracks_in_order_are_the_same_whoever_has_which_pseudonym(users, steps, exchanged, seed):
    """What each track shows from step to step is found in them, where they say it is."""
    random = np.random.default_rng(seed)
    cells = Cells.of_regions(random.integers(4, size=(users, steps)), 3)
    how = MIXZONE if exchanged else SHUFFLE
    one, two = (PSEUDONYMIZERS[how].table(cells, random).publish(cells) for _ in range(2))
    ordered, where = in_order(one, int(exchanged))
    if not exchanged or not np.any(cells.code == cells.deleted):
        assert in_order(two, int(exchanged))[0] is ordered
    where = np.broadcast_to(where, one.code.shape)
    assert np.array_equal(np.take_along_axis(ordered.code, where, axis=0), one.code)
    after = np.take_along_axis(ordered.code[:, 1:], where[:, :-1], axis=0)
    assert np.array_equal(after, one.code[:, 1:])
    assert all(len(set(column)) == users for column in where.T)


def test_answers_do_not_depend_on_how_pseudonyms_were_given():
    region = town(30, days=4, random=np.random.default_rng(3)).region
    known = Reference(TraceMatrix(region[:, :40]), Rules())
    cells = Cells.of_regions(region[:, 40:], 1024, 41)
    for how, exchanged in ((SHUFFLE, 0), (MIXZONE, 1)):
        traces, users = [], []
        for seed in (1, 2):
            random = np.random.default_rng(seed)
            table = PSEUDONYMIZERS[how].table(cells, random)
            release = table.publish(cells)
            traces.append(PosteriorTraces(exchanged).attack(known, release, random))
            users.append((PosteriorIds(exchanged).attack(known, release, random), table.user))
        assert np.array_equal(*traces)
        if not exchanged:
            found = [
                set(zip(named.tolist(), who[:, 0].tolist(), strict=True)) for named, who in users
            ]
            assert found[0] == found[1]


@pytest.mark.parametrize("entries", [1, 150, 700])
def test_what_does_not_fit_in_memory_is_found_again_with_the_same_numbers(monkeypatch, entries):
    region = town(12, days=2, random=np.random.default_rng(3)).region
    known, cells = Reference(TraceMatrix(region[:, :20]), Rules()), Cells.of_regions(region, 1024)
    release = PSEUDONYMIZERS[MIXZONE].table(cells, np.random.default_rng(1)).publish(cells)
    ratio = ratios_of(known, release, 1)
    step = known.rules.step_of_day(release.time_ids)
    found = []
    for most in (2**30, entries):
        monkeypatch.setattr(exchanged_beliefs, "MOST_ENTRIES", most)
        found.append(exchanged_belief(release, ratio, np.ones(20, np.float32), step))
    whole, parts = found
    assert np.array_equal(whole.user, parts.user)
    for name in ("ptr", "content", "mass"):
        assert np.array_equal(getattr(whole.places, name), getattr(parts.places, name))
    for one, other in zip(whole.users, parts.users, strict=True):
        assert np.array_equal(one.user, other.user)
        assert np.array_equal(one.mass, other.mass)
