"""Engine ``bounds``: each argument settles what it can, in order of cost, and time is kept."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from mixsafe.model.answer.verdict import Argument
from mixsafe.model.course import Course, Deadline, NoJournal
from mixsafe.solver.bounds import decide
from mixsafe.solver.construct.swaps import swapped
from mixsafe.solver.state.answers import Answers
from tests.support.cores import core_of, listed, truth_of, within
from tests.support.strategies import problem, problems

ALONE = problem(3, 3, [(2, [0, 1])], [])
TWICE = problem(2, 4, [(1, [0, 1]), (3, [0, 1])], [(0, 0), (0, 4)])
ROUND_TRIP = problem(3, 4, [(1, [0, 1]), (2, [1, 2]), (3, [0, 2])], [(0, 0), (0, 4)])
ONE_AT_HOME = problem(3, 3, [(2, [0, 1, 2])], [(1, 1), (1, 3)])
"""Users 0, 1 and 2 meet, and 1 has the same pseudonym before and after."""
THROUGH = problem(
    3,
    5,
    [(1, [0, 1]), (2, [0, 2]), (3, [1, 2]), (4, [0, 2])],
    [(user, t) for user in range(3) for t in (0, 5)],
)
"""Users 0 and 1 exchange, and do so again through 2."""
CHAIN = problem(3, 3, [(1, [0, 1]), (2, [1, 2]), (3, [0, 2])], [(1, 0), (1, 2), (2, 2), (2, 3)])
"""User 1 is at home after 2, so 0 and 2 cannot have hers, nor afterwards each other's."""


class Kept(NoJournal):
    """A journal in memory."""

    def __init__(self):
        self.entries, self.is_cut = {}, False

    def recall(self, step):
        return self.entries.get(step)

    def keep(self, step, entry):
        self.entries[step] = {name: array.copy() for name, array in entry.items()}

    def cut(self):
        self.is_cut = True


def bounded(asked, places, k=2, *, seconds=None, journal=None, **how):
    """Answers for (row, step) pairs, or for all wires, and the stages that were told."""
    core, told = core_of(asked), []
    wires = np.arange(core.network.n_wires)
    if places is not None:
        wires = core.network.wire_at(*np.transpose(places))
    answers = Answers(core, wires, np.full(len(wires), k, np.int32), **how)
    course = Course.begin(None, lambda *stage: told.append(stage), journal)
    decide(answers, course.until(Deadline(seconds)))
    return answers, told


@pytest.mark.parametrize(
    ("asked", "place", "k", "argument", "candidates"),
    [
        (ALONE, (2, 3), 2, Argument.REACHABILITY, {2}),
        (TWICE, (0, 2), 2, Argument.SWAP, {0, 1}),
        (ROUND_TRIP, (0, 1), 2, Argument.CARRIER, {0, 1}),
        (THROUGH, (0, 1), 2, Argument.SUPPORT, {0, 1}),
        (ONE_AT_HOME, (0, 3), 3, Argument.MATCHING, {0, 2}),
    ],
)
def test_the_first_argument_that_suffices_is_named(asked, place, k, argument, candidates):
    answers, _ = bounded(asked, [place], k)
    assert answers.decided_by.tolist() == [argument]
    assert listed(answers.proven[answers.wire]) == [candidates]
    assert listed(answers.possible[answers.wire]) == [candidates]


@given(asked=problems())
@settings(max_examples=25)
def test_bounds_lie_around_the_candidates_and_hold_all_swaps(asked):
    answers, _ = bounded(asked, None, exhaustive=True)
    truth = truth_of(asked)
    assert within(listed(swapped(answers.core)), listed(answers.proven))
    assert within(listed(answers.proven), truth)
    assert within(truth, listed(answers.possible))


def test_matching_and_reachability_take_turns_until_nothing_more_is_settled():
    answers, _ = bounded(CHAIN, None, exhaustive=True)
    assert answers.n_open == 0
    assert listed(answers.possible) == truth_of(CHAIN)


def test_stages_tell_how_many_questions_are_settled_until_none_is_left():
    _, told = bounded(ONE_AT_HOME, [(0, 3), (1, 3), (0, 1)], 3)
    assert told == [
        ("bounding by reachability", 0, 3),
        ("swapping pairs", 2, 3),
        ("swapping through others", 2, 3),
        ("matching tokens to rows", 2, 3),
    ]
    _, told = bounded(ALONE, [(2, 3)])
    assert told == [("bounding by reachability", 0, 1), ("swapping pairs", 1, 1)]


def test_what_was_kept_is_not_sought_again():
    journal = Kept()
    first, _ = bounded(CHAIN, None, exhaustive=True, journal=journal)
    assert list(journal.entries) == ["bounds"]
    assert not journal.is_cut
    second, told = bounded(CHAIN, None, exhaustive=True, journal=journal)
    assert told == []
    for name, array in first.state().items():
        assert np.array_equal(second.state()[name], array)
    assert second.n_open == 0


def test_when_time_is_up_nothing_is_matched_and_nothing_kept():
    journal = Kept()
    answers, told = bounded(ONE_AT_HOME, [(0, 3)], 3, seconds=0, journal=journal)
    assert answers.n_open == 1
    assert len(told) == 2
    assert journal.is_cut
    assert not journal.entries
