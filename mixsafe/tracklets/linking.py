"""From tracklets and rules to a problem: which may continue which, and which must."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from mixsafe.geometry.grid import EARTH_RADIUS
from mixsafe.model.csr import pointers, ranges
from mixsafe.model.mobility.places import PlaceShapes
from mixsafe.model.tracklets import MOTION, LinkProblem, Moments, Tracklets
from mixsafe.tracklets.rules import (
    Bools,
    ComparedTracklets,
    Ints,
    LinkRule,
    LinkRules,
    TrackletPairs,
    Values,
    rules_of,
)

BLOCK = 1 << 21
"""Pairs that are tested at once."""

Fleet = Literal["open", "closed"]


@dataclass(frozen=True)
class MayLeave:
    """Vehicles of a closed fleet that may leave the streets for longer than a ride.

    Each of these belongs to an end or a beginning. A mere number of vehicles that are unexplained
    would make every link possible.

    Parameters
    ----------
    low_battery
        A tracklet whose battery is at most this share at its end need not continue.
    charged
        A tracklet whose battery is at least this share at its beginning need not have come.
    bulk
        Tracklets of which so many or more end (or begin) in one interval need not continue (or
        have come): a van, or an outage.
    depots
        Tracklets that end in one of these places need not continue, those that begin there need
        not have come.
    disabled
        Whether a tracklet whose last record is disabled need not continue.
    """

    low_battery: float | None = None
    charged: float | None = None
    bulk: int | None = None
    depots: PlaceShapes | None = None
    disabled: bool = False

    def ends(self, tracklets: Tracklets) -> Bools:
        """(n,) tracklets that need not continue."""
        found = self._leaves(tracklets, tracklets.ends)
        if self.low_battery is not None:
            least = self.low_battery + tracklets.resolution.get("battery", 0.0)
            found |= ~(_battery(tracklets.ends) > least)
        if self.disabled:
            fields = tracklets.ends.fields
            found |= fields["disabled"] != 0 if "disabled" in fields else True
        return found

    def beginnings(self, tracklets: Tracklets) -> Bools:
        """(n,) tracklets that need not have come."""
        found = self._leaves(tracklets, tracklets.begins)
        if self.charged is not None:
            least = self.charged - tracklets.resolution.get("battery", 0.0)
            found |= ~(_battery(tracklets.begins) < least)
        return found

    def _leaves(self, tracklets: Tracklets, moments: Moments) -> Bools:
        """(n,) tracklets that end or begin in a depot, or with many others."""
        found = np.zeros(len(moments), bool)
        if self.depots is not None:
            found |= _inside(self.depots, moments, tracklets.resolution.get("place", 0.0))
        if self.bulk is not None:
            intervals = np.stack([moments.earliest, moments.latest], axis=1)
            _, number, count = np.unique(intervals, axis=0, return_inverse=True, return_counts=True)
            found |= count[number.reshape(-1)] >= self.bulk
        return found


def _battery(moments: Moments) -> Values:
    """Battery of each record; not a number where it is not published: it may be anything."""
    return moments.fields.get("battery", np.full(len(moments), np.nan))


def _inside(depots: PlaceShapes, moments: Moments, rounded: float) -> Bools:
    """Whether a tracklet may begin or end in a depot; so it may where its place is not known."""
    known = moments.placed
    found = ~known
    if rounded:
        depots = _wider(depots, rounded)
    found[known] = depots.number_of(moments.lat[known], moments.lon[known]) >= 0
    return found


def _wider(places: PlaceShapes, metres: float) -> PlaceShapes:
    """Places and what is at most so far from them."""
    import shapely

    farthest = np.abs(shapely.bounds(places.outlines)[:, [1, 3]]).max(axis=1).clip(max=89)
    degrees = np.degrees(metres / EARTH_RADIUS) / np.cos(np.radians(farthest))
    return replace(places, outlines=shapely.buffer(places.outlines, degrees))


def link(
    tracklets: Tracklets,
    rules: LinkRules | None = None,
    *,
    fleet: Fleet = "open",
    may_leave: MayLeave | None = None,
    name: str = "links",
) -> LinkProblem:
    """Find the links that all rules allow, and the tracklets that must be continued.

    Parameters
    ----------
    fleet
        ``open``: vehicles come and go unseen, so that no tracklet must continue; ``closed``:
        a vehicle that vanishes comes back within the longest gap of the rules.
    may_leave
        Exceptions of a closed fleet.

    Raises
    ------
    InputError
        The rules compare a field that a ride changes.
    """
    rules, n = rules or LinkRules(), len(tracklets)
    key = np.concatenate([np.zeros(0, np.int64), *_allowed(tracklets, rules)])
    end, to = np.divmod(key, max(n, 1))
    nobody = np.zeros(n, bool)
    problem = LinkProblem(
        first=tracklets.first,
        last=tracklets.last,
        ptr=pointers(np.bincount(end, minlength=n)),
        to=to.astype(np.int32),
        must_continue=nobody,
        must_come=nobody,
        same=np.zeros((0, 2), np.int32),
        name=name,
    )
    return in_fleet(problem, tracklets, rules, fleet=fleet, may_leave=may_leave)


def in_fleet(
    problem: LinkProblem,
    tracklets: Tracklets,
    rules: LinkRules,
    *,
    fleet: Fleet,
    may_leave: MayLeave | None = None,
) -> LinkProblem:
    """The same links in a fleet of another kind: only who must continue and have come differs.

    Parameters
    ----------
    problem
        Of these tracklets and rules.
    fleet, may_leave
        ``open`` or ``closed``, and the exceptions of a closed fleet.
    """
    n = len(tracklets)
    if fleet == "open":
        return replace(problem, must_continue=np.zeros(n, bool), must_come=np.zeros(n, bool))
    may_leave = may_leave or MayLeave()
    begins, ends = tracklets.begins, tracklets.ends
    # A link may be cut off by an edge of the data if its longest gap reaches beyond it.
    goes_on = ~ends.cut & (ends.latest + rules.max_gap <= tracklets.horizon[1])
    came = ~begins.cut & (begins.earliest - rules.max_gap >= tracklets.horizon[0])
    return replace(
        problem,
        must_continue=goes_on & ~may_leave.ends(tracklets),
        must_come=came & ~may_leave.beginnings(tracklets),
    )


def counts_without(tracklets: Tracklets, rules: LinkRules) -> dict[tuple[str, ...], Ints]:
    """(n,) how many links each end has in the open fleet, by the fields that are left out.

    Returns
    -------
    Without none, without each of the fields that apply, and without all of them.
    """
    n, tests = len(tracklets), rules_of(tracklets, rules)
    compared = set(rules.fields) - set(MOTION)  # the rule "speed" is that of the greatest one
    always = [rule for rule in tests if rule.name not in compared]
    fields = [rule for rule in tests if rule.name in compared]
    names = tuple(rule.name for rule in fields)
    counts = {left_out: np.zeros(n, np.int64) for left_out in ((), *((f,) for f in names), names)}
    for pairs in _pairs(tracklets, rules):
        near = _that_all_allow(always, pairs)
        excluded = np.stack([np.zeros(len(near), bool), *(~rule.allows(near) for rule in fields)])
        how_often = excluded.sum(axis=0)
        counts[()] += np.bincount(near.end[how_often == 0], minlength=n)
        for name, by_field in zip(names, excluded[1:], strict=True):
            by_others = how_often - by_field
            counts[name,] += np.bincount(near.end[by_others == 0], minlength=n)
        if len(names) > 1:
            counts[names] += np.bincount(near.end, minlength=n)
    return counts


def _that_all_allow(tests: Iterable[LinkRule], pairs: TrackletPairs) -> TrackletPairs:
    """The pairs that no rule excludes."""
    for rule in tests:
        pairs = pairs.those(rule.allows(pairs))
    return pairs


def _allowed(tracklets: Tracklets, rules: LinkRules) -> Iterator[Ints]:
    """Yield links, in blocks of ends: number of the end times ``n`` plus that of the beginning."""
    tests, n = rules_of(tracklets, rules), len(tracklets)
    for pairs in _pairs(tracklets, rules):
        allowed = _that_all_allow(tests, pairs)
        key = allowed.end * n + allowed.begin
        key.sort()
        yield key


def _pairs(tracklets: Tracklets, rules: LinkRules) -> Iterator[TrackletPairs]:
    """Yield the pairs in the windows of time, in blocks of ends."""
    compared = ComparedTracklets(tracklets)
    ends, begins, low, size = _windows(tracklets, rules)
    ptr = pointers(size)
    start = 0
    while start < len(ends):
        stop = max(int(np.searchsorted(ptr, ptr[start] + BLOCK, "right")) - 1, start + 1)
        block = slice(start, stop)
        begin = begins[ranges(low[block], size[block])]
        yield TrackletPairs(compared, np.repeat(ends[block], size[block]), begin)
        start = stop


def _windows(tracklets: Tracklets, rules: LinkRules) -> tuple[Ints, Ints, Ints, Ints]:
    """Ends, beginnings in the order of time, and the beginnings in the window of each end.

    Returns
    -------
    ends, begins
        Numbers of tracklets that end, ascending, and of those that begin, by their first records.
    low, size
        (n_ends,) first of ``begins`` that may be linked to the end, and how many follow.
    """
    ends = np.flatnonzero(~tracklets.ends.cut)
    begins = np.flatnonzero(~tracklets.begins.cut)
    begins = begins[np.argsort(tracklets.first[begins], kind="stable")]
    low = np.searchsorted(tracklets.first[begins], tracklets.last[ends], "right")
    # Intervals of beginnings need not be in one order: the last one that begins early enough.
    earliest = np.minimum.accumulate(tracklets.begins.earliest[begins][::-1])[::-1]
    high = np.searchsorted(earliest, tracklets.ends.latest[ends] + rules.max_gap, "right")
    return ends, begins, low, np.maximum(high - low, 0)
