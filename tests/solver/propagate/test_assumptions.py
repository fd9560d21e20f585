"""What follows from assumptions contradicts no assignment, and can all be taken back.

Ruling candidates out one by one: nothing that is true goes, and the same goes for everybody.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.model.answer.verdict import Argument
from mixsafe.model.course import Course, SolveLimits
from mixsafe.network.core import Core
from mixsafe.solver.auto import Publisher
from mixsafe.solver.local.beginnings import assume_places
from mixsafe.solver.local.generator import beginning
from mixsafe.solver.propagate.assumptions import assume_off
from mixsafe.solver.propagate.assumptions import steps as probing
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.domains import Domains, take_back
from mixsafe.solver.state.searches import run_steps
from tests.support.cores import (
    at_wires,
    core_of,
    gathered,
    listed,
    pinned_cores,
    spread,
    truth_of,
    within,
)
from tests.support.journals import Kept
from tests.support.oracles import agrees, assignments, domains, knowledge_of, zones_of
from tests.support.strategies import problem, problems

FAR = (5, 63, 64, 127, 128)  # rows in several words of a set


def solutions(core, zones, knowledge, pins=()):
    """Tokens on all wires, of each assignment that agrees with what is known."""
    network = core.network
    return [
        [assignment[t][row] for row, t in zip(network.row.tolist(), network.start, strict=True)]
        for assignment in assignments(network.n_rows, network.horizon, zones)
        if agrees(assignment, knowledge, pins, distinct=len(core.apart) > 0)
    ]


def off_others(core, wire, kept):
    """(words,) all tokens but some."""
    return ~tokens.set_of(np.array(kept, np.int64), core.words)


def assert_counted(core, domains):
    """How many tokens are on wires, and on how many rows tokens are, where that is counted."""
    left, rows = listed(domains.possible), np.arange(core.network.n_rows)
    assert np.array_equal(domains.size, tokens.count(domains.possible))
    for step in np.flatnonzero(domains.is_counted).tolist():
        here = core.network.wire_at(rows, np.full(len(rows), step))
        counts = [sum(token in left[w] for w in here.tolist()) for token in range(len(here))]
        assert domains.places[step].tolist() == counts


def assert_complete(core, before, left):
    """Nothing more follows in zones, over links, and from who has a wire to herself."""
    network, rows = core.network, np.arange(core.network.n_rows)
    for begin, end in zip(network.zone_ptr[:-1], network.zone_ptr[1:], strict=True):
        come = network.before[begin:end].tolist()
        assert set().union(*(left[w] for w in come)) == set().union(*(left[w + 1] for w in come))
    assert all(left[one] == left[other] for one, other in core.link_wires.tolist())
    for step in range(network.horizon + 1):
        here = network.wire_at(rows, np.full(len(rows), step)).tolist()
        for wire in here:
            if len(left[wire]) == 1 < len(before[wire]):
                assert all(not left[wire] & left[other] for other in here if other != wire)


def assert_follows(core, true, draw):
    """Whatever is assumed on a wire: what is struck off, no assignment that agrees with it shows.

    When it is taken back, the next assumption leads to the same as if it were the first one.
    """
    possible = reachable(core)
    domains, net = Domains.of(core, possible), core.network.wires
    for _ in range(2):
        wire = draw(st.integers(0, core.network.n_wires - 1))
        kept = draw(st.lists(st.integers(0, core.network.n_rows - 1), min_size=1, unique=True))
        agree = [one for one in true if one[wire] in kept]
        fresh = Domains.of(core, possible)
        goes = assume_off(wire, off_others(core, wire, kept), domains, net)
        assert assume_off(wire, off_others(core, wire, kept), fresh, net) == goes
        if goes:
            left = listed(domains.possible)
            assert all(token in left[w] for one in agree for w, token in enumerate(one))
            assert left == listed(fresh.possible)
            assert_complete(core, listed(possible), left)
            assert_counted(core, domains)
        else:
            assert not agree
        take_back(0, domains, net)
        assert np.array_equal(domains.possible, possible)
        assert_counted(core, domains)


@given(asked=problems(), data=st.data())
@settings(max_examples=40)
def test_what_is_taken_back_to_a_mark_leaves_what_was_assumed_before(asked, data):
    core = core_of(asked)
    domains, net = Domains.of(core, reachable(core)), core.network.wires
    any_wire = st.integers(0, core.network.n_wires - 1)
    first, second = data.draw(any_wire), data.draw(any_wire)
    own = core.network.row
    assert assume_off(first, off_others(core, first, [own[first]]), domains, net)
    before, mark = domains.possible.copy(), domains.n_excluded
    assert assume_off(second, off_others(core, second, [own[second]]), domains, net)
    assert domains.n_excluded - mark == np.bitwise_count(before ^ domains.possible).sum()
    take_back(mark, domains, net)
    assert domains.n_excluded == mark
    assert np.array_equal(domains.possible, before)
    assert_counted(core, domains)


@given(asked=problems(), data=st.data())
@settings(max_examples=60)
def test_nothing_follows_that_some_assignment_contradicts(asked, data):
    core = core_of(asked)
    assert_follows(core, solutions(core, zones_of(asked), knowledge_of(asked)), data.draw)


@given(asked=pinned_cores(), data=st.data())
@settings(max_examples=40)
def test_nothing_follows_that_some_assignment_contradicts_where_tokens_are_pinned(asked, data):
    core, zones, pins = asked
    assert_follows(core, solutions(core, zones, [], pins), data.draw)


@given(asked=problems(), data=st.data(), seed=st.integers(0, 99))
@settings(max_examples=40)
def test_guesses_fail_only_where_no_assignment_is_left(asked, data, seed):
    """Who is not on a row that was refuted is on another one, so a failure is a proof."""
    core = core_of(asked)
    true = solutions(core, zones_of(asked), knowledge_of(asked))
    domains, net = Domains.of(core, reachable(core)), core.network.wires
    one = data.draw(st.sampled_from(true))
    wire = data.draw(st.integers(0, core.network.n_wires - 1))
    assert assume_off(wire, off_others(core, wire, [one[wire]]), domains, net)
    if assume_places(1, beginning(seed), domains, net):
        assert domains.size.min() > 0


@given(
    asked=problems(max_assignments=60), rows=st.permutations((5, 63, 64, 127, 128)), data=st.data()
)
@settings(max_examples=15)
def test_a_crowd_that_meets_nobody_changes_nothing(asked, rows, data):
    rows = sorted(rows[: asked.zones.n_users])
    core, crowded = core_of(asked), core_of(spread(asked, rows, 130))
    few, many = (Domains.of(one, reachable(one)) for one in (core, crowded))
    wire = data.draw(st.integers(0, core.network.n_wires - 1))
    kept = data.draw(st.lists(st.integers(0, core.network.n_rows - 1), min_size=1, unique=True))
    row = core.network.row[wire]
    there = int(crowded.network.first[rows[row]] + wire - core.network.first[row])
    goes = assume_off(wire, off_others(core, wire, kept), few, core.network.wires)
    among = off_others(crowded, there, [rows[token] for token in kept])
    assert assume_off(there, among, many, crowded.network.wires) == goes
    if goes:
        assert gathered(crowded, many.possible, rows) == listed(few.possible)


def crossing():
    """Users 0 and 1 meet, then 0 and 2, then 0 and 1: who leaves 0's row has one way home."""
    return problem(
        3, 4, [(1, [0, 1]), (2, [0, 2]), (3, [0, 1])], [(u, t) for u in range(3) for t in (0, 4)]
    )


