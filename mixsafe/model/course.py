"""How a run goes: one record, made when the run begins and handed down whole.

Its parts are limits of time, workers and memory; whom it tells of its progress; a journal, which
keeps the results of long steps in order; and an executor, which runs independent tasks on other
machines.
"""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.progress import Progress, no_progress

Found = dict[str, npt.NDArray[np.generic]]
"""Result of a task: arrays by name. It must not depend on time or on other tasks."""


class Executor(Protocol):
    """Runs tasks on workers of several machines."""

    def share(self, context: object) -> str:
        """Store a context that many tasks share, so that all workers can read it.

        Returns
        -------
        str
            Its name, for :meth:`each`.
        """

    def each(
        self, work: Callable[[Any, Any], Found], shared: str, tasks: Sequence[object]
    ) -> Iterator[Found]:
        """Run tasks, and yield their results in the order of the tasks.

        Parameters
        ----------
        work
            Function of a module, or a ``partial`` of one, that runs a task in a context. Both may
            contain a :class:`mixsafe.model.course.Deadline`; a result cut short by one is returned,
            but not stored.
        shared
            Name of the context.
        tasks
            The tasks; all are submitted at once.

        Raises
        ------
        InputError
            The cluster is lost, or a task failed on all workers.
        """


def as_found(value: object) -> Found:
    """Encode any value as a task's result."""
    return {"pickled": np.frombuffer(pickle.dumps(value), np.uint8)}


def value_of(found: Found) -> Any:  # noqa: ANN401 - whatever was found
    """Decode a value encoded by :func:`as_found`."""
    return pickle.loads(found["pickled"].tobytes())


RunKey = Mapping[str, str | int | float | bool | None]
"""All that the outcome of a run depends on, by name."""

Entry = dict[str, npt.NDArray[np.generic]]
"""The result of a step: arrays by name. Must not depend on time or the number of workers."""


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


MEMORY = 1 << 31
"""Memory budget of the largest data structure, bytes; other large ones get a share of it."""


@dataclass(frozen=True)
class MemoryLimits:
    """Sizes beyond which a problem is stored in another way, split, or refused.

    Parameters
    ----------
    whole_bytes
        Sets of tokens up to this size are held at once; beyond it, the problem is cut into parts.
    sparse_bytes
        Sets of tokens of one component beyond this size are not made, if the engine can do without.
    largest_bytes
        Sets of tokens of one component beyond this size are refused.
    part_bytes
        Small components are put together up to this size: sets that a processor's cache holds, and
        less of the square that the users of a part make with its tokens where components can never
        meet.
    part_wires
        Wires of the parts that one task of an executor decides, if they are small.
    counted_wires
        Wires whose partners one task of an executor counts, which takes a second or two.
    listed_wires
        Open wires whose partners one task of an executor lists.
    """

    whole_bytes: int = MEMORY
    sparse_bytes: int = MEMORY // 2
    largest_bytes: int = 4 * MEMORY
    part_bytes: int = 1 << 20
    part_wires: int = 1 << 16
    counted_wires: int = 1 << 19
    listed_wires: int = 1 << 10


DEFAULT_MEMORY = MemoryLimits()
"""The memory limits of every run that is given no others."""


@dataclass(frozen=True)
class SolveLimits:
    """Limits of a run. A limit that is reached leaves questions undecided, never guessed.

    Parameters
    ----------
    seconds
        Wall time of the whole run, > 0; None: unlimited.
    workers
        Processes or threads, >= 1; 0 means one per core.
    seed
        Seed of all random numbers.
    executor
        Runs independent tasks; None: processes and threads of this machine.
    memory
        Sizes beyond which a problem is stored in another way, split, or refused.

    Raises
    ------
    InputError
        The time limit is not positive, or the number of workers is negative.
    """

    seconds: float | None = None
    workers: int = 0
    seed: int = 0
    executor: Executor | None = field(default=None, compare=False, repr=False)
    memory: MemoryLimits = field(default=DEFAULT_MEMORY, repr=False)

    def __post_init__(self) -> None:
        if self.seconds is not None and not self.seconds > 0:
            raise InputError(f"the time limit, {self.seconds} seconds, is not positive")
        if self.workers < 0:
            raise InputError(f"the number of workers is negative: {self.workers}")
        if self.workers == 0:
            cores = (
                len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
            )
            object.__setattr__(self, "workers", cores or 1)

    def until(self, deadline: Deadline) -> SolveLimits:
        """The same limits for a part of the run that ends at a deadline."""
        left = deadline.left
        return replace(self, seconds=None if left == float("inf") else max(left, 1e-3))

    @property
    def alone(self) -> SolveLimits:
        """Limits of one worker among many: a single thread, and time by its deadline."""
        return SolveLimits(workers=1, seed=self.seed, memory=self.memory)


