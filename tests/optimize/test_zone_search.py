"""The search over zone sets with a verify engine as oracle, against brute force."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.model.course import Course, SolveLimits
from mixsafe.model.question.problem import Problem
from mixsafe.optimize.answer import ZoneSet
from mixsafe.optimize.zone_groups import ZoneGroups
from mixsafe.optimize.zone_search import Memory, part_of, search
from tests.support import oracles
from tests.support.strategies import problem, problems


def cost_of(asked: Problem, count_members: bool) -> np.ndarray:
    sizes = asked.zones.sizes
    return sizes if count_members else np.ones(len(sizes), np.int64)


def found_by(
    asked: Problem, engine: str, *, count_members: bool = False, seconds: float | None = None
) -> ZoneSet:
    cost = cost_of(asked, count_members)
    return search(asked, ZoneGroups.each(cost), engine, Course.begin(SolveLimits(seconds, 1)))


@pytest.mark.parametrize("engine", ["dp", "cpsat"])
@given(asked=problems(max_zones=5, max_assignments=150), count_members=st.booleans())
@settings(max_examples=20)
def test_what_is_found_is_a_minimum(engine: str, asked: Problem, count_members: bool) -> None:
    found = found_by(asked, engine, count_members=count_members)
    least = oracles.minimum_zones(asked, count_members=count_members)
    assert found.complete
    if least is None:
        assert found.zones is None
        return
    assert found.zones is not None
    assert oracles.meets_requirements(asked, found.zones)
    assert cost_of(asked, count_members)[list(found.zones)].sum() == found.bound == least


@given(asked=problems(max_zones=5, max_assignments=150))
@settings(max_examples=20)
def test_an_engine_that_leaves_much_undecided_never_leads_to_a_wrong_answer(
    asked: Problem,
) -> None:
    found = found_by(asked, "bounds")
    least = oracles.minimum_zones(asked)
    if found.zones is not None:
        assert oracles.meets_requirements(asked, found.zones)
    if least is None:
        assert found.zones is None
    else:
        assert found.bound <= least
        if found.complete:
            assert found.zones is not None
            assert len(found.zones) == least
        else:
            assert found.notes


def test_without_time_nothing_is_claimed() -> None:
    asked = problem(3, 4, [(1, [0, 1]), (3, [0, 1])], [(0, 0), (0, 4)], [(0, 2, 2)])
    found = found_by(asked, "dp", seconds=1e-9)
    assert (found.zones, found.bound, found.complete) == (None, 0, False)
    assert found.notes == ("the time was up",)


def test_the_bound_is_that_of_all_cuts_together() -> None:
    # Each of the three is in two of the zones, and each zone serves two of them: cuts that share
    # no zone prove that one zone is needed, all together that two are.
    zones = [(1, [0, 1]), (2, [1, 2]), (3, [0, 2])]
    asked = problem(3, 3, zones, [], [(user, 3, 2) for user in range(3)])
    found = found_by(asked, "dp")
    assert found.complete
    assert found.zones is not None
    assert len(found.zones) == found.bound == 2


def test_k_of_one_needs_no_zone() -> None:
    asked = problem(3, 4, [(1, [0, 1])], [], [(0, 2, 1)])
    assert found_by(asked, "dp") == ZoneSet((), 0, complete=True)


def test_memory_answers_for_more_zones_than_enough_and_fewer_than_too_few() -> None:
    memory = Memory(9)
    few, some, many = (np.arange(9) < size for size in (2, 5, 8))
    assert memory.recall(some) is None
    memory.keep(some, safe=True)
    assert memory.recall(many) is True
    assert memory.recall(few) is None
    memory.keep(few, safe=False)
    assert memory.recall(np.arange(9) < 1) is False
    assert memory.recall(np.arange(9) == 8) is None


def test_memory_forgets_what_follows_from_something_smaller() -> None:
    memory = Memory(9)
    for size in (7, 3):
        memory.keep(np.arange(9) < size, safe=True)
    assert memory.safe.tolist() == [[True] * 3 + [False] * 6]


@given(asked=problems(max_zones=5, max_assignments=150), data=st.data())
@settings(max_examples=40)
def test_the_part_of_a_problem_has_as_many_candidates_as_the_whole(
    asked: Problem, data: st.DataObject
) -> None:
    kept = np.array(
        data.draw(st.lists(st.booleans(), min_size=len(asked.zones), max_size=len(asked.zones))),
        bool,
    )
    (row, time, _), *_ = oracles.requirements_of(asked)
    everything = oracles.zones_of(asked)
    whole = oracles.domains(
        asked.zones.n_users,
        asked.zones.axis.steps,
        [everything[z] for z in np.flatnonzero(kept)],
        oracles.knowledge_of(asked),
    )
    part = part_of(asked, 0, kept)
    ((part_row, part_time, _),) = oracles.requirements_of(part)
    candidates = oracles.domains_of(part)[part_row, part_time]
    assert {int(part.zones.users[token]) for token in candidates} == whole[row, time]


def test_parts_are_of_problems_with_requirements() -> None:
    nothing = replace(problem(2, 1, []), requirements=None)
    with pytest.raises(ValueError, match="no requirements"):
        part_of(nothing, 0, np.zeros(0, bool))
