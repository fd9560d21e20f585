"""How much each track speaks for each user: all mornings jointly, and every later cell a little.

A cell that is noisy, a set, or deleted leaves the region of the first step open. The cells that
follow on that day narrow it: a backward sweep of the crowd's chain gives the likelihood of the day
for each region at its first step.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.contest.base.people import People
from mixsafe.contest.posterior.loops import add_evidence
from mixsafe.contest.posterior.noise import Noise
from mixsafe.contest.posterior.whereabouts import Floats
from mixsafe.model.release.cells import Cells

MORNING_STEPS = 6
"""Steps of a day that narrow its first region; more change next to nothing."""

ALONE = 0.25
"""How much the evidence of a later step counts where all cells are noise.

Cells of a day depend on each other, and so count little; noise makes them less so.
"""

BLOCK = 128
"""Users whose evidence is added up side by side."""


def pair_evidence(people: People, release: Cells, ratio: Floats, noise: Noise) -> Floats:
    """Log-ratio of each track and user, (n_tracks, n_users).

    Parameters
    ----------
    release
        Pseudonyms keep their users.
    ratio
        (steps_per_day, n_contents, n_users) log-ratios of the release's contents by habit.
    noise
        The noise in the release.
    """
    step = people.habits.rules.step_of_day(release.time_ids)
    n_users = release.n_rows
    mornings = _mornings(people, release, step, noise)
    total = np.zeros((n_users, n_users), np.float32)
    total += np.float32(people.home_weight) * people.homes.ratios(mornings)
    weight = people.step_weight[step]
    weight += np.maximum(0.0, ALONE - weight) * (1 - noise.same)
    counts = np.where(step == 0, 0, weight).astype(np.float32)
    for first in range(0, n_users, BLOCK):
        part = total[:, first : first + BLOCK]
        add_evidence(release.code, ratio, step, counts, first, part)
    return total


def _mornings(
    people: People, release: Cells, step: npt.NDArray[np.int64], noise: Noise
) -> list[Floats]:
    """Likelihood of each day for each region at its first step, (n_tracks, n_regions) a day."""
    kernel = noise.kernel(people.habits.rules.regions)
    found = []
    for first in np.flatnonzero(step == 0):
        likely = shown_likelihood(release, kernel, release.code[:, first])
        open_ = release.code[:, first] >= release.deleted
        if not noise.none:
            open_[:] = True
        if open_.any():
            last = first
            while last + 1 < len(step) and step[last + 1] and last + 1 - first < MORNING_STEPS:
                last += 1
            rest = np.ones((int(open_.sum()), release.n_regions), np.float32)
            for column in range(last, first, -1):
                rest *= shown_likelihood(release, kernel, release.code[open_, column])
                rest /= np.maximum(rest.max(axis=1, keepdims=True), np.float32(1e-30))
                rest = people.homes.before(rest, int(step[column - 1]))
            likely[open_] *= rest
        found.append(likely)
    return found


def shown_likelihood(release: Cells, kernel: Floats, code: npt.NDArray[np.int32]) -> Floats:
    """Likelihood of some contents for each true region, (n, n_regions).

    A region is seen through the noise, a set shows its members alike, a deleted cell says nothing.

    Parameters
    ----------
    kernel
        (n_regions, n_regions) probability of showing each region (column) for each true one (row).
    """
    likely = np.ones((len(code), release.n_regions), np.float32)
    single, sets = code < release.deleted, np.flatnonzero(code > release.deleted)
    likely[single] = kernel.T[code[single]]
    if len(sets):
        ptr, member = release.members_of(code[sets])
        likely[sets] = 0
        likely[np.repeat(sets, np.diff(ptr)), member] = 1
    return likely