def test_who_has_one_place_left_is_there_and_nobody_else_is():
    core = core_of(crossing())
    domains, net = Domains.of(core, reachable(core)), core.network.wires
    wire = int(core.network.wire_at(np.array([0]), np.array([1]))[0])
    other = int(core.network.wire_at(np.array([1]), np.array([1]))[0])
    assert assume_off(wire, tokens.set_of(np.array([0]), 1), domains, net)
    assert tokens.members(domains.possible[wire]).tolist() == [1]
    assert tokens.members(domains.possible[other]).tolist() == [0]


@pytest.mark.parametrize("seed", range(12))
def test_all_that_follows_does_where_many_meet_again_and_again(seed):
    random = np.random.default_rng(seed)
    zones = [(t, random.choice(6, int(random.integers(2, 4)), replace=False)) for t in range(1, 13)]
    everybody = [(user, t) for user in range(6) for t in (0, 13)]
    core = core_of(problem(6, 13, [(t, some.tolist()) for t, some in zones], everybody))
    possible = reachable(core)
    domains, net = Domains.of(core, possible), core.network.wires
    before = listed(possible)
    for wire, own in enumerate(core.network.row.tolist()):
        for token in before[wire]:
            if assume_off(wire, off_others(core, wire, [token]), domains, net):
                assert_complete(core, before, listed(domains.possible))
                assert_counted(core, domains)
            else:
                assert token != own
            changed = np.flatnonzero((domains.possible != possible).any(axis=1))
            steps = [range(net.start[w], core.network.end[w] + 1) for w in changed.tolist()]
            assert all(domains.is_counted[step] for span in steps for step in span)
            take_back(0, domains, net)
    assert_counted(core, domains)


