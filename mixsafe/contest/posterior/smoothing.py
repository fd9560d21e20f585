"""Where the owner of each track is, by all cells of the track: forward-backward.

A cell that is noisy, a set, or deleted leaves its region open. The other cells of the track narrow
it: a day is a Markov chain that starts at a latent home (:mod:`mixsafe.contest.base.homes`), the
cells are its emissions, and a sweep backward and one forward over each day give the probability of
every region at every step (Baum et al. 1970). The chain is that of the crowd, so it is swept once
for each track, not for each pair of a track and a user. What is known of a user comes in
afterwards, step by step: by Bayes' rule the probability of a region is multiplied by how much more
likely this user is there than the crowd (:func:`smoothed_regions`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import compiled
from mixsafe.contest.base.homes import Homes, normal
from mixsafe.contest.posterior.sweeps import LANES, TINY
from mixsafe.contest.posterior.whereabouts import Floats
from mixsafe.model.release.cells import Cells

Numbers = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SmoothedTracks:
    """Tracks of a shuffled release, seen through its obfuscation.

    Parameters
    ----------
    mornings
        For each day (n_tracks, n_regions) the likelihood of all its cells for each region at its
        first step, up to a factor for each track. A release without the first step of a day has
        none.
    regions
        For each step (n_tracks, n_regions) the probability of each region, given the whole track
        and no user.
    """

    mornings: list[Floats]
    regions: list[Floats]

    @classmethod
    def of_release(
        cls, release: Cells, kernel: Floats, homes: Homes, step: npt.NDArray[np.int64]
    ) -> SmoothedTracks:
        """Smooth every track.

        Parameters
        ----------
        release
            Pseudonyms keep their users.
        kernel
            As :func:`shown_likelihood` takes it.
        homes
            Homes and the chain of a day.
        step
            (n_steps,) the step of the day of each column.
        """
        days = np.split(np.arange(len(step)), np.flatnonzero(step[1:] != step[:-1] + 1) + 1)
        shown = [shown_likelihood(release, kernel, code) for code in release.code.T]
        after: list[Floats] = []
        for day in days:
            after.extend(_backward(shown, day, homes, step))
        whole = [day[0] for day in days if step[day[0]] == 0]
        mornings = [shown[first] * after[first] for first in whole]
        at_home = [normal(one @ homes.morning.T) for one in mornings]
        for day in days:
            others = [one for first, one in zip(whole, at_home, strict=True) if first != day[0]]
            likely = np.tile(homes.prior, (release.n_rows, 1))
            for one in others:
                likely = normal(likely * one)
            _forward(likely, shown, after, (day, step), homes)
        return cls(mornings, after)


def _backward(
    shown: list[Floats], day: npt.NDArray[np.int64], homes: Homes, step: npt.NDArray[np.int64]
) -> list[Floats]:
    """Likelihood of what follows each step of a day, for each region at the step."""
    found = [np.ones_like(shown[day[-1]])]
    for at in day[:0:-1]:
        rest = shown[at] * found[-1]
        rest /= np.maximum(rest.max(axis=1, keepdims=True), TINY)
        found.append(homes.before(rest, int(step[at - 1])))
    return found[::-1]


def _forward(
    home: Floats,
    shown: list[Floats],
    after: list[Floats],
    times: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]],
    homes: Homes,
) -> None:
    """Turn what follows each step of a day into the probability of each region there.

    Parameters
    ----------
    home
        (n_tracks, n_regions) the probability of each home by the other days.
    """
    day, step = times
    likely = home @ homes.morning
    for skipped in range(step[day[0]]):  # a day that is not shown from its beginning
        likely = homes.after(likely, skipped)
    for at in day:
        likely = normal(likely * shown[at])
        after[at] = normal(after[at] * likely)
        if at != day[-1]:
            likely = homes.after(likely, int(step[at]))


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


@compiled
def smoothed_regions(
    pairs: tuple[Longs, Numbers, Floats], regions: Floats, more: Floats, found: Floats
) -> None:
    """Where each user is at a step: a mean over the tracks that may be this user's.

    On a track the probability of a region is that of the crowd, times how much more likely the user
    is there, by Bayes' rule.

    Parameters
    ----------
    pairs
        ``ptr, track, mass``: the tracks of each user as CSR, and how much each is believed.
    regions
        (n_tracks, n_regions) probability of each region, given the track and no user.
    more
        (n_users, n_regions) how much more likely each user is there than the crowd
        (:meth:`mixsafe.contest.base.people.People.more`).
    found
        (n_users, n_regions) filled; a row sums to what is believed of the user's tracks.
    """
    ptr, track, mass = pairs
    lanes = np.empty(LANES, np.float32)
    n_regions = found.shape[1]
    for user in range(len(found)):
        row, mine = found[user], more[user]
        row[:] = 0
        for entry in range(ptr[user], ptr[user + 1]):
            here = regions[track[entry]]
            lanes[:] = 0
            for first in range(0, n_regions, LANES):
                for lane in range(min(LANES, n_regions - first)):
                    lanes[lane] += here[first + lane] * mine[first + lane]
            total = np.float32(0)
            for lane in range(LANES):
                total += lanes[lane]
            part = mass[entry] / max(total, TINY)
            for region in range(n_regions):
                row[region] += part * here[region]
        for region in range(n_regions):
            row[region] *= mine[region]
