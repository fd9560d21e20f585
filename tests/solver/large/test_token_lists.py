"""Lists of the tokens that can be on wires: those of sets of tokens, and matchings of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from mixsafe.network.core import Core
from mixsafe.network.timeline import Timeline, certain, timeline_of
from mixsafe.solver.large.capped_sets import LargeProblem, capped_sets, linked_wires, most_tokens
from mixsafe.solver.large.narrowing import match_lists
from mixsafe.solver.large.token_lists import ListLimits, TokenLists, list_tokens, stretches
from mixsafe.solver.propagate.matching import match
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.state import tokens
from tests.support.cores import core_of
from tests.support.random_problems import crowd
from tests.support.strategies import problems


def whole_of(core: Core) -> Timeline:
    """The wires, and what is certain."""
    return timeline_of(core.network, certain(core.pins))


def problem_of(core: Core, cap: int) -> LargeProblem:
    """The same, and links that tell nothing yet."""
    whole = whole_of(core)
    return LargeProblem(whole.net, whole.seen, linked_wires(core, cap))


def lists_of(core: Core, workers: int = 1, **options: Any) -> TokenLists:
    """Lists of the tokens of all wires."""
    whole = whole_of(core)
    return list_tokens(whole, *stretches(whole), workers, **options)


def agrees(core: Core, lists: TokenLists) -> bool:
    """Whether lists and sets of tokens say the same of all wires."""
    possible = reachable(Core(core.network, certain(core.pins), core.links.none()))
    problem = [
        lists.tokens[begin : begin + size] if begin >= 0 else [row]
        for begin, size, row in zip(lists.begin, lists.size, core.network.row, strict=True)
    ]
    return all(
        sorted(some) == tokens.members(sets).tolist()
        for some, sets in zip(problem, possible, strict=True)
    )


@given(asked=problems())
@settings(max_examples=40, deadline=None)
def test_lists_are_the_sets_of_reachability(asked):
    core = core_of(asked)
    assert agrees(core, lists_of(core))


KNOWING = ["none", "endpoints", "days", "at home", "now and then"]


@pytest.mark.parametrize("adversary", KNOWING)
def test_lists_are_the_sets_of_reachability_whoever_sweeps(adversary):
    core = core_of(crowd(7, 80, 24, 9, adversary))
    assert agrees(core, lists_of(core, at_once=24))
    assert agrees(core, lists_of(core, workers=3, at_once=24))


@pytest.mark.parametrize("adversary", KNOWING)
def test_matchings_of_lists_are_those_of_sets(adversary):
    core = core_of(crowd(7, 60, 18, 9, adversary))
    lists, net = lists_of(core), core.network.wires
    brief = np.flatnonzero((net.start == core.network.end) & (lists.size > 1))
    for wire in brief[:: 1 + len(brief) // 4]:  # one step each: sets remember what several leave
        possible = reachable(core)
        match(core, possible, np.array([wire]))
        found = match_lists(lists, net.start[[wire]], net, workers=2)
        assert np.array_equal(found, tokens.count(possible))


def test_a_row_without_a_list_can_hold_any_token():
    core = core_of(crowd(7, 60, 18, 9, "at home"))
    net, every = core.network.wires, lists_of(core)
    some = lists_of(core, limits=ListLimits(entries=0, for_each=1))
    assert 0 < np.count_nonzero(some.begin >= 0) < np.count_nonzero(every.begin >= 0)
    assert np.array_equal(some.size, every.size)
    steps = np.arange(core.network.horizon + 1)
    loose, tight = match_lists(some, steps, net), match_lists(every, steps, net)
    assert np.all(loose >= tight)
    assert np.any(loose > tight)
    assert np.any(loose < some.size)


@pytest.mark.parametrize("adversary", KNOWING)
def test_capped_sets_that_are_large_enough_leave_nothing_out(adversary):
    core = core_of(crowd(7, 40, 18, 9, adversary))
    exact = lists_of(core).size
    assert np.array_equal(most_tokens(capped_sets(problem_of(core, 40), 40), 40), exact)
    few = most_tokens(capped_sets(problem_of(core, 4), 4), 4)
    assert np.all(few >= exact)
