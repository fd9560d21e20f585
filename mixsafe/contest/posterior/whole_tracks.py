"""Beliefs about releases whose pseudonyms never change hands: a matching of tracks and users.

Each track belongs to one user and each user to one track; a matching is as likely as the product
of its pairs' evidence. How likely a pair is over all matchings takes a permanent; belief
propagation (Huang, Jebara 2009; Vontobel 2013) comes close to it in a few rounds, and what it
finds is far better than asking of each track alone which user suits it best, since users who suit
everybody are shared out. The inner loops of these beliefs, and of what is answered, come first.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
import numpy.typing as npt

from mixsafe.contest.posterior.exchanged import ENUMERATED
from mixsafe.contest.posterior.sweeps import LANES, first_of_largest
from mixsafe.contest.posterior.whereabouts import (
    BelievedPlaces,
    BelievedUsers,
    Floats,
    Posterior,
    believed,
)
from mixsafe.machinery.compiled import compiled
from mixsafe.model.release import Cells

Numbers = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]

ROUNDS = 8
"""Of messages; more change next to nothing."""

CERTAIN = np.float32(1e18)
"""The largest message that is told from certainty."""


@compiled
def add_evidence(
    code: Numbers, ratio: Floats, step: Longs, counts: Floats, first: int, total: Floats
) -> None:
    """Add up the evidence along each track for some users, beginning with user ``first``.

    Parameters
    ----------
    code
        (n_tracks, n_steps) contents.
    ratio, step, counts
        Log-ratios (steps_per_day, n_contents, n_users); of each column its step of the day and
        what its evidence counts.
    total
        (n_tracks, n) filled.
    """
    n_tracks, n = total.shape
    for at in range(len(step)):
        if counts[at] == 0:
            continue
        for track in range(n_tracks):
            shown = ratio[step[at], code[track, at], first : first + n]
            row = total[track]
            for user in range(n):
                row[user] += counts[at] * shown[user]


@compiled
def pass_messages(likely: Floats, from_user: Floats, from_track: Floats) -> None:
    """One round of messages between tracks (rows) and users (columns).

    A message is what the others leave: one over the sum of all but one's own.
    """
    n_tracks, n_users = likely.shape
    tiny = np.float32(1e-18)
    sums = np.zeros(n_users)
    for track in range(n_tracks):
        row, theirs, mine = likely[track], from_user[track], from_track[track]
        total = 0.0
        for user in range(n_users):
            total += row[user] * theirs[user]
        for user in range(n_users):
            rest = np.float32(total) - row[user] * theirs[user]
            mine[user] = np.float32(1) / max(rest, tiny)
            sums[user] += row[user] * mine[user]
    for track in range(n_tracks):
        row, theirs, mine = likely[track], from_user[track], from_track[track]
        for user in range(n_users):
            rest = np.float32(sums[user] - row[user] * mine[user])
            theirs[user] = np.float32(1) / max(rest, tiny)


@compiled
def best_guesses(
    places: tuple[Longs, Numbers, Floats],
    step: Longs,
    habit: Floats,
    near: tuple[Floats, Longs],
    guess: Numbers,
) -> None:
    """The region that is expected to find most, for each user and time, the first of equals.

    Parameters
    ----------
    places
        Users' contents at each step, as
        :class:`mixsafe.contest.posterior.whereabouts.BelievedPlaces` has them.
    step
        (n_steps,) step of the day of each column.
    habit
        (n_users, steps_per_day, n_regions) what each region is expected to find by habit.
    near
        (n_contents, n_regions) what naming each region finds of a content, and (n_contents, 2) the
        first region that finds anything, and the one after the last; a content of which none does
        tells nothing.
    guess
        (n_users, n_steps) filled.
    """
    ptr, content, mass = places
    found, ends = near
    n_users, n_steps = guess.shape
    value = np.empty(habit.shape[2], np.float32)
    lanes, firsts = np.empty(LANES, np.float32), np.empty(LANES, np.int32)
    for user in range(n_users):  # who is near to the same places all day: these stay in the cache
        for at in range(n_steps):
            begin, end = ptr[at * n_users + user], ptr[at * n_users + user + 1]
            rest = np.float32(1)
            for entry in range(begin, end):
                rest -= mass[entry] if ends[content[entry], 1] else np.float32(0)
            usual = habit[user, step[at]]
            for here in range(len(value)):
                value[here] = rest * usual[here]
            for entry in range(begin, end):
                first, after = ends[content[entry]]
                some, gain, part = (
                    value[first:after],
                    found[content[entry], first:after],
                    mass[entry],
                )
                for here in range(len(some)):
                    some[here] += part * gain[here]
            guess[user, at] = first_of_largest(value, lanes, firsts)


@compiled
def agreements(
    places: tuple[Longs, Numbers, Floats],
    steps: tuple[Longs, Longs],
    ratio: Floats,
    usual: npt.NDArray[np.float64],
    hers: Floats,
    masses: Floats,
) -> int:
    """How likely believed cells are by habit, against the crowd; returns how many there are.

    Parameters
    ----------
    places
        Users' contents at each step, as
        :class:`mixsafe.contest.posterior.whereabouts.BelievedPlaces` has them.
    steps
        Columns that are asked for, and of each column its step of the day.
    ratio
        (steps_per_day, n_contents, n_users) log-ratios.
    usual
        (n_steps, n_contents) what everybody's habits say against what is shown; < 0: do not ask.
    hers, masses
        (n_entries,) filled from the beginning: the likelihoods, and how much each is believed.
    """
    ptr, content, mass = places
    columns, step = steps
    n_users, count = ratio.shape[2], 0
    for at in columns:
        for user in range(n_users):
            for entry in range(ptr[at * n_users + user], ptr[at * n_users + user + 1]):
                shown = content[entry]
                if usual[at, shown] >= 0:
                    hers[count] = np.exp(ratio[step[at], shown, user]) * usual[at, shown]
                    masses[count] = mass[entry]
                    count += 1
    return count


@compiled
def common_share(hers: Floats, masses: Floats, rounds: int) -> float:
    """Share of cells that are as habits have them (expectation and maximization)."""
    share, total = 0.5, 0.0
    for entry in range(len(masses)):
        total += masses[entry]
    for _ in range(rounds):
        found = 0.0
        for entry in range(len(masses)):
            by_habit = share * hers[entry]
            found += masses[entry] * (by_habit / (by_habit + (1 - share)))
        share = found / total
    return share


def static_belief(release: Cells, evidence: Floats) -> Posterior:
    """Beliefs about a release in which every pseudonym keeps its user.

    Parameters
    ----------
    evidence
        (n_tracks, n_users) log-ratios of each track and user.
    """
    exact = release.n_rows <= ENUMERATED
    likely = matched_exactly(evidence) if exact else matched(evidence)
    size, track, mass = believed(likely, np.arange(release.n_rows, dtype=np.int32))
    places = BelievedPlaces.of_steps([(size, code[track], mass) for code in release.code.T])
    surest = likely.argmax(axis=1)[:, None].astype(np.int32)
    return Posterior(surest, places, [BelievedUsers.of_tracks(likely)])


def matched_exactly(evidence: Floats) -> Floats:
    """Probability of each pair over all matchings, enumerated; as :func:`matched`."""
    tracks = np.arange(len(evidence))
    user_of = np.array(list(permutations(tracks)))  # a row per matching
    both = evidence.astype(np.float64)[tracks, user_of].sum(axis=1)
    chance = np.exp(both - both.max())
    found = np.zeros(evidence.shape)
    np.add.at(found, (tracks, user_of), (chance / chance.sum())[:, None])
    return found.astype(np.float32)


def matched(evidence: Floats) -> Floats:
    """Probability of each pair over all matchings, nearly, (n_tracks, n_users).

    Parameters
    ----------
    evidence
        (n_tracks, n_users) logarithms; a constant for a row or a column changes nothing.
    """
    # Rows, then columns, so that no user's or track's exponentials vanish.
    level = evidence - evidence.max(axis=1, keepdims=True)
    level -= level.max(axis=0)
    likely = np.exp(level)
    from_user = np.ones_like(likely)
    from_track = np.empty_like(likely)
    for _ in range(ROUNDS):
        pass_messages(likely, from_user, from_track)
    odds = np.minimum(likely * from_user, CERTAIN) * np.minimum(from_track, CERTAIN)
    return np.asarray(odds / (1 + odds), dtype=np.float32)
