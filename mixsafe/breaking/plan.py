"""The plan of the search for breaking numbers: its steps and their budgets."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class BreakingPlan:
    """Budgets by step. They change only how much is decided, and when; all bounds are proven.

    Parameters
    ----------
    small
        Wires times rows of the largest problem in which an engine is faster than walks; there only
        the engine is asked.
    rounds
        Joint rounds of walks for all targets of a batch, at most.
    fewest
        Targets of a joint round of walks, at least.
    worth
        Share of proposals with a new witness, at least, for which another round follows.
    turns
        Proposals tried for each wire with a wide gap before any wire is decided to the end.
    patience
        Undecided proposals after which the search settles for bounds.
    """

    small: int = 20_000
    rounds: int = 100
    fewest: int = 4
    worth: float = 0.1
    turns: int = 8
    patience: int = 4


DEFAULT = BreakingPlan()
"""The default plan of the search for breaking numbers."""
