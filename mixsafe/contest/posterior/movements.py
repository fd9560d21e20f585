"""How people move, as evidence where a history is long: where they go on to, how long they stay.

Cells of a day depend on each other, so a product over cells counts some things many times, and
others not at all. Of two cells in a row, the second says where its user went on to, among the
regions that people reach from the first, or that she stayed. Both are compared with what everybody
does there. Where cells hide something, a track is where all its cells say
(:mod:`mixsafe.contest.posterior.smoothing`): as much of it stays from one step to the next as both
have in a region, and the rest moves.

Twenty days show a person in few of the places where she may be; so the rest is told by people who
are like her. Visits of a person are a mixture of topics, each of which has its places at parts of
the day, as words of a text are in probabilistic latent semantic analysis (Hofmann, Machine Learning
2001): they are found by expectation and maximization, and her own visits add to that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.contest.base.people import normal
from mixsafe.contest.base.reference import visit_counts
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.posterior.smoothing import TrackRegions, shown_regions
from mixsafe.contest.posterior.whereabouts import Floats
from mixsafe.machinery.compiled import compiled
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.model.release import Cells

Regions = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]

TOPICS = 60
"""Kinds of people, at most: one for ten users."""

ROUNDS = 60
"""Of expectation and maximization."""

LIKE_OTHERS = 30.0
"""Visits that people like a user stand for, beside her own."""

APART = 3.0
"""Visits of a user that say as much as one would alone: she is long in one place."""

OWN_PART = 0.7
"""Part of a user's visits that is of the part of the day alone; the rest is of the whole day."""

STAYS = 4.0
"""Steps in a region that what everybody does there stands for."""

ATTACHED = 0.3
"""How much likelier, in log-odds, a user is to stay where she is likelier to be."""


class MovementCounts(NamedTuple):
    """How often users, or tracks, come to regions, leave them, and stay there.

    (n_parts, n, n_regions) each: by part of the day, at whose steps they come, or have stayed.
    """

    come: Floats
    leave: Floats
    stay: Floats

    @classmethod
    def of(cls, tracks: Sequence[TrackRegions], step: Longs, rules: Rules) -> MovementCounts:
        """Count the steps of tracks.

        Parameters
        ----------
        tracks
            For each step where each track may be.
        step
            (n_steps,) the step of the day of each.
        """
        part, n_tracks = parts_of_day(rules), len(tracks[0][0]) - 1
        shape = int(part.max()) + 1, n_tracks, rules.regions.count
        found = cls(*np.zeros((3, *shape), np.float32))
        for at in _within_days(step):
            come, leave, stay = (one[part[step[at]]] for one in found)
            _count_moves(tracks[at - 1], tracks[at], come, leave, stay)
        return found


@compiled
def _count_moves(
    before: TrackRegions, after: TrackRegions, come: Floats, leave: Floats, stay: Floats
) -> None:
    """Add what tracks come to, leave and stay in from one step to the next."""
    ptr, region, share = before
    next_ptr, next_region, next_share = after
    left = np.zeros(come.shape[1], np.float32)
    for track in range(len(come)):
        for entry in range(ptr[track], ptr[track + 1]):
            left[region[entry]] = share[entry]
        for entry in range(next_ptr[track], next_ptr[track + 1]):
            here = next_region[entry]
            same = min(left[here], next_share[entry])
            stay[track, here] += same
            come[track, here] += next_share[entry] - same
            left[here] -= same
        for entry in range(ptr[track], ptr[track + 1]):
            leave[track, region[entry]] += left[region[entry]]
            left[region[entry]] = 0


def _within_days(step: Longs) -> Longs:
    """Columns that follow the one before on the same day."""
    return np.flatnonzero(step[1:] == step[:-1] + 1) + 1


def parts_of_day(rules: Rules) -> Longs:
    """(steps_per_day,) part of each step: the first fifth of a day, its middle, the last fifth."""
    edge = rules.steps_per_day // 5
    part = np.ones(rules.steps_per_day, np.int64)
    part[:edge], part[rules.steps_per_day - edge :] = 0, 2
    return part if edge else part - 1