@pytest.mark.parametrize("end", [0, 1])
def test_who_is_not_at_one_end_of_a_link_is_not_at_the_other(end):
    """Rows 0 and 1 are seen twice each, on wires 1 and 3 of their own."""
    zones = [(t, [0, 1, 2]) for t in (1, 2, 3, 4)]
    core = core_of(problem(3, 5, zones, [(0, 1), (0, 3), (1, 1), (1, 3)]))
    domains, net = Domains.of(core, reachable(core)), core.network.wires
    for row, off in ((0, [2]), (0, [1, 2]), (1, [2]), (1, [0, 2])):
        wires = core.network.wire_at([row, row], [1, 3])
        assert wires.tolist() in core.link_wires.tolist()
        assert assume_off(int(wires[end]), tokens.set_of(np.array(off), 1), domains, net)
        assert not any(tokens.are_in(domains.possible, wires, one).any() for one in off)
        take_back(0, domains, net)
        assert all(tokens.are_in(domains.possible, wires, one).all() for one in off)


@pytest.mark.parametrize("rows", list(permutations(range(3))))
def test_who_has_one_wire_left_after_a_step_has_it_alone(rows):
    """The first one has been on the first two rows only."""
    one, two, three = rows
    core = core_of(problem(3, 3, [(1, sorted([two, three])), (2, sorted([one, two]))]))
    domains, net = Domains.of(core, reachable(core)), core.network.wires
    last = core.network.wire_at(rows, [3, 3, 3]).tolist()
    assert assume_off(last[0], tokens.set_of(np.array([one]), 1), domains, net)
    left = [listed(domains.possible)[wire] for wire in last]
    assert left == [{two, three}, {one}, {two, three}]


def test_what_cannot_be_is_refuted():
    core = core_of(problem(2, 2, [(1, [0, 1])], [(u, t) for u in (0, 1) for t in (0, 2)]))
    domains, net = Domains.of(core, reachable(core)), core.network.wires
    for wire in range(core.network.n_wires):
        own = int(core.network.row[wire])
        assert not assume_off(wire, tokens.set_of(np.array([own]), 1), domains, net)
        take_back(0, domains, net)


@given(asked=problems(), data=st.data())
@settings(max_examples=20)
def test_when_there_is_no_room_left_nothing_more_follows_and_nothing_wrong(asked, data):
    core: Core = core_of(asked)
    true = solutions(core, zones_of(asked), knowledge_of(asked))
    domains = Domains.of(core, reachable(core), most_excluded=3)
    one = data.draw(st.sampled_from(true))
    wire = data.draw(st.integers(0, core.network.n_wires - 1))
    assert assume_off(wire, off_others(core, wire, [one[wire]]), domains, core.network.wires)
    assert all(token in left for token, left in zip(one, listed(domains.possible), strict=True))


