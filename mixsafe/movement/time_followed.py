"""For how long people are followed before a follower loses them: time to confusion.

From each published step of a person on, a follower stays on the person's own track. Her belief that
it is still the person's is the product of those in each mix zone on the way; as soon as it is too
small, she has lost the person. (Hoh, Gruteser, Xiong and Alrabady 2007.)
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.model.answer.time_followed import TimeFollowed
from mixsafe.model.csr import ranges
from mixsafe.model.question.followed_zones import FollowedPeople
from mixsafe.model.question.mix_zones import MixZones

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_ROUNDING = 1e-9


def lost_at(member: Ints, belief: Floats, least: float) -> Ints:
    """Find the zone in which each person is lost who is followed from before each zone on.

    Parameters
    ----------
    member, belief
        (n,) as in :class:`mixsafe.model.question.followed_zones.FollowedPeople`.
    least
        Belief below which a person is lost, above 0, at most 1.

    Returns
    -------
    (n,) place of that zone, this one or a later one of the same person; the place after the
    person's last one: never.
    """
    limit = -np.log(least) + _ROUNDING
    # One zone in which all is lost is as good as several: sums stay small, and so do their errors.
    loss = np.minimum(-np.log(np.maximum(belief, least / 2)), limit + 1)
    total = np.append(0.0, np.cumsum(loss))
    lost = np.searchsorted(total, total[:-1] + limit, side="right") - 1
    end = np.searchsorted(member, member, side="right")
    found: Ints = np.minimum(lost, end)
    return found


def time_followed(
    zones: MixZones,
    people: FollowedPeople,
    belief: Floats,
    least: float = 1.0,
    *,
    after: bool = False,
) -> TimeFollowed:
    """For how long people are followed, from each of their published steps on.

    Parameters
    ----------
    zones
        Of the people.
    people
        Who, and their mix zones.
    belief
        (n_memberships,) in each of these, as ``people.belief``; 1: certainty.
    least
        Belief below which a person is lost, above 0, at most 1.
    after
        Beliefs are about the time after each of these moments, and not about what happens in them:
        who is lost already is followed for no time.
    """
    row, step, last = _starts(zones, people.row)
    width = zones.axis.steps + 2
    following = np.searchsorted(people.member * width + people.step, row * width + step, "right")
    member = np.append(people.member, -1)  # the last one is nobody's
    if after:
        following -= member[following - 1] == row
    until = np.append(people.step, 0)
    lost = np.append(lost_at(people.member, belief, least), len(people.member))[following]
    never = (member[following] != row) | (member[lost] != row)
    steps = np.maximum(np.where(never, last, until[lost]) - step, 0)
    if not len(steps):
        return TimeFollowed(0.0, 0.0)
    length = zones.axis.step_seconds or 1
    return TimeFollowed(float(steps.max()) * length, float(np.median(steps)) * length)


def _starts(zones: MixZones, people: Ints) -> tuple[Ints, Ints, Ints]:
    """Row and step of everything published of some people, and the last step of that row."""
    if zones.published is None:
        steps = zones.axis.steps
        row = np.repeat(people, steps)
        return row, np.tile(np.arange(1, steps + 1), len(people)), np.full(len(row), steps)
    published, size = zones.published, zones.published.counts[people]
    entries = ranges(published.ptr[people], size)
    last = published.ptr[people + 1][size > 0] - 1
    step = published.step[entries].astype(np.int64)
    ends = np.repeat(published.step[last].astype(np.int64), size[size > 0])
    return np.repeat(people, size), step, ends
