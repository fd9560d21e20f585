"""Attacks of the organizers, against definitions."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.contest.attacks import (
    HomeProbIds,
    HomeProbTraces,
    RandomIds,
    RandomTraces,
    TrackScores,
    VisitProbIds,
    VisitProbTraces,
    guess_regions,
    likeliest_free,
)
from mixsafe.contest.base.reference import Reference, VisitModel
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.obfuscations import MergeAndHide, NoObfuscation
from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import Regions, TraceMatrix
from mixsafe.model.release import Cells

GRID = Regions(2, 3, 35.65, 139.68, 0.003, 0.004, np.zeros(6, bool))
ANYTHING = np.random.default_rng(0)


def naive_likelihoods(reference, cells, chosen_reference, chosen):
    """Log-likelihood of each track under each user, added up in plain Python."""
    sets = [cells.member[a:b] for a, b in zip(cells.ptr[:-1], cells.ptr[1:], strict=True)]
    result = np.zeros((cells.n_rows, len(reference)))
    for user, visits in enumerate(reference):
        learned = [region for region, use in zip(visits, chosen_reference, strict=True) if use]
        share = [learned.count(g) / len(learned) or 1e-8 for g in range(cells.n_regions)]
        for track, codes in enumerate(cells.code):
            for code, use in zip(codes, chosen, strict=True):
                if not use or code == cells.n_regions:
                    continue
                shown = [code] if code < cells.n_regions else sets[code - cells.n_regions - 1]
                result[track, user] += math.log(np.mean([share[g] for g in shown]))
    return result


@st.composite
def contests(draw):
    """Reference regions, and cells with regions, deletions and two sets."""
    users, steps = draw(st.integers(1, 5)), draw(st.integers(1, 6))
    seed = draw(st.integers(0, 2**32 - 1))
    random = np.random.default_rng(seed)
    reference = random.integers(6, size=(users, 6)).astype(np.int32)
    code = random.integers(9, size=(users, steps)).astype(np.int32)
    member = np.array([0, 1, 2, 3, 5], np.int32)
    return reference, Cells(code, 6, np.array([0, 2, 5]), member)


@given(contests())
@settings(max_examples=60, deadline=None)
def test_the_product_of_matrices_is_the_sum_over_cells(contest):
    reference, cells = contest
    model = VisitModel.learn(TraceMatrix(reference), 6)
    used = np.ones(cells.code.shape, bool)
    scores = np.concatenate(list(model.scores(cells, used, ANYTHING, most=None)))
    expected = naive_likelihoods(reference.tolist(), cells, [True] * 6, [True] * cells.n_steps)
    np.testing.assert_allclose(scores, expected, rtol=1e-12)


@given(contests())
@settings(max_examples=40, deadline=None)
def test_home_attack_uses_the_home_hours_of_both_halves_only(contest):
    reference, cells = contest
    rules = Rules(GRID, steps_per_day=3, home_steps=1)
    answer = HomeProbIds().attack(Reference(TraceMatrix(reference), rules), cells, ANYTHING)
    at_home = [step % 3 == 0 for step in range(6)]
    expected = naive_likelihoods(
        reference.tolist(), cells, at_home, [step % 3 == 0 for step in range(cells.n_steps)]
    )
    found = expected[np.arange(len(answer)), answer]
    np.testing.assert_allclose(found, expected.max(axis=1), rtol=1e-12)


def test_of_equally_likely_users_the_first_is_answered():
    same = TraceMatrix(np.zeros((3, 4), np.int32))
    cells = Cells.of_regions(same.region, 6)
    answer = HomeProbIds().attack(Reference(same, Rules(GRID)), cells, ANYTHING)
    assert answer.tolist() == [0, 0, 0]


def test_a_track_without_a_usable_cell_is_taken_for_the_first_user(reference, original, rules):
    hidden = MergeAndHide(0, 0, 1.0).anonymise(original, rules, np.random.default_rng(0))
    assert VisitProbIds().attack(reference, hidden, ANYTHING).tolist() == [0] * 6


def test_the_program_looks_at_a_tenth_of_the_cells_and_the_paper_at_all():
    """Users 0 and 1 differ in one visit of 40, which a tenth of the cells seldom shows."""
    region = np.zeros((2, 40), np.int32)
    region[1, 7] = 1
    traces, right = TraceMatrix(region), {"program": 0, "paper": 0}
    cells = NoObfuscation().anonymise(traces, Rules(GRID), np.random.default_rng(0))
    for variant in right:
        rules = Rules(GRID, variant=variant)
        for seed in range(200):
            answer = VisitProbIds().attack(
                Reference(traces, rules), cells, np.random.default_rng(seed)
            )
            right[variant] += answer[1] == 1
    assert right["paper"] == 200
    assert 5 <= right["program"] <= 40


def test_of_a_large_set_ten_regions_are_looked_at_drawn_evenly():
    """Of 16 regions the user was in one, so ten of them hold it with probability 10/16."""
    cells = Cells(
        np.full((4000, 1), 17, np.int32), 16, np.array([0, 16]), np.arange(16, dtype=np.int32)
    )
    model = VisitModel.learn(TraceMatrix(np.full((1, 5), 3, np.int32)), 16)
    used = np.ones(cells.code.shape, bool)
    scores = np.concatenate(list(model.scores(cells, used, np.random.default_rng(4), most=10)))
    held = np.isclose(scores, math.log((1 + 9e-8) / 10)).sum()
    missed = np.isclose(scores, math.log(1e-8)).sum()
    assert held + missed == 4000
    assert abs(held / 4000 - 10 / 16) < 4 * math.sqrt(10 / 16 * 6 / 16 / 4000)


def test_random_ids_are_a_permutation(reference, original, rules):
    cells = NoObfuscation().anonymise(original, rules, np.random.default_rng(0))
    answer = RandomIds().attack(reference, cells, np.random.default_rng(3))
    assert sorted(answer.tolist()) == list(range(6))


def test_users_with_habits_of_their_own_are_found(rules):
    region = np.repeat(np.arange(6, dtype=np.int32)[:, None], 8, axis=1)
    order = np.array([3, 1, 5, 0, 4, 2])
    cells = Cells.of_regions(region[order], 16)
    known = Reference(TraceMatrix(region), rules)
    assert HomeProbIds().attack(known, cells, ANYTHING).tolist() == order.tolist()


def test_likeliest_reads_blocks_one_after_the_other():
    blocks = iter([np.array([[0.0, 1.0]]), np.array([[2.0, 1.0], [0.0, 3.0]])])
    cells = Cells.of_regions(np.zeros((3, 1), np.int32), 6)
    assert TrackScores(blocks, cells, ANYTHING).users().tolist() == [1, 0, 1]


@pytest.mark.parametrize("method", [RandomIds(), VisitProbIds(), HomeProbIds()])
def test_a_release_of_other_users_is_refused(method, reference):
    cells = Cells.of_regions(np.zeros((5, 8), np.int32), 16)
    with pytest.raises(InputError, match="6 users, the release 5 pseudonyms"):
        method.attack(reference, cells, ANYTHING)


def test_reference_traces_without_home_hours_are_refused():
    evening = TraceMatrix(np.zeros((2, 2), np.int32), first_time=5)
    cells = Cells.of_regions(evening.region, 6)
    with pytest.raises(InputError, match="no time in the home hours"):
        HomeProbIds().attack(Reference(evening, Rules(GRID)), cells, ANYTHING)


@given(st.integers(1, 7), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_each_track_in_turn_takes_the_likeliest_user_left(count, seed):
    scores = np.random.default_rng(seed).integers(-3, 3, size=(count, count)).astype(float)
    chosen = likeliest_free(iter([scores[:2].copy(), scores[2:].copy()]))
    left = list(range(count))
    for track, user in enumerate(chosen):
        best = max(scores[track, other] for other in left)
        assert user == next(other for other in left if scores[track, other] == best)
        left.remove(user)


def test_a_shown_region_is_read_as_it_is_a_set_at_one_of_its_regions_a_deletion_anywhere():
    code = np.repeat(np.array([[2], [4], [5]], np.int32), 3000, axis=1)
    cells = Cells(code, 4, np.array([0, 3]), np.array([0, 1, 3], np.int32))
    guess = guess_regions(cells, np.random.default_rng(1))
    assert set(guess[0]) == {2}
    assert np.abs(np.bincount(guess[1], minlength=4) - 750).max() < 120
    assert np.abs(np.bincount(guess[2], minlength=4)[[0, 1, 3]] - 1000).max() < 120
    assert 2 not in guess[2]


def test_traces_are_given_in_the_order_of_users(rules):
    region = np.repeat(np.arange(6, dtype=np.int32)[:, None], 8, axis=1)
    order = np.array([3, 1, 5, 0, 4, 2])
    known = Reference(TraceMatrix(region), rules)
    cells = Cells.of_regions(region[order], 16)
    answer = HomeProbTraces().attack(known, cells, np.random.default_rng(0))
    assert np.array_equal(answer, region)


def test_the_paper_s_visit_attack_reads_known_habits_without_a_mistake(rules):
    region = np.repeat(np.arange(6, dtype=np.int32)[:, None], 8, axis=1)
    known = Reference(TraceMatrix(region), Rules(rules.regions, variant="paper"))
    cells = Cells.of_regions(region[::-1], 16)
    assert np.array_equal(VisitProbTraces().attack(known, cells, np.random.default_rng(0)), region)


def test_random_traces_are_uniform(reference):
    cells = Cells.of_regions(np.zeros((6, 4000), np.int32), 16)
    answer = RandomTraces().attack(reference, cells, np.random.default_rng(2))
    assert answer.shape == (6, 4000)
    assert np.abs(np.bincount(answer.reshape(-1), minlength=16) - 1500).max() < 200
