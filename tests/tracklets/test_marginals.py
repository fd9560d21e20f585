"""Beliefs in links are the marginals of weighted matchings."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from mixsafe.model.course import Deadline
from mixsafe.model.tracklets import LinkProblem
from mixsafe.tracklets.marginals import marginals, propagated
from tests.support.weighted_links import Floats, random_problem


def enumerated(problem: LinkProblem, weight: Floats) -> Floats:
    """Share of the weight of all matchings that those with each link have."""
    total, found = 0.0, np.zeros(problem.n_links)
    ends = [range(problem.ptr[i], problem.ptr[i + 1]) for i in range(len(problem))]
    for choice in itertools.product(*([-1, *links] for links in ends)):
        chosen = np.array([link for link in choice if link >= 0], np.int64)
        if len(np.unique(problem.to[chosen])) == len(chosen):
            mass = float(np.prod(weight[chosen]))
            total += mass
            found[chosen] += mass
    return found / total


def test_beliefs_are_those_of_all_weighted_matchings() -> None:
    """Protects beliefs of small groups, which are exact: 2,000 random problems, enumerated."""
    random = np.random.default_rng(1)
    for _ in range(2_000):
        problem = random_problem(random, *random.integers(1, 5, 2))
        weight = np.exp(random.normal(0, 3, problem.n_links))
        found = marginals(problem, weight)
        assert found.exact.all()
        assert not found.error
        assert found.belief == pytest.approx(enumerated(problem, weight), abs=1e-9)


def test_sampled_beliefs_are_near_and_say_how_far(monkeypatch: pytest.MonkeyPatch) -> None:
    """Protects beliefs of large groups, which are sampled."""
    random = np.random.default_rng(2)
    problem = random_problem(random, 6, 6)
    weight = np.exp(random.normal(0, 1, problem.n_links))
    right = marginals(problem, weight).belief
    unknown = np.full(problem.n_links, np.nan)
    monkeypatch.setattr("mixsafe.tracklets.marginals.chances_of", lambda *_, **__: unknown)
    found = marginals(problem, weight, moves=60_000)
    assert not found.exact.any()
    assert 0 < found.error < 0.05
    assert np.abs(found.belief - right).max() < 0.03


def test_histories_are_drawn_by_their_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """Protects the chains: where ends want the same beginnings by far, and where none is wanted."""
    random = np.random.default_rng(5)
    right = [random_problem(random, *random.integers(2, 6, 2)) for _ in range(40)]
    spread = [float(random.choice([0.5, 3.0, 9.0])) for _ in right]
    weights = [np.exp(random.normal(1, s, p.n_links)) for p, s in zip(right, spread, strict=True)]
    monkeypatch.setattr(
        "mixsafe.tracklets.marginals.chances_of", lambda p, *_, **__: np.full(p.n_links, np.nan)
    )
    for problem, weight in zip(right, weights, strict=True):
        if problem.n_links:
            found = marginals(problem, weight, moves=100_000)
            assert found.belief == pytest.approx(enumerated(problem, weight), abs=0.03)


def test_beliefs_are_said_to_be_rough_where_the_time_is_up() -> None:
    """Protects time limits: drawing ends, and the error says what it is worth."""
    random = np.random.default_rng(6)
    problem = random_problem(random, 60, 60)
    weight = np.exp(random.normal(0, 1, problem.n_links))
    cut, whole = (marginals(problem, weight, deadline=Deadline(t)) for t in (1e-9, None))
    assert cut.error > whole.error > 0
    assert (np.bincount(problem.owner, cut.belief) <= 1 + 1e-9).all()


def test_propagated_beliefs_fit_together() -> None:
    """Protects learning: no end and no beginning is believed to have more than one link."""
    random = np.random.default_rng(3)
    problem = random_problem(random, 40, 40)
    belief, _ = propagated(problem, np.exp(random.normal(0, 4, problem.n_links)))
    n = len(problem)
    assert (np.bincount(problem.owner, belief, n) <= 1 + 1e-9).all()
    assert (np.bincount(problem.to, belief, n) <= 1 + 1e-3).all()


def test_a_seed_repeats_beliefs() -> None:
    """Protects answers that can be repeated."""
    random = np.random.default_rng(4)
    problem = random_problem(random, 40, 40)
    weight = np.exp(random.normal(0, 2, problem.n_links))
    once, twice = (marginals(problem, weight, moves=500).belief for _ in range(2))
    assert np.array_equal(once, twice)