class Deadline:
    """A time after which no new work starts.

    Parameters
    ----------
    seconds
        Time from now; None: no deadline.
    """

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds
        self._whole: Deadline | None = None

    @classmethod
    def at(cls, moment: float | None) -> Deadline:
        """A deadline from :attr:`moment`, possibly of another machine."""
        return cls(None if moment is None else moment - time.time())

    @property
    def moment(self) -> float | None:
        """Unix second of the deadline, for other machines; None: no deadline."""
        return None if self._end is None else time.time() + self._end - time.monotonic()

    @property
    def left(self) -> float:
        """Seconds left, >= 0; infinite without a deadline."""
        left = float("inf") if self._end is None else max(0.0, self._end - time.monotonic())
        return left if self._whole is None else min(left, self._whole.left)

    @property
    def passed(self) -> bool:
        """True if no time is left."""
        return self.left <= 0.0

    def within(self, seconds: float | None) -> Deadline:
        """The earlier of this deadline and one ``seconds`` from now."""
        part = Deadline(seconds)
        part._whole = self
        return part

    def share(self, part: float) -> Deadline:
        """The deadline of work that may take a part, 0 to 1, of the time that is left."""
        return self if self.left == float("inf") else self.within(self.left * part)

    def stop(self) -> None:
        """Expire now, so that work with this deadline stops in all threads."""
        self._end = time.monotonic()


@dataclass(frozen=True, eq=False)
class Course:
    """Time, workers, seed and memory of a run, whom it tells, and what it keeps.

    Parameters
    ----------
    deadline
        When the time is up.
    workers
        Processes or threads, >= 1.
    seed
        Seed of all random numbers.
    executor
        Runs independent tasks; None: processes and threads of this machine.
    memory
        Sizes beyond which a problem is stored in another way, split, or refused.
    progress
        Called with stage, questions settled and questions asked.
    journal
        Results of long steps, of an earlier run and of this one.
    """

    deadline: Deadline
    workers: int
    seed: int
    executor: Executor | None = field(default=None, repr=False)
    memory: MemoryLimits = field(default=DEFAULT_MEMORY, repr=False)
    progress: Progress = field(default=no_progress, repr=False)
    journal: Journal = field(default_factory=NoJournal, repr=False)

    @classmethod
    def begin(
        cls,
        limits: SolveLimits | None = None,
        progress: Progress = no_progress,
        journal: Journal | None = None,
    ) -> Course:
        """Begin a run: its time counts from now.

        Parameters
        ----------
        limits
            Time, workers, seed and memory; None: no limit.
        journal
            None: nothing is kept.
        """
        limits = limits or SolveLimits()
        return cls(
            Deadline(limits.seconds),
            limits.workers,
            limits.seed,
            limits.executor,
            limits.memory,
            progress,
            journal or NoJournal(),
        )

    @property
    def left(self) -> float:
        """Seconds left, >= 0; infinite without a time limit."""
        return self.deadline.left

    @property
    def passed(self) -> bool:
        """Whether the time is up."""
        return self.deadline.passed

    @property
    def keeps(self) -> bool:
        """Whether results of long steps are kept."""
        return not isinstance(self.journal, NoJournal)

    def until(self, deadline: Deadline) -> Course:
        """The part of the run that ends at a deadline."""
        return replace(self, deadline=deadline)

    def share(self, part: float) -> Course:
        """The part of the run that may take a part, 0 to 1, of the time that is left."""
        return self.until(self.deadline.share(part))

    @property
    def aside(self) -> Course:
        """The same run for a question on the way, of which nothing is kept."""
        return replace(self, journal=NoJournal())

    @property
    def silent(self) -> Course:
        """The same run, which tells nobody how far it is."""
        return replace(self, progress=no_progress)

    @property
    def alone(self) -> Course:
        """The run of one worker among many: a single thread, which tells and keeps nothing."""
        return Course(self.deadline, 1, self.seed, memory=self.memory)
