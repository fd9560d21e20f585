"""The core question: pins and links on the wires of their rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from mixsafe.network.core import Core
from tests.support.cores import core_of
from tests.support.oracles import (
    agrees,
    agrees_with,
    assignments,
    assignments_of,
    knowledge_of,
    pins_of,
    zones_of,
)
from tests.support.strategies import problem, problems


@pytest.mark.parametrize(("n_users", "words"), [(1, 1), (63, 1), (64, 1), (65, 2), (129, 3)])
def test_a_set_of_tokens_has_a_bit_for_each_user(n_users, words):
    assert core_of(problem(n_users, 1, [])).words == words


def test_links_are_wires_and_those_within_one_wire_are_none():
    known = [(0, 1), (0, 2), (0, 4), (1, 0), (1, 4)]
    core = core_of(problem(2, 4, [(3, [0, 1])], known))
    assert core.link_wires.tolist() == [[0, 1]]
    assert core.link_wires.shape == (1, 2)
    nothing = core_of(problem(2, 4, [(3, [0, 1])], known[3:]))
    assert nothing.link_wires.shape == (0, 2)


def test_several_links_are_pairs_of_wires():
    zones = [(t, [0, 1]) for t in (2, 4, 6)]
    core = core_of(problem(2, 8, zones, [(0, 1), (0, 3), (0, 7), (1, 2), (1, 6)]))
    assert core.link_wires.tolist() == [[0, 1], [1, 3], [5, 7]]


def test_pins_are_on_the_wires_of_their_rows():
    core = core_of(problem(2, 4, [(3, [0, 1])], [(1, 0), (1, 2), (1, 4)]))
    pin, wire = core.pin_wires
    assert pin.tolist() == [0, 1, 2]
    assert wire.tolist() == [2, 2, 3]


@given(asked=problems(max_assignments=60))
def test_pins_to_the_own_token_ask_for_no_less(asked):
    core = core_of(asked)
    own = core.own_pins()
    assert len(own) == len(core.pins) + 2 * len(core.links) + len(core.apart)
    assert np.all(np.diff(own.time) >= 0)
    for assignment in assignments(core.network.n_rows, core.network.horizon, zones_of(asked)):
        if agrees(assignment, (), pins_of(own)):
            assert agrees_with(asked, assignment)
    at_home = assignment_of_home(core)
    assert agrees(at_home, (), pins_of(own))


def assignment_of_home(core: Core):
    return tuple(tuple(range(core.network.n_rows)) for _ in range(core.network.horizon + 1))


def test_steps_are_their_own_where_none_are_left_out():
    core = core_of(problem(2, 4, [(3, [0, 1])]))
    assert core.real_steps.tolist() == [0, 1, 2, 3, 4]


@given(asked=problems(max_assignments=60, distinct=True))
def test_nobody_is_apart_where_zones_say_so_already(asked):
    known = knowledge_of(asked)
    possible = [one for one in assignments_of(asked) if agrees(one, known)]
    says_something = any(not agrees(one, known, distinct=True) for one in possible)
    assert len(core_of(asked).apart) or not says_something


@pytest.mark.parametrize(
    ("seen", "apart"),
    [
        ([(0, 4), (1, 4), (2, 4)], 0),  # all at the last step
        ([(0, 1), (0, 4), (1, 2), (1, 4), (2, 4)], 0),  # also before
        ([(0, 0), (0, 4), (1, 4), (2, 4)], 0),  # also one whose token is known
        ([(0, 3), (1, 4)], 0),  # on wires of one moment
        ([(0, 1), (1, 4)], 2),
        ([(0, 0), (1, 4)], 1),
    ],
)
def test_who_is_seen_at_one_step_need_not_be_told_apart(seen, apart):
    asked = problem(3, 4, [(2, [0, 1]), (3, [1, 2])], seen, distinct=True)
    assert len(core_of(asked).apart) == apart
