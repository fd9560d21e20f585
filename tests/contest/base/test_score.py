"""Scores by hand, and what comes with them."""

import math

import numpy as np
import pytest

from mixsafe.contest.base.rules import Rules
from mixsafe.contest.base.score import (
    minimum,
    reidentification,
    trace_inference,
    utility,
    wilson_interval,
)
from mixsafe.contest.obfuscations import MergeAndHide, NoObfuscation
from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.model.release import Cells, IdTable

EAST, NORTH = 0.34125, 0.346875
"""Kilometres from a region's centre to the next, in the contest."""


def one_user(*regions):
    """One user in these regions (reg_id) one after the other."""
    return TraceMatrix(np.array([regions], np.int32) - 1)


def shown(*contents):
    """Cells of one user, each a tuple of reg_id."""
    sets = [content for content in contents if len(content) > 1]
    code = []
    for content in contents:
        if len(content) > 1:
            code.append(1024 + 1 + sets.index(content))
        else:
            code.append(content[0] - 1 if content else 1024)
    ptr = np.concatenate([[0], np.cumsum([len(content) for content in sets])]).astype(np.int64)
    member = np.array([region - 1 for content in sets for region in content], np.int32)
    return Cells(np.array([code], np.int32), 1024, ptr, member)


def test_utility_of_the_paper_s_example():
    """Noise of one region, nothing, a set of three, a deletion (paper, figure 6)."""
    traces = one_user(1, 3, 2, 4)
    cells = shown((2,), (3,), (2, 4, 5), ())
    expected = [EAST / 2, 0, (0 + 2 * EAST + 3 * EAST) / 3 / 2, 1]
    score = utility(traces, cells, Rules())
    assert score.value == pytest.approx(1 - np.mean(expected), abs=1e-12)
    assert score.valid is False


def test_no_obfuscation_keeps_all_utility_and_deletion_none(original, rules):
    source = np.random.default_rng(0)
    assert utility(original, NoObfuscation().anonymise(original, rules, source), rules).value == 1
    hidden = MergeAndHide(0, 0, 1).anonymise(original, rules, source)
    assert utility(original, hidden, rules).value == 0


def test_programs_clip_the_distances_of_a_set_before_the_mean_and_the_paper_after():
    far = shown((1, 1024))
    distance = math.hypot(31 * NORTH, 31 * EAST)
    assert distance > 4
    assert utility(one_user(1), far, Rules()).value == pytest.approx(0.5)
    assert utility(one_user(1), far, Rules(variant="paper")).value == 0


def test_both_variants_agree_while_sets_stay_within_two_kilometres():
    near = shown((1, 2, 33))
    program = utility(one_user(1), near, Rules()).value
    paper = utility(one_user(1), near, Rules(variant="paper")).value
    assert program == pytest.approx(paper) == pytest.approx(1 - (EAST + NORTH) / 6)


def test_reidentification_of_the_paper_s_example():
    """Pseudonyms of users 2, 3, 1; guessed 2, 2, 1: one of three is not found."""
    table = IdTable(np.array([[1], [2], [0]], np.int32))
    score = reidentification(table, np.array([1, 1, 0], np.int32))
    assert score.value == pytest.approx(1 / 3)
    assert score.attempts == 3
    assert score.baseline == pytest.approx(2 / 3)


def test_a_static_table_scores_the_same_as_its_repetition_over_time():
    user = np.array([[1], [2], [0]], np.int32)
    answer = np.array([1, 1, 0], np.int32)
    over_time = IdTable(np.repeat(user, 5, axis=1), first_time=41)
    once = reidentification(IdTable(user), answer).value
    assert reidentification(over_time, answer).value == pytest.approx(once)
    repeated = np.repeat(answer[:, None], 5, axis=1)
    assert reidentification(over_time, repeated).value == pytest.approx(once)
    assert reidentification(IdTable(user), repeated).value == pytest.approx(once)


def test_a_dynamic_table_counts_pseudonyms_and_times():
    table = IdTable(np.array([[0, 1], [1, 0]], np.int32), first_time=1)
    assert reidentification(table, np.array([0, 1], np.int32)).value == 0.5
    assert reidentification(table, np.array([[0, 1], [1, 0]], np.int32)).value == 0.0


def test_hospitals_weigh_ten_times_by_the_original_region():
    """Region 2 has a hospital: missed there and right at region 1, and the other way round."""
    traces = one_user(1, 2)
    guess = np.array([[1, 1023]], np.int32) - 1
    assert trace_inference(traces, guess, Rules()).value == pytest.approx(10 / 11)
    guess = np.array([[1024, 2]], np.int32) - 1
    assert trace_inference(traces, guess, Rules()).value == pytest.approx(1 / 11)


def test_a_near_guess_finds_a_part():
    guess = np.array([[34 - 1]], np.int32)
    score = trace_inference(one_user(1), guess, Rules())
    assert score.value == pytest.approx(math.hypot(NORTH, EAST) / 2)


def test_the_trace_baseline_is_what_random_guesses_reach(original, rules):
    """16 regions, every one of them guessed once for each true location."""
    every = [
        trace_inference(original, np.full_like(original.region, region), rules)
        for region in range(16)
    ]
    mean = np.mean([score.value for score in every])
    assert every[0].baseline == pytest.approx(mean)


def test_effective_attempts_fall_with_unequal_weights():
    assert trace_inference(one_user(1, 3), np.array([[0, 2]], np.int32), Rules()).attempts == 2
    mixed = trace_inference(one_user(1, 2), np.array([[0, 1]], np.int32), Rules())
    assert mixed.attempts == pytest.approx(11**2 / (1 + 100))


def test_wilson_interval_is_the_textbook_s():
    """Newcombe (1998), 81 of 263: 0.2553 to 0.3662."""
    low, high = wilson_interval(81 / 263, 263)
    assert (low, high) == pytest.approx((0.2553, 0.3662), abs=5e-5)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_wilson_interval_does_not_collapse_when_every_attack_succeeds_or_none(share):
    low, high = wilson_interval(share, 20)
    assert 0 <= low < high <= 1


def test_the_strongest_attack_counts():
    table = IdTable(np.array([[0], [1]], np.int32))
    weak = reidentification(table, np.array([1, 0], np.int32))
    strong = reidentification(table, np.array([0, 0], np.int32))
    assert minimum([weak, strong]) is strong
    with pytest.raises(InputError, match="no attack"):
        minimum([])


def test_a_score_never_travels_alone():
    score = utility(one_user(1, 2), shown((1,), (2,)), Rules())
    assert set(score.to_dict()) == {
        "score",
        "value",
        "interval",
        "attempts",
        "baseline",
        "valid",
    }


def test_answers_of_another_shape_are_refused(original, rules):
    with pytest.raises(InputError, match="6 x 7 inferred"):
        trace_inference(original, original.region[:, :7], rules)
    with pytest.raises(InputError, match="do not fit an ID table"):
        reidentification(IdTable(np.zeros((1, 1), np.int32)), np.zeros(2, np.int32))
    with pytest.raises(InputError, match="the release has 1 x 2 cells"):
        utility(original, shown((1,), (2,)), rules)
