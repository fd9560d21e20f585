"""Weighing as a whole."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
import pytest

import mixsafe
from mixsafe.machinery.checkpoint import Checkpoint
from mixsafe.weigh import plan
from tests.support import oracles
from tests.support.budgets import budgets
from tests.support.strategies import problem


def test_two_who_meet_once_are_as_likely_as_a_coin() -> None:
    found = mixsafe.weigh(problem(2, 3, [(2, [0, 1])]))
    table = found.wires
    assert table["best_guess"].tolist() == [1.0, 0.5, 1.0, 0.5]
    assert table["by"].tolist() == ["alone", "counted", "alone", "counted"]
    assert table["effective"].tolist() == pytest.approx([1, 2, 1, 2])
    assert found.summary["follower_right"] == pytest.approx((1 + 0.5 + 0.5) / 3, abs=1e-6)
    assert found.summary["counting_says"] == found.summary["follower_right"]


def test_an_exchange_that_seldom_happens_hides_nobody() -> None:
    presolved = problem(2, 3, [(2, [0, 1])])
    found = mixsafe.weigh(presolved, model=mixsafe.TakingPart(0.2))
    assert found.wires["best_guess"].tolist() == pytest.approx([1.0, 0.9, 1.0, 0.9])
    assert found.wires["proven"].tolist() == [1, 2, 1, 2]
    assert found.summary["levels"][0]["above_0.5"] == 2


def test_an_exchange_that_never_happens_leaves_one_candidate() -> None:
    presolved = problem(2, 3, [(2, [0, 1])])
    found = mixsafe.weigh(presolved, model=mixsafe.TakingPart(0.0))
    assert found.wires["proven"].tolist() == [1, 1, 1, 1]
    assert set(found.wires["best_guess"]) == {1.0}


def test_sampling_agrees_with_counting() -> None:
    presolved = problem(4, 4, [(1, [0, 1, 2]), (2, [2, 3]), (4, [0, 1, 3])], [(0, 0), (0, 4)])
    exact = mixsafe.weigh(presolved).wires
    drawn = mixsafe.weigh(presolved, exact=False, error=0.05).wires
    assert set(drawn["by"]) <= {"alone", "sampled", "not settled"}
    there = drawn["by"] == "sampled"
    assert there.sum() > 3
    assert (drawn["best_guess"] - exact["best_guess"])[there].abs().max() < 0.05
    assert (drawn["effective"] - exact["effective"])[there].abs().max() < 0.2


def of_draws(number: int) -> AbstractContextManager[None]:
    """Chains of so many draws, and no longer ones."""
    return budgets(plan, most_draws=number, fewest_draws=number, longest_apart=1)


def test_what_is_not_settled_has_no_number() -> None:
    presolved = problem(3, 3, [(1, [0, 1, 2]), (3, [0, 1])])
    with of_draws(32):
        found = mixsafe.weigh(presolved, exact=False, error=1e-6).wires
    open_ones = found["by"] == "not settled"
    assert open_ones.sum() == 5
    assert found.loc[open_ones, ["best_guess", "low", "high", "effective"]].isna().all(axis=None)
    assert found.loc[open_ones, "token"].isna().all()


def test_where_chains_settle_nothing_there_are_no_candidates_to_list() -> None:
    """Whole distributions are asked for, and no wire is settled: an answer, not an error."""
    presolved = problem(3, 3, [(1, [0, 1, 2]), (3, [0, 1])])
    with of_draws(32):
        found = mixsafe.weigh(presolved, exact=False, exhaustive=True, error=1e-6)
    assert "sampled" not in set(found.wires["by"])


def test_groups_that_never_meet_are_counted_apart() -> None:
    presolved = problem(5, 3, [(1, [0, 3]), (2, [1, 2, 4]), (3, [0, 3])], [(0, 0), (0, 2)])
    found = mixsafe.weigh(presolved).wires
    assert "not settled" not in set(found["by"])
    mine = found[(found["user_id"] == 4) & (found["from_time"] == 2)]
    assert mine["best_guess"].tolist() == pytest.approx([1 / 3])
    assert set(found["token"][found["user_id"] == 4]) <= {1, 2, 4}


@pytest.mark.parametrize("bet", [-0.1, 1.5])
def test_a_bet_that_is_no_chance_is_refused(bet: float) -> None:
    with pytest.raises(mixsafe.InputError, match="not between 0 and 1"):
        mixsafe.weigh(problem(2, 3, [(2, [0, 1])]), bet=bet)


def test_a_limit_of_time_leaves_the_rest_open() -> None:
    limits = mixsafe.SolveLimits(seconds=1e-9)
    presolved = mixsafe.pose(mixsafe.load(mixsafe.sample("town")))
    found = mixsafe.weigh(presolved, limits=limits)
    assert found.summary["not settled"] > 0
    assert np.isnan(found.rows.found.best).any()


def test_draws_under_another_law_are_not_taken_up(tmp_path: Path) -> None:
    presolved = problem(2, 3, [(2, [0, 1])])
    for model, refused in ((mixsafe.TakingPart(0.5), False), (mixsafe.TakingPart(0.4), True)):
        with Checkpoint(tmp_path / "run") as journal:
            if refused:
                with pytest.raises(mixsafe.InputError):
                    mixsafe.weigh(presolved, model=model, journal=journal)
            else:
                mixsafe.weigh(presolved, model=model, journal=journal)


def test_where_too_little_settled_it_says_how_much_longer_it_takes() -> None:
    """Chains of 32 draws are too short for an error of 0.01; of nine times as many few are."""
    presolved = problem(3, 3, [(1, [0, 1, 2]), (3, [0, 1])])
    with of_draws(320):
        short = mixsafe.weigh(presolved, exact=False, error=0.005)
    assert not short.summary["settled"]
    assert short.to_dict()["verdict"] == "not settled"
    longer = short.summary["times_as_long"]
    assert longer > 2
    with of_draws(320):
        coarse = mixsafe.weigh(presolved, exact=False, error=0.005 * np.sqrt(longer) * 1.5)
    assert coarse.summary["settled"]
    assert coarse.summary["times_as_long"] is None


def test_how_likely_every_candidate_is_can_be_had() -> None:
    presolved = problem(4, 4, [(1, [0, 1, 2]), (2, [2, 3]), (4, [0, 1, 3])], [(0, 0), (0, 4)])
    counted, drawn = (
        mixsafe.weigh(presolved, exact=exact, exhaustive=True, error=0.05)
        for exact in (True, False)
    )
    truth = oracles.posterior(presolved, [1.0] * 3, [1.0] * 4)
    assert mixsafe.weigh(presolved).posterior is None
    for found, near in ((counted, 1e-9), (drawn, 0.1)):
        assert found.posterior is not None
        for row in found.posterior:
            for step in range(row["from_time"], row["to_time"] + 1):
                chances = truth[row["user_id"], step]
                expected = {c: p for c, p in enumerate(chances) if p > 0}
                assert dict(row["chances"]) == pytest.approx(expected, abs=near)
            told = [p for _, p in row["chances"]]
            assert told == sorted(told, reverse=True)
    assert counted.posterior is not None
    assert len(counted.posterior) == len(counted.wires)
