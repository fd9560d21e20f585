"""A run that is stopped after any step, and taken up again, ends as if nothing had happened."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.machinery.journal import each, once
from mixsafe.model.course import Course, Deadline, Entry, SolveLimits
from mixsafe.solver import auto
from mixsafe.solver.sat import cpsat
from mixsafe.verify import verify
from tests.support.strategies import problem, problems

ENGINES = [("auto", None), ("cpsat", "flow"), ("cpsat", "permutation"), ("dp", None)]


class Killed(Exception):  # noqa: N818 -- no error, a fate
    """The run is killed."""


class Memory:
    """A journal that lives on when its run is killed, which it is after ``last`` new entries."""

    def __init__(self, entries: list[tuple[str, Entry]], last: int | None = None) -> None:
        self.entries = entries
        self._next = 0
        self._left = last
        self._cut = False
        self._question: dict[str, Any] | None = None

    def begin(self, question: Mapping[str, Any]) -> None:
        assert self._question in (None, dict(question)), "another question"
        self._question = dict(question)

    def recall(self, step: str) -> Entry | None:
        if self._next == len(self.entries):
            return None
        found, entry = self.entries[self._next]
        assert found == step
        self._next += 1
        return {name: array.copy() for name, array in entry.items()}

    def keep(self, step: str, entry: Entry) -> None:
        assert self._next == len(self.entries), "a step was taken before all were recalled"
        if self._cut:
            return
        if self._left == 0:
            raise Killed
        self.entries.append((step, {name: array.copy() for name, array in entry.items()}))
        self._next += 1
        if self._left is not None:
            self._left -= 1

    def cut(self) -> None:
        self._cut = True


def everything(answer: Any) -> tuple[Any, ...]:
    """All that an answer says, except how long it took."""
    tables = [
        None if table is None else table.to_csv(index=False)
        for table in (answer.wires, answer.results, answer.users)
    ]
    return (*tables, answer.domains, answer.proof_data.answers.notes)


def answered(problem: Any, engine: str, encoding: Any, journal: Any, **asked: Any) -> Any:
    return verify(
        problem,
        engine=engine,
        encoding=encoding,
        limits=SolveLimits(workers=1),
        keep_proof_data=True,
        journal=journal,
        **asked,
    )


@pytest.mark.parametrize(("engine", "encoding"), ENGINES)
@given(problem=problems(), exhaustive=st.booleans())
@settings(max_examples=20, deadline=None)
def test_stopped_after_any_step_and_taken_up_again_is_as_uninterrupted(
    engine: str, encoding: str, problem: Any, exhaustive: bool
) -> None:
    asked = {"exhaustive": True} if exhaustive else {"k": 2}
    whole = Memory([])
    expected = everything(answered(problem, engine, encoding, whole, **asked))
    assert expected == everything(answered(problem, engine, encoding, None, **asked))
    for n_steps in range(len(whole.entries)):
        stopped = Memory([], n_steps)
        with pytest.raises(Killed):
            answered(problem, engine, encoding, stopped, **asked)
        again = Memory(stopped.entries)
        assert everything(answered(problem, engine, encoding, again, **asked)) == expected
        assert [step for step, _ in again.entries] == [step for step, _ in whole.entries]


def hard_problem(n_users: int = 13, horizon: int = 60) -> Any:
    """Users who are all seen at both ends and once between; bounds leave much of it open."""
    random = np.random.default_rng(5)
    zones = [
        (t, sorted(random.choice(n_users, int(random.integers(2, 4)), replace=False).tolist()))
        for t in range(1, horizon)
    ]
    seen = [(user, t) for user in range(n_users) for t in (0, horizon)]
    middle = random.integers(horizon // 6, horizon - horizon // 6, n_users).tolist()
    seen += list(enumerate(middle))
    return problem(n_users, horizon, zones, seen)


SIZE = {"auto": (13, 60), "cpsat": (9, 30), "dp": (9, 30)}


def test_every_kind_of_step_of_auto_is_kept() -> None:
    journal = Memory([])
    answered(hard_problem(), "auto", None, journal, exhaustive=True)
    assert {step.split()[0] for step, _ in journal.entries} >= {"bounds", "walking", "cpsat"}


@pytest.mark.parametrize("engine", ["auto", "cpsat"])
def test_nothing_that_was_found_is_searched_for_again(
    engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Memory([])
    expected = everything(
        answered(hard_problem(*SIZE[engine]), engine, None, journal, exhaustive=True)
    )

    def forbidden(*_: object, **__: object) -> None:
        raise AssertionError("searched")

    monkeypatch.setattr(auto, "walk", forbidden)
    monkeypatch.setattr(cpsat.FlowModel, "ask", forbidden)
    again = answered(
        hard_problem(*SIZE[engine]), engine, None, Memory(journal.entries), exhaustive=True
    )
    assert everything(again) == expected


@pytest.mark.parametrize("engine", ["auto", "cpsat", "dp"])
def test_a_run_that_ran_out_of_time_keeps_only_what_time_did_not_touch(
    engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = everything(
        answered(hard_problem(*SIZE[engine]), engine, None, None, exhaustive=True)
    )
    for moments in (1, 12, 40):
        left = [moments]

        def passed(_: Deadline, left: list[int] = left) -> bool:
            left[0] -= 1
            return left[0] < 0

        journal = Memory([])
        with monkeypatch.context() as patch:
            patch.setattr(Deadline, "passed", property(passed))
            answered(hard_problem(*SIZE[engine]), engine, None, journal, exhaustive=True)
        again = answered(
            hard_problem(*SIZE[engine]), engine, None, Memory(journal.entries), exhaustive=True
        )
        assert everything(again) == expected


def test_a_step_that_was_not_finished_ends_the_journal() -> None:
    journal = Memory([])
    course = Course.begin(journal=journal)
    assert once(course, "one", lambda: None) is None
    once(course, "two", lambda: {"found": np.arange(2)})
    assert journal.entries == []


def test_of_many_tasks_only_those_that_are_not_recalled_are_run() -> None:
    journal = Memory([], 2)
    steps = ["a", "b", "c", "d"]
    ran: list[int] = []

    def run(tasks: Any) -> Any:
        for task in tasks:
            ran.append(task)
            yield {"found": np.array([task])}

    with pytest.raises(Killed):
        list(each(Course.begin(journal=journal), steps, [1, 2, 3, 4], run))
    assert ran == [1, 2, 3]
    ran.clear()
    again = Memory(journal.entries)
    found = list(each(Course.begin(journal=again), steps, [1, 2, 3, 4], run))
    assert ran == [3, 4]
    assert [int(entry["found"][0]) for entry in found] == [1, 2, 3, 4]
