"""Permutations by their likelihood, against all permutations of small zones."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.movement import permutations

Floats = npt.NDArray[np.float64]


class Found(NamedTuple):
    """What is found of one zone."""

    best: list[int]
    likeliest: list[int]
    loss: Floats
    belief: Floats


def found(likelihood: Floats) -> Found:
    """What is found of one zone that stands between two others."""
    around = np.array([0.5, -1.0, -2.0, 0.25])
    matrices = np.concatenate([around, likelihood.ravel(), around])
    sizes = np.array([2, len(likelihood), 2])
    excess, loss, belief = (np.zeros(len(matrices)) for _ in range(3))
    best = np.zeros(sizes.sum(), np.int64)
    permutations.assign(matrices, sizes, excess, best)
    permutations.lose(excess, sizes, best, loss)
    permutations.believe(excess, sizes, belief)
    shape = likelihood.shape
    likeliest = permutations.likeliest(matrices, sizes)[2:-2].tolist()
    return Found(best[2:-2].tolist(), likeliest, loss[4:-4].reshape(shape), belief[4:-4].reshape(shape))


def every_permutation(likelihood: Floats) -> Found:
    """The same, from all permutations."""
    size = len(likelihood)
    ways = np.array(list(itertools.permutations(range(size))))
    total = likelihood[np.arange(size), ways].sum(axis=1)
    loss, weight = np.full((size, size), np.inf), np.zeros((size, size))
    for row in range(size):
        np.minimum.at(loss[row], ways[:, row], total.max() - total)
        np.add.at(weight[row], ways[:, row], np.exp(total - total.max()))
    best = ways[total.argmax()].tolist()
    return Found(best, best, loss, weight / weight[0].sum())


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


@settings(max_examples=300)
@given(likelihoods(), st.booleans())
def test_the_likeliest_permutation_is_found_without_compiled_code(
    likelihood: Floats, large: bool
) -> None:
    """Random noise tells apart what is equally likely; large zones go another way."""
    likelihood = likelihood + np.random.default_rng(0).random(likelihood.shape) * 1e-6
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(permutations, "MOST_EXACT", 1 if large else 12)
        assert found(likelihood).likeliest == every_permutation(likelihood).best


@settings(max_examples=300)
@given(likelihoods(), st.integers(0, 1 << 32))
def test_beliefs_do_not_depend_on_numbers_for_rows_and_columns(
    likelihood: Floats, seed: int
) -> None:
    random, size = np.random.default_rng(seed), len(likelihood)
    moved = likelihood + random.normal(scale=300, size=size)[:, None]
    moved += random.normal(scale=300, size=size)
    sizes, belief = np.array([size]), np.zeros(size * size)
    permutations.believe(-moved.ravel(), sizes, belief)
    exact = every_permutation(likelihood).belief
    np.testing.assert_allclose(belief.reshape(size, size), exact, atol=1e-6)


@pytest.mark.parametrize(("scale", "error"), [(0.3, 0.001), (1.0, 0.01), (3.0, 0.05)])
def test_beliefs_by_propagation_are_nearly_exact(
    monkeypatch: pytest.MonkeyPatch, scale: float, error: float
) -> None:
    random = np.random.default_rng(1)
    excess, sizes = random.normal(scale=scale, size=20 * 100), np.full(20, 10)
    exact, near = np.zeros(len(excess)), np.zeros(len(excess))
    permutations.believe(excess, sizes, exact)
    monkeypatch.setattr(permutations, "MOST_EXACT", 9)
    permutations.believe(excess, sizes, near)
    assert np.abs(exact - near).mean() < error
    np.testing.assert_allclose(near.reshape(-1, 10).sum(axis=1), 1)


def test_beliefs_of_large_zones_are_those_of_the_only_permutation() -> None:
    """No weight is lost where the likeliest permutation is far below the likeliest pairs."""
    likelihood = np.full((20, 20), -5000.0)
    likelihood[:, 0] = 0.0
    np.fill_diagonal(likelihood, -900.0)
    belief = np.zeros(400)
    permutations.believe(-likelihood.ravel(), np.array([20]), belief)
    np.testing.assert_allclose(belief.reshape(20, 20), np.eye(20), atol=1e-3)