def eliminated(core, *, journal=None, seconds=None, workers=2, k=None):
    """All questions about all wires of a core, after candidates were ruled out."""
    n_wires = core.network.n_wires
    answers = Answers(
        core,
        np.arange(n_wires),
        np.full(n_wires, k or 1, np.int32),
        exhaustive=k is None,
    )
    answers.possible &= reachable(core)
    answers.settle(Argument.REACHABILITY)
    questions = Publisher(answers)
    course = Course.begin(SolveLimits(seconds, workers), journal=journal)
    run_steps(probing(questions, course), questions, course)
    return answers


def two_who_lock_each_other():
    """Tokens 0 and 1 can both come home only over row 2 at step 2, where one of them fits.

    Each is possible on the other's row as far as it alone is concerned.
    """
    zones = [(1, [0, 1]), (2, [1, 2]), (3, [0, 2])]
    return problem(3, 4, zones, [(u, t) for u in (0, 1, 2) for t in (0, 4)])


@given(asked=problems())
@settings(max_examples=60)
def test_no_candidate_is_ruled_out(asked):
    assert within(truth_of(asked), listed(eliminated(core_of(asked)).possible))


@given(asked=pinned_cores())
@settings(max_examples=40)
def test_no_candidate_is_ruled_out_where_tokens_are_pinned_to_sets_of_rows(asked):
    core, zones, pins = asked
    truth = domains(core.network.n_rows, core.network.horizon, zones, [], pins)
    assert within(at_wires(core.network, truth), listed(eliminated(core).possible))


def test_who_could_only_be_there_instead_of_somebody_who_must_be_is_ruled_out():
    asked = two_who_lock_each_other()
    core = core_of(asked)
    assert listed(reachable(core)) != truth_of(asked)
    answers = eliminated(core, k=2)
    assert listed(answers.possible) == truth_of(asked)
    assert Argument.ASSUMPTION in answers.decided_by


@pytest.mark.parametrize("seed", range(8))
def test_of_those_who_meet_again_and_again_all_are_ruled_out_who_contradict_something(seed):
    """Each on its own, and no candidate: on several wires at once there are others to rule out."""
    random = np.random.default_rng(seed)
    pairs = [(t, sorted(random.choice(5, 2, replace=False).tolist())) for t in range(1, 10)]
    asked = problem(5, 10, pairs, [(user, t) for user in range(5) for t in (0, 10)])
    core, net = core_of(asked), core_of(asked).network.wires
    before = reachable(core)
    left = listed(eliminated(core).possible)
    assert within(truth_of(asked), left)
    for wire, here in enumerate(listed(before)):
        for token in here:
            alone = tokens.set_of(np.array([token]), 1)
            if not assume_off(wire, ~alone, Domains.of(core, before), net):
                assert token not in left[wire]


def test_the_number_of_threads_does_not_show():
    core = core_of(two_who_lock_each_other())
    one, three = (eliminated(core, workers=n, k=2) for n in (1, 3))
    assert np.array_equal(one.possible, three.possible)
    assert np.array_equal(one.decided_by, three.decided_by)


def test_what_is_recalled_is_what_was_found():
    journal, core = Kept(), core_of(two_who_lock_each_other())
    first = eliminated(core, journal=journal, k=2)
    assert journal.entries
    again = eliminated(core, journal=journal, k=2)
    assert journal.recalled == len(journal.entries)
    assert np.array_equal(first.possible, again.possible)


def test_without_time_nothing_is_ruled_out_or_kept():
    journal, core = Kept(), core_of(two_who_lock_each_other())
    answers = eliminated(core, journal=journal, seconds=1e-9, k=2)
    assert journal.entries == {}
    assert np.array_equal(answers.possible, reachable(core))
