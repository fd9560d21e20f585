"""The results of long steps in order, from which a stopped run is resumed.

An engine is a deterministic function of the question and of the results of its long steps, in
order. So the journal keeps no state of the engine: a resumed run repeats the engine, and recalls
each finished step instead of running it. After the last recalled step the run continues as if it
had not been interrupted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

RunKey = Mapping[str, str | int | float | bool | None]
"""All that the outcome of a run depends on, by name."""

Entry = dict[str, npt.NDArray[np.generic]]
"""The result of a step: arrays by name. Must not depend on time or the number of workers."""

Task = TypeVar("Task")


class Clock(Protocol):
    """Tells whether a time limit is reached."""

    @property
    def passed(self) -> bool:
        """Whether the time is up; once true, always true."""


class Journal(Protocol):
    """Entries in the order in which steps were taken."""

    def begin(self, question: RunKey) -> None:
        """Start a question.

        Raises
        ------
        InputError
            The run that was kept was about another one.
        """

    def recall(self, step: str) -> Entry | None:
        """The next entry, which must be of ``step``; None: no more were kept.

        Raises
        ------
        InputError
            It is of another step, so the run that it is from was not this one.
        """

    def keep(self, step: str, entry: Entry) -> None:
        """Add an entry at the end."""

    def cut(self) -> None:
        """Stop recording: a time limit has changed the course of the run."""


class NoJournal:
    """A journal that records and recalls nothing."""

    def begin(self, question: RunKey) -> None:
        """Any question will do."""

    def recall(self, step: str) -> Entry | None:
        """Return None."""
        return None

    def keep(self, step: str, entry: Entry) -> None:
        """Forget it."""

    def cut(self) -> None:
        """Do nothing."""


def once(journal: Journal, step: str, work: Callable[[], Entry | None]) -> Entry | None:
    """Take a step, unless it is recalled.

    Parameters
    ----------
    journal
        What is kept.
    step
        Its name: which step of the run this is.
    work
        Takes the step; None: it was not finished in time, and is not kept.

    Returns
    -------
    Entry | None
        What the step found.
    """
    found = journal.recall(step)
    if found is not None:
        return found
    found = work()
    if found is None:
        journal.cut()
    else:
        journal.keep(step, found)
    return found


def each(
    journal: Journal,
    deadline: Clock,
    steps: Sequence[str],
    tasks: Sequence[Task],
    run: Callable[[Sequence[Task]], Iterable[Entry]],
) -> Iterator[Entry]:
    """Run several independent steps, except those that are recalled.

    Parameters
    ----------
    journal
        What is kept.
    deadline
        What comes back after it may be cut short: it is handed on, but not kept.
    steps, tasks
        The name of each step, and what is to be done in it.
    run
        Does tasks, perhaps several at a time; hands back what they found in their order.

    Yields
    ------
    Entry
        What each step found, in order.
    """
    recalled = 0
    while recalled < len(tasks):
        found = journal.recall(steps[recalled])
        if found is None:
            break
        yield found
        recalled += 1
    for step, found in zip(steps[recalled:], run(tasks[recalled:]), strict=True):
        if deadline.passed:
            journal.cut()
        journal.keep(step, found)
        yield found