@dataclass(frozen=True, eq=False)
class Movements:
    """What users do at each step, against what everybody does: log-ratios.

    Parameters
    ----------
    rules
        The contest's.
    goes
        (n_parts, n_users, n_regions) how much likelier she is than others to be in a region.
    reaches
        (n_parts, n_users, n_regions) the same of all regions that people reach from a region.
    stays, leaves
        (n_parts, n_users, n_regions) how much likelier she is to stay in a region, or to leave it.
    """

    rules: Rules
    goes: Floats
    reaches: Floats
    stays: Floats
    leaves: Floats

    @classmethod
    def learn(cls, region: Regions, step: Longs, rules: Rules) -> Movements:
        """Learn from reference traces.

        Parameters
        ----------
        region
            (n_users, n_steps) where they are.
        step
            (n_steps,) the step of the day of each column.
        """
        shown = shown_regions(Cells.of_regions(region, rules.regions.count))
        counts = MovementCounts.of(shown, step, rules)
        goes = np.log(_tastes(_visits(region, step, rules)))
        # What everybody does next, of those who leave.
        reaches = np.empty_like(goes)
        for part, here in enumerate(_next(region, step, rules)):
            reaches[part] = np.log(np.exp(goes[part]) @ here.T)
        stay, leave = counts.stay, counts.leave
        usual = (stay.sum(axis=1) + 1) / (stay.sum(axis=1) + leave.sum(axis=1) + 2)
        odds = np.log(usual / (1 - usual))[:, None] + np.float32(ATTACHED) * goes
        likely = (stay + STAYS / (1 + np.exp(-odds))) / (stay + leave + STAYS)
        stays = np.log(likely / usual[:, None])
        leaves = np.log((1 - likely) / (1 - usual[:, None]))
        return cls(rules, goes, reaches, stays.astype(np.float32), leaves.astype(np.float32))

    def of_users(self, users: Longs) -> Movements:
        """The same of some users."""
        return Movements(
            self.rules,
            *(one[:, users] for one in (self.goes, self.reaches, self.stays, self.leaves)),
        )

    def evidence(self, tracks: Sequence[TrackRegions], step: Longs) -> tuple[Floats, Floats]:
        """Log-ratios of each track and user, (n_tracks, n_users): of moves, and of stays.

        Parameters
        ----------
        tracks, step
            As :meth:`MovementCounts.of` takes them.
        """
        counts = MovementCounts.of(tracks, step, self.rules)
        moves, stays = np.zeros((2, counts.come.shape[1], self.goes.shape[1]), np.float32)
        for part in range(len(counts.come)):
            moves += counts.come[part] @ self.goes[part].T
            moves -= counts.leave[part] @ self.reaches[part].T
            stays += counts.stay[part] @ self.stays[part].T
            stays += counts.leave[part] @ self.leaves[part].T
        return moves, stays


def _visits(region: Regions, step: Longs, rules: Rules) -> Floats:
    """(n_parts, n_users, n_regions) how often each user is where, by part of the day."""
    part, traces = parts_of_day(rules)[step], TraceMatrix(region)
    counts = [
        visit_counts(traces, rules.regions.count, part == one) for one in range(part.max() + 1)
    ]
    return np.array(counts, np.float32)


def _tastes(visits: Floats) -> Floats:
    """(n_parts, n_users, n_regions) where each user is by part of the day, against everybody."""
    crowd = normal(visits.sum(axis=1) + 1)[:, None]
    alike = np.float32(0.98) * _like_others(visits) + np.float32(0.02) * crowd
    whole_day, own = visits.sum(axis=0), visits.sum(axis=2, keepdims=True)
    of_day = whole_day * (own / np.maximum(whole_day.sum(axis=1), 1)[:, None])
    seen = np.float32(OWN_PART) * visits + np.float32(1 - OWN_PART) * of_day
    likely = seen / np.float32(APART) + np.float32(LIKE_OTHERS) * alike
    likely /= own / np.float32(APART) + np.float32(LIKE_OTHERS)
    return np.asarray(likely / likely.mean(axis=1, keepdims=True), np.float32)


def _like_others(visits: Floats) -> Floats:
    """(n_parts, n_users, n_regions) where people are who are like each user: by topics."""
    n_parts, n_users, count = visits.shape
    words = np.ascontiguousarray(visits.transpose(1, 0, 2)).reshape(n_users, -1)
    share, topic = topics(words, max(1, min(TOPICS, n_users // 10)))
    found = (share @ topic).reshape(n_users, n_parts, count).transpose(1, 0, 2)
    return np.asarray(found / found.sum(axis=2, keepdims=True), np.float32)


def topics(counts: Floats, number: int) -> tuple[Floats, Floats]:
    """Probabilistic latent semantic analysis of counts; the same for the same counts.

    Parameters
    ----------
    counts
        (n_texts, n_words).
    number
        Of topics.

    Returns
    -------
    share, topic
        (n_texts, number) how much of each topic a text has, and (number, n_words) how likely each
        word is in it; rows sum to 1.
    """
    random = np.random.default_rng(0)
    share = random.dirichlet(np.ones(number), len(counts)).astype(np.float32)
    usual = counts.sum(axis=0) / counts.sum() + np.float32(1e-9)
    topic = normal(usual * random.gamma(1.0, 1.0, (number, counts.shape[1])).astype(np.float32))
    for _ in range(ROUNDS):
        found = counts / np.maximum(share @ topic, np.float32(1e-12))
        # Half a visit of each topic, and next to none of each word: nothing is ever ruled out.
        more = share * (found @ topic.T) + np.float32(0.5)
        topic = normal(topic * (share.T @ found) + np.float32(1e-4))
        share = normal(more)
    return share, topic


def _next(region: Regions, step: Longs, rules: Rules) -> Floats:
    """(n_parts, n_regions, n_regions) where people go on to (column) who leave a region (row)."""
    count, part = rules.regions.count, parts_of_day(rules)
    after = _within_days(step)
    found = np.zeros((int(part.max()) + 1, count, count), np.float32)
    for at in range(len(found)):
        those = after[part[step[after]] == at]
        key = region[:, those - 1].astype(np.int64) * count + region[:, those]
        pairs = np.bincount(key.ravel(), minlength=count * count).reshape(count, count)
        np.fill_diagonal(pairs, 0)
        come = pairs.sum(axis=0) + np.float32(1e-3)
        found[at] = normal((pairs + come / (2 * come.sum())).astype(np.float32))
    return found
