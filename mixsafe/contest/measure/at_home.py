"""How many users are at home by the time of the day (contest paper, appendix D, figure 19)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mixsafe.contest.base.rules import Rules
from mixsafe.contest.base.visits import visit_counts
from mixsafe.errors import InputError
from mixsafe.model.mobility.trace_matrix import TraceMatrix


def at_home(
    teams: Sequence[tuple[TraceMatrix, TraceMatrix]], rules: Rules
) -> npt.NDArray[np.float64]:
    """Share of users at home in the original traces, (n_teams, steps_per_day).

    Home is where a user is most often in the home hours of the reference traces, the first of
    equals. A time of the day that the original traces do not have is NaN.

    Parameters
    ----------
    teams
        Reference and original traces of each.

    Raises
    ------
    InputError
        Reference traces without a home hour.
    """
    return np.stack([_of_team(reference, original, rules) for reference, original in teams])


def _of_team(
    reference: TraceMatrix, original: TraceMatrix, rules: Rules
) -> npt.NDArray[np.float64]:
    """The same of one team, (steps_per_day,)."""
    morning = rules.is_home_time(reference.time_ids)
    if not morning.any():
        raise InputError("the reference traces have no home hour")
    visits = visit_counts(reference, rules.regions.count, morning)
    there = (original.region == visits.argmax(axis=1)[:, None]).mean(axis=0)
    step = rules.step_of_day(original.time_ids)
    count = np.bincount(step, minlength=rules.steps_per_day)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.bincount(step, there, rules.steps_per_day) / count)
