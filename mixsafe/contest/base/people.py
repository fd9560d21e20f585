"""The model of people that all posterior attacks share: homes, habits, and how much each counts.

Habits say where a user is at each time of the day, cell by cell; homes say how the mornings belong
together, and how a day goes on. Both are learned from reference traces, and so are their weights:
the attacker leaves the last reference day out and asks which weights tell its users apart best.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mixsafe.contest.base.habits import VisitHabits, gains
from mixsafe.contest.base.held_out import evidence_weights
from mixsafe.contest.base.homes import Homes
from mixsafe.contest.base.rules import Rules
from mixsafe.model.mobility.trace_matrix import TraceMatrix

Floats = npt.NDArray[np.float32]

USUAL_WEIGHTS = 0.8, 0.05
"""Weights of homes and of each other step if reference traces of one day cannot teach them."""

SHARED_OUT = 2.0
"""Factor on the learned weight of steps after the first.

Users of a release are shared out among its tracks, and it has more days than the one that is left
out, so that weak evidence decides more. On the preliminary data the learned weights are 0.90 and
0.056; s_R of A1 is 0.752 with weights 0.8 and 0.05, and 0.742 with the learned ones and factor 2.
"""

CHAIN_FIRST, CHAIN = 0.6, 0.4
"""Shares of the chain from home in where a user is: at the first step of a day, and later."""


@dataclass(frozen=True, eq=False)
class People:
    """What is believed of people before a release is seen.

    Parameters
    ----------
    habits
        Where each user is at each time of the day.
    homes
        Where each user lives.
    home_weight, step_weight
        How much the evidence of all mornings counts, and that of each cell at a later step.
    """

    habits: VisitHabits
    homes: Homes
    home_weight: float
    step_weight: float

    @classmethod
    def learn(cls, traces: TraceMatrix, rules: Rules, habits: VisitHabits) -> People:
        """Learn homes and weights from reference traces whose habits are known."""
        homes = Homes.learn(traces.region, rules.step_of_day(traces.time_ids), rules)
        return cls(habits, homes, *_weights(habits))

    @cached_property
    def ratio(self) -> Floats:
        """Log-ratios of regions by habits and homes, as ``VisitHabits.ratio`` has those of habits.

        Pieces of exchanged tracks seldom hold two mornings, so that homes count cell by cell here.
        """
        table = np.zeros_like(self.habits.ratio)
        days = zip(self.habits.mixture.through(), self.homes.day, strict=True)
        for step, (usual, chain) in enumerate(days):
            likely = _mixed(usual, chain, step)
            likely /= likely.mean(axis=0)
            table[step, :-1] = np.log(likely, out=likely).T
        return table

    def more(self, step: int) -> Floats:
        """How much more likely each user is in each region than the chain has the crowd there.

        By habits and homes, at a step of the day, (n_users, n_regions). What the chain says of
        somebody unknown times this is where the user is: cells that tell nothing change nothing.
        """
        everybody = self.homes.day[step].mean(axis=0, keepdims=True)
        mean = _mixed(self.habits.background[step][None], everybody, step)
        scale = mean / self.homes.crowd[step]
        return np.asarray(np.exp(self.ratio[step, :-1].T) * scale, np.float32)

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


def _weights(habits: VisitHabits) -> tuple[float, float]:
    """Weights that tell the users of the last reference day apart best."""
    held, rules = habits.held, habits.rules
    if held is None:
        return USUAL_WEIGHTS
    homes = Homes.learn(held.before, held.step_before, rules)
    eye = np.eye(rules.regions.count, dtype=np.float32)
    first = np.flatnonzero(held.step_last == 0)
    mornings = [eye[held.last[:, column]] for column in first]
    n_users = len(held.last)
    evidence = np.zeros((2, n_users, n_users), np.float32)
    evidence[0] = homes.ratios(mornings)
    for column, step in enumerate(held.step_last):
        if step:
            evidence[1] += habits.ratio_before[step, held.last[:, column]]
    home, each = evidence_weights(evidence)
    return float(home), SHARED_OUT * float(each)
