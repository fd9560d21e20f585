"""Traces that know no user: SGD and uniform."""

from __future__ import annotations

import numpy as np
import pytest

from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.synthesize.baselines import sgd, uniform
from mixsafe.synthesize.training import TrainingTraces


def test_uniform_traces_are_everywhere_alike() -> None:
    made = uniform(400, 50, 8, np.random.default_rng(0))
    share = np.bincount(made.region.reshape(-1), minlength=8) / made.region.size
    assert np.abs(share - 1 / 8).max() < 0.01


def test_sgd_moves_by_the_matrix_of_each_time_slot() -> None:
    random = np.random.default_rng(1)
    region = random.integers(0, 5, (300, 8)).astype(np.int32)
    training = TrainingTraces.of_matrix(TraceMatrix(region), 5, 4)
    made = sgd(training, 20_000, 2, random).region.reshape(-1, 4)
    days = region.reshape(-1, 4)
    for slot in range(1, 4):
        wanted, found = np.zeros((5, 5)), np.zeros((5, 5))
        np.add.at(wanted, (days[:, slot - 1], days[:, slot]), 1)
        np.add.at(found, (made[:, slot - 1], made[:, slot]), 1)
        wanted /= wanted.sum(axis=1, keepdims=True)
        found /= found.sum(axis=1, keepdims=True)
        assert np.abs(wanted - found).max() < 0.03
    start = np.bincount(made[:, 0], minlength=5) / len(made)
    assert np.abs(start - np.bincount(days[:, 0], minlength=5) / len(days)).max() < 0.01


def test_sgd_never_does_what_nobody_did() -> None:
    region = np.array([[0, 1, 2, 0], [0, 1, 1, 0], [3, 1, 2, 0]], np.int32)
    training = TrainingTraces.of_matrix(TraceMatrix(region), 4, 4)
    made = sgd(training, 500, 1, np.random.default_rng(0)).region
    assert {tuple(row) for row in made.tolist()} == {
        (0, 1, 2, 0), (0, 1, 1, 0), (3, 1, 2, 0), (3, 1, 1, 0)
    }  # fmt: skip


def test_nobody_and_nothing_are_refused() -> None:
    with pytest.raises(InputError, match="0 users"):
        uniform(0, 1, 1, np.random.default_rng(0))
