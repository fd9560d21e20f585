"""Sums and maxima over all users, side by side, are those of one after the other."""

import numpy as np
import pytest

from mixsafe.contest.posterior import sweeps
from mixsafe.contest.posterior.whereabouts import LEAST, believed


@pytest.fixture(params=[1, 63, 64, 150])
def step(request):
    """Five ways from three places to two, for some users."""
    random = np.random.default_rng(request.param)
    source, target = np.array([0, 0, 1, 2, 2]), np.array([0, 1, 1, 0, 1])
    before, after = (random.random((n, request.param)).astype(np.float32) for n in (3, 2))
    return source, target, random.random(5).astype(np.float32), before, after


def test_users_are_expected_on_ways_by_their_shares_of_them(step):
    source, target, chance, before, after = step
    found = np.empty(5, np.float32)
    sweeps.expected_users(source, target, chance, before, after, found)
    both = before[source] * after[target]
    assert found == pytest.approx((both / (chance @ both)).sum(axis=1), rel=1e-4)


def test_the_surest_user_is_the_first_of_the_largest_and_all_believed_are_found(step):
    source, target, chance, before, after = step
    n_users = before.shape[1]
    scale = np.ones(n_users, np.float32)
    for some in (before, np.round(2 * before)):  # the second with many equals
        surest, size = np.empty(5, np.int32), np.empty(5, np.int64)
        user, value = np.empty(5 * n_users, np.int32), np.empty(5 * n_users, np.float32)
        given = (source, target), some, after.round(), scale, chance
        count = sweeps.surest_users(*given, surest, (size, user, value))
        both = some[source] * after.round()[target]
        assert np.array_equal(surest, both.argmax(axis=1))
        way, who = np.nonzero(both >= chance[:, None])
        assert np.array_equal(np.repeat(np.arange(5), size), way)
        assert np.array_equal(user[:count], who)
        assert np.array_equal(value[:count], both[way, who])


def test_what_arrives_is_weighed_and_scaled_by_each_users_largest(step):
    source, target, chance, before, _ = step
    tells = np.linspace(1, 2, 2 * before.shape[1], dtype=np.float32).reshape(2, -1)
    ends = np.array([0, 2, 5]), np.argsort(target, kind="stable"), source
    scale, found = np.full(before.shape[1], 2, np.float32), np.empty_like(tells)
    content = np.array([1, 0], np.int32)
    sweeps.arrive(ends, chance, before, (content, tells), scale, found)
    come = np.stack([chance[target == here] @ before[source[target == here]] for here in (0, 1)])
    assert found == pytest.approx(2 * come * tells[::-1], rel=1e-5)
    assert scale == pytest.approx(1 / found.max(axis=0), rel=1e-6)


def test_what_is_believed_is_gathered_user_by_user(step):
    _, _, _, before, _ = step
    likely = np.float32(2 * LEAST) * before
    content = np.array([7, 5, 6], np.int32)
    size, shown, mass = believed(likely, content)
    user, place = np.nonzero(likely.T >= LEAST)
    assert np.array_equal(size, np.bincount(user, minlength=before.shape[1]))
    assert np.array_equal(shown, content[place])
    assert mass == pytest.approx(2 * LEAST * before[place, user])
