"""How much each track speaks for each user: all mornings jointly, and every later cell a little."""

from __future__ import annotations

import numpy as np

from mixsafe.contest.base.people import People
from mixsafe.contest.posterior.loops import add_evidence
from mixsafe.contest.posterior.smoothing import SmoothedTracks
from mixsafe.contest.posterior.whereabouts import Floats
from mixsafe.model.release.cells import Cells

BLOCK = 128
"""Users whose evidence is added up side by side."""


def pair_evidence(
    people: People, release: Cells, tracks: SmoothedTracks | None, ratio: Floats, weight: Floats
) -> tuple[Floats, Floats]:
    """Log-ratios of each track and user, (n_tracks, n_users): by all mornings, by later steps.

    Parameters
    ----------
    release
        Pseudonyms keep their users.
    tracks
        Its tracks smoothed; None: no cell hides anything.
    ratio
        (steps_per_day, n_contents, n_users) log-ratios of the release's contents by habit.
    weight
        (steps_per_day,) how much that of each cell counts; 0 at the first step.
    """
    step, n_users = people.habits.rules.step_of_day(release.time_ids), release.n_rows
    if tracks is None:
        eye = np.eye(release.n_regions, dtype=np.float32)
        mornings = [eye[release.code[:, first]] for first in np.flatnonzero(step == 0)]
    else:
        mornings = tracks.mornings
    later = np.zeros((n_users, n_users), np.float32)
    for first in range(0, n_users, BLOCK):
        part = later[:, first : first + BLOCK]
        add_evidence(release.code, ratio, step, weight[step], first, part)
    return np.float32(people.home_weight) * people.homes.ratios(mornings), later
