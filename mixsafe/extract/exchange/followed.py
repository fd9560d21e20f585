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
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.movement.permutations import MOST_EXACT, assign, believe

Ints = npt.NDArray[np.int64]

SURE = 0.95
"""A belief above which somebody is sure."""

_ALIKE = 1e-9
"""Differences of log-likelihoods that tell nothing."""

_SIZES = (2, 3, 5, 9, MOST_EXACT + 1)
"""Least numbers of members of the zones that are counted together."""


@dataclass(frozen=True)
class FollowedMembers:
    """Members of some zones.

    Parameters
    ----------
    zones, members
        Number of zones, and of members in all of them.
    named
        Members who are named right; by chance it would be one in each zone.
    sure, sure_right
        Pairs with a belief above ``SURE``, and those of them that are right.
    open
        Zones in which all members are followed with such a belief, and rightly: they hide nobody.
    """

    zones: int
    members: int
    named: int
    sure: int
    sure_right: int
    open: int

    def to_dict(self) -> dict[str, int]:
        """The numbers as JSON."""
        return {
            "zones": self.zones,
            "memberships": self.members,
            "named_right": self.named,
            "sure": self.sure,
            "sure_and_right": self.sure_right,
            "zones_that_hide_nobody": self.open,
        }


@dataclass(frozen=True, eq=False)
class Followed:
    """Whom somebody would follow through mix zones.

    Parameters
    ----------
    size
        (n_zones,) members of each.
    named, sure, sure_right
        (n_zones,) as in :class:`FollowedMembers`; -1: the zone has more than ``MOST_MEMBERS``.
    learned
        Whether there were enough continuations to learn from.
    """

    size: Ints
    named: Ints
    sure: Ints
    sure_right: Ints
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
        whole = Rotated(zones, np.zeros(len(zones), bool), np.full(len(zones.members), -1))
        model = Continuations.of(whole, placed(traces, steps_per_day))
        random = np.random.default_rng(0)
        named, sure, right = (np.full(len(zones), -1, np.int64) for _ in range(3))
        for pairs in zone_pairs(zones, model):
            # Of permutations that are alike, the truth is as good as any.
            alike = pairs.matrices + _ALIKE * random.random(len(pairs.matrices))
            best, belief = np.zeros_like(pairs.best), np.zeros(len(pairs.excess))
            assign(alike, pairs.size, np.zeros_like(belief), best)
            believe(pairs.excess, pairs.size, belief)
            own, of_zone = pairs.one == pairs.other, pointers(pairs.size**2)[:-1]
            come = pairs.one[own] - np.repeat(zones.ptr[pairs.zones], pairs.size)
            of_member = pointers(pairs.size)[:-1]
            is_sure = belief > SURE
            named[pairs.zones] = np.add.reduceat(best == come, of_member, dtype=np.int64)
            sure[pairs.zones] = np.add.reduceat(is_sure, of_zone, dtype=np.int64)
            right[pairs.zones] = np.add.reduceat(is_sure & own, of_zone, dtype=np.int64)
        return cls(zones.sizes.astype(np.int64), named, sure, right, model.learned)

    @property
    def open(self) -> npt.NDArray[np.bool_]:
        """(n_zones,) whether a zone hides nobody: all members are followed for sure."""
        hides_nobody: npt.NDArray[np.bool_] = self.sure_right == self.size
        return hides_nobody

    def total(self, least: int = 2, most: int = MOST_MEMBERS) -> FollowedMembers:
        """Numbers of all zones with so many members."""
        some = (self.size >= least) & (self.size <= most) & (self.named >= 0)
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
