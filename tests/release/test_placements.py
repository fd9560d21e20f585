"""Beliefs in the places of people, no two at one, against a list of all placements."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mixsafe.release import placements
from mixsafe.release.placements import place
from tests.support.budgets import budgets


def of_all(log: np.ndarray) -> np.ndarray | None:
    """Beliefs by a list of all placements; None: there is none."""
    n_people, n_places = log.shape
    found, total = np.zeros_like(log), 0.0
    for at in itertools.permutations(range(n_places), n_people):
        weight = float(np.exp(log[np.arange(n_people), at].sum()))
        found[np.arange(n_people), at] += weight
        total += weight
    return found / total if total else None


LOGS = st.one_of(st.just(-np.inf), st.floats(-12, 3))


@given(data=st.data(), n_people=st.integers(1, 4), n_places=st.integers(4, 5))
@settings(max_examples=150, deadline=None)
def test_counted_beliefs_are_those_of_all_placements(data, n_people, n_places) -> None:
    row = st.lists(LOGS, min_size=n_places, max_size=n_places)
    log = np.array(data.draw(st.lists(row, min_size=n_people, max_size=n_people)))
    truth = of_all(log)
    assume(truth is not None)
    found = place(log)
    assert found.belief == pytest.approx(truth, abs=1e-9)
    assert not found.error.any()


@pytest.mark.parametrize("seed", range(12))
def test_drawn_beliefs_are_those_of_all_placements(seed: int) -> None:
    """Everybody competes with everybody, where belief propagation alone is too sure."""
    random = np.random.default_rng(seed)
    n_people, n_places = 5, 5 + seed % 3
    log = random.normal(0, 3, (n_people, n_places))
    log[random.random(log.shape) < 0.15] = -np.inf
    truth = of_all(log)
    if truth is None:
        return
    with budgets(placements, most_counted=1, steps=500_000):
        found = place(log, seed)
    assert found.belief == pytest.approx(truth, abs=0.02)
    off = np.abs(found.belief - truth).max(axis=1)
    assert np.all(off <= 4 * found.error + 0.01)  # what is said of the error holds


def test_nothing_is_too_unlikely_to_be_compared() -> None:
    """Two people fit one place; what the other one has instead is told apart all the same."""
    log = np.array([[0.0, -900.0, -901.0], [0.0, -np.inf, -950.0]])
    found = place(log).belief
    assert found[0, 0] == pytest.approx(np.exp(-50) / (np.exp(-50) + np.exp(0) + np.exp(-1)))
    assert found[0, 1] == pytest.approx(1 / (1 + np.exp(-1)), abs=1e-6)
