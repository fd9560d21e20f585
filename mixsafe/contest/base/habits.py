"""Where each user may be at each time of the day, learned so that it does not flatter itself.

A user's next days are a mixture: where she was at that time of the day, nearby in time, at any
time; near to where she was; where everybody is at that time; anywhere. How much each part counts is
found by leaving days of the reference traces out and predicting them
(:mod:`mixsafe.contest.base.held_out`), and so is how much a cell seen at a time of the day
tells about who it is: people who are at home at eight are told apart by that, and hardly by where
they are at noon, as far as one and the same person is elsewhere on another day.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.contest.base.held_out import (
    HeldOut,
    Parts,
    evidence_weights,
    last_day,
    mixture_shares,
    step_evidence,
)
from mixsafe.contest.base.mixture import VisitMixture, mixture_ratios
from mixsafe.contest.base.rules import Rules
from mixsafe.model.mobility.complete_traces import TraceMatrix

Floats = npt.NDArray[np.float32]

MOST_ENTRIES = 2**30
"""Entries of the largest table: 4 GB."""


@dataclass(frozen=True, eq=False)
class VisitHabits:
    """Visit probabilities of users by the time of the day, and what seeing a cell tells.

    Parameters
    ----------
    ratio
        (steps_per_day, n_regions + 1, n_users): logarithm of a user's probability of a region
        against everybody's; last 0, for a deleted cell.
    background
        (steps_per_day, n_regions) everybody's probabilities, none of them 0; rows sum to 1.
    weight
        (steps_per_day,) how much the evidence of a step counts, >= 0.
    mixture
        Where users are.
    telling
        The mixture that tells users apart (``Parts.telling``), of which ``ratio`` is.
    rules
        The contest's rules.
    held
        The last reference day, held out to learn weights from; None: there is no other.
    ratio_before
        Ratios of the users of ``held``, learnt from the other days; empty where there are none.
    """

    ratio: Floats
    background: Floats
    weight: Floats
    mixture: VisitMixture
    telling: VisitMixture
    rules: Rules
    held: HeldOut | None
    ratio_before: Floats

    @classmethod
    def learn(cls, traces: TraceMatrix, rules: Rules) -> VisitHabits:
        """Habits from reference traces; of one day alone, with the shares of ``Parts``."""
        step, day = rules.step_of_day(traces.time_ids), (traces.time_ids - 1) // rules.steps_per_day
        shares = mixture_shares(traces.region, step, day, rules)
        telling = VisitMixture.of_visits(traces.region, step, shares.telling, rules)
        weight = np.full(rules.steps_per_day, shares.usual_weight, np.float32)
        held, before = last_day(traces, rules), np.empty((0, 0, 0), np.float32)
        if held is not None:
            before = ratios_before(held, shares, rules)
            weight = evidence_weights([step_evidence(before, held)])
        mixture = VisitMixture.of_visits(traces.region, step, shares, rules)
        ratios = mixture_ratios(telling)
        return cls(*ratios, weight, mixture, telling, rules, held, before)

    @property
    def n_users(self) -> int:
        """Number of users."""
        return int(self.ratio.shape[2])


def ratios_before(held: HeldOut, shares: Parts, rules: Rules) -> Floats:
    """As ``VisitHabits.ratio``, for the users of held-out traces by what is known of them."""
    parts = shares.telling
    return mixture_ratios(VisitMixture.of_visits(held.known, held.step_known, parts, rules))[0]


def gains(rules: Rules) -> Floats:
    """What naming a region (column) finds of a true one (row), (n_regions, n_regions).

    The trace inference score's own: 0 to 1 by distance, times the weight of the true region.
    """
    region = np.arange(rules.regions.count, dtype=np.int32)
    near = 1 - rules.regions.distance_km(region[:, None], region) / rules.lost_km
    weight = np.where(rules.regions.hospital, rules.hospital_weight, 1.0)
    return (weight[:, None] * np.maximum(0.0, near)).astype(np.float32)
