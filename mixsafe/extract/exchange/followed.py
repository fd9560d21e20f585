"""How many mix zones are real: whom somebody would follow through them who bets.

Somebody who knows how people move names the likeliest permutation of the members of each zone.
(Likelihoods: :mod:`mixsafe.extract.exchange.continuations`.) By chance, a member of m is named
right once in m times.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.extract.exchange.believable import MOST_MEMBERS, zone_pairs
from mixsafe.extract.exchange.continuations import LEAST_TO_LEARN, Continuations
from mixsafe.extract.exchange.movement import placed
from mixsafe.extract.exchange.rotation import Rotated
from mixsafe.model.csr import pointers
from mixsafe.model.mobility.traces import Traces
from mixsafe.model.question.followed_zones import FollowedMembers
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.movement.permutations import MOST_EXACT, assign, believe

Ints = npt.NDArray[np.int64]

SURE = 0.95
"""A belief above which somebody is sure."""

_ALIKE = 1e-9
"""Differences of log-likelihoods that tell nothing."""

_SIZES = (2, 3, 5, 9, MOST_EXACT + 1)
"""Least numbers of members of the zones that are counted together."""


@dataclass(frozen=True, eq=False)
class Followed:
    """Whom somebody would follow through mix zones.

    Parameters
    ----------
    size
        (n_zones,) members of each.
    named, sure, sure_right
        (n_zones,) as in :class:`mixsafe.model.question.followed_zones.FollowedMembers`; -1: the
        zone has more than ``MOST_MEMBERS``.
    own
        (n_memberships,) belief that who comes in on a track leaves on it; 0 in these zones.
    learned
        Whether there were enough continuations to learn from.
    """

    size: Ints
    named: Ints
    sure: Ints
    sure_right: Ints
    own: npt.NDArray[np.float64]
    learned: bool

    @classmethod
    def of(cls, zones: MixZones, traces: Traces, steps_per_day: int = 20) -> Followed:
        """Follow the members of mix zones.

        Parameters
        ----------
        zones
            Where people meet, and which exchanges are possible there.
        traces
            Their fixes: coordinates, or the contest's regions.
        steps_per_day
            Length of a day where steps are numbered, >= 1.

        Raises
        ------
        InputError
            The data have no such places.
        """
        movement = placed(traces, steps_per_day, option="--follow")
        return cls.by(zones, Continuations.of(Rotated.never(zones), movement))

    @classmethod
    def by(cls, zones: MixZones, model: Continuations) -> Followed:
        """Follow the members of mix zones by a model of their continuations."""
        random = np.random.default_rng(0)
        named, sure, right = (np.full(len(zones), -1, np.int64) for _ in range(3))
        own_belief = np.zeros(len(zones.members))
        for pairs in zone_pairs(zones, model):
            # Of permutations that are alike, the truth is as good as any.
            alike = pairs.matrices + _ALIKE * random.random(len(pairs.matrices))
            best, excess = assign(alike, pairs.size)
            belief = np.zeros(len(excess))
            believe(excess, pairs.size, belief)
            own, of_zone = pairs.one == pairs.other, pointers(pairs.size**2)[:-1]
            come = pairs.one[own] - np.repeat(zones.ptr[pairs.zones], pairs.size)
            of_member = pointers(pairs.size)[:-1]
            is_sure = belief > SURE
            named[pairs.zones] = np.add.reduceat(best == come, of_member, dtype=np.int64)
            sure[pairs.zones] = np.add.reduceat(is_sure, of_zone, dtype=np.int64)
            right[pairs.zones] = np.add.reduceat(is_sure & own, of_zone, dtype=np.int64)
            own_belief[pairs.one[own]] = belief[own]
        size = zones.sizes.astype(np.int64)
        return cls(size, named, sure, right, own_belief, model.learned)

    @property
    def open(self) -> npt.NDArray[np.bool_]:
        """(n_zones,) whether a zone hides nobody: all members are followed for sure."""
        hides_nobody: npt.NDArray[np.bool_] = self.sure_right == self.size
        return hides_nobody

    def total(
        self, least: int = 2, most: int = MOST_MEMBERS, among: Ints | None = None
    ) -> FollowedMembers:
        """Numbers of all zones with so many members, or of those ``among`` these zones."""
        some = (self.size >= least) & (self.size <= most) & (self.named >= 0)
        if among is not None:
            some &= np.isin(np.arange(len(some)), among)
        counted = (self.size, self.named, self.sure, self.sure_right, self.open)
        return FollowedMembers(int(some.sum()), *(int(part[some].sum()) for part in counted))

    def by_size(self) -> list[tuple[int, int, FollowedMembers]]:
        """Least and most members of zones that are counted together, and their numbers."""
        ends = (*(least - 1 for least in _SIZES[1:]), MOST_MEMBERS)
        found = [
            (least, most, self.total(least, most)) for least, most in zip(_SIZES, ends, strict=True)
        ]
        return [(least, most, numbers) for least, most, numbers in found if numbers.zones]

    @property
    def notes(self) -> tuple[str, ...]:
        """What the numbers rest on."""
        found = []
        if not self.learned:
            found.append(
                f"fewer than {LEAST_TO_LEARN} ways through mix zones have a fix on both sides, too"
                " few to learn from: ways are taken to be normally distributed"
            )
        n_large = int(np.count_nonzero(self.named < 0))
        if n_large:
            found.append(
                f"{n_large} mix zones have more than {MOST_MEMBERS:,} members: nobody is followed"
                " through them"
            )
        return tuple(found)

    def to_dict(self) -> dict[str, Any]:
        """The numbers as JSON."""
        sizes = [
            {"least": least, "most": most, **numbers.to_dict()}
            for least, most, numbers in self.by_size()
        ]
        return {**self.total().to_dict(), "learned": self.learned, "by_size": sizes}
