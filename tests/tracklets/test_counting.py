"""How likely each link is where all histories are alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.tracklets.following import chances_of
from mixsafe.tracklets.histories import decide
from tests.support.link_oracle import listed, problem_of, random_links


@given(st.integers(0, 2**32 - 1))
def test_chances_are_shares_of_all_histories(seed):
    problem = random_links(np.random.default_rng(seed))
    problem = replace(problem, same=problem.same[:0])
    bounds, truth = decide(problem), listed(problem)
    if truth.contradicted:
        return
    pairs = zip(problem.owner.tolist(), problem.to.tolist(), strict=True)
    shares = [truth.count.get(pair, 0) / truth.n_histories for pair in pairs]
    assert np.allclose(chances_of(problem, bounds), shares)


def test_large_groups_are_not_counted_and_impossible_links_are_zero():
    alive = [(0, 1)] * 3 + [(5, 6)] * 3
    links = [(0, 3), (0, 4), (1, 3), (1, 4), (2, 5), (2, 4)]
    problem = problem_of(alive, links, [0, 1, 2])
    bounds = decide(problem)
    assert chances_of(problem, bounds, most=2).tolist() == [0.5, 0.5, 0.5, 0.5, 0, 1]
    assert np.isnan(chances_of(problem, bounds, most=1)[:4]).all()


def test_with_pairs_of_one_vehicle_nothing_is_claimed():
    problem = problem_of([(0, 1), (5, 6)], [(0, 1)], same=[(0, 1)])
    assert np.isnan(chances_of(problem, decide(problem))).all()
