"""The model of people that all posterior attacks share: homes, habits, and how much each counts.

Habits say where a user is at each time of the day, cell by cell; homes say how the mornings belong
together, and how a day goes on. Both are learned from reference traces, and so are their weights:
the attacker leaves the last reference day out and asks which weights tell its users apart best.
Weights that were trained on sample teams (:mod:`mixsafe.contest.posterior.training`) take their
place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mixsafe.contest.base.habits import VisitHabits, gains
from mixsafe.contest.base.held_out import HeldOut, evidence_weights, step_evidence
from mixsafe.contest.base.homes import Homes
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.base.weights import Weights
from mixsafe.model.mobility.complete_traces import TraceMatrix

Floats = npt.NDArray[np.float32]

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
