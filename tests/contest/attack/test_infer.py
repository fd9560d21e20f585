"""T1 to T3: who chooses whom, and what is read off a track."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.contest.attack.infer import (
    HomeProbTraces,
    RandomTraces,
    VisitProbTraces,
)
from mixsafe.contest.attack.tracks import guess_regions, likeliest_free
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.model.release import Cells


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
