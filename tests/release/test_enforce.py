"""What is asked of a minimum set of zones: enough for the rule, and no more."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.extract.adversaries import knowledge
from mixsafe.model.course import Course
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Rule
from mixsafe.model.release import Cells
from mixsafe.network.wires import WireNetwork
from mixsafe.optimize.minimum import minimum_zones
from mixsafe.optimize.reduction import only
from mixsafe.release.enforce import Demand, Privacy, privacy_of, wanted
from mixsafe.release.exchange import visible_zones

RULES = [Rule("every"), Rule("some"), Rule("share", 0.6)]


@st.composite
def small_releases(draw: st.DrawFn) -> Cells:
    users, steps = draw(st.integers(2, 5)), draw(st.integers(1, 6))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return Cells.of_regions(random.integers(4, size=(users, steps)), 3)


def answered(cells: Cells, rule: Rule) -> tuple[Demand, Privacy]:
    zones = visible_zones(cells)
    demand = Demand(2, knowledge("endpoints", zones), rule)
    return demand, privacy_of(cells, zones, demand, Course.begin())


@settings(max_examples=60, deadline=None)
@given(small_releases(), st.sampled_from(RULES))
def test_what_is_asked_is_possible_and_enough_for_all_who_can_pass(
    cells: Cells, rule: Rule
) -> None:
    _, privacy = answered(cells, rule)
    asked = wanted(privacy, visible_zones(cells), 2)
    network = WireNetwork.of(visible_zones(cells))
    met = np.zeros(network.n_wires, bool)
    met[network.wire_at(asked.row, asked.time)] = True
    assert met.sum() == len(asked)  # a wire is asked about once
    column = np.arange(1, cells.n_steps + 1)
    safe = met[network.wire_at(*np.broadcast_arrays(np.arange(cells.n_rows)[:, None], column))]
    assert np.all(privacy.safe[safe])
    kept = Privacy(privacy.shown, safe, privacy.undecided & False, rule)
    assert np.array_equal(kept.failing, privacy.failing)


@settings(max_examples=25, deadline=None)
@given(small_releases(), st.sampled_from(RULES))
def test_a_minimum_set_of_zones_lets_the_same_users_pass(cells: Cells, rule: Rule) -> None:
    demand, privacy = answered(cells, rule)
    zones = visible_zones(cells)
    asked = wanted(privacy, zones, 2)
    if not len(asked):
        return
    problem = Problem("release", zones, demand.knowledge, asked)
    found = minimum_zones(problem)
    assert found.status == "optimal"
    chosen = only(zones, np.array(found.zones, np.int64))
    assert len(chosen) == found.minimum
    assert np.array_equal(
        privacy_of(cells, chosen, demand, Course.begin()).failing, privacy.failing
    )


def test_users_are_private_together_where_they_can() -> None:
    """Users 1 and 2 are private at all times, user 3 at the last only: one time serves all."""
    safe = np.array([[True, True, True], [True, True, True], [False, False, True]])
    privacy = Privacy(np.ones((3, 3), bool), safe, ~safe & False, Rule("some"))
    cells = Cells.of_regions(np.zeros((3, 3), np.int32), 1)
    asked = wanted(privacy, visible_zones(cells), 2)
    assert asked.time.tolist() == [3, 3, 3]
