"""What somebody who bets on how people move makes of the mix zones of a problem: plain numbers.

How it is found: :mod:`mixsafe.extract.exchange.followed`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.model.question.mix_zones import MixZones

_CLEARLY = 1.25
_STANDARD_DEVIATIONS = 3.0


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
        Pairs with a belief above 0.95, and those of them that are right.
    open
        Zones in which all members are followed with such a belief, and rightly: they hide nobody.
    """

    zones: int
    members: int
    named: int
    sure: int
    sure_right: int
    open: int

    @property
    def beats_chance(self) -> bool:
        """Whether a follower is clearly right more often than somebody who draws lots.

        By a quarter, and by three standard deviations: of a random permutation one member is
        expected to be right, with a variance of one.
        """
        noise = _STANDARD_DEVIATIONS * float(np.sqrt(self.zones))
        return self.named > max(_CLEARLY * self.zones, self.zones + noise)

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
class FollowedPeople:
    """With which belief some people are followed through each of their mix zones.

    Parameters
    ----------
    row
        (n_people,) ascending rows of the people: all with data, or some drawn at random.
    member, step
        (n_memberships,) rows of these people and steps of their zones, by row, then by step.
    belief
        (n_memberships,) chance that who comes in on the track of the member leaves on it, as a
        follower believes; 0 in zones that are too large to look at.
    alone
        (n_memberships,) whether that is so in every exchange that is counted.
    """

    row: npt.NDArray[np.int64]
    member: npt.NDArray[np.int64]
    step: npt.NDArray[np.int64]
    belief: npt.NDArray[np.float64]
    alone: npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class FollowedZones:
    """What somebody who bets makes of mix zones.

    Parameters
    ----------
    zones
        The mix zones of the problem. Numbers of other zones are not those of this problem.
    total
        The members of those zones that were looked at: all, or some drawn at random.
    people
        With which beliefs people are followed; None: it was not asked.
    learned
        Whether there were enough continuations to learn from.
    believable
        Share from which on exchanges are counted (``--believable``); 0: all that are possible.
    hiding
        Mix zones that allow an exchange of two members or more.
    """

    zones: MixZones
    total: FollowedMembers
    people: FollowedPeople | None
    learned: bool
    believable: float
    hiding: int

    @property
    def sampled(self) -> bool:
        """Whether only some zones were looked at."""
        return self.total.zones < len(self.zones)

    @property
    def n_people(self) -> int:
        """People with data."""
        return self.zones.n_users - len(self.zones.absent)

    def to_dict(self) -> dict[str, Any]:
        """The numbers as JSON."""
        return {
            **self.total.to_dict(),
            "zones_in_all": len(self.zones),
            "learned": self.learned,
            "believable": self.believable,
            "zones_that_allow_an_exchange": self.hiding,
        }
