"""In Python, what is no argument is refused in one sentence, and a time limit is said by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import mixsafe
from mixsafe.errors import InputError
from mixsafe.model.arguments import options_of
from mixsafe.weigh.plan import WeighOptions

TOWN = mixsafe.sample("town")


@pytest.fixture(scope="module")
def problem() -> mixsafe.Problem:
    return mixsafe.pose(mixsafe.load(TOWN))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda problem: mixsafe.verify(problem, k=3, timelimit=3),
            "verify has no option 'timelimit'; use time_limit=",
        ),
        (
            lambda problem: mixsafe.weigh(problem, timelimit=3),
            "weigh has no option 'timelimit'; use time_limit=",
        ),
        (
            lambda problem: mixsafe.optimize(problem, k=3, at=[5], cell_sizes=3),
            "optimize has no option 'cell_sizes'; use cell_size=",
        ),
        (
            lambda problem: mixsafe.breaking(problem, k=3, drawm=3),
            "breaking has no option 'drawm'; use drawn=",
        ),
        (
            lambda problem: mixsafe.audit(TOWN, TOWN, gap="absent"),
            "audit has no option 'gap'; use gaps=",
        ),
        (
            lambda problem: mixsafe.verify(problem, k=3, limits=4),
            "limits is of type int, not mixsafe.SolveLimits; for seconds use time_limit=",
        ),
        (
            lambda problem: mixsafe.verify(problem, k=3, time_limit="4"),
            "time_limit is of type str, not a number of seconds",
        ),
        (
            lambda problem: mixsafe.verify(
                problem, k=3, time_limit=4, limits=mixsafe.SolveLimits(4)
            ),
            "give either limits or time_limit",
        ),
        (
            lambda problem: mixsafe.verify(problem, k=3, progress=4),
            "progress is of type int, not a function",
        ),
        (
            lambda problem: mixsafe.pose("town.csv"),
            "source is of type str, not traces or mix zones; give what mixsafe.load returns",
        ),
        (
            mixsafe.select,
            "traces is of type Problem, not traces; give what mixsafe.load returns",
        ),
        (
            mixsafe.compare,
            "questions is of type Problem, not a list of questions; give [mixsafe.Question",
        ),
        (
            lambda problem: mixsafe.compare([problem]),
            "a question is of type Problem, not a question; give [mixsafe.Question(problem)]",
        ),
        (
            mixsafe.certify,
            "verification is of type Problem, not a verification; give what mixsafe.verify(…,",
        ),
        (
            mixsafe.links,
            "feed is of type Problem, not a feed; give what mixsafe.read_feed returns",
        ),
        (
            lambda problem: mixsafe.weigh("town.csv"),
            "problem is of type str, not a problem; give what mixsafe.pose returns",
        ),
        (
            lambda problem: mixsafe.report(3),
            "answer is of type int, not an answer or a file; give what a question returned",
        ),
    ],
)
def test_what_is_no_argument_is_one_sentence(
    problem: mixsafe.Problem, call: Callable[[Any], object], said: str
) -> None:
    with pytest.raises(InputError) as refused:
        call(problem)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "call",
    [
        lambda problem: mixsafe.verify(problem, k=3, time_limit=0),
        lambda problem: mixsafe.optimize(problem, k=3, at=[5], time_limit=0),
        lambda problem: mixsafe.weigh(problem, time_limit=0),
        lambda problem: mixsafe.breaking(problem, k=3, time_limit=0),
        lambda problem: mixsafe.protect(problem, 3, time_limit=0),
        lambda problem: mixsafe.compare([mixsafe.Question(problem)], k=3, time_limit=0),
        lambda problem: mixsafe.audit(TOWN, TOWN, time_limit=0),
    ],
)
def test_every_question_has_a_time_limit(
    problem: mixsafe.Problem, call: Callable[[Any], object]
) -> None:
    """A limit of no seconds is refused by the limits themselves, so each question hands it on."""
    with pytest.raises(InputError, match="the time limit, 0 seconds, is not positive"):
        call(problem)


def test_options_that_are_known_are_handed_on() -> None:
    limits = mixsafe.SolveLimits(7)
    for given in ({"limits": limits}, {"time_limit": 7}):
        begin, others = options_of("f", {"error": 0.1, **given}, WeighOptions)
        assert others == {"error": 0.1}
        assert 6 < begin().left <= 7


def test_what_load_returns_is_taken_by_what_works_on_traces() -> None:
    """The type checker reads this, too: what is loaded are traces, unless a format is given."""
    some = mixsafe.select(mixsafe.load(TOWN), users=3)
    assert len(some.users) == 3
    with pytest.raises(InputError, match="load has no option 'colums'; use column"):
        mixsafe.load(TOWN, colums=("user_id", "time"))  # type: ignore[call-overload]
