"""Where the owner of each track is, by all cells of the track: forward-backward.

A cell that is noisy, a set, or deleted leaves its region open. The other cells of the track narrow
it: a day is a Markov chain that starts at a latent home (:mod:`mixsafe.contest.base.people`), the
cells are its emissions, and a sweep backward and one forward over each day give the probability of
every region at every step (Baum et al. 1970). The chain is that of the crowd, so it is swept once
for each track, not for each pair of a track and a user. What is known of a user comes in
afterwards, step by step: by Bayes' rule the probability of a region is multiplied by how much more
likely this user is there than the crowd (:func:`user_regions`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.contest.base.people import Homes, normal
from mixsafe.contest.posterior.sweeps import LANES, TINY
from mixsafe.contest.posterior.whereabouts import Floats, StepBelief
from mixsafe.machinery.compiled import compiled, inner
from mixsafe.model.csr import pointers
from mixsafe.model.release import Cells

Numbers = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]


TrackRegions = tuple[Longs, Numbers, Floats]
"""Of each track the regions where it may be at a step, and their probabilities: CSR."""

Shown = tuple[Floats, Numbers]
"""(n_contents, n_regions) what contents tell, and (n_steps, n_tracks) contents of some tracks."""

LEAST_MASS = np.float32(1 / 1024)
"""Regions of a user that are believed less count as none."""

LEAST_PART = np.float32(1e-3)
"""Regions of a track with less than this part of the probability of the likeliest count as none."""


BLOCK = 256
"""Tracks that are smoothed side by side: what is known of them at a step stays in the cache."""


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
        For each step the probability of each region, given the whole track and no user.
    """

    mornings: list[Floats]
    regions: list[TrackRegions]

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
            (n_regions, n_regions) probability of showing each region (column) for each true one
            (row).
        homes
            Homes and the chain of a day.
        step
            (n_steps,) the step of the day of each column.
        """
        contents = np.arange(release.n_contents, dtype=np.int32)
        told, parts = shown_likelihood(release, np.ascontiguousarray(kernel.T), contents), []
        for first in range(0, release.n_rows, BLOCK):
            code = np.ascontiguousarray(release.code[first : first + BLOCK].T)
            parts.append(_smoothed_block((told, code), homes, step))
        mornings, regions = zip(*parts, strict=True)
        return cls(
            [np.concatenate(one) for one in zip(*mornings, strict=True)],
            [_joined(one) for one in zip(*regions, strict=True)],
        )


def shown_regions(release: Cells) -> list[TrackRegions]:
    """Where each track is at each step, where no cell hides anything."""
    ptr, certain = np.arange(release.n_rows + 1), np.ones(release.n_rows, np.float32)
    return [(ptr, np.ascontiguousarray(column), certain) for column in release.code.T]


def _smoothed_block(
    shown: Shown, homes: Homes, step: npt.NDArray[np.int64]
) -> tuple[list[Floats], list[TrackRegions]]:
    """Mornings and regions of some tracks, as :class:`SmoothedTracks` has them."""
    days = np.split(np.arange(len(step)), np.flatnonzero(step[1:] != step[:-1] + 1) + 1)
    after: list[Floats] = []
    for day in days:
        after.extend(_backward(shown, day, homes, step))
    whole = [day[0] for day in days if step[day[0]] == 0]
    told, code = shown
    mornings = [told[code[first]] * after[first] for first in whole]
    at_home = [normal(one @ homes.morning.T) for one in mornings]
    prior = np.tile(homes.prior, (code.shape[1], 1))
    home_of = dict(zip([*whole, None], _homes_by_others(at_home, prior), strict=True))
    for day in days:
        home = home_of.get(day[0], home_of[None])
        _forward(home, shown, after, (day, step), homes)
    return mornings, [track_regions(one) for one in after]


def _homes_by_others(at_home: list[Floats], prior: Floats) -> list[Floats]:
    """(n_tracks, n_regions) where homes are by all days but one, for each day; last, by all.

    Parameters
    ----------
    at_home
        For each day (n_tracks, n_regions) how likely its morning is for each home.
    prior
        (n_tracks, n_regions) share of people who live in each region.
    """
    # Logarithms: who moves house is in the end next to impossible at either home, and must be at
    # one of them.
    told = [np.log(np.maximum(one, TINY)) for one in at_home]
    by_all = sum(told, np.log(prior))
    return [*(_likely_homes(by_all - one) for one in told), _likely_homes(by_all)]


def _likely_homes(told: Floats) -> Floats:
    """Probabilities from logarithms; none where next to none: tiny numbers are slow to multiply."""
    likely = np.exp(told - told.max(axis=1, keepdims=True))
    likely[likely < TINY] = 0
    return normal(likely)


@compiled
def _multiply_rows(likely: Floats, table: Floats, row: Numbers) -> None:
    """Multiply rows by rows of a table, and make them sum to 1: all while they are in the cache.

    Parameters
    ----------
    likely
        (n, n_regions), changed.
    table, row
        (n_rows, n_regions), and (n,) which of these each is multiplied by.
    """
    sums = np.empty(LANES, np.float32)
    whole = likely.shape[1] - likely.shape[1] % LANES
    for one in range(len(likely)):
        mine, other = likely[one], table[row[one]]
        for here in range(len(mine)):
            mine[here] *= other[here]
        sums[:] = 0
        for begin in range(0, whole, LANES):
            some = mine[begin : begin + LANES]
            for lane in range(LANES):
                sums[lane] += some[lane]
        total = sums.sum()
        for here in range(whole, len(mine)):
            total += mine[here]
        scale = np.float32(1) / max(total, TINY)
        for here in range(len(mine)):
            mine[here] *= scale


def _joined(parts: Sequence[TrackRegions]) -> TrackRegions:
    """The regions of all tracks at a step, from those of some after the others."""
    ptr, region, share = zip(*parts, strict=True)
    size = np.concatenate([np.diff(one) for one in ptr])
    return pointers(size), np.concatenate(region), np.concatenate(share)


def _backward(
    shown: Shown, day: npt.NDArray[np.int64], homes: Homes, step: npt.NDArray[np.int64]
) -> list[Floats]:
    """Likelihood of what follows each step of a day, for each region at the step."""
    told, code = shown
    found = [np.ones((code.shape[1], told.shape[1]), np.float32)]
    for at in day[:0:-1]:
        rest = found[-1].copy()
        _multiply_rows(rest, told, code[at])
        found.append(homes.before(rest, int(step[at - 1])))
    return found[::-1]


def _forward(
    home: Floats,
    shown: Shown,
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
    told, code = shown
    each = np.arange(code.shape[1], dtype=np.int32)
    likely = home @ homes.morning
    for skipped in range(step[day[0]]):  # a day that is not shown from its beginning
        likely = homes.after(likely, skipped)
    for at in day:
        _multiply_rows(likely, told, code[at])
        _multiply_rows(after[at], likely, each)
        if at != day[-1]:
            likely = homes.after(likely, int(step[at]))


def shown_likelihood(release: Cells, seen: Floats, code: npt.NDArray[np.int32]) -> Floats:
    """Likelihood of some contents for each true region, (n, n_regions).

    A region is seen through the noise, a set shows its members alike, a deleted cell says nothing.

    Parameters
    ----------
    seen
        (n_regions, n_regions) probability of showing each region (row) for each true one (column).
    """
    likely = np.ones((len(code), release.n_regions), np.float32)
    single, sets = code < release.deleted, np.flatnonzero(code > release.deleted)
    likely[single] = seen[code[single]]
    if len(sets):
        ptr, member = release.members_of(code[sets])
        likely[sets] = 0
        likely[np.repeat(sets, np.diff(ptr)), member] = 1
    return likely


def track_regions(likely: Floats, least: np.float32 = LEAST_PART) -> TrackRegions:
    """The regions that count, of (n_tracks, n_regions) how likely each is; a track's sum to 1."""
    size, region = np.empty(len(likely), np.int64), np.empty(likely.size, np.int32)
    share = np.empty(likely.size, np.float32)
    count = _largest(likely, least, size, region, share)
    return pointers(size), region[:count].copy(), share[:count].copy()


