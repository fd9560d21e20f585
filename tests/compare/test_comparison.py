"""Engines side by side: what they took, and that they do not contradict each other."""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence

import numpy as np
import pytest

from mixsafe.compare.comparison import Comparison, EngineRun, check_engines, compare
from mixsafe.compare.engine_runs import AnswerBounds, Put, _run_apart
from mixsafe.compare.experiment import Question
from mixsafe.compare.isolated import Ended
from mixsafe.errors import InputError, MixsafeError
from mixsafe.model.course import SolveLimits
from tests.support.strategies import problem

QUESTION = Question(
    problem(3, 4, [(1, [0, 1]), (3, [0, 1])], [(0, 0), (0, 4)], [(0, 2, 2)]), seed=7
)


def run(
    engine: str, lower: Sequence[float], upper: Sequence[float], seconds: float = 1.0
) -> EngineRun:
    bounds = AnswerBounds("optimal", np.array(lower), np.array(upper), {})
    return EngineRun(
        QUESTION, 0, engine, "optimal", Ended("returned", bounds, seconds, 1.0), bounds
    )


def late(engine: str, limit: float = 9.0) -> EngineRun:
    return EngineRun(QUESTION, 0, engine, "timeout", Ended("killed", None, limit), None)


def comparison(*runs: EngineRun) -> Comparison:
    engines = tuple(dict.fromkeys(one.engine for one in runs))
    return Comparison("optimize", engines, 9.0, runs)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (([3.0], [3.0]), ([4.0], [4.0])),
        (([np.inf], [np.inf]), ([2.0], [5.0])),
        (([1.0, 2.0], [5.0, 2.0]), ([1.0, 3.0], [5.0, 3.0])),
    ],
    ids=["two minima", "infeasible and feasible", "the second of two answers"],
)
def test_engines_that_contradict_each_other_are_an_error(
    one: tuple[list[float], list[float]], other: tuple[list[float], list[float]]
) -> None:
    for first, second in ((one, other), (other, one)):
        with pytest.raises(MixsafeError, match=r"disagree .* seed 7"):
            comparison(run("dp", *first), run("cpsat", *second))


def test_bounds_that_meet_and_runs_without_an_answer_contradict_nobody() -> None:
    made = comparison(run("auto", [3], [3]), run("dp", [1], [3]), run("cpsat", [3], [np.inf]))
    assert made.table["engine"].tolist() == ["auto", "dp", "cpsat"]
    assert len(comparison(run("auto", [3], [3]), late("dp")).table) == 2


def test_runs_that_do_not_finish_count_with_the_limit() -> None:
    runs = [run("dp", [1], [1], seconds) for seconds in (1.0, 2.0)] + [late("dp")] * 3
    (row,) = comparison(*runs).summary().to_dict(orient="records")
    assert (row["users"], row["engine"], row["runs"], row["finished"]) == (3, "dp", 5, 2)
    assert (row["lower_quartile"], row["median"], row["upper_quartile"]) == (2.0, 9.0, 9.0)


def test_engines_answer_the_same_questions_in_processes_of_their_own() -> None:
    limits = SolveLimits(seconds=6000, workers=1)
    made = compare([QUESTION], task="optimize", engines=["dp", "auto"], limits=limits)
    assert made.table["status"].tolist() == ["optimal", "optimal"]
    assert made.table["minimum"].tolist() == [2, 2]
    assert made.table["seed"].tolist() == [7, 7]
    assert all(row["cpu_seconds"] >= 0 for row in made.to_dict()["runs"])


@pytest.mark.parametrize(
    "engines", [[], ["dp", "dp"], ["bounds"], ["choco"]], ids=["none", "twice", "bounds", "unknown"]
)
def test_engines_that_cannot_be_compared_are_refused(engines: list[str]) -> None:
    with pytest.raises(InputError):
        check_engines("optimize", engines)


def test_there_must_be_a_question() -> None:
    with pytest.raises(InputError, match="no question"):
        compare([])


def test_a_worker_that_may_start_no_process_says_so(monkeypatch):
    class Daemon:
        daemon = True

    monkeypatch.setattr(multiprocessing, "current_process", Daemon)
    put = Put([], [], "verify", compare, SolveLimits(1.0))
    with pytest.raises(InputError, match="may start no processes"):
        _run_apart(put, (0, 0))


def test_engines_of_which_none_finished_do_not_agree() -> None:
    """Agreement is of answers: whoever did not finish has none."""
    for made, word, agreed in (
        (comparison(run("auto", [3], [3]), run("dp", [3], [3]), late("cpsat")), "AGREE", 1),
        (comparison(run("auto", [3], [3]), late("dp")), "NOT COMPARED", 0),
        (comparison(late("auto"), late("dp")), "NOT COMPARED", 0),
    ):
        found = made.to_dict()
        assert (made.word, found["agree"], found["agreed"]) == (word, agreed == 1, agreed)
        assert found["questions"] == 1
    assert "Finished: auto 0, dp 0." in made.sentence
    assert "there is nothing to compare" in made.sentence
