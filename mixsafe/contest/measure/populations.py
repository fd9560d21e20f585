"""Where people are at one time of the day, in training and in synthetic traces (figure 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mixsafe.contest.base.rules import Rules
from mixsafe.contest.measure.statistics import Floats, Occupancy
from mixsafe.errors import InputError
from mixsafe.model.mobility.trace_matrix import TraceMatrix

NOON = 0.4
"""Share of a day that has passed at 12:00, of days from 8:00 to 18:00."""


@dataclass(frozen=True, eq=False)
class Populations:
    """The population of each region at one time of the day (contest paper, figure 4).

    Parameters
    ----------
    training, synthetic
        (n_regions,) shares of the training users, and of all teams' virtual users; sum to 1.
    """

    training: Floats
    synthetic: Floats

    @property
    def correlation(self) -> float:
        """Pearson's R of the two populations, over regions."""
        return float(np.corrcoef(self.training, self.synthetic)[0, 1])


def populations_at(
    training: TraceMatrix,
    teams: Sequence[tuple[TraceMatrix, TraceMatrix]],
    rules: Rules,
    *,
    training_steps_per_day: int,
    passed: float = NOON,
) -> Populations:
    """Populations at one time of the day.

    Parameters
    ----------
    training
        The traces that the synthesizer was trained on.
    teams
        Reference and original traces of each team; all their days count.
    training_steps_per_day
        Times per day of the training traces, >= 1; those of teams are in ``rules``.
    passed
        Share of the day that has passed, in [0, 1).

    Raises
    ------
    InputError
        No such time, or nobody is anywhere at it.
    """
    if not 0 <= passed < 1:
        raise InputError(f"a share of {passed:g} of the day is no time of it", hint="use 0 to 0.99")
    made = [some for pair in teams for some in pair]
    synthetic = sum(_at(some, rules.regions.count, rules.steps_per_day, passed) for some in made)
    known = _at(training, rules.regions.count, training_steps_per_day, passed)
    shares = [np.asarray(count, float) for count in (known, synthetic)]
    if min(count.sum() for count in shares) == 0:
        raise InputError("some traces have nobody at that time of the day")
    return Populations(*(count / count.sum() for count in shares))


def _at(traces: TraceMatrix, n_regions: int, steps_per_day: int, passed: float) -> Floats:
    """(n_regions,) visits at that time."""
    seen = Occupancy.of(traces, n_regions, steps_per_day)
    shown = np.flatnonzero(seen.step_of_day == int(passed * steps_per_day + 1e-9))
    return np.bincount(traces.region[:, shown].reshape(-1), minlength=n_regions).astype(float)