@compiled
def _largest(likely: Floats, least: float, size: Longs, region: Numbers, share: Floats) -> int:
    """Write down what is not below a part of each row's largest, as shares; and say how many.

    Parameters
    ----------
    size, region, share
        How many each row has, where, and shares that sum to 1; filled from the beginning.
    """
    count = 0
    for row in range(len(likely)):
        mine, begin = likely[row], count
        highest = np.float32(0)
        for here in range(len(mine)):
            highest = mine[here] if mine[here] > highest else highest
        total = np.float32(0)
        for here in range(len(mine)):
            if mine[here] >= least * highest:
                region[count], share[count] = here, mine[here]
                total += mine[here]
                count += 1
        size[row] = count - begin
        for entry in range(begin, count):
            share[entry] /= max(total, TINY)
    return count


def user_regions(
    pairs: tuple[Longs, Numbers, Floats], regions: TrackRegions, more: Floats
) -> StepBelief:
    """Where each user is at a step: a mean over the tracks that may be this user's.

    On a track the probability of a region is that of the crowd, times how much more likely the user
    is there, by Bayes' rule.

    Parameters
    ----------
    pairs
        ``ptr, track, mass``: the tracks of each user as CSR, and how much each is believed.
    regions
        Where each track may be, given the track and no user.
    more
        (n_users, n_regions) how much more likely each user is there than the crowd
        (:meth:`mixsafe.contest.base.people.People.more`).

    Returns
    -------
    size, region, mass
        How many regions of each user are told from none, which, and how much each is believed.
    """
    size, region = np.empty(len(more), np.int64), np.empty(more.size, np.int32)
    mass = np.empty(more.size, np.float32)
    count = _weigh_tracks(pairs, regions, more, LEAST_MASS, (size, region, mass))
    return size, region[:count].copy(), mass[:count].copy()


