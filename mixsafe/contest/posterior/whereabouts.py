"""What an attacker believes of a release: who shows each cell, and where each user is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.contest.base.habits import MOST_ENTRIES
from mixsafe.errors import InputError
from mixsafe.machinery.compiled import compiled
from mixsafe.model.csr import pointers
from mixsafe.model.release import Cells

Floats = npt.NDArray[np.float32]

LEAST = 1 / 256
"""Beliefs below this count as none: their users are where habits have them."""


@dataclass(frozen=True, eq=False)
class BelievedPlaces:
    """What users believed to be somewhere show there: for each step and user some contents.

    Parameters
    ----------
    ptr
        (n_steps * n_users + 1,) int64: entries of user ``u`` at step ``t`` are
        ``ptr[t * n_users + u]`` to ``ptr[t * n_users + u + 1]``.
    content
        (n_entries,) int32 contents of the release.
    mass
        (n_entries,) float32 how much they are believed, >= LEAST; a user's sum to 1 at most.
    """

    ptr: npt.NDArray[np.int64]
    content: npt.NDArray[np.int32]
    mass: Floats

    @classmethod
    def of_steps(cls, steps: list[StepBelief]) -> BelievedPlaces:
        """Places from what is believed at each step."""
        sizes, contents, masses = zip(*steps, strict=True)
        return cls(
            pointers(np.concatenate(sizes)), np.concatenate(contents), np.concatenate(masses)
        )


StepBelief = tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], Floats]
"""Of a step: at how many places each user is believed to be; their contents; how much."""


def believed(likely: Floats, content: npt.NDArray[np.int32]) -> StepBelief:
    """What is believed at a step.

    Parameters
    ----------
    likely
        (n_places, n_users) how likely each user is at each place.
    content
        (n_places,) the content of each place.
    """
    size = np.zeros(likely.shape[1], np.int64)
    _count_believed(likely, LEAST, size)
    ptr = pointers(size)
    shown, mass = np.empty(ptr[-1], np.int32), np.empty(ptr[-1], np.float32)
    _note_believed(likely, content, LEAST, ptr[:-1].copy(), (shown, mass))
    return size, shown, mass


@compiled
def _count_believed(likely: Floats, least: float, size: npt.NDArray[np.int64]) -> None:
    """At how many places each user is believed to be."""
    for place in range(len(likely)):
        here = likely[place]
        for user in range(len(size)):
            size[user] += here[user] >= least


@compiled
def _note_believed(
    likely: Floats,
    content: npt.NDArray[np.int32],
    least: float,
    after: npt.NDArray[np.int64],
    found: tuple[npt.NDArray[np.int32], Floats],
) -> None:
    """Write contents and beliefs user by user; ``after`` is where each goes on."""
    shown, mass = found
    for place in range(len(likely)):
        here = likely[place]
        for user in range(len(after)):
            if here[user] >= least:
                shown[after[user]], mass[after[user]] = content[place], here[user]
                after[user] += 1


@dataclass(frozen=True, eq=False)
class BelievedUsers:
    """Who is believed to be on each track after a step; nobody can tell tracks of one way apart.

    Parameters
    ----------
    of_track
        (n_tracks,) the way of each track.
    ptr
        (n_ways + 1,) int64: entries of a way are ``ptr[way]`` to ``ptr[way + 1]``.
    user
        (n_entries,) int32 users.
    mass
        (n_entries,) float32 how much each is believed to be on any one track of the way, >= LEAST.
    """

    of_track: npt.NDArray[np.int64]
    ptr: npt.NDArray[np.int64]
    user: npt.NDArray[np.int32]
    mass: Floats

    @classmethod
    def of_tracks(cls, likely: Floats) -> BelievedUsers:
        """Of beliefs about every track and user, (n_tracks, n_users)."""
        track, user = np.nonzero(likely >= LEAST)
        ptr = np.searchsorted(track, np.arange(len(likely) + 1))
        mass = likely[track, user].astype(np.float32)
        return cls(np.arange(len(likely)), ptr, user.astype(np.int32), mass)


@dataclass(frozen=True, eq=False)
class Posterior:
    """What is believed of each person at each step: however it was found, read in one way.

    Parameters
    ----------
    user
        (n_tracks, n_steps) int32, or (n_tracks, 1) where no pseudonym changes hands: the user most
        believed to be behind each pseudonym.
    places
        Where each user is believed to be.
    users
        Who is believed to be on each track, for each column of ``user``.
    """

    user: npt.NDArray[np.int32]
    places: BelievedPlaces
    users: list[BelievedUsers]


def ratios(background: Floats, release: Cells, true: Floats, seen: Floats | None = None) -> Floats:
    """Log-ratios of all contents of a release, (steps_per_day, n_contents, n_users).

    Of a set: of its regions together; 0 for a deleted cell.

    Parameters
    ----------
    background
        (steps_per_day, n_regions) everybody's probability of each region.
    true
        Those of true regions, (steps_per_day, n_regions + 1, n_users).
    seen
        Those of regions that are shown; None: they are the true ones.

    Raises
    ------
    InputError
        So many different sets that the table would not fit in memory.
    """
    steps, _, n_users = true.shape
    n_regions = release.n_regions
    single = true if seen is None else seen
    if len(release.ptr) == 1:
        return single
    if steps * release.n_contents * n_users > MOST_ENTRIES:
        raise InputError(
            f"{len(release.ptr) - 1} different sets of regions are too many to weigh for"
            f" {n_users} users at {steps} times of the day"
        )
    table = np.zeros((steps, release.n_contents, n_users), np.float32)
    table[:, : n_regions + 1] = single
    first = release.ptr[:-1]
    for step, usual in enumerate(background):
        share = usual[release.member]
        share = share / np.repeat(np.add.reduceat(share, first), release.set_sizes)
        members = np.exp(true[step])[release.member] * share[:, None]
        table[step, n_regions + 1 :] = np.log(np.add.reduceat(members, first))
    return table
