"""The results of long steps in order, from which a stopped run is resumed.

An engine is a deterministic function of the question and of the results of its long steps, in
order. So the journal keeps no state of the engine: a resumed run repeats the engine, and recalls
each finished step instead of running it. After the last recalled step the run continues as if it
had not been interrupted.

The key of a run has all inputs of its result. Only a run with the same key is resumed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from mixsafe.model.course import Course, Entry, RunKey
from mixsafe.model.question.problem import Problem, fingerprint
from mixsafe.version import __version__


def question_of(problem: Problem, asked: RunKey) -> RunKey:
    """The key of a run: all inputs of its answer.

    Parameters
    ----------
    problem
        Enters by its fingerprint, which does not depend on its name.
    asked
        The question and the engine. Workers and time limits do not count.

    Returns
    -------
    RunKey
        With the version, as another version may take other steps.
    """
    return {"data": fingerprint(problem), **asked, "version": __version__}


Task = TypeVar("Task")


def once(course: Course, step: str, work: Callable[[], Entry | None]) -> Entry | None:
    """Take a step, unless it is recalled.

    Parameters
    ----------
    course
        With its journal.
    step
        Its name: which step of the run this is.
    work
        Takes the step; None: it was not finished in time, and is not kept.

    Returns
    -------
    Entry | None
        What the step found.
    """
    found = course.journal.recall(step)
    if found is not None:
        return found
    found = work()
    if found is None:
        course.journal.cut()
    else:
        course.journal.keep(step, found)
    return found


def each(
    course: Course,
    steps: Sequence[str],
    tasks: Sequence[Task],
    run: Callable[[Sequence[Task]], Iterable[Entry]],
) -> Iterator[Entry]:
    """Run several independent steps, except those that are recalled.

    Parameters
    ----------
    course
        With its journal. What comes back after its deadline may be cut short: it is handed on, but
        not kept.
    steps, tasks
        The name of each step, and what is to be done in it.
    run
        Does tasks, perhaps several at a time; hands back what they found in their order.

    Yields
    ------
    Entry
        What each step found, in order.
    """
    journal, recalled = course.journal, 0
    while recalled < len(tasks):
        found = journal.recall(steps[recalled])
        if found is None:
            break
        yield found
        recalled += 1
    for step, found in zip(steps[recalled:], run(tasks[recalled:]), strict=True):
        if course.passed:
            journal.cut()
        journal.keep(step, found)
        yield found