@inner
def _mean(share: Floats, value: Floats, place: Numbers) -> np.float32:
    """Sum of shares times the values of their places: four sums, so that none waits for another."""
    one = two = three = four = np.float32(0)
    whole = len(share) - len(share) % 4
    for at in range(0, whole, 4):
        one += share[at] * value[place[at]]
        two += share[at + 1] * value[place[at + 1]]
        three += share[at + 2] * value[place[at + 2]]
        four += share[at + 3] * value[place[at + 3]]
    for at in range(whole, len(share)):
        one += share[at] * value[place[at]]
    return (one + two) + (three + four)


@compiled
def _weigh_tracks(
    pairs: tuple[Longs, Numbers, Floats],
    regions: TrackRegions,
    more: Floats,
    least: float,
    found: tuple[Longs, Numbers, Floats],
) -> int:
    """Write down what :func:`user_regions` returns, from the beginning; and say how much it is."""
    ptr, track, belief = pairs
    begin, region, share = regions
    size, where, mass = found
    row = np.zeros(more.shape[1], np.float32)
    count = 0
    for user in range(len(more)):
        mine = more[user]
        for pair in range(ptr[user], ptr[user + 1]):
            first, after = begin[track[pair]], begin[track[pair] + 1]
            total = _mean(share[first:after], mine, region[first:after])
            part = belief[pair] / max(total, TINY)
            for entry in range(first, after):
                row[region[entry]] += part * share[entry]
        size[user] = 0
        for here in range(len(row)):
            if row[here] * mine[here] >= least:
                where[count], mass[count] = here, row[here] * mine[here]
                size[user] += 1
                count += 1
            row[here] = 0
    return count
