"""Attacks on feeds that nobody tuned: what anybody with NumPy and SciPy would try in an afternoon.

Each takes tracklets and their links, and returns the share of rides that it names right. None knows
a true ride. All but the first begin with rides at a usual speed, assign each end a beginning, learn
from the assignment, and assign again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt
from scipy.stats import multivariate_normal

from mixsafe.model.tracklets import LinkProblem, Tracklets
from mixsafe.tracklets.assignment import likeliest_history
from mixsafe.tracklets.ride_movement import RideLinks
from mixsafe.tracklets.rules import LinkRules, true_links

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Learn = Callable[[Floats, Ints], Floats]

_SPEED = 3.0  # metres a second, straight
_ROUNDS = 6
_BINS = 12
_LIKELY = 6.0  # added to scores, so that an end goes without a beginning only where none is likely


def nearest(tracklets: Tracklets, problem: LinkProblem) -> float:
    """For each end, the beginning whose way is most like one at 3 m/s; none is excluded for it."""
    score = _usual(_columns(tracklets, problem))
    order = np.lexsort((-score, problem.owner))
    first = order[np.flatnonzero(np.diff(problem.owner[order], prepend=-1))]
    return _right(tracklets, problem, first)


def gaussian(tracklets: Tracklets, problem: LinkProblem) -> float:
    """One normal distribution of what rides are like, and one of all pairs."""
    return _in_rounds(tracklets, problem, _by_normal)


def histograms(tracklets: Tracklets, problem: LinkProblem) -> float:
    """Histograms of distance by time, and of charge by distance."""
    return _in_rounds(tracklets, problem, _by_histograms)


PLAIN: Mapping[str, Callable[[Tracklets, LinkProblem], float]] = {
    "nearest": nearest,
    "Gaussian": gaussian,
    "histograms": histograms,
}


def _columns(tracklets: Tracklets, problem: LinkProblem) -> Floats:
    """(n_links, 2 or 3) logarithm of metres, of minutes, and what is spent of range or battery."""
    features = RideLinks.of(tracklets, problem, LinkRules()).features
    columns = [np.log(features["distance"] + 50), np.log(features["time"] / 60 + 2)]
    for name in ("range", "battery"):
        if name in features and np.ptp(np.nan_to_num(features[name])) > 0:
            columns.append(np.nan_to_num(features[name]))
            break
    return np.column_stack(columns)


def _usual(columns: Floats) -> Floats:
    """How much a way is like one at a usual speed; long times are less likely."""
    minutes = np.exp(columns[:, 1])
    return -((columns[:, 0] - np.log(_SPEED * 60 * minutes)) ** 2) - minutes / 30


def _in_rounds(tracklets: Tracklets, problem: LinkProblem, learn: Learn) -> float:
    columns = _columns(tracklets, problem)
    score = _usual(columns)
    for _ in range(_ROUNDS):
        history = likeliest_history(problem, np.exp(np.clip(score + _LIKELY, -30, 30)))
        assert history is not None  # noqa: S101 - there is no deadline
        chosen = history[history >= 0]
        score = learn(columns, chosen)
    return _right(tracklets, problem, chosen)


def _by_normal(columns: Floats, chosen: Ints) -> Floats:
    found = np.zeros(len(columns))
    for rows, sign in ((columns[chosen], 1), (columns, -1)):
        spread = np.cov(rows.T) + 1e-9 * np.diag(columns.var(axis=0))
        found += sign * multivariate_normal(rows.mean(axis=0), spread).logpdf(columns)
    return found


def _by_histograms(columns: Floats, chosen: Ints) -> Floats:
    found = np.zeros(len(columns))
    edges = [np.unique(np.quantile(column, np.linspace(0, 1, _BINS + 1))) for column in columns.T]
    place = np.column_stack([
        np.searchsorted(edge[1:-1], column, "right")
        for edge, column in zip(edges, columns.T, strict=True)
    ])  # fmt: skip
    for one, other, given in ((0, 1, False), (0, 2, True))[: columns.shape[1] - 1]:
        number = place[:, one] * _BINS + place[:, other]
        size = (_BINS + 1) * _BINS
        mine, every = (np.bincount(n, minlength=size) + 0.5 for n in (number[chosen], number))
        found += np.log(mine / every * len(columns) / len(chosen))[number]
        if given:
            alone = [np.bincount(place[rows, one], minlength=_BINS) + 0.5
                     for rows in (chosen, slice(None))]  # fmt: skip
            found -= np.log(alone[0] / alone[1] * len(columns) / len(chosen))[place[:, one]]
    return found


def _right(tracklets: Tracklets, problem: LinkProblem, chosen: Ints) -> float:
    """Share of the ends with a link for which the chosen link is true."""
    after = np.full(len(problem), -1)
    one, other = true_links(tracklets).T
    after[one] = other
    right = after[problem.owner[chosen]] == problem.to[chosen]
    return float(right.sum()) / int(np.count_nonzero(np.diff(problem.ptr)))
