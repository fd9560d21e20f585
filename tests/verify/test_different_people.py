"""Different people are different (fact 16): every engine against all assignments."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mixsafe.extract.adversaries import sealed
from mixsafe.model.course import MemoryLimits, SolveLimits
from mixsafe.model.question.problem import Problem
from mixsafe.solver.registry import ENGINES
from mixsafe.verify.verification import verify
from tests.support.oracles import domains_of, requirements_of
from tests.support.random_problems import of_different_people
from tests.support.strategies import problem

ONE_WORKER = SolveLimits(workers=1)
NONE_FOR_SETS = MemoryLimits(whole_bytes=0, part_bytes=0)
ENCODED = [
    (one.name, encoding) for one in ENGINES if one.exact for encoding in one.encodings or (None,)
]

CROSSED = problem(2, 3, [(2, [0, 1])], [(0, 1), (1, 3)], [(0, 3, 2), (1, 3, 2)], distinct=True)
"""Two people meet between a sighting of the one and a sighting of the other."""

CYCLE = problem(
    4,
    6,
    [(1, [0, 1, 2]), (3, [0, 1]), (4, [1, 2, 3]), (5, [0, 3])],
    [(0, 2), (1, 2), (1, 5), (2, 6), (3, 6)],
    distinct=True,
)


def as_in_the_paper(asked: Problem) -> Problem:
    return replace(asked, knowledge=replace(asked.knowledge, distinct=False))


def found(asked: Problem, engine: str, encoding: str | None = None) -> dict:
    answer = verify(asked, engine=engine, encoding=encoding, exhaustive=True, limits=ONE_WORKER)
    return {(row["user"], row["time"]): set(row["pseudonyms"]) for row in answer.domains}


def drawn(count: int, seed: int) -> list[Problem]:
    """Problems on which both readings differ."""
    random, chosen = np.random.default_rng(seed), []
    while len(chosen) < count:
        one = of_different_people(random)
        if domains_of(one) != domains_of(as_in_the_paper(one)):
            chosen.append(one)
    return chosen


SOME = drawn(25, seed=30)


@pytest.mark.parametrize("asked", [CROSSED, CYCLE])
@pytest.mark.parametrize(("engine", "encoding"), ENCODED)
def test_whoever_is_seen_has_a_pseudonym_of_her_own(asked, engine, encoding):
    assert found(asked, engine, encoding) == domains_of(asked)


def test_two_people_who_meet_between_their_sightings_cannot_change_places():
    answer = verify(CROSSED)
    assert answer.results["verdict"].tolist() == ["unsafe", "unsafe"]
    assert answer.to_dict()["knowledge"] == "distinct"
    paper = verify(as_in_the_paper(CROSSED))
    assert paper.results["verdict"].tolist() == ["safe", "safe"]
    assert paper.to_dict()["knowledge"] == "paper"


@pytest.mark.parametrize(("engine", "encoding"), ENCODED)
def test_all_candidates_are_those_of_assignments_in_which_people_are_different(engine, encoding):
    for asked in SOME:
        assert found(asked, engine, encoding) == domains_of(asked)


def test_bounds_enclose_them():
    for asked in SOME:
        truth = domains_of(asked)
        assert all(some <= truth[at] for at, some in found(asked, "bounds").items())
        rows = verify(asked, engine="bounds", limits=ONE_WORKER).rows
        sizes = [len(truth[user, t]) for user, t, _ in requirements_of(asked)]
        assert np.all((rows.lower <= sizes) & (sizes <= rows.upper))


def test_they_are_candidates_of_the_paper_too():
    for asked in SOME:
        paper = domains_of(as_in_the_paper(asked))
        assert all(some <= paper[at] for at, some in found(asked, "auto").items())


def test_nothing_changes_where_all_who_are_seen_are_seen_at_step_0():
    for asked in SOME[:8]:
        seen = np.unique(asked.knowledge.row)
        known = asked.knowledge.with_more(seen, np.zeros(len(seen)))
        named = replace(asked, knowledge=known)
        assert found(named, "auto") == found(as_in_the_paper(named), "auto")


@pytest.mark.parametrize("memory", [MemoryLimits(whole_bytes=0), NONE_FOR_SETS])
def test_groups_are_decided_one_by_one_and_large_ones_without_sets(memory):
    for asked in SOME:
        truth, limits = domains_of(asked), SolveLimits(workers=1, memory=memory)
        answer = verify(asked, limits=limits)
        sizes = np.array([len(truth[user, t]) for user, t, _ in requirements_of(asked)])
        assert np.all((answer.rows.lower <= sizes) & (sizes <= answer.rows.upper))
        decided = answer.results["verdict"] != "undecided"
        assert decided.all() or answer.representation == "sparse"


def test_everybody_is_seen_at_the_last_step_too():
    for asked in SOME[:8]:
        last = replace(asked, knowledge=sealed(asked))
        assert last.knowledge.distinct
        assert found(last, "auto") == found(last, "dp") == domains_of(last)
