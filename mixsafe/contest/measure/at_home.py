"""How many users are at home by the time of the day (contest paper, appendix D, figure 19)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mixsafe.contest.base.rules import Rules
from mixsafe.errors import InputError
from mixsafe.model.mobility.trace_matrix import TraceMatrix


def at_home(
    teams: Sequence[tuple[TraceMatrix, TraceMatrix]], rules: Rules
) -> npt.NDArray[np.float64]:
    """Share of users at home in the original traces, (n_teams, steps_per_day).

    Homes are not in the traces, and no single morning shows them for sure: a user who was out on
    that morning would never count as at home. So two days are compared. If a user is at home at
    the first step of a day with probability a, two mornings agree with probability a * a, and a
    later cell agrees with the morning of another day with probability a times the share at home.
    Cells that agree elsewhere than at home are taken to be none. A time of the day that the
    original traces do not have is NaN.

    Parameters
    ----------
    teams
        Reference and original traces of each.

    Raises
    ------
    InputError
        Traces that have the first step of fewer than two days: there is no home hour to compare.
    """
    return np.stack([_of_team(reference, original, rules) for reference, original in teams])


def _of_team(
    reference: TraceMatrix, original: TraceMatrix, rules: Rules
) -> npt.NDArray[np.float64]:
    """The same of one team, (steps_per_day,)."""
    region = np.hstack([reference.region, original.region])
    times = np.concatenate([reference.time_ids, original.time_ids])
    step, day = rules.step_of_day(times), (times - 1) // rules.steps_per_day
    first = np.flatnonzero(step == 0)
    if len(np.unique(day[first])) < 2:
        raise InputError("the traces have a home hour on fewer than two days")
    others = [first[day[first] != day[column]] for column in range(len(times))]
    agree = np.array(
        [
            np.mean(region[:, column, None] == region[:, other])
            for column, other in enumerate(others)
        ]
    )
    at_first = np.sqrt(agree[first].mean())
    shown = np.arange(reference.n_steps, len(times))
    count = np.bincount(step[shown], minlength=rules.steps_per_day)
    total = np.bincount(step[shown], agree[shown], rules.steps_per_day)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = total / count / at_first if at_first else np.where(count, 0.0, np.nan)
    return np.asarray(np.minimum(share, 1.0))
