"""What continues each tracklet: exactly what does in some history."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.model.course import Deadline
from mixsafe.model.tracklets import LinkBounds, LinkProblem
from mixsafe.tracklets.histories import decide
from tests.support.link_oracle import listed, problem_of, random_links

SEEDS = st.integers(0, 2**32 - 1)


def pairs(problem: LinkProblem, bounds: LinkBounds) -> tuple[set, set]:
    """What the bounds prove: (tracklet, what continues it), (tracklet, what it continues)."""
    owner = np.repeat(np.arange(len(problem)), np.diff(problem.ptr))[bounds.proven].tolist()
    to = problem.to[bounds.proven].tolist()
    ends, begins = np.flatnonzero(bounds.may_end), np.flatnonzero(bounds.may_begin)
    after = set(zip(owner, to, strict=True)) | {(i, -1) for i in ends.tolist()}
    before = set(zip(to, owner, strict=True)) | {(i, -1) for i in begins.tolist()}
    return after, before


@given(SEEDS)
def test_links_are_possible_exactly_if_some_history_has_them(seed):
    problem = random_links(np.random.default_rng(seed))
    truth, bounds = listed(problem), decide(problem)
    assert (bounds.contradiction is not None) == truth.contradicted
    assert bounds.decided
    assert pairs(problem, bounds) == (truth.after, truth.before)


@given(SEEDS)
def test_no_part_of_a_contradiction_is_one(seed):
    problem = random_links(np.random.default_rng(seed))
    why = decide(problem).contradiction
    if why is None:
        return
    numbers = np.arange(len(problem))

    def only(ends, begins, pairs):
        covered = np.isin(numbers, ends), np.isin(numbers, begins)
        return listed(LinkProblem(*fixed, *covered, problem.same[pairs])).contradicted

    fixed = problem.first, problem.last, problem.ptr, problem.to
    parts = [why.ends, why.begins, why.pairs]
    assert only(*parts)
    for number, part in enumerate(parts):
        for left_out in range(len(part)):
            fewer = [*parts[:number], np.delete(part, left_out), *parts[number + 1 :]]
            assert not only(*fewer)


def scooters(must_continue=(), must_come=()):
    """Three ends (0, 1, 2) and three beginnings (3, 4, 5); 2 may go on as 5 only."""
    links = [(0, 3), (0, 4), (0, 5), (1, 3), (1, 4), (1, 5), (2, 5)]
    alive = [(0, 0), (0, 2), (0, 5), (12, 30), (14, 30), (20, 30)]
    return problem_of(alive, links, list(must_continue), list(must_come))


def candidates(bounds, problem):
    return [int(bounds.proven[problem.ptr[i] : problem.ptr[i + 1]].sum()) for i in range(3)]


def test_a_closed_fleet_leaves_fewer_candidates_than_an_open_one():
    assert candidates(decide(scooters()), scooters()) == [3, 3, 1]
    closed = scooters((0, 1, 2), (3, 4, 5))
    assert candidates(decide(closed), closed) == [2, 2, 1]


def test_an_end_may_lose_its_continuation_to_one_that_must_continue():
    # 0 alone could take 3; 1 must, and 3 is all there is for it.
    problem = problem_of([(0, 1), (0, 1), (5, 6)], [(0, 2), (1, 2)], [1])
    after, before = pairs(problem, decide(problem))
    assert after == {(0, -1), (1, 2), (2, -1)}
    assert before == {(0, -1), (1, -1), (2, 1)}


def test_the_smallest_contradiction_is_told():
    # Two of 0, 1, 2 cannot both become 5; 3 and 4 share 6; 7 can become nothing.
    alive = [(0, 1)] * 5 + [(5, 6)] * 2 + [(0, 1)]
    links = [(0, 5), (1, 5), (2, 5), (3, 6), (4, 6)]
    why = decide(problem_of(alive, links, [0, 1, 2, 3, 4, 7])).contradiction
    assert why.ends.tolist() == [7]
    why = decide(problem_of(alive, links, [0, 1, 2])).contradiction
    assert len(why.ends) == 2
    assert len(why.begins) == 0


def test_beginnings_that_must_have_come_can_contradict_too():
    problem = problem_of([(0, 1), (5, 6), (5, 7)], [(0, 1), (0, 2)], [], [1, 2])
    why = decide(problem).contradiction
    assert why.begins.tolist() == [1, 2]
    assert not decide(problem).possible.any()


def test_pairs_of_one_vehicle_are_decided_among_thousands_of_links():
    # 60 vehicles change four times within an hour each; any of 12 may be any of 12.
    fleet, changes = 60, 4
    alive = [(10 * c, 10 * c + 5) for c in range(changes + 1) for _ in range(fleet)]
    links = [
        (fleet * c + v, fleet * (c + 1) + w)
        for c in range(changes)
        for v in range(fleet)
        for w in range(v - v % 12, v - v % 12 + 12)
    ]
    inner = list(range(fleet * changes))
    problem = problem_of(alive, links, inner, [fleet + i for i in inner], [(0, 4 * fleet)])
    bounds = decide(problem, Deadline(60))
    assert bounds.decided
    assert bounds.proven.all()
    other = problem_of(alive, links, inner, [], [(0, 4 * fleet + 12)])
    assert decide(other, Deadline(60)).contradiction.pairs.tolist() == [0]
