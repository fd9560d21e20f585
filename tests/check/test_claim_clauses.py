"""Clauses of claims: every assignment fulfils them, and forged proofs are refused."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings

from mixsafe.certify.proving import Doubt, refutations
from mixsafe.check.claim_clauses import (
    APART,
    BACK,
    BEGIN,
    FILLED,
    LAST,
    NEXT,
    OFF,
    ONWARD,
    ClaimClauses,
    replay,
)
from mixsafe.check.reached import Reached
from mixsafe.errors import InputError
from mixsafe.model.answer.certificate import ClauseProof
from mixsafe.model.course import Course, SolveLimits
from tests.support.oracles import agrees_with, assignments, domains_of, zones_of
from tests.support.strategies import problem, problems

NOTHING = np.zeros(0, np.int32)
ASKED = problem(3, 4, [(1, [0, 1]), (3, [0, 2])], [(0, 0), (0, 4), (1, 0), (1, 4), (2, 2), (2, 4)])
"""User 0 could only give her token to user 1, who meets nobody again; user 2 is seen twice."""


def claim(off=(0,), tracked=(0, 1, 2), begin=0, end=4, row=0, time=1):
    told = (np.array(tokens, np.int64) for tokens in (off, tracked))
    return ClauseProof(row, time, *told, begin, end, NOTHING, NOTHING)


def all_clauses(told):
    """Every clause, by its name: of all names that could be one."""
    found = {}
    for kind in range(8):
        for about in range(-1, told.n_variables + 2):
            for other in range(-1, told.n_variables + 2) if kind == APART else (0,):
                with suppress(InputError):
                    found[kind, about, other] = told.clause(kind, about, other)
    return found


def test_variables_are_of_all_tracked_tokens_and_their_wires_in_the_stretch_of_time():
    asked = problem(140, 6, [(1, [5, 70]), (2, [70, 135]), (4, [5, 64, 135])], [(70, 0), (70, 6)])
    reached, tracked = Reached(asked), [5, 63, 64, 70, 135, 139]
    told = ClaimClauses(reached, claim((5,), tracked, 2, 3, 5, 2))
    expected = [
        (token, wire)
        for wire in range(len(reached.row))
        if reached.start[wire] <= 3 and reached.end[wire] >= 2
        for token in tracked
        if token in reached.tokens(wire)
    ]
    assert [told.about(one) for one in range(1, told.n_variables + 1)] == expected


def test_clauses_of_every_kind_are_written():
    reached = Reached(
        problem(3, 4, [(1, [0, 1]), (2, [0, 2]), (3, [0, 1])], [(2, 2), (2, 4), (2, 1)])
    )
    told = ClaimClauses(reached, claim((0,), (0, 1, 2), 0, 4, 1, 1))
    assert {kind for kind, _, _ in all_clauses(told)} == set(range(8))
    assert told.clause(BEGIN, 0, 0) == [told.variables[0, 0]]
    assert ClaimClauses(reached, claim(begin=1)).clause(APART, 1, 2) == [-1, -2]
    with pytest.raises(InputError, match="no clause"):
        told.clause(BEGIN, 0, 1)


@pytest.mark.parametrize("kind", range(-1, 9))
def test_names_of_nothing_are_refused(kind):
    told = ClaimClauses(Reached(ASKED), claim())
    outside = (-1, max(told.n_variables, len(told.wires), 3) + 1)
    names = [(kind, about, other) for about in outside for other in (0, 1, 2)]
    if kind not in (BEGIN, FILLED):
        names += [(kind, 0, 0), (kind, 0, 1), (kind, told.n_variables + 1, 0)]
    if kind != APART:
        names += [(kind, 1, 1)]
    for name in names:
        with pytest.raises(InputError, match="no clause"):
            told.clause(*name)


@pytest.mark.parametrize("kind", [ONWARD, BACK])
def test_zones_outside_the_stretch_of_time_are_not_spoken_of(kind):
    whole, short = (
        ClaimClauses(Reached(ASKED), claim(begin=b, end=e)) for b, e in ((0, 4), (1, 2))
    )
    assert any(found[0] == kind for found in all_clauses(whole))
    assert not any(found[0] == kind for found in all_clauses(short))


def test_a_wire_is_filled_only_by_all_who_may_be_there():
    told = ClaimClauses(Reached(ASKED), claim(tracked=(0, 1)))
    filled = {about for kind, about, _ in all_clauses(told) if kind == FILLED}
    for place, wire in enumerate(told.wires.tolist()):
        left = set(Reached(ASKED).tokens(wire))
        assert (place in filled) == (left <= {0, 1})


def test_users_are_linked_to_sightings_in_the_stretch_of_time_only():
    asked = problem(3, 6, [(t, [0, 1]) for t in (2, 4)], [(0, 1), (0, 3), (0, 5)])
    kinds = {kind for kind, _, _ in all_clauses(ClaimClauses(Reached(asked), claim(end=6)))}
    assert {NEXT, LAST} <= kinds
    short = ClaimClauses(Reached(asked), claim(begin=2, end=3, time=2))
    assert not {NEXT, LAST} & {kind for kind, _, _ in all_clauses(short)}


@pytest.mark.parametrize(
    "changed",
    [
        {"tracked": ()},
        {"tracked": (1, 0, 2)},
        {"tracked": (0, 0, 1)},
        {"tracked": (0, 3)},
        {"tracked": (-1, 0)},
        {"off": (3,)},
        {"off": (2,), "tracked": (0, 1)},
        {"begin": -1},
        {"end": 5},
        {"begin": 3, "end": 2},
        {"begin": 2},  # after the claim
        {"end": 0},  # before it
        {"row": 3},
        {"row": -1},
    ],
)
def test_tokens_and_steps_that_are_none_are_refused(changed):
    with pytest.raises(InputError, match="not of this problem"):
        ClaimClauses(Reached(ASKED), claim(**changed))


LINKED = problem(
    5,
    8,
    [(1, [0, 1, 4]), (3, [0, 2, 3, 4]), (5, [0, 4])],
    [(0, 2), (1, 6), (2, 3), (3, 2), (3, 8), (4, 3)],
)


@pytest.fixture(name="proven", scope="module")
def _proven():
    """What is reached, and that user 4 has four candidates after step 6, by clauses and lemmas."""
    reached = Reached(LINKED)
    left = sorted(domains_of(LINKED)[4, 6])
    (found,) = refutations(
        reached, [Doubt(4, 6, np.array(left))], Course.begin(SolveLimits(workers=1))
    )
    return reached, found


def test_a_proof_with_a_clause_left_out_or_of_another_claim_is_refused(proven):
    reached, proof = proven
    replay(reached, proof)
    for clause in range(0, len(proof.needed), 3):
        with pytest.raises(InputError):
            replay(
                reached, proof._replace(needed=np.delete(proof.needed, slice(clause, clause + 3)))
            )
    kinds = proof.needed.reshape(-1, 3)[:, 0].tolist()
    assert OFF in kinds
    for other in ({"row": 0}, {"off": proof.off[1:]}, {"begin": 1}, {"end": 3}):
        with pytest.raises(InputError):
            replay(reached, proof._replace(**other))
    for missing in (1, 2):
        with pytest.raises(InputError, match="end within one"):
            replay(reached, proof._replace(needed=proof.needed[:-missing]))


def test_a_proof_with_any_number_changed_proves_nothing_that_is_false(proven):
    reached, proof = proven
    weaker = proof._replace(off=proof.off[:-1])  # now one candidate may be there
    for place in range(len(proof.lemmas)):
        for number in (-2, -1, 0, 1, 2):
            lemmas = proof.lemmas.copy()
            lemmas[place] = number
            with pytest.raises(InputError):
                replay(reached, weaker._replace(lemmas=lemmas))
    for place in range(len(proof.needed)):
        for change in (-1, 1):
            needed = proof.needed.copy()
            needed[place] += change
            with pytest.raises(InputError):
                replay(reached, weaker._replace(needed=needed))


@given(problems(max_users=4, max_zones=4))
@settings(max_examples=40)  # each one evaluates every clause on every assignment
def test_every_assignment_that_agrees_fulfils_all_clauses_but_those_of_the_claim(asked):
    reached = Reached(asked)
    tokens, horizon = np.arange(reached.n_rows), reached.horizon
    for tracked, begin in ((tokens, 0), (tokens[1:], 0), (tokens, min(1, horizon))):
        told = ClaimClauses(reached, claim(tokens[:0], tracked, begin, horizon, 0, horizon))
        clauses = all_clauses(told).values()
        for assignment in assignments(reached.n_rows, horizon, zones_of(asked)):
            if agrees_with(asked, assignment):
                true = set()
                for variable in range(1, told.n_variables + 1):
                    token, wire = told.about(variable)
                    there = assignment[reached.start[wire]][reached.row[wire]] == token
                    true.add(variable if there else -variable)
                assert all(true & set(clause) for clause in clauses)
