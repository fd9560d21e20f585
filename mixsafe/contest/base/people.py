"""The model of people that all posterior attacks share: homes, habits, and how much each counts.

Habits say where a user is at each time of the day, cell by cell; homes say how the mornings belong
together, and how a day goes on. Both are learned from reference traces, and so are their weights:
the attacker leaves the last reference day out and asks which weights tell its users apart best.
Weights that were trained on sample teams (:mod:`mixsafe.contest.posterior.training`) take their
place.

A person has one home, a region that nobody observes. At the first step of a day the person is at
home with probability ``AT_HOME``; otherwise the person has moved from it, as moves of the reference
traces go. All mornings of a person share the home, so they are evidence jointly: two mornings at
one region say more than twice one morning. From the first step on, a day is a Markov chain: a
person stays with the probability of that step, or moves. The prior of homes is estimated from the
reference mornings (expectation and maximization).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mixsafe.contest.base.habits import VisitHabits, gains
from mixsafe.contest.base.held_out import HeldOut, evidence_weights, nearness, step_evidence
from mixsafe.contest.base.rules import Rules
from mixsafe.machinery.compiled import compiled
from mixsafe.model.mobility.complete_traces import TraceMatrix

Floats = npt.NDArray[np.float32]

AT_HOME = 0.6
"""Probability that a person is at home at the first step of a day.

Any two mornings of a person agree for 36.5% of the people in the preliminary data; the square root
of that is 0.60.
"""

NEAR_MOVES_KM = 0.25
"""A move counts for regions near its ends by exp(-distance / this)."""

NEAR_KM = 1.0
"""Half of the moves that no reference trace shows lead near, by exp(-distance / this)."""

UNSEEN_MOVES = 0.5
"""Weight of the moves that no reference trace shows, as if so many had left each region."""

ROUNDS = 20
"""Rounds of expectation and maximization for the prior of homes."""

HUBS = 128
"""Singular values of the moves that smoothing passes them on with.

Moves are smooth, so that a product may take a quarter of the operations. On the preliminary data
s_R and s_T of A4(4,1), shuffled, five seeds, are 0.8760 and 0.6862 with 128, 0.8754 and 0.6861 with
all 1,024.
"""

LEAST_MOVES = np.float32(1e-3)
"""Share of moves that lead anywhere, at the least.

Without them, what few singular values say of a move that is made may be below 0, and such a move
would rule out all that is known of its track.
"""

TINY = np.float32(1e-30)
"""The smallest likelihood that is told from 0."""

USUAL_WEIGHTS = 0.8, 0.05
"""Weights of homes and of each other step if reference traces of one day cannot teach them."""

SHARED_OUT = 2.0
"""Factor on the learned weight of steps after the first.

Users of a release are shared out among its tracks, and it has more days than the one that is left
out, so that weak evidence decides more. It was chosen on the truth of the preliminary data: the
learned weights are 0.91 and 0.067, and s_R of A1 is 0.732 with factor 2 and 0.740 with 1. The
left-out day says the same: shared out among its 500 tracks, factors 1, 2, 3 and 4 find 146, 153,
147 and 133 users.
"""

CHAIN_FIRST, CHAIN = 0.6, 0.4
"""Shares of the chain from home in where a user is: at the first step of a day, and later.

