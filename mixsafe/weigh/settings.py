"""How candidates are weighed: within which limits, and how well."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypedDict

from mixsafe.journal.steps import Journal, NoJournal
from mixsafe.model.limits import SolveLimits
from mixsafe.model.progress import Progress, no_progress
from mixsafe.weigh.plan import DEFAULT, WeighPlan

ERROR = 0.01
"""Monte Carlo error of the best guess that is settled, at most."""


class WeighOptions(TypedDict, total=False):
    """How it is weighed: each may be left out.

    Parameters
    ----------
    limits
        Time, workers and seed.
    progress
        Called with stage, wires settled and wires.
    journal
        What an earlier run has found, and where to keep what this one finds.
    engine
        Engine of ``verify`` that proves candidates, from whose witnesses chains begin.
    exact
        Count where that is little work; False: sample everything.
    error
        Monte Carlo error of a best guess that is settled, at most.
    exhaustive
        Keep how likely every candidate is, not the likeliest alone.
    plan
        What each part of it may cost.
    """

    limits: SolveLimits
    progress: Progress
    journal: Journal
    engine: str
    exact: bool
    error: float
    exhaustive: bool
    plan: WeighPlan


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
    plan: WeighPlan = DEFAULT
