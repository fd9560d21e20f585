"""How a run goes: one record, made when the run begins and handed down whole."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from mixsafe.model.executor import Executor
from mixsafe.model.journal import Journal, NoJournal
from mixsafe.model.limits import DEFAULT_MEMORY, Deadline, MemoryLimits, SolveLimits
from mixsafe.model.progress import Progress, no_progress


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
