"""Permutations by their likelihood, against all permutations of small zones."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from mixsafe.movement import permutations
from tests.support.budgets import budgets

Floats = npt.NDArray[np.float64]


class Found(NamedTuple):
    """What is found of one zone."""

    best: list[int]
    loss: Floats
    belief: Floats


def found(likelihood: Floats) -> Found:
    """What is found of one zone that stands between two others."""
    around = np.array([0.5, -1.0, -2.0, 0.25])
    matrices = np.concatenate([around, likelihood.ravel(), around])
    sizes = np.array([2, len(likelihood), 2])
    loss, belief = (np.zeros(len(matrices)) for _ in range(2))
    best, excess = permutations.assign(matrices, sizes)
    permutations.lose(excess, sizes, best, loss)
    permutations.believe(excess, sizes, belief)
    shape = likelihood.shape
    return Found(best[2:-2].tolist(), loss[4:-4].reshape(shape), belief[4:-4].reshape(shape))


def every_permutation(likelihood: Floats) -> Found:
    """The same, from all permutations."""
    size = len(likelihood)
    ways = np.array(list(itertools.permutations(range(size))))
    total = likelihood[np.arange(size), ways].sum(axis=1)
    loss, weight = np.full((size, size), np.inf), np.zeros((size, size))
    for row in range(size):
        np.minimum.at(loss[row], ways[:, row], total.max() - total)
        np.add.at(weight[row], ways[:, row], np.exp(total - total.max()))
    return Found(ways[total.argmax()].tolist(), loss, weight / weight[0].sum())


@st.composite
def likelihoods(draw: st.DrawFn) -> Floats:
    """A zone of up to 7 members; some pairs are not possible, but the identity always is."""
    size = draw(st.integers(1, 7))
    random = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    likelihood = random.normal(scale=draw(st.sampled_from([0.3, 2.0, 8.0])), size=(size, size))
    if draw(st.booleans()):
        likelihood = np.round(likelihood)
    impossible = random.random((size, size)) < draw(st.sampled_from([0.0, 0.3, 0.8]))
    likelihood[impossible & ~np.eye(size, dtype=bool)] = -np.inf
    return likelihood


@settings(max_examples=2000)
@given(likelihoods())
def test_losses_and_beliefs_are_those_of_all_permutations(likelihood: Floats) -> None:
    one, other = found(likelihood), every_permutation(likelihood)
    rows = np.arange(len(likelihood))
    assert likelihood[rows, one.best].sum() == pytest.approx(likelihood[rows, other.best].sum())
    assert sorted(one.best) == rows.tolist()
    np.testing.assert_allclose(one.loss, other.loss, atol=1e-9)
    np.testing.assert_allclose(one.belief, other.belief, atol=1e-9)


@pytest.mark.parametrize("together", [64, 0], ids=["together", "one by one"])
@settings(max_examples=300)
@given(zones=st.lists(likelihoods(), min_size=1, max_size=5))
def test_reduced_costs_add_up_to_what_permutations_lack(together: int, zones: list[Floats]) -> None:
    sizes = np.array([len(zone) for zone in zones])
    with budgets(permutations, _together=together):
        best, excess = permutations.assign(np.concatenate([one.ravel() for one in zones]), sizes)
    belief = np.zeros(len(excess))
    permutations.believe(excess, sizes, belief)
    for zone, way, lack, pairs in zip(zones, *parts(sizes, best, excess, belief), strict=True):
        rows, other = np.arange(len(zone)), every_permutation(zone)
        total = zone[rows, other.best].sum()
        assert sorted(way) == rows.tolist()
        assert zone[rows, way].sum() == pytest.approx(total)
        assert (lack >= 0).all()
        assert not lack[rows, way].any()
        for turn in range(len(zone)):  # what any permutation lacks is the sum of its reduced costs
            turned = (rows + turn) % len(zone)
            assert total - zone[rows, turned].sum() == pytest.approx(lack[rows, turned].sum())
        np.testing.assert_allclose(pairs, other.belief, atol=1e-9)


def parts(
    sizes: np.ndarray, best: np.ndarray, *of_pairs: Floats
) -> Iterator[Iterator[np.ndarray] | list[np.ndarray]]:
    """What was found of each zone."""
    yield np.split(best, np.cumsum(sizes)[:-1])
    for values in of_pairs:
        split = np.split(values, np.cumsum(sizes**2)[:-1])
        yield (one.reshape(n, n) for one, n in zip(split, sizes.tolist(), strict=True))


def test_large_permutations_are_those_of_scipy() -> None:
    random = np.random.default_rng(3)
    sizes = np.array([40, 13, 40, 80])
    matrices = [np.round(random.normal(scale=4, size=(size, size)), 1) for size in sizes]
    for matrix in matrices:
        apart = random.random(matrix.shape) < 0.6
        matrix[apart & ~np.eye(len(matrix), dtype=bool)] = -np.inf
    found, _ = permutations.assign(np.concatenate([one.ravel() for one in matrices]), sizes)
    for matrix, best in zip(matrices, np.split(found, np.cumsum(sizes)[:-1]), strict=True):
        rows, other = linear_sum_assignment(matrix, maximize=True)
        assert sorted(best) == rows.tolist()
        assert matrix[rows, best].sum() == pytest.approx(matrix[rows, other].sum())


@pytest.mark.parametrize(("scale", "error"), [(0.3, 0.001), (1.0, 0.01), (3.0, 0.05)])
def test_beliefs_by_propagation_are_nearly_exact(
    monkeypatch: pytest.MonkeyPatch, scale: float, error: float
) -> None:
    random = np.random.default_rng(1)
    sizes = np.full(20, 10)
    _, excess = permutations.assign(random.normal(scale=scale, size=20 * 100), sizes)
    exact, near = np.zeros(len(excess)), np.zeros(len(excess))
    permutations.believe(excess, sizes, exact)
    monkeypatch.setattr(permutations, "MOST_EXACT", 9)
    permutations.believe(excess, sizes, near)
    assert np.abs(exact - near).mean() < error
    np.testing.assert_allclose(near.reshape(-1, 10).sum(axis=1), 1)
