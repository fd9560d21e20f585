"""Habits in few numbers: what the whole table would be, and its products."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.contest.base.habits import VisitMixture, mixture_ratios
from mixsafe.contest.base.held_out import LONG, NEAR_KM, SHORT, Parts, nearness, time_kernel
from mixsafe.contest.base.rules import Rules
from mixsafe.model.mobility.complete_traces import Regions

RULES = Rules(Regions(2, 3, 35.65, 139.68, 0.003, 0.004, np.zeros(6, bool)), 4, 1)
SHARES = Parts()


def whole_table(region, step):
    """(steps_per_day, n_users, n_regions) by the definition: a mixture of six parts."""
    n_users, days = len(region), np.bincount(step, minlength=4).astype(np.float32)
    visits = np.zeros((4, n_users, 6))
    for user, shown in enumerate(region):
        for at, here in zip(step, shown, strict=True):
            visits[at, user, here] += 1
    short, long = (time_kernel(4, memory, days).astype(float) for memory in (SHORT, LONG))
    recent, lately = (np.einsum("st,tur->sur", kernel, visits) for kernel in (short, long))
    crowd = lately.mean(axis=1) + 1e-6
    crowd /= crowd.sum(axis=1, keepdims=True)
    always = visits.sum(axis=0) / days.sum()
    near = lately @ nearness(RULES.regions, NEAR_KM).astype(float)
    return (
        SHARES.short * recent
        + SHARES.long * lately
        + SHARES.always * always
        + SHARES.near * near
        + SHARES.crowd * crowd[:, None]
        + SHARES.anywhere / 6
    )


@given(st.integers(1, 4), st.integers(1, 3), st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_few_numbers_tell_what_the_whole_table_would(users, days, seed):
    random = np.random.default_rng(seed)
    region = random.integers(6, size=(users, 4 * days)).astype(np.int32)
    step = np.tile(np.arange(4), days)
    expected = whole_table(region, step)
    mixture = VisitMixture.of_visits(region, step, SHARES, RULES)
    assert np.stack(list(mixture.through())) == pytest.approx(expected, abs=1e-6)
    kernel = random.random((6, 5)).astype(np.float32)
    assert np.stack(list(mixture.through(kernel))) == pytest.approx(expected @ kernel, abs=1e-5)
    ratio, background = mixture_ratios(mixture)
    assert background == pytest.approx(expected.mean(axis=1), abs=1e-6)
    likely = np.exp(ratio[:, :-1]) * background[:, :, None]
    assert likely == pytest.approx(expected.transpose(0, 2, 1), rel=1e-4)
    assert not ratio[:, -1].any()


def test_what_tells_people_apart_does_not_count_that_a_place_is_near_a_visited_one():
    region = np.array([[0, 0, 0, 0], [5, 5, 5, 5], [1, 1, 1, 1]], np.int32)
    step = np.arange(4)
    shares = SHARES.telling
    told, whole = (
        mixture_ratios(VisitMixture.of_visits(region, step, parts, RULES))[0]
        for parts in (shares, SHARES)
    )
    beside, far = told[:, 1, 0], told[:, 1, 1]  # region 1 is beside 0
    assert beside == pytest.approx(far)
    assert np.all(whole[:, 1, 0] > whole[:, 1, 1])
    parts = (shares.short, shares.long, shares.always, shares.near, shares.crowd, shares.anywhere)
    assert sum(parts) == pytest.approx(1)
