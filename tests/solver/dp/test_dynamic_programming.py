"""The dynamic program: what it tracks, when it refuses, when it stops."""

from __future__ import annotations

import numpy as np
import pytest

from mixsafe.model.limits import Deadline
from mixsafe.model.progress import no_progress
from mixsafe.model.question.adversary import pins_and_links
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.dp import dynamic_programming, tracked
from mixsafe.solver.dp.tracked import tracked_labels
from mixsafe.solver.state.answers import Answers
from tests.strategies import problem


def core_of(asked):
    return Core(WireNetwork.of(asked.zones), *pins_and_links(asked.knowledge))


def decided(asked, deadline=None):
    """Answers of the engine on all wires of a problem."""
    core = core_of(asked)
    wires = np.arange(core.network.n_wires)
    answers = Answers(core, wires, np.ones(len(wires), np.int32), exhaustive=True)
    dynamic_programming.decide(answers, None, deadline or Deadline(None), no_progress)
    return answers


@pytest.fixture
def crowd():
    """Eight users who all meet three times, seen at both ends."""
    known = [(user, t) for user in range(8) for t in (0, 6)]
    return problem(8, 6, [(1, range(8)), (3, range(8)), (5, range(8))], known)


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


def test_too_many_tracked_tokens_leave_the_question_open_and_say_where(crowd, monkeypatch):
    monkeypatch.setattr(tracked, "MAX_STATES", 1000)
    answers = decided(crowd)
    assert answers.notes == ["too many tracked tokens: c = 9 at step 1"]
    late = answers.core.network.start > 0
    assert np.all(answers.lower[late] == 1)
    assert np.all(answers.upper[late] == 8)


def test_more_tracked_tokens_than_a_state_can_hold_are_refused_too():
    """Forty users who hardly move make few states, but forty rows do not fit in one number."""
    known = [(user, t) for user in range(40) for t in (0, 80)]
    asked = problem(40, 80, [(user + 1, [user, user + 1]) for user in range(39)], known)
    answers = decided(asked)
    assert answers.n_open > 0
    assert all(note.startswith("too many tracked tokens: c = ") for note in answers.notes)


def test_tokens_of_strangers_are_not_counted(monkeypatch):
    """Twenty pairs who meet among themselves only: two tracked tokens for each question."""
    monkeypatch.setattr(tracked, "MAX_STATES", 100)
    zones = [(t, [2 * pair, 2 * pair + 1]) for pair in range(20) for t in (1, 3)]
    known = [(user, t) for user in range(40) for t in (0, 4)]
    answers = decided(problem(40, 4, zones, known))
    assert answers.n_open == 0
    assert answers.notes == []


def test_a_deadline_that_has_passed_leaves_questions_open(crowd):
    answers = decided(crowd, Deadline(1e-9))
    assert answers.n_open > 0
    assert np.all(answers.lower <= answers.upper)
