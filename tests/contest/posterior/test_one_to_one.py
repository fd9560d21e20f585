"""MATCH names nobody twice, and no other assignment is believed more."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.posterior.beliefs import ratios_of
from mixsafe.contest.posterior.enumerated import user_of_track
from mixsafe.contest.posterior.exchanged import exchanged_belief
from mixsafe.contest.posterior.guesses import MatchedIds
from mixsafe.contest.posterior.noise import Noise
from mixsafe.contest.posterior.one_to_one import STEP, assigned
from mixsafe.contest.posterior.pieces import piece_weights
from mixsafe.contest.posterior.whereabouts import LEAST, BelievedUsers
from mixsafe.contest.pseudonymizers import MIXZONE, PSEUDONYMIZERS, SHUFFLE
from mixsafe.model.mobility.complete_traces import Regions, TraceMatrix
from mixsafe.model.release import Cells
from mixsafe.synthesize.scenarios.town import town

RULES = Rules(
    Regions(1, 3, 35.65, 139.68, 0.003, 0.004, np.zeros(3, bool)), steps_per_day=3, home_steps=1
)


def table_of(users, n_users):
    """(n_tracks, n_users) what is believed of each pair."""
    of_paths = np.zeros((len(users.ptr) - 1, n_users))
    of_paths[np.repeat(np.arange(len(of_paths)), np.diff(users.ptr)), users.user] = users.mass
    return of_paths[users.of_track]


def most_believed(likely):
    """The largest sum of beliefs, by trying all assignments."""
    tracks = np.arange(len(likely))
    return max(likely[tracks, list(order)].sum() for order in permutations(tracks))


@given(st.integers(1, 6), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_no_other_assignment_is_believed_more(n_users, seed):
    """Tracks of one way, ties, and users who are believed to be nowhere included."""
    random = np.random.default_rng(seed)
    likely = random.random((n_users, n_users)).round(int(random.integers(1, 4)))
    likely[random.random((n_users, n_users)) < random.random()] = 0
    way = random.integers(n_users, size=n_users)
    paths = BelievedUsers.of_tracks(likely.astype(np.float32))
    users = BelievedUsers(way, paths.ptr, paths.user, paths.mass)
    named = assigned(users)
    assert sorted(named.tolist()) == list(range(n_users))
    believed = table_of(users, n_users)
    found = believed[np.arange(n_users), named].sum()
    assert found == pytest.approx(most_believed(believed), abs=n_users * STEP)


@pytest.mark.parametrize("exchanged", [0, 1])
def test_on_a_small_release_it_is_the_assignment_that_all_assignments_make_likeliest(exchanged):
    random = np.random.default_rng(4)
    known = Reference(TraceMatrix(random.integers(3, size=(4, 6)).astype(np.int32)), RULES)
    release = Cells.of_regions(random.integers(3, size=(4, 3)), 3)
    named = MatchedIds(exchanged).attack(known, release, random).reshape(4, -1)
    noise = Noise.of_release(known.habits, release)
    weight = noise.weights(piece_weights(known) if exchanged else known.habits.weight)
    seen = ratios_of(known, release, exchanged)
    step = known.rules.step_of_day(release.time_ids)
    for likely, column in zip(
        user_of_track(release, seen, weight, step, exchanged), named.T, strict=False
    ):
        chosen = likely[np.arange(4), column].sum()
        assert chosen == pytest.approx(most_believed(likely), abs=4 * LEAST)


def test_messages_say_who_is_on_each_track():
    """Beliefs of a user sum to 1 over tracks, and her surest way is the one that POST names."""
    random = np.random.default_rng(6)
    release = Cells.of_regions(random.integers(4, size=(6, 4)), 3)
    ratio = random.normal(size=(2, 4, 6)).astype(np.float32)
    found = exchanged_belief(release, ratio, np.ones(2, np.float32), np.arange(4) % 2)
    assert len(found.users) == 4
    for at, users in enumerate(found.users):
        likely = table_of(users, 6)
        assert likely.sum(axis=0) == pytest.approx(np.ones(6), abs=6 * 6 * LEAST)
        assert np.array_equal(likely.argmax(axis=1), found.user[:, at])


@pytest.mark.parametrize("how", [SHUFFLE, MIXZONE])
def test_nobody_is_named_twice_at_one_time(how):
    region = town(30, days=4, random=np.random.default_rng(2)).region
    known = Reference(TraceMatrix(region[:, :40]), Rules())
    cells = Cells.of_regions(region[:, 40:], 1024, 41)
    table = PSEUDONYMIZERS[how].table(cells, np.random.default_rng(1))
    named = MatchedIds(int(how == MIXZONE)).attack(known, table.publish(cells), None)
    assert named.shape == ((30,) if how == SHUFFLE else (30, 40))
    assert all(len(set(column)) == 30 for column in named.reshape(30, -1).T)
    assert np.count_nonzero(named.reshape(30, -1) == table.user) > named.size / 10
