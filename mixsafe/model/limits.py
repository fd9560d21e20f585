"""What a run may use."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field, replace

from mixsafe.errors import InputError
from mixsafe.model.executor import Executor

MEMORY = 1 << 31
"""Bytes that the largest thing of a run may take; what may be large takes a share of them."""


@dataclass(frozen=True)
class SolveLimits:
    """Limits of a run. A limit that is reached leaves questions undecided, never guessed.

    Parameters
    ----------
    seconds
        Wall time for the whole run, > 0; None: as long as it takes.
    workers
        Processes or threads, >= 1; 0 means one per core.
    seed
        Seed of everything random.
    crew
        Who does what can be done apart; None: processes and threads of this machine.

    Raises
    ------
    InputError
        A limit that is not positive, or a negative number of workers.
    """

    seconds: float | None = None
    workers: int = 0
    seed: int = 0
    executor: Executor | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.seconds is not None and not self.seconds > 0:
            raise InputError(f"a time limit of {self.seconds} seconds is not positive")
        if self.workers < 0:
            raise InputError(f"{self.workers} workers are not a number of workers")
        if self.workers == 0:
            cores = (
                len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
            )
            object.__setattr__(self, "workers", cores or 1)

    def until(self, deadline: Deadline) -> SolveLimits:
        """The same, for a part of the run that ends at a deadline."""
        left = deadline.left
        return replace(self, seconds=None if left == float("inf") else max(left, 1e-3))

    @property
    def alone(self) -> SolveLimits:
        """Those of one worker among many: a single thread, and time as its deadline says."""
        return SolveLimits(workers=1, seed=self.seed)


class Deadline:
    """A moment after which nothing new is begun.

    Parameters
    ----------
    seconds
        Time from now; None: there is no such moment.
    """

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds
        self._whole: Deadline | None = None

    @classmethod
    def at(cls, moment: float | None) -> Deadline:
        """A moment told as :attr:`moment`, perhaps by another machine."""
        return cls(None if moment is None else moment - time.time())

    @property
    def moment(self) -> float | None:
        """The same for other machines, Unix seconds; None: there is no such moment."""
        return None if self._end is None else time.time() + self._end - time.monotonic()

    @property
    def left(self) -> float:
        """Seconds left, >= 0; infinite without a limit."""
        left = float("inf") if self._end is None else max(0.0, self._end - time.monotonic())
        return left if self._whole is None else min(left, self._whole.left)

    @property
    def passed(self) -> bool:
        """Whether no time is left."""
        return self.left <= 0.0

    def within(self, seconds: float | None) -> Deadline:
        """A deadline ``seconds`` from now, or at this one, whichever comes first."""
        part = Deadline(seconds)
        part._whole = self
        return part

    def stop(self) -> None:
        """Let no time be left: whoever works until then, in whatever thread, stops soon."""
        self._end = time.monotonic()
