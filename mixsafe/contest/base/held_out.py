"""What evidence is worth, from traces that are held out and predicted by the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.contest.base.rules import Rules
from mixsafe.model.mobility.complete_traces import Regions, TraceMatrix

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
"""Users whose held-out traces are predicted."""


class HeldOut(NamedTuple):
    """Traces of some users that are held out, and what is known of the same users.

    Parameters
    ----------
    known, hidden
        (n, columns) traces that are known, and those that are held out.
    step_known, step_hidden
        The step of the day of each column.
    """

    known: npt.NDArray[np.int32]
    hidden: npt.NDArray[np.int32]
    step_known: npt.NDArray[np.int64]
    step_hidden: npt.NDArray[np.int64]


def last_day(traces: TraceMatrix, rules: Rules) -> HeldOut | None:
    """Hold the last reference day out, of at most ``PEOPLE`` users; None if there is no other."""
    step, day = rules.step_of_day(traces.time_ids), (traces.time_ids - 1) // rules.steps_per_day
    last = day == day[-1]
    if last.all():
        return None
    some = traces.region[some_users(traces.n_users)]
    return HeldOut(some[:, ~last], some[:, last], step[~last], step[last])


def some_users(n_users: int) -> npt.NDArray[np.int64]:
    """Users whose held-out traces are predicted, at most ``PEOPLE``, evenly chosen."""
    return np.linspace(0, n_users - 1, min(PEOPLE, n_users)).astype(np.int64)


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

    @property
    def telling(self) -> Parts:
        """The parts that tell whole tracks apart: what is near counts as the place itself.

        People who live near each other go to places that are near each other. Homes say so already,
        so that places count here only where they are the same, at about that time or at any.
        """
        half = self.near / 2
        return replace(self, long=self.long + half, always=self.always + half, near=0.0)


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


@lru_cache(maxsize=8)
def nearness(regions: Regions, scale_km: float) -> Floats:
    """(n_regions, n_regions) probability of each region (column) near to one (row)."""
    region = np.arange(regions.count, dtype=np.int32)
    kernel = np.exp(-regions.distance_km(region[:, None], region) / scale_km)
    found = np.asarray(kernel / kernel.sum(axis=1, keepdims=True), dtype=np.float32)
    found.flags.writeable = False  # kept, for all who ask
    return found


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


def step_evidence(ratio: Floats, held: HeldOut) -> Floats:
    """Evidence of the cells at each step of the day, (steps_per_day, n_users, n_users).

    Parameters
    ----------
    ratio
        (steps_per_day, n_regions, n_users) log-ratios by the traces that are known.

    Returns
    -------
    ndarray
        Of each step: each track (row) and user (column).
    """
    n_users, steps = len(held.hidden), len(ratio)
    evidence = np.zeros((steps, n_users, n_users), np.float32)
    for column, at in enumerate(held.step_hidden):
        evidence[at] += ratio[at, held.hidden[:, column]]
    return evidence


def evidence_weights(evidence: Sequence[Floats]) -> Floats:
    """How much each kind of evidence counts: what tells users of held-out traces apart best.

    A multinomial logistic regression: of all users of a team, who left this track? The likelihood
    is concave in the weights; each is held near 0.2 as if by one user.

    Parameters
    ----------
    evidence
        For each team (n_kinds, n_users, n_users) log-ratios of a kind, track (row) and user
        (column); the user of a track is the one of the same number. Attackers who learn from their
        reference traces alone have one team.

    Returns
    -------
    ndarray
        (n_kinds,) weights, 0 to 2.
    """
    from scipy.optimize import minimize

    kinds, everybody = len(evidence[0]), sum(one.shape[1] for one in evidence)

    def loss(weight: npt.NDArray[np.float64]) -> tuple[float, npt.NDArray[np.float64]]:
        parts = [_misses(one, weight) for one in evidence]
        share = [one.shape[1] / everybody for one in evidence]
        held = weight - 0.2
        missed = sum(part * value for part, (value, _) in zip(share, parts, strict=True))
        slope = sum(part * each for part, (_, each) in zip(share, parts, strict=True))
        penalty = float(held @ held) / (2 * everybody)
        return float(penalty + missed), np.asarray(held / everybody + slope, np.float64)

    start, bounds = np.full(kinds, 0.2), [(0.0, 2.0)] * kinds
    best = minimize(
        loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": STEPS}
    )
    return np.asarray(best.x, dtype=np.float32)


def _misses(
    evidence: Floats, weight: npt.NDArray[np.float64]
) -> tuple[float, npt.NDArray[np.float64]]:
    """Mean negative log-likelihood of a team's users, and its slope."""
    kinds, n_users, _ = evidence.shape
    own = evidence.diagonal(axis1=1, axis2=2).mean(axis=1)
    flat = evidence.reshape(kinds, -1)
    total = (weight.astype(np.float32) @ flat).reshape(n_users, n_users)
    highest = total.max(axis=1, keepdims=True)
    likely = np.exp(total - highest)
    sums = likely.sum(axis=1, keepdims=True)
    likely /= sums
    found = float(own @ weight - (highest + np.log(sums)).mean())
    return -found, flat @ likely.reshape(-1) / n_users - own
