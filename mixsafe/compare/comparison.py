"""Comparison of engines on the same questions, each run in a separate process: times, agreement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from mixsafe.compare.engine_runs import AnswerBounds, Put, ended_runs, minimum_bounds, verify_bounds
from mixsafe.compare.experiment import Question
from mixsafe.compare.isolated import Ended
from mixsafe.errors import InputError, MixsafeError
from mixsafe.model.arguments import limits_of, of_kind
from mixsafe.model.course import SolveLimits
from mixsafe.model.progress import Progress, no_progress
from mixsafe.solver.registry import ENGINES, Engine

Task = Literal["verify", "optimize"]
TASKS: tuple[Task, ...] = get_args(Task)
"""What is compared. To optimize, ``auto`` is the default method, and the others are the oracles of
a search over zone sets."""

FINISHED = ("decided", "optimal", "infeasible")
"""Status of runs that answered the question as a whole."""

LIMIT = 60.0
"""Default time limit of each run, in seconds."""


@dataclass(frozen=True, eq=False)
class EngineRun:
    """One engine on one question.

    Parameters
    ----------
    question, number
        What was asked, and its place among the questions.
    engine
        Who was asked.
    status
        ``decided`` or ``undecided`` (verify); ``optimal``, ``infeasible``, ``feasible`` or
        ``undecided`` (optimize); ``timeout``: it had to be ended; ``died``: it ended without a
        word, as when memory runs out.
    ended
        Time and memory.
    bounds
        What was proven; None without an answer.
    """

    question: Question
    number: int
    engine: str
    status: str
    ended: Ended
    bounds: AnswerBounds | None

    @property
    def finished(self) -> bool:
        """Whether the question was answered as a whole."""
        return self.status in FINISHED

    def row(self) -> dict[str, Any]:
        """The run as a row of the table."""
        problem, ended = self.question.problem, self.ended
        return {
            "question": self.number,
            "name": problem.name,
            "users": problem.zones.n_users,
            "zones": len(problem.zones),
            "knowledge": problem.knowledge.reading,
            "requirements": None if problem.requirements is None else len(problem.requirements),
            "seed": self.question.seed,
            "engine": self.engine,
            "status": self.status,
            **({} if self.bounds is None else self.bounds.shown),
            "seconds": round(ended.seconds, 4),
            "cpu_seconds": None if ended.cpu_seconds is None else round(ended.cpu_seconds, 4),
            "memory_mb": None if ended.memory_mb is None else round(ended.memory_mb, 1),
            "note": ended.note if self.bounds is None else "; ".join(self.bounds.notes),
        }


@dataclass(frozen=True, eq=False)
class Comparison:
    """All runs, of which no two contradict each other.

    Parameters
    ----------
    task
        What was compared.
    engines
        Who was asked, in order.
    limit
        Seconds that each run had.
    runs
        By question, then by engine.

    Raises
    ------
    MixsafeError
        Two engines contradict each other.
    """

    task: Task
    engines: tuple[str, ...]
    limit: float
    runs: tuple[EngineRun, ...]
    table: pd.DataFrame = field(init=False)

    def __repr__(self) -> str:
        return f"<Comparison: {len(self.runs):,} runs of {', '.join(self.engines)}>"

    def __post_init__(self) -> None:
        for number in dict.fromkeys(run.number for run in self.runs):
            check_agreement([run for run in self.runs if run.number == number])
        made = pd.DataFrame([run.row() for run in self.runs])
        whole = ("requirements", "seed", "minimum", "bound", "safe", "unsafe", "undecided")
        for column in made.columns.intersection(list(whole)):
            made[column] = made[column].astype("Int64")
        object.__setattr__(self, "table", made)

    def summary(self) -> pd.DataFrame:
        """A row per number of users and engine: runs, finished, quartiles of the seconds.

        A run that did not finish counts with the limit, so a median of ``limit`` says "at least".
        """
        finished = [run.finished for run in self.runs]
        seconds = np.where(finished, [run.ended.seconds for run in self.runs], self.limit)
        data = self.table[["users", "engine"]].assign(finished=finished, seconds=seconds)
        engine = pd.Categorical(data["engine"], categories=list(self.engines))
        groups = data.assign(engine=engine).groupby(["users", "engine"], observed=True)
        return groups.agg(
            runs=("seconds", "size"),
            finished=("finished", "sum"),
            lower_quartile=("seconds", lambda s: s.quantile(0.25)),
            median=("seconds", "median"),
            upper_quartile=("seconds", lambda s: s.quantile(0.75)),
        ).reset_index()

    @property
    def finished(self) -> dict[str, int]:
        """By engine, how many questions it answered as a whole."""
        of = [run.engine for run in self.runs if run.finished]
        return {engine: of.count(engine) for engine in self.engines}

    @property
    def n_questions(self) -> int:
        """Number of questions."""
        return len({run.number for run in self.runs})

    @property
    def n_agreed(self) -> int:
        """Number of questions that two or more engines answered as a whole, all alike."""
        of = [run.number for run in self.runs if run.finished]
        return sum(of.count(number) > 1 for number in set(of))

    @property
    def word(self) -> str:
        """The outcome in a word or two."""
        if self.n_agreed == self.n_questions:
            return "AGREE"
        return "PARTLY COMPARED" if self.n_agreed else "NOT COMPARED"

    @property
    def sentence(self) -> str:
        """How many questions the outcome rests on, and who finished how many."""
        n, alike = self.n_questions, self.n_agreed
        questions = "1 question" if n == 1 else f"{n:,} questions"
        each = ", ".join(f"{engine} {count:,}" for engine, count in self.finished.items())
        compared = f"Two or more engines finished {alike:,} of {questions}"
        same = ", with the same answers" if alike else ": there is nothing to compare"
        return f"{compared}{same}. Finished: {each}. No bound contradicts another."

    def to_dict(self) -> dict[str, Any]:
        """The comparison as a JSON object.

        ``agree`` is true if at least two engines finished each question; a contradiction is an
        error and has no JSON.
        """
        rows = self.table.astype(object).where(self.table.notna(), None)
        return {
            "task": self.task,
            "engines": list(self.engines),
            "ways": {name: ENGINES[name].sentence for name in self.engines if name in ENGINES},
            "limit": self.limit,
            "agree": self.n_agreed == self.n_questions,
            "questions": self.n_questions,
            "agreed": self.n_agreed,
            "finished": self.finished,
            "word": self.word,
            "sentence": self.sentence,
            "summary": self.summary().astype({"engine": str}).to_dict(orient="records"),
            "runs": rows.to_dict(orient="records"),
        }


def compare(
    questions: Sequence[Question],
    *,
    task: Task = "verify",
    engines: Sequence[str] = ("auto", "cpsat", "dp"),
    k: int | None = None,
    at: Sequence[int] | None = None,
    limits: SolveLimits | None = None,
    time_limit: float | None = None,
    progress: Progress = no_progress,
) -> Comparison:
    """Put every question to every engine, each time in a new process.

    Parameters
    ----------
    questions
        For ``optimize`` with requirements.
    task
        ``verify``: decide who is safe. ``optimize``: find a minimum set of mix zones.
    engines
        Names out of ``engines_of(task)``, each once.
    k, at
        What ``verify`` asks, where the problems do not say it.
    limits
        ``seconds`` is the limit of each run (default: ``LIMIT``); workers and seed. An
        executor with workers does several runs at once.
    time_limit
        Instead of limits: seconds for each run.
    progress
        Called with the stage, runs done and runs in all.

    Raises
    ------
    InputError
        No question, an unknown engine, one that is named twice, or none.
    MixsafeError
        Engines contradict each other, or one failed.
    """
    hint = "give [mixsafe.Question(problem)]"
    of_kind("questions", questions, (list, tuple), "a list of questions", hint)
    for one in questions:
        of_kind("a question", one, (Question,), "a question", hint)
    chosen = check_engines(task, engines)
    if not questions:
        raise InputError("there is no question for the engines")
    limits = limits_of(limits, time_limit) or SolveLimits()
    seconds = limits.seconds or LIMIT
    limits = replace(limits, seconds=seconds)
    ask = partial(verify_bounds, k=k, at=at) if task == "verify" else minimum_bounds
    runs = _runs(Put(questions, chosen, task, ask, limits), progress)
    return Comparison(task, tuple(engines), seconds, tuple(runs))


def _runs(put: Put, progress: Progress) -> list[EngineRun]:
    """All runs, question after question."""
    runs: list[EngineRun] = []
    ends = ended_runs(put)
    for number, place in put.pairs:
        engine = put.engines[place].name
        progress(f"asking {engine}", len(runs), len(put.pairs))
        runs.append(_run(put.questions[number], number, engine, next(ends)))
        if place == len(put.engines) - 1:  # report a contradiction before the remaining runs
            check_agreement(runs[-len(put.engines) :])
    return runs


def _run(question: Question, number: int, engine: str, ended: Ended) -> EngineRun:
    """The run that ended so."""
    if ended.how != "returned":
        status = "timeout" if ended.how == "killed" else "died"
        return EngineRun(question, number, engine, status, ended, None)
    bounds: AnswerBounds = ended.value
    return EngineRun(question, number, engine, bounds.status, ended, bounds)


def engines_of(task: Task) -> tuple[str, ...]:
    """Names of the engines that can be compared at a task."""
    return tuple(name for name in ENGINES.names("compare") if name in ENGINES.names(task))


def check_engines(task: Task, engines: Sequence[str]) -> list[Engine]:
    """Engines by name; those that cannot be compared are refused.

    Raises
    ------
    InputError
        An unknown task, an unknown engine, one that is named twice, or none.
    """
    if task not in TASKS:
        raise InputError(f"unknown task '{task}'", hint=f"use {' or '.join(TASKS)}")
    known = engines_of(task)
    hint = f"use {', '.join(known)}"
    if not engines:
        raise InputError("no engine is given", hint=hint)
    for engine in engines:
        if engine not in known:
            raise InputError(f"unknown engine '{engine}' to {task}", hint=hint)
        if list(engines).count(engine) > 1:
            raise InputError(f"engine '{engine}' is given twice")
    return [ENGINES[engine] for engine in engines]


def check_agreement(runs: Sequence[EngineRun]) -> None:
    """See that what engines proved about one question can be true together.

    Raises
    ------
    MixsafeError
        A lower bound of one engine is above an upper bound of another.
    """
    proven = [(run, run.bounds) for run in runs if run.bounds is not None]
    for (one, low), (other, high) in product(proven, repeat=2):
        for where in np.flatnonzero(low.lower > high.upper).tolist():
            problem = one.question.problem
            seed = "" if one.question.seed is None else f", seed {one.question.seed}"
            raise MixsafeError(
                f"engines disagree on '{problem.name}' ({problem.zones.n_users} users{seed}),"
                f" answer {where}: {one.engine} proves at least {low.lower[where]:g},"
                f" {other.engine} at most {high.upper[where]:g}; please report this"
            )
