"""The likeliest history as a whole has the greatest product of weights of all histories."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from mixsafe.model.course import Deadline
from mixsafe.model.tracklets import LinkProblem
from mixsafe.tracklets import assignment
from mixsafe.tracklets.assignment import likeliest_history
from tests.support.weighted_links import Floats, random_problem


def best_by_enumeration(problem: LinkProblem, weight: Floats) -> float:
    """Greatest sum of the logarithms of the weights of a matching."""
    ends = [range(problem.ptr[i], problem.ptr[i + 1]) for i in range(len(problem))]
    best = 0.0
    for choice in itertools.product(*([-1, *links] for links in ends)):
        chosen = np.array([link for link in choice if link >= 0], np.int64)
        if len(np.unique(problem.to[chosen])) == len(chosen):
            best = max(best, float(np.log(weight[chosen]).sum()))
    return best


@pytest.mark.parametrize("together", [1, 2_000])
def test_no_history_is_likelier(together: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Protects the column: 400 random problems, matched group by group and together."""
    monkeypatch.setattr(assignment, "_TOGETHER", together)
    random = np.random.default_rng(1)
    for _ in range(400):
        problem = random_problem(random, *random.integers(1, 5, 2))
        weight = np.exp(random.normal(0.5, 2, problem.n_links))
        found = likeliest_history(problem, weight)
        assert found is not None
        links = found[found >= 0]
        assert (problem.owner[links] == np.flatnonzero(found >= 0)).all()
        assert len(np.unique(problem.to[links])) == len(links)
        total = float(np.log(weight[links]).sum())
        assert total == pytest.approx(best_by_enumeration(problem, weight), abs=1e-9)


def test_unlikely_links_are_in_no_likeliest_history() -> None:
    """Protects ends that nothing likely continues."""
    problem = random_problem(np.random.default_rng(2), 6, 6)
    found = likeliest_history(problem, np.full(problem.n_links, 0.9))
    assert found is not None
    assert (found == -1).all()


def test_without_time_there_is_none() -> None:
    """Protects from a history that is not the likeliest."""
    problem = random_problem(np.random.default_rng(3), 6, 6)
    weight = np.full(problem.n_links, 2.0)
    assert likeliest_history(problem, weight, Deadline(1e-9)) is None
