"""The best guess of a place, against the weights of all assignments."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import mixsafe
from tests.support.oracles import posterior
from tests.support.random_problems import random_problem
from tests.support.strategies import problem
from tests.support.track_places import drawn_places, placed


def truth_of(asked, where, at):
    """Chances of all places of a user at a step."""
    zones = asked.zones
    weights = posterior(asked, [1.0] * len(zones), [1.0] * zones.n_users)[at]
    found = {}
    for token, weight in enumerate(weights):
        if (token, at[1]) in where:
            place = where[token, at[1]]
            found[place] = found.get(place, 0.0) + weight
    return found


def test_candidates_at_one_place_add_up():
    checked = 0
    for seed in range(25):
        random = np.random.default_rng((11, seed))
        asked = random_problem(random, max_users=4, max_horizon=4, max_assignments=100)
        asked = replace(asked, requirements=None)
        where = drawn_places(random, asked.zones.n_users, asked.zones.axis.steps, 0.8)
        answer = mixsafe.weigh(placed(asked, where), exhaustive=True)
        listed, chances = answer.to_dict()["places"], []
        for row in listed:
            truth = truth_of(asked, where, (row["user_id"], row["time_id"]))
            most = max(truth.values(), default=0.0)
            assert row["chance"] == pytest.approx(most, abs=1e-6)
            assert row["place"] is None if not most else truth[row["place"]] == pytest.approx(most)
            chances.append(most)
            checked += 0 < most < 1
        assert len(listed) == asked.zones.n_users * asked.zones.axis.steps
        right = answer.summary["places"]["share_right"]
        assert right == pytest.approx(np.mean(chances), abs=1e-5)
        for wire in answer.wires[answer.wires["to_time"] > 0].itertuples():
            steps = range(max(wire.from_time, 1), wire.to_time + 1)
            asked_at = [truth_of(asked, where, (wire.user_id, t)) for t in steps]
            most = max(max(one.values(), default=0.0) for one in asked_at)
            assert wire.best_place == pytest.approx(most, abs=1e-6)
    assert checked > 50


def test_sampled_places_agree_with_counted_ones():
    asked = problem(4, 4, [(1, [0, 1, 2]), (2, [2, 3]), (4, [0, 1, 3])], [(0, 0), (0, 4)])
    where = drawn_places(np.random.default_rng(1), 4, 4, 1.0)
    exact = mixsafe.weigh(placed(asked, where)).wires
    drawn = mixsafe.weigh(placed(asked, where), exact=False, error=0.05).wires
    there = (drawn["by"] == "sampled") & exact["best_place"].notna()
    assert there.sum() > 3
    assert (drawn["best_place"] - exact["best_place"])[there].abs().max() < 0.05


def test_without_positions_nothing_is_said_of_places():
    answer = mixsafe.weigh(problem(2, 3, [(2, [0, 1])]))
    assert "best_place" not in answer.wires
    assert "places" not in answer.summary
