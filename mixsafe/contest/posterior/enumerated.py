"""Beliefs about exchanged releases by all assignments: exact, for a few users only.

At each step an assignment says which user is on each track. Where pseudonyms are exchanged, all
assignments under which the same users are at the same places come out of a step equally
likely; so beliefs go from step to step as means over these, forward and backward.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
import numpy.typing as npt

from mixsafe.contest.attack.link import MeetingPlaces
from mixsafe.contest.posterior.whereabouts import (
    BelievedPlaces,
    BelievedUsers,
    Floats,
    Posterior,
    believed,
)
from mixsafe.model.release.cells import Cells

ENUMERATED = 6
"""Users of the largest release whose assignments are enumerated: 720 at each step."""

Doubles = npt.NDArray[np.float64]


def enumerated(
    release: Cells, ratio: Floats, weight: Floats, step: npt.NDArray[np.int64]
) -> Posterior:
    """Exact beliefs about an exchanged release of up to ``ENUMERATED`` users."""
    likely = user_of_track(release, ratio, weight, step, exchanged=1)
    user = likely.argmax(axis=2).T.astype(np.int32)
    shown = [
        believed(one.astype(np.float32), code)
        for one, code in zip(likely, release.code.T, strict=True)
    ]
    users = [BelievedUsers.of_tracks(one) for one in likely]
    return Posterior(user, BelievedPlaces.of_steps(shown), users)


def user_of_track(
    release: Cells, ratio: Floats, weight: Floats, step: npt.NDArray[np.int64], exchanged: int
) -> Doubles:
    """Probability of each user on each track after each step, (n_steps, n_tracks, n_users).

    All assignments that exchanges allow are equally likely before anything is seen; what is seen
    counts as the cells' ratios to the power of their steps' weights.

    Parameters
    ----------
    ratio, weight, step
        Log-ratios (steps_per_day, n_contents, n_users), weights (steps_per_day,), and the step of
        the day of each column.
    """
    n_users = release.n_rows
    track_of = np.array(list(permutations(range(n_users))))  # a row per assignment
    users = np.arange(n_users)
    place = MeetingPlaces.of_release(release, exchanged).of_track
    seen, same = [], []
    for at, moment in enumerate(step):
        evidence = weight[moment] * ratio[moment].astype(np.float64)
        seen.append(evidence[release.code[track_of, at], users].sum(axis=1))
        same.append(np.unique(place[at][track_of], axis=0, return_inverse=True)[1].reshape(-1))
    before = np.zeros((len(step), len(track_of)))
    after = np.zeros_like(before)
    for at in range(len(step)):
        came = before[at - 1] if at else before[0]
        before[at] = _mean_log(came, same[at]) + seen[at]
        before[at] -= before[at].max()
    for at in reversed(range(len(step) - 1)):
        after[at] = _mean_log(after[at + 1] + seen[at + 1], same[at + 1])
        after[at] -= after[at].max()
    found = np.zeros((len(step), n_users, n_users))
    for at, both in enumerate(before + after):
        chance = np.exp(both - both.max())
        np.add.at(found[at], (track_of, users), (chance / chance.sum())[:, None])
    return found


def _mean_log(value: Doubles, group: npt.NDArray[np.int64]) -> Doubles:
    """Logarithm of the mean of what each group's values are the logarithms of."""
    highest = np.full(group.max() + 1, -np.inf)
    np.maximum.at(highest, group, value)
    mean = np.bincount(group, np.exp(value - highest[group])) / np.bincount(group)
    return np.asarray((np.log(mean) + highest)[group])
