"""What synthetic traces say about training users, and the expected error."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.contest.measure.privacy import (
    DELTA,
    error_correlations,
    expected_error,
    membership_advantage,
    reidentification_rate,
)
from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import TraceMatrix

M, DAY = 4, 3


def traces(seed: int, n_users: int, days: int = 2) -> TraceMatrix:
    region = np.random.default_rng(seed).integers(0, M, (n_users, days * DAY))
    return TraceMatrix(region.astype(np.int32))


def matrix(row: np.ndarray) -> np.ndarray:
    """A user's transition probabilities; rows that she never leaves are zero."""
    counts = np.zeros((M, M))
    for step in range(len(row) - 1):
        if step % DAY != DAY - 1:
            counts[row[step], row[step + 1]] += 1
    return counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)


def likelihood(table: np.ndarray, day: np.ndarray) -> float:
    return sum(
        math.log(table[a, b]) if table[a, b] > 1e-12 else math.log(DELTA)
        for a, b in itertools.pairwise(day)
    )


@given(st.integers(0, 10**6), st.integers(2, 6))
def test_re_identification_takes_the_likeliest_user(seed: int, n_users: int) -> None:
    training, made = traces(seed, n_users), traces(seed + 1, n_users)
    tables = [matrix(row) for row in training.region]
    right = []
    for day in range(2):
        for user, row in enumerate(made.region[:, day * DAY : (day + 1) * DAY]):
            scores = np.array([likelihood(table, row) for table in tables])
            first = int(np.flatnonzero(scores > scores.max() - 1e-9)[0])
            right.append(first == user)
    assert reidentification_rate(training, made, M, DAY) == pytest.approx(np.mean(right))


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_the_advantage_is_that_of_the_best_threshold(seed: int, n_users: int) -> None:
    training, testing = traces(seed, n_users), traces(seed + 1, n_users)
    made = traces(seed + 2, 3)
    tables = [matrix(row) for some in (training, testing) for row in some.region]
    best = np.empty((2, len(tables)))
    for day in range(2):
        for user, table in enumerate(tables):
            crowd = (sum(tables) - table) / (len(tables) - 1)
            best[day, user] = max(
                likelihood(table, row) - likelihood(crowd, row)
                for row in made.region[:, day * DAY : (day + 1) * DAY]
            )
    inside, outside = best[:, :n_users].reshape(-1), best[:, n_users:].reshape(-1)
    edges = [-math.inf, *(np.unique(best.round(6)) + 1e-6)]
    wanted = max((inside > edge).mean() - (outside > edge).mean() for edge in edges)
    found = membership_advantage(training, testing, made, M, DAY)
    assert found == pytest.approx(wanted, abs=1e-9) or near_tie(best)


def near_tie(best: np.ndarray) -> bool:
    """Whether rounding decides about two users."""
    return bool((np.diff(np.sort(best.reshape(-1))) < 2e-6).any())


def test_copies_of_training_users_are_found_and_tell_that_they_were_trained_on() -> None:
    random = np.random.default_rng(0)
    training, testing = (
        TraceMatrix(random.integers(0, 30, (40, 20)).astype(np.int32)) for _ in range(2)
    )
    assert reidentification_rate(training, training, 30, 20) == 1.0
    assert membership_advantage(training, testing, training, 30, 20) > 0.9
    assert reidentification_rate(training, testing, 30, 20) < 0.2


def test_more_virtual_users_than_training_users_cannot_be_matched() -> None:
    with pytest.raises(InputError, match="cannot be matched"):
        reidentification_rate(traces(0, 2), traces(1, 3), M, DAY)
    with pytest.raises(InputError, match="region 4"):
        membership_advantage(traces(0, 9), traces(1, 9), traces(2, 9), 3, DAY)


def test_the_expected_error_is_the_mean_distance(rules, original) -> None:
    assert expected_error(original, original.region, rules) == 0
    other = (original.region + 1) % 16
    wanted = np.mean(rules.regions.distance_km(original.region, other))
    assert expected_error(original, other, rules) == pytest.approx(wanted)
    with pytest.raises(InputError, match="6 x 4 inferred"):
        expected_error(original, other[:, :4], rules)


def test_worse_attacks_leave_a_larger_error_and_a_higher_score(rules, original) -> None:
    random = np.random.default_rng(0)
    answers = []
    for share in (0.0, 0.3, 0.6, 1.0):
        wrong = random.random(original.region.shape) < share
        guess = np.where(wrong, random.integers(0, 16, wrong.shape), original.region)
        answers.append((original, guess.astype(np.int32)))
    found = error_correlations(answers, rules, [1.0, 1000.0])
    assert found[1.0] > 0.9
    assert found[1000.0] < found[1.0]
    with pytest.raises(InputError, match="three attacks"):
        error_correlations(answers[:2], rules)
    with pytest.raises(InputError, match="all as good"):
        error_correlations(answers[:1] * 3, rules)
