"""For how long the true pseudonym stays likely: against enumerated posteriors, step by step."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

import mixsafe
from mixsafe.documents.atlas import Context
from mixsafe.model.question.problem import Problem
from mixsafe.weigh.times_followed import times_followed
from mixsafe.weigh.weighing_document import weighing_document
from tests.support.strategies import problem, problems


def by_loop(problem: Problem, least: float) -> tuple[float, float]:
    """Longest and median time, from the whole posterior of every wire."""
    found = mixsafe.weigh(problem, exhaustive=True)
    assert found.posterior is not None
    steps, users = problem.zones.axis.steps, problem.zones.users.tolist()
    likely = np.zeros((len(users), steps + 1), bool)
    for wire in found.posterior:
        chance = dict(map(tuple, wire["chances"])).get(wire["user_id"], 0.0)
        row = users.index(wire["user_id"])
        likely[row, wire["from_time"] : wire["to_time"] + 1] = chance >= least - 1e-6
    times = []
    for row in range(len(users)):
        for start in range(1, steps + 1):
            end = start
            while end <= steps and likely[row, end]:
                end += 1
            # The last step is the last at which anybody is seen.
            times.append(max(min(end, steps) - start, 0) if likely[row, start] else 0)
    return float(max(times)), float(np.median(times))


@settings(max_examples=40, deadline=None)
@given(problems())
def test_times_are_those_of_the_posterior_of_the_true_pseudonym(asked: Problem) -> None:
    found = mixsafe.weigh(asked)
    if not found.rows.found.settled.all():
        return
    times = times_followed(asked.zones, found.rows)
    for key, least in (("1", 1.0), ("0.9", 0.9), ("0.5", 0.5)):
        assert times[key] == by_loop(asked, least)


def test_of_two_who_meet_once_each_is_half_believed() -> None:
    asked = problem(2, 9, [(4, [0, 1])])
    times = times_followed(asked.zones, mixsafe.weigh(asked).rows)
    assert [times[key].longest for key in ("1", "0.9", "0.5")] == [3, 3, 8]


def test_the_first_screen_says_for_how_long() -> None:
    found = mixsafe.weigh(problem(2, 9, [(4, [0, 1])]))
    said = {fact.label: fact.value for fact in weighing_document(found, Context("x", "")).facts}
    assert said["Followed"] == (
        "from any moment on, with certainty for 0 steps in the median, 3 steps at most; with a"
        " belief of 0.9 for 0 steps in the median, 3 steps at most; of 0.5 for 4 steps in the"
        " median, 8 steps at most"
    )
