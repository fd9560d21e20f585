"""Limits of a run: time, workers and memory."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field, replace

from mixsafe.errors import InputError
from mixsafe.model.executor import Executor

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
