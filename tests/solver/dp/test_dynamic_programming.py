"""The dynamic program: what it tracks, when it refuses, when it stops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.model.answer.verdict import Argument
from mixsafe.model.course import Course, SolveLimits
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.dp import dynamic_programming
from mixsafe.solver.dp.tracked import tracked_labels
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import Answers
from tests.support.oracles import domains_of
from tests.support.strategies import problem, problems


def core_of(asked):
    return Core.of(WireNetwork.of(asked.zones), asked.knowledge)


def decided(asked, seconds=None):
    """Answers of the engine on all wires of a problem."""
    core = core_of(asked)
    wires = np.arange(core.network.n_wires)
    answers = Answers(core, wires, np.ones(len(wires), np.int32), exhaustive=True)
    dynamic_programming.decide(answers, Course.begin(SolveLimits(seconds)))
    return answers


@pytest.fixture
def crowd():
    """Ten users who all meet three times, seen at both ends: ten thousand million states."""
    known = [(user, t) for user in range(10) for t in (0, 6)]
    return problem(10, 6, [(1, range(10)), (3, range(10)), (5, range(10))], known)


def test_a_user_seen_once_is_not_tracked():
    assert tracked_labels(core_of(problem(3, 5, [(2, [0, 1])], [(1, 3)]))) == []


def test_users_seen_at_step_0_are_tracked_to_their_last_sighting_and_links_between_two():
    asked = problem(3, 9, [(2, [0, 1, 2])], [(0, 0), (0, 4), (0, 7), (1, 3), (1, 5), (1, 8)])
    spans = sorted((label.begin, label.end) for label in tracked_labels(core_of(asked)))
    assert spans == [(0, 7), (3, 5), (5, 8)]


def test_one_token_may_satisfy_two_links_at_once():
    """What is on row 1 at 2 and at 8 can be on row 2 in between, where it is seen twice, too."""
    zones = [(1, [0, 1]), (3, [1, 2]), (7, [1, 2])]
    answers = decided(problem(3, 8, zones, [(1, 2), (1, 8), (2, 4), (2, 6)]))
    middle = answers.core.network.wire_at([2], [4])[0]
    assert answers.lower[middle] == answers.upper[middle] == 3


def test_too_many_tracked_tokens_leave_the_question_open_and_say_where(crowd):
    answers = decided(crowd)
    assert answers.notes == ["too many tracked tokens: c = 11 at step 1"]
    late = answers.core.network.start > 0
    assert np.all(answers.lower[late] == 1)
    assert np.all(answers.upper[late] == 10)


def test_more_tracked_tokens_than_a_state_can_hold_are_refused_too():
    """Forty users who hardly move make few states, but forty rows do not fit in one number."""
    known = [(user, t) for user in range(40) for t in (0, 80)]
    asked = problem(40, 80, [(user + 1, [user, user + 1]) for user in range(39)], known)
    answers = decided(asked)
    assert answers.n_open > 0
    assert all(note.startswith("too many tracked tokens: c = ") for note in answers.notes)


def test_tokens_of_strangers_are_not_counted():
    """Twenty pairs who meet among themselves only: two tracked tokens for each question."""
    zones = [(t, [2 * pair, 2 * pair + 1]) for pair in range(20) for t in (1, 3)]
    known = [(user, t) for user in range(40) for t in (0, 4)]
    answers = decided(problem(40, 4, zones, known))
    assert answers.n_open == 0
    assert answers.notes == []


def test_a_deadline_that_has_passed_leaves_questions_open(crowd):
    answers = decided(crowd, 1e-9)
    assert answers.n_open > 0
    assert np.all(answers.lower <= answers.upper)


def few_decided(asked, most_steps):
    """Answers when so many steps may be taken at most."""
    core = core_of(asked)
    wires = np.arange(core.network.n_wires)
    answers = Answers(core, wires, np.ones(len(wires), np.int32), exhaustive=True)
    dynamic_programming.decide_few(answers, most_steps, Course.begin())
    return answers


@given(asked=problems(), most_steps=st.integers(1, 3000))
@settings(max_examples=60, deadline=None)
def test_what_few_steps_decide_is_true_and_what_they_leave_is_as_it_was(asked, most_steps):
    truth, answers = domains_of(asked), few_decided(asked, most_steps)
    network = answers.core.network
    is_open = np.isin(np.arange(network.n_wires), answers.open_wires())
    for wire, (row, step) in enumerate(zip(network.row, network.start, strict=True)):
        found = set(tokens.members(answers.proven[wire]).tolist())
        assert found == ({int(row)} if is_open[wire] else truth[int(row), int(step)])


def test_more_steps_decide_more_until_all_is_decided():
    known = [(user, t) for user in range(5) for t in (0, 6)]
    five = problem(5, 6, [(1, range(5)), (3, range(5)), (5, range(5))], known)
    left = [few_decided(five, most).n_open for most in (1, 20_000, 10**7)]
    assert left[0] > left[1] > left[2] == 0


def test_few_states_are_said_to_be_decided_by_the_dynamic_program():
    few = problem(4, 9, [(2, [0, 1, 2]), (4, [1, 2, 3]), (6, [0, 3])], [(0, 3), (0, 8), (1, 1)])
    assert set(few_decided(few, 10**6).decided_by) <= {
        Argument.IDENTITY,
        Argument.DYNAMIC_PROGRAMMING,
    }


def test_labels_that_do_not_fit_in_a_state_are_left_to_others():
    known = [(user, t) for user in range(40) for t in (0, 80)]
    asked = problem(40, 80, [(user + 1, [user, user + 1]) for user in range(39)], known)
    answers = few_decided(asked, 10**8)
    assert answers.n_open > 0
    assert answers.notes == []
