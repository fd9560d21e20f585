"""KM: towards the cluster's mean, to the nearest other hospital, within the utility."""

import numpy as np
import pytest

from mixsafe.contest.base.rules import Rules
from mixsafe.contest.base.score import utility
from mixsafe.contest.obfuscate.cluster import ClusterVisits
from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import Regions, TraceMatrix


def no_hospitals():
    """The contest's grid without a hospital."""
    return Regions(32, 32, 35.65, 139.68, 0.003125, 0.00375, np.zeros(1024, bool))


def crowd(users=60, steps=20, seed=1):
    """Users who live in the south-west, each around a place of her own."""
    random = np.random.default_rng(seed)
    home = random.integers(2, 14, size=(users, 2, 1))
    row, column = home[:, 0] + random.integers(-2, 3, (users, steps)), home[:, 1]
    column = column + random.integers(-2, 3, (users, steps))
    return TraceMatrix((32 * row + column).astype(np.int32))


def test_clustering_uses_up_the_utility_that_is_not_required_and_no_more():
    traces, rules = crowd(), Rules(required_utility=0.9)
    cells = ClusterVisits(3).anonymise(traces, rules, np.random.default_rng(0))
    kept = utility(traces, cells, rules)
    assert kept.valid
    assert kept.value < 0.9 + 1 / traces.region.size


def test_with_utility_to_spare_everybody_s_counts_become_the_cluster_s():
    traces, rules = crowd(), Rules(required_utility=0.0, regions=no_hospitals())
    cells = ClusterVisits(1).anonymise(traces, rules, np.random.default_rng(0))
    ordered = np.sort(cells.code, axis=1)
    assert (ordered == ordered[0]).all()


def test_hospitals_become_the_nearest_other_hospital(rules):
    """The hospitals of the small grid are regions 5 and 10."""
    traces = TraceMatrix(np.array([[5, 10, 0, 1]], np.int32))
    cells = ClusterVisits(1).anonymise(
        traces, Rules(rules.regions, required_utility=0.0), np.random.default_rng(0)
    )
    assert cells.code.tolist() == [[10, 5, 0, 1]]


def test_no_loss_allowed_is_no_change():
    traces = crowd()
    cells = ClusterVisits(3).anonymise(
        traces, Rules(required_utility=1.0), np.random.default_rng(0)
    )
    assert np.array_equal(cells.code, traces.region)


def test_more_clusters_than_users_make_nobody_move():
    traces = crowd(users=5)
    cells = ClusterVisits(100).anonymise(
        traces, Rules(required_utility=0.0, regions=no_hospitals()), np.random.default_rng(0)
    )
    assert np.array_equal(cells.code, traces.region)


def test_no_cluster_is_refused_at_birth():
    with pytest.raises(InputError):
        ClusterVisits(0)
