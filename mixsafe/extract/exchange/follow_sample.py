"""How real the mix zones of a problem are, found at once: of large data, from a random sample.

A verdict takes each mix zone for one in which nobody can be followed. What a follower who bets
makes of them (:mod:`mixsafe.extract.exchange.followed`) is told beside it, so it must not take
longer than the verdict. Only some zones are looked at, those of some people among them, and only
the fixes around these.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from mixsafe.extract.exchange.believable import MOST_MEMBERS
from mixsafe.extract.exchange.continuations import Continuations, Habits, around
from mixsafe.extract.exchange.followed import Followed
from mixsafe.extract.exchange.movement import Movement, can_be_placed, placed
from mixsafe.extract.exchange.relation import bounds
from mixsafe.extract.exchange.rotation import Rotated
from mixsafe.model.csr import begins_of, distinct, pointers, ranges
from mixsafe.model.mobility.traces import Traces
from mixsafe.model.question.followed_zones import FollowedPeople, FollowedZones
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.network.relations import components

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class SampleSizes:
    """How much is looked at, at most.

    Parameters
    ----------
    zones
        Mix zones, of which the share that hides somebody is told.
    pairs
        Pairs of members of these zones; and of those of the people who are followed.
    steps
        Published steps of people from which on they are followed.
    fixes
        Fixes of which it is known how often they are made.
    """

    zones: int = 5_000
    pairs: int = 1 << 18
    steps: int = 1 << 21
    fixes: int = 200_000


def follow_sample(
    found: Rotated,
    counted: MixZones,
    traces: Traces,
    steps_per_day: int = 20,
    *,
    believable: float = 0.0,
    sizes: SampleSizes | None = None,
) -> FollowedZones | None:
    """Say what a follower who bets makes of mix zones, or of some of them.

    Parameters
    ----------
    found
        Mix zones and rotations, with what is possible there.
    counted
        The same zones, with the exchanges that are counted: all that are possible, or the
        believable ones.
    traces
        Fixes of their users.
    steps_per_day
        Length of a day where steps are numbered, >= 1.
    believable
        Share from which on exchanges are counted; 0: all that are possible.
    sizes
        How much is looked at, at most; None: what takes half a second.

    Returns
    -------
    FollowedZones; None: there are no mix zones, or it is not known how far apart places are.
    """
    zones = found.zones
    if not len(zones) or not can_be_placed(traces):
        return None
    random, most = np.random.default_rng(0), sizes or SampleSizes()
    drawn = _drawn_zones(zones, most, random)
    people = _drawn_people(zones, most, random)
    of_people = np.zeros(zones.n_users, bool)
    of_people[people] = True
    theirs = of_people[zones.members]
    chosen = np.union1d(drawn, zones.zone_of_member[theirs])
    followed = Followed.by(*_learned(found, chosen, traces, steps_per_day, most, random))
    total = followed.total(among=np.searchsorted(chosen, drawn))
    own = np.zeros(len(zones.members))
    own[ranges(zones.ptr[chosen], zones.sizes[chosen])] = followed.own
    alone = _alone(counted)
    member = np.flatnonzero(theirs)
    member = member[np.argsort(zones.members[member], kind="stable")]  # zones are in order of time
    step = zones.time[zones.zone_of_member[member]].astype(np.int64)
    rows = zones.members[member].astype(np.int64)
    of_zone = np.add.reduceat(~alone, counted.ptr[:-1], dtype=np.int64)
    return FollowedZones(
        counted,
        total,
        FollowedPeople(people, rows, step, own[member], alone[member]),
        followed.learned,
        believable,
        int(np.count_nonzero(of_zone)),
    )


def _pairs(zones: MixZones) -> Ints:
    """(n_zones,) pairs of members that are compared."""
    return np.where(zones.sizes <= MOST_MEMBERS, zones.sizes.astype(np.int64) ** 2, 0)


def _drawn_zones(zones: MixZones, most: SampleSizes, random: np.random.Generator) -> Ints:
    """Mix zones that are looked at, ascending: all, or as many as take the time on average."""
    n_zones, pairs = len(zones), int(_pairs(zones).sum())
    n_drawn = min(n_zones, most.zones, max(most.pairs * n_zones // max(pairs, 1), 1))
    return np.sort(random.choice(n_zones, n_drawn, replace=False))


def _drawn_people(zones: MixZones, most: SampleSizes, random: np.random.Generator) -> Ints:
    """People who are followed, ascending: all with data, or as many as take the time on average."""
    people = np.setdiff1d(np.arange(zones.n_users), zones.absent)
    pairs = int((_pairs(zones) * zones.sizes).sum())  # a zone is looked at for each member
    if int(_pairs(zones).sum()) <= most.pairs:
        pairs = 0  # then all of them are looked at, each once
    published = zones.published
    steps = len(people) * zones.axis.steps if published is None else len(published)
    share = min(most.pairs / max(pairs, 1), most.steps / max(steps, 1), 1.0)
    n_drawn = len(people) if share == 1 else max(int(share * len(people)), 1)
    return np.sort(random.choice(people, n_drawn, replace=False))


def _learned(
    found: Rotated,
    chosen: Ints,
    traces: Traces,
    steps_per_day: int,
    most: SampleSizes,
    random: np.random.Generator,
) -> tuple[MixZones, Continuations]:
    """Some mix zones, and how likely continuations in them are, learned from their members."""
    zones = found.zones
    members = ranges(zones.ptr[chosen], zones.sizes[chosen])
    some = replace(
        zones,
        time=zones.time[chosen],
        ptr=pointers(zones.sizes[chosen]),
        members=zones.members[members],
        place=None if zones.place is None else zones.place[chosen],
        relation=None if zones.relation is None else zones.relation.those(chosen),
    )
    part = Rotated(some, found.rotation[chosen], found.met[members])
    movement = _movement_around(part, traces, steps_per_day)
    habits = _habits(traces, steps_per_day, most, random)
    return some, Continuations.of(part, movement, _counted(found, members), habits)


def _counted(found: Rotated, members: Ints) -> tuple[Ints, Ints]:
    """As :func:`mixsafe.extract.exchange.continuations.counted_fixes`, of some memberships."""
    zones, width = found.zones, found.zones.axis.steps + 2
    key = zones.members * np.int64(width) + np.repeat(zones.time, zones.sizes)
    ordered = np.sort(key)
    at = np.searchsorted(ordered, key[members])
    row, step = np.divmod(np.concatenate([[-1], ordered, [-1]]), width)
    own = zones.members[members]
    since, until = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    begin, _ = bounds(zones.axis, step[at].astype(np.int32))
    rotation = np.isin(step[at + 2], zones.time[found.rotation])
    starts, ends = bounds(zones.axis, step[at + 2].astype(np.int32))
    return (
        np.where(row[at] == own, begin, since),
        np.where(row[at + 2] == own, np.where(rotation, starts, ends), until),
    )


def _movement_around(part: Rotated, traces: Traces, steps_per_day: int) -> Movement:
    """The two fixes of each member before a mix zone, and the two after it."""
    row = part.zones.members.astype(np.int64)
    both = np.concatenate(around(part))
    number = _first_numbers(traces, np.tile(row, 2), both)
    before, after = number[: len(row)], number[len(row) :]
    near = np.concatenate([before - 2, before - 1, after, after + 1])
    inside = (near >= 0) & (near < len(traces.user))
    return placed(traces.those(distinct(near[inside])), steps_per_day)


def _first_numbers(traces: Traces, row: Ints, time: Ints) -> Ints:
    """Number of the first fix of each row at a time or later, or of the one after its last.

    By bisection: a key for each fix of large data would take longer than all else.
    """
    begin = begins_of(traces.user, len(traces.users))
    low, high = begin[row], begin[row + 1]
    for _ in range(int(np.diff(begin).max(initial=0)).bit_length()):
        middle = (low + high) // 2
        inside = low < high
        earlier = inside & (traces.time[np.where(inside, middle, 0)] < time)
        low, high = np.where(earlier, middle + 1, low), np.where(earlier, high, middle)
    return low


def _habits(
    traces: Traces, steps_per_day: int, most: SampleSizes, random: np.random.Generator
) -> Habits:
    """How often fixes are made: of all people, or of some, with all of theirs."""
    if len(traces.user) > most.fixes:
        begin = begins_of(traces.user, len(traces.users))
        count, order = np.diff(begin), random.permutation(len(traces.users))
        enough = int(np.searchsorted(np.cumsum(count[order]), most.fixes)) + 1
        drawn = np.sort(order[:enough])
        traces = traces.those(ranges(begin[drawn], count[drawn]))
    return Habits.of(placed(traces, steps_per_day))


def _alone(zones: MixZones) -> Flags:
    """(n_memberships,) whether a member of a mix zone can exchange with nobody there."""
    found = np.zeros(len(zones.members), bool)
    if zones.relation is not None:
        mine, component = components(zones.ptr, zones.relation)
        found[mine] = np.bincount(component)[component] == 1
    return found