They were chosen on the truth of the preliminary data. Its left-out reference day is likeliest with
0.92 and 0.44, with which s_T of A1 is 0.5576, not 0.5585, exchanged 0.6960, not 0.6951, and 0.7269,
not 0.7273, without a release.
"""


@dataclass(frozen=True, eq=False)
class Homes:
    """Latent homes of the users, and the chain of a day.

    Parameters
    ----------
    posterior
        (n_users, n_regions) probability of each home, given all reference mornings jointly.
    prior
        (n_regions,) share of people who live in each region; none is 0.
    morning
        (n_regions, n_regions) probability of each region (column) at the first step of a day, for
        each home (row).
    moves
        (n_regions, n_regions) probability of each next region (column) of a person who moves.
    stays
        (steps_per_day - 1,) probability of staying from each step of the day to the next.
    """

    posterior: Floats
    prior: Floats
    morning: Floats
    moves: Floats
    stays: Floats

    @classmethod
    def learn(
        cls, region: npt.NDArray[np.int32], step: npt.NDArray[np.int64], rules: Rules
    ) -> Homes:
        """Learn homes and moves from reference traces.

        Parameters
        ----------
        region
            (n_users, n) where they were.
        step
            (n,) the step of the day of each column.
        """
        moves = _moves(region, step, rules)
        eye = np.eye(rules.regions.count, dtype=np.float32)
        morning = np.float32(AT_HOME) * eye + np.float32(1 - AT_HOME) * moves
        likely = np.ones((len(region), rules.regions.count), np.float32)
        for column in np.flatnonzero(step == 0):
            likely = normal(likely * morning[:, region[:, column]].T)
        prior = np.full(rules.regions.count, 1 / rules.regions.count, np.float32)
        for _ in range(ROUNDS):
            # No region is ever ruled out as a home.
            mean = normal(likely * prior).mean(axis=0)
            prior = np.float32(0.999) * mean + np.float32(0.001 / len(mean))
        stays = _stays(region, step, rules)
        return cls(normal(likely * prior), prior, morning, moves, stays)

    @cached_property
    def day(self) -> list[Floats]:
        """(n_users, n_regions) where each user is at each step of a day, by home and chain."""
        return self._day_from(self.posterior)

    @cached_property
    def crowd(self) -> Floats:
        """(steps_per_day, n_regions) where somebody is of whom only the prior of homes is known."""
        return np.concatenate(self._day_from(self.prior[None]))

    def _day_from(self, home: Floats) -> list[Floats]:
        """Where people are at each step of a day, from the probability of each home."""
        steps = [np.asarray(home @ self.morning, np.float32)]
        for stay in self.stays:
            likely = steps[-1]
            steps.append(np.asarray(stay * likely + (1 - stay) * (likely @ self.moves), np.float32))
        return steps

    def day_through(self, kernel: Floats) -> Iterator[Floats]:
        """As ``day``, times a matrix (n_regions, n): few products, by way of hubs."""
        source, target = self._hubs
        target, seen = target @ kernel, self.day[0] @ kernel
        yield seen
        for stay, likely in zip(self.stays, self.day, strict=False):
            seen = _passed_on(likely @ source, seen, stay, target)
            yield seen

    def before(self, likely: Floats, step: int) -> Floats:
        """Likelihood of the regions at a step of the day from that at the next: one step back."""
        source, target = self._hubs
        return _passed_on(likely @ target.T, likely, self.stays[step], source.T)

    def after(self, likely: Floats, step: int) -> Floats:
        """Probability of the regions after a step of the day, from that at the step."""
        source, target = self._hubs
        return _passed_on(likely @ source, likely, self.stays[step], target)

    @cached_property
    def _hubs(self) -> tuple[Floats, Floats]:
        """(n_regions, n_hubs) and (n_hubs, n_regions) whose product is, nearly, the moves."""
        if len(self.moves) <= HUBS:
            return self.moves, np.eye(len(self.moves), dtype=np.float32)
        source, size, target = np.linalg.svd(self.moves)
        return source[:, :HUBS] * size[:HUBS], target[:HUBS]

    def ratios(self, mornings: list[Floats]) -> Floats:
        """Log-ratio of each track and user by all mornings jointly, (n_tracks, n_users).

        The likelihood of a track's mornings is summed over homes: by the user's posterior of homes
        against the prior of all people.

        Parameters
        ----------
        mornings
            For each day (n_tracks, n_regions) the likelihood of a track's day for each region at
            its first step. An empty list says nothing: ratios are 0.
        """
        if not mornings:
            return np.zeros((1, len(self.posterior)), np.float32)
        likely = np.ones_like(mornings[0])
        for one in mornings:
            likely = normal(likely * normal(one @ self.morning.T))
        mine = likely @ self.posterior.T
        anyone = likely @ self.prior
        ratio = np.log(np.maximum(mine, TINY)) - np.log(np.maximum(anyone, TINY))[:, None]
        return np.asarray(ratio, np.float32)


def _passed_on(at_hubs: Floats, likely: Floats, stay: np.float32, target: Floats) -> Floats:
    """What stays, and what moves on from hubs."""
    moved = np.asarray(at_hubs @ target, np.float32)
    _add_stays(moved, likely, stay)
    return moved


@compiled
def _add_stays(moved: Floats, likely: Floats, stay: float) -> None:
    """Add what stays to what moves, which is nowhere none: small singular values are left out."""
    for row in range(len(moved)):
        there, here = moved[row], likely[row]
        least = LEAST_MOVES * here.mean()
        for at in range(len(there)):
            there[at] = (np.float32(1) - stay) * max(there[at], least) + stay * here[at]


def normal(likely: Floats) -> Floats:
    """Rows that sum to 1."""
    total = np.maximum(likely.sum(axis=1, keepdims=True), TINY)
    return np.asarray(likely / total, np.float32)


def _moves(region: npt.NDArray[np.int32], step: npt.NDArray[np.int64], rules: Rules) -> Floats:
    """Probability of each next region (column) of a person who leaves a region (row)."""
    count = rules.regions.count
    here = np.flatnonzero(step[:-1] + 1 == step[1:])
    key = region[:, here].astype(np.int64) * count + region[:, here + 1]
    pairs = np.bincount(key.reshape(-1), minlength=count * count).astype(np.float32)
    seen = pairs.reshape(count, count)
    np.fill_diagonal(seen, 0)
    near = nearness(rules.regions, NEAR_MOVES_KM)
    anywhere = seen.sum(axis=0) + np.float32(1e-3)
    anywhere /= anywhere.sum()
    unseen = (nearness(rules.regions, NEAR_KM) + anywhere) / 2
    return normal(near @ seen @ near + np.float32(UNSEEN_MOVES) * unseen)


def _stays(region: npt.NDArray[np.int32], step: npt.NDArray[np.int64], rules: Rules) -> Floats:
    """(steps_per_day - 1,) share of people who stay from each step of a day to the next."""
    stays = np.full(rules.steps_per_day - 1, 0.5)
    for at in range(rules.steps_per_day - 1):
        here = np.flatnonzero((step[:-1] == at) & (step[1:] == at + 1))
        if len(here):
            same = region[:, here] == region[:, here + 1]
            stays[at] = (same.sum() + 1) / (same.size + 2)
    return stays.astype(np.float32)


@dataclass(frozen=True, eq=False)
class Weights:
    """Weights of the evidence in a release of another team.

    Parameters
    ----------
    home
        Of all mornings of a track jointly.
    steps
        (steps_per_day,) of each cell of a track, by the step of the day; 0 at the first.
    pieces
        (steps_per_day,) of each cell of a piece between exchanges, by the step of the day.
    """

    home: float
    steps: npt.NDArray[np.float64]
    pieces: npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class People:
    """What is believed of people before a release is seen.

    Parameters
    ----------
    habits
        Where each user is at each time of the day.
    homes
        Where each user lives.
    home_weight
        How much the evidence of all mornings counts.
    step_weight
        (steps_per_day,) how much that of each cell counts; 0 at the first step.
    """

    habits: VisitHabits
    homes: Homes
    home_weight: float
    step_weight: npt.NDArray[np.float64]

    @classmethod
    def learn(
        cls, traces: TraceMatrix, rules: Rules, habits: VisitHabits, trained: Weights | None = None
    ) -> People:
        """Learn homes and weights from reference traces whose habits are known.

        Parameters
        ----------
        trained
            Weights that are taken as they are; None: learned from the last reference day.
        """
        homes = Homes.learn(traces.region, rules.step_of_day(traces.time_ids), rules)
        weights = _weights(habits) if trained is None else (trained.home, trained.steps)
        return cls(habits, homes, *weights)

    @cached_property
    def ratio(self) -> Floats:
        """Log-ratios of regions by habits and homes, as ``VisitHabits.ratio`` has those of habits.

        Pieces of exchanged tracks seldom hold two mornings, so that homes count cell by cell here.
        """
        return self.ratios_through(None)

    def ratios_through(self, kernel: Floats | None) -> Floats:
        """Log-ratios as ``ratio`` has them, of regions that are shown.

        Parameters
        ----------
        kernel
            (n_regions, n_regions) probability of showing each region (column) for each true one
            (row); None: regions are shown as they are.
        """
        table = np.zeros_like(self.habits.ratio)
        chain = self.homes.day if kernel is None else self.homes.day_through(kernel)
        days = zip(self.habits.telling.through(kernel), chain, strict=True)
        for step, (usual, from_home) in enumerate(days):
            likely = _mixed(usual, from_home, step)
            likely /= likely.mean(axis=0)
            table[step, :-1] = np.log(likely, out=likely).T
        return table

    def more(self) -> Iterator[Floats]:
        """How much more likely each user is in each region than the chain has the crowd there.

        By habits and homes, (n_users, n_regions) for each step of the day. What the chain says of
        somebody unknown times this is where the user is: cells that tell nothing change nothing.
        """
        days = zip(self.habits.mixture.through(), self.homes.day, self.homes.crowd, strict=True)
        for step, (usual, from_home, crowd) in enumerate(days):
            yield _mixed(usual, from_home, step) / crowd

    @cached_property
    def gain(self) -> Floats:
        """(n_users, steps_per_day, n_regions) what naming a region is expected to find.

        By habits and homes alone, in the score's own measure
        (:func:`mixsafe.contest.base.habits.gains`): hospitals weigh more, and a near guess finds a
        part.
        """
        habits, found = self.habits, gains(self.habits.rules)
        expected = np.empty((habits.n_users, *habits.background.shape), np.float32)
        days = zip(habits.mixture.through(found), self.homes.day, strict=True)
        for step, (usual, chain) in enumerate(days):
            expected[:, step] = _mixed(usual, chain @ found, step)
        return expected


def _mixed(usual: Floats, chain: Floats, step: int) -> Floats:
    """A mixture of what habits say of a step, and what the chain from home says."""
    share = np.float32(CHAIN if step else CHAIN_FIRST)
    return np.asarray((1 - share) * usual + share * chain, np.float32)


def _weights(habits: VisitHabits) -> tuple[float, npt.NDArray[np.float64]]:
    """Weights that tell the users of the last reference day apart best; later steps share one."""
    home, each = USUAL_WEIGHTS
    if habits.held is not None:
        evidence = track_evidence(habits.held, habits.ratio_before, habits.rules)
        two = np.stack([evidence[0], evidence[1:].sum(axis=0)])
        home, each = evidence_weights([two]).tolist()
        each *= SHARED_OUT
    steps = np.full(habits.rules.steps_per_day, each)
    steps[0] = 0
    return home, steps


def track_evidence(held: HeldOut, ratio: Floats, rules: Rules) -> Floats:
    """Evidence of all mornings jointly (first), and of the cells at each later step of the day.

    Parameters
    ----------
    held
        Traces that are held out.
    ratio
        (steps_per_day, n_regions + 1, n_users) log-ratios by the traces that are known.

    Returns
    -------
    ndarray
        (steps_per_day, n_users, n_users): each track (row) and user (column).
    """
    homes = Homes.learn(held.known, held.step_known, rules)
    eye = np.eye(rules.regions.count, dtype=np.float32)
    first = np.flatnonzero(held.step_hidden == 0)
    evidence = step_evidence(ratio, held)
    evidence[0] = homes.ratios([eye[held.hidden[:, column]] for column in first])
    return evidence
