"""What habits are worth, from reference days that are left out and predicted by the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.contest.base.rules import Rules
from mixsafe.model.mobility.regions import Regions
from mixsafe.model.mobility.trace_matrix import TraceMatrix

Floats = npt.NDArray[np.float32]

SHORT, LONG = 0.7, 3.0
"""Steps of memory: visits at other times of the day count by exp(-steps / this)."""

NEAR_KM = 0.5
"""Near to a visit counts by exp(-distance / this)."""

MOST_DAYS = 4
"""Reference days that are left out in turn."""

ROUNDS = 60
"""Of expectation and maximization; after them shares no longer move."""

STEPS = 30
"""Of the search for weights."""


PEOPLE = 500
"""Users whose last reference day is predicted from the others."""


class LastDay(NamedTuple):
    """The last reference day of some users, held out of the others.

    Parameters
    ----------
    before, last
        (n, columns) their traces up to that day, and on it.
    step_before, step_last
        The step of the day of each column.
    """

    before: npt.NDArray[np.int32]
    last: npt.NDArray[np.int32]
    step_before: npt.NDArray[np.int64]
    step_last: npt.NDArray[np.int64]


def last_day(traces: TraceMatrix, rules: Rules) -> LastDay | None:
    """Hold the last reference day out, of at most ``PEOPLE`` users; None if there is no other."""
    step, day = rules.step_of_day(traces.time_ids), (traces.time_ids - 1) // rules.steps_per_day
    last = day == day[-1]
    if last.all():
        return None
    chosen = np.linspace(0, traces.n_users - 1, min(PEOPLE, traces.n_users)).astype(int)
    some = traces.region[chosen]
    return LastDay(some[:, ~last], some[:, last], step[~last], step[last])


@dataclass(frozen=True)
class Parts:
    """How much each part of the mixture counts; they sum to 1.

    The defaults are for reference traces of one day, which cannot be predicted from another.

    Parameters
    ----------
    short, long, always
        Where she was, within a step or so, within an hour or two, at any time.
    near
        Near to where she was within an hour or two.
    crowd
        Where everybody is at that time of the day.
    anywhere
        Any region.
    usual_weight
        How much evidence counts if that cannot be learned either.
    """

    short: float = 0.05
    long: float = 0.1
    always: float = 0.1
    near: float = 0.25
    crowd: float = 0.45
    anywhere: float = 0.05
    usual_weight: float = 0.3


def time_kernel(steps: int, memory: float, days: Floats) -> Floats:
    """What visits at each step (column) count for a step (row); rows sum to 1 over all visits.

    Parameters
    ----------
    days
        (steps,) how many visits of a user there are at each step.
    """
    apart = np.abs(np.subtract.outer(np.arange(steps), np.arange(steps)))
    kernel = np.exp(-apart / memory)
    return np.asarray(kernel / (kernel @ days)[:, None], dtype=np.float32)


def nearness(regions: Regions, scale_km: float) -> Floats:
    """(n_regions, n_regions) probability of each region (column) near to one (row)."""
    region = np.arange(regions.count, dtype=np.int32)
    kernel = np.exp(-regions.distance_km(region[:, None], region) / scale_km)
    return np.asarray(kernel / kernel.sum(axis=1, keepdims=True), dtype=np.float32)


def mixture_shares(
    region: npt.NDArray[np.int32],
    step: npt.NDArray[np.int64],
    day: npt.NDArray[np.int64],
    rules: Rules,
) -> Parts:
    """Shares under which days that are left out are likeliest (expectation and maximization)."""
    days = np.unique(day)
    if len(days) < 2:
        return Parts()
    chosen = days[np.linspace(0, len(days) - 1, min(MOST_DAYS, len(days))).astype(int)]
    near = nearness(rules.regions, NEAR_KM)
    likely = np.concatenate([_predictions(region, step, day == one, near, rules) for one in chosen])
    share = np.full(likely.shape[1], 1 / likely.shape[1])
    for _ in range(ROUNDS):
        part = likely * share
        share = (part / part.sum(axis=1, keepdims=True)).mean(axis=0)
    # No part is ever ruled out by few days.
    share = 0.999 * share + 0.001 / len(share)
    return Parts(*(float(one) for one in share))


def _predictions(
    region: npt.NDArray[np.int32],
    step: npt.NDArray[np.int64],
    out: npt.NDArray[np.bool_],
    near: Floats,
    rules: Rules,
) -> npt.NDArray[np.float64]:
    """Likelihood of each cell of a day that is left out under each part, (n_cells, 6)."""
    known, hidden, at = region[:, ~out], region[:, out], step[out]
    days = np.bincount(step[~out], minlength=rules.steps_per_day).astype(np.float32)
    short, long = (
        time_kernel(rules.steps_per_day, memory, days)[np.ix_(at, step[~out])]
        for memory in (SHORT, LONG)
    )
    n_regions = rules.regions.count
    seen = np.stack([np.bincount(column, minlength=n_regions) for column in known.T], axis=1)
    crowd = (seen @ long.T) / len(region)
    parts = np.empty((*hidden.shape, 6))
    for column, cell in enumerate(hidden.T):
        same = known == cell[:, None]
        parts[:, column, 0] = same @ short[column]
        parts[:, column, 1] = same @ long[column]
        parts[:, column, 2] = same.mean(axis=1)
        parts[:, column, 3] = near[known, cell[:, None]] @ long[column]
        parts[:, column, 4] = crowd[cell, column]
    parts[:, :, 5] = 1 / n_regions
    return parts.reshape(-1, 6)


def step_weights(
    ratio: Floats, region: npt.NDArray[np.int32], step: npt.NDArray[np.int64]
) -> Floats:
    """How much the evidence of each step counts: what tells users of a left-out day apart best.

    Parameters
    ----------
    ratio
        (steps_per_day, n_regions, n_users) of the other days.
    region, step
        (n_users, n) and (n,) the day that was left out.
    """
    n_users, steps = len(region), len(ratio)
    evidence = np.zeros((steps, n_users, n_users), np.float32)  # step, track, user
    for column, at in enumerate(step):
        evidence[at] += ratio[at, region[:, column]]
    return evidence_weights(evidence)


def evidence_weights(evidence: Floats) -> Floats:
    """How much each kind of evidence counts: what tells users of a left-out day apart best.

    A multinomial logistic regression: of all users, who left this day's track? The likelihood is
    concave in the weights; each is held near 0.2 as if by one user.

    Parameters
    ----------
    evidence
        (n_kinds, n_users, n_users) log-ratios of a kind, track (row) and user (column); the user of
        a track is the one of the same number.

    Returns
    -------
    ndarray
        (n_kinds,) weights, 0 to 2.
    """
    from scipy.optimize import minimize

    steps, n_users, _ = evidence.shape
    own = evidence.diagonal(axis1=1, axis2=2).mean(axis=1)
    flat = evidence.reshape(steps, -1)

    def loss(weight: npt.NDArray[np.float64]) -> tuple[float, npt.NDArray[np.float64]]:
        total = (weight.astype(np.float32) @ flat).reshape(n_users, n_users)
        highest = total.max(axis=1, keepdims=True)
        likely = np.exp(total - highest)
        sums = likely.sum(axis=1, keepdims=True)
        likely /= sums
        found = float(own @ weight - (highest + np.log(sums)).mean())
        slope = own - flat @ likely.reshape(-1) / n_users
        held = weight - 0.2
        penalty, pull = float(held @ held) / (2 * n_users), held / n_users
        return penalty - found, (pull - slope).astype(np.float64)

    start, bounds = np.full(steps, 0.2), [(0.0, 2.0)] * steps
    best = minimize(
        loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": STEPS}
    )
    return np.asarray(best.x, dtype=np.float32)
