"""How much each track speaks for each user: all mornings jointly, and every later cell a little."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.contest.base.people import People
from mixsafe.contest.posterior.loops import add_evidence
from mixsafe.contest.posterior.smoothing import SmoothedTracks, mean_over_regions
from mixsafe.contest.posterior.sweeps import TINY
from mixsafe.contest.posterior.whereabouts import Floats
from mixsafe.model.release.cells import Cells

BLOCK = 128
"""Users whose evidence is added up side by side."""


def pair_evidence(
    people: People, release: Cells, tracks: SmoothedTracks | None, ratio: Floats
) -> Floats:
    """Log-ratio of each track and user where no cell is noise, (n_tracks, n_users).

    Parameters
    ----------
    release
        Pseudonyms keep their users.
    tracks
        Its tracks smoothed; None: no cell hides anything.
    ratio
        (steps_per_day, n_contents, n_users) log-ratios of the release's contents by habit.
    """
    step, n_users = people.habits.rules.step_of_day(release.time_ids), release.n_rows
    if tracks is None:
        eye = np.eye(release.n_regions, dtype=np.float32)
        mornings = [eye[release.code[:, first]] for first in np.flatnonzero(step == 0)]
    else:
        mornings = tracks.mornings
    total = np.zeros((n_users, n_users), np.float32)
    total += np.float32(people.home_weight) * people.homes.ratios(mornings)
    counts = people.step_weight[step].astype(np.float32)
    for first in range(0, n_users, BLOCK):
        part = total[:, first : first + BLOCK]
        add_evidence(release.code, ratio, step, counts, first, part)
    return total


def smoothed_evidence(
    tracks: SmoothedTracks, step: npt.NDArray[np.int64], ratio: Floats, weight: Floats
) -> Floats:
    """Log-ratio of each track and user by the steps of a day that count.

    Of a step: the mean, over the regions where the track may be, of how much more likely the user
    is there than everybody.

    Parameters
    ----------
    step
        (n_steps,) the step of the day of each column.
    ratio
        (steps_per_day, n_regions + 1, n_users) log-ratios of regions by habit.
    weight
        (steps_per_day,) how much each step of the day counts.

    Returns
    -------
    ndarray
        (n_tracks, n_users).
    """
    total = np.zeros((len(tracks.regions[0][0]) - 1, ratio.shape[2]), np.float32)
    for at in np.unique(step[weight[step] > 0]):
        more = np.exp(ratio[at, :-1])
        for column in np.flatnonzero(step == at):
            likely = mean_over_regions(tracks.regions[column], more)
            np.log(np.maximum(likely, TINY, out=likely), out=likely)
            likely *= weight[at]
            total += likely
    return total
