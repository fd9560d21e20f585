"""Settings of posterior inference: limits and accuracy."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TypedDict

from mixsafe.journal.steps import Journal, NoJournal
from mixsafe.model.arguments import options_of
from mixsafe.model.limits import SolveLimits
from mixsafe.model.progress import Progress, no_progress

ERROR = 0.01
"""Largest Monte Carlo error of a settled best guess."""


class WeighOptions(TypedDict, total=False):
    """Optional arguments of posterior inference.

    Parameters
    ----------
    limits
        Time, workers and seed.
    time_limit
        Instead of limits: seconds.
    progress
        Called with stage, wires settled and wires.
    journal
        Results of an earlier run; new results are added.
    engine
        Engine of ``verify`` that proves candidates, from whose witnesses chains begin.
    exact
        Count exactly where that is cheap; False: sample everything.
    error
        Largest Monte Carlo error of a settled best guess.
    exhaustive
        Keep the probability of every candidate, not only of the likeliest.
    """

    limits: SolveLimits
    time_limit: float | None
    progress: Progress
    journal: Journal
    engine: str
    exact: bool
    error: float
    exhaustive: bool


@dataclass(frozen=True)
class WeighSettings:
    """What :class:`WeighOptions` says, with what is left out."""

    limits: SolveLimits = field(default_factory=SolveLimits)
    progress: Progress = no_progress
    journal: Journal = field(default_factory=NoJournal)
    engine: str = "auto"
    exact: bool = True
    error: float = ERROR
    exhaustive: bool = False

    @classmethod
    def of(cls, function: str, options: WeighOptions) -> WeighSettings:
        """Settings from the options of a call.

        Raises
        ------
        InputError
            There is no such option.
        """
        return cls(**options_of(function, options, [one.name for one in fields(cls)]))
