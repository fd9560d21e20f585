"""Which fields to drop or to coarsen: the mildest changes to a feed that protect enough rides.

A link that is possible stays possible when a field goes or gets coarser, so that in the open fleet
candidates only grow. The share of rides that are safe need not: an identifier that nothing could
continue may be one of few that continue another. So changes are tried one after the other, in the
order of their steps on the ladders, until some of as many steps fulfil the rule.

What is rounded widens the rules (``Tracklets.resolution``), so that coarser data never exclude a
link of finer data.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import isfinite, sqrt
from typing import Any

import numpy as np

from mixsafe.errors import InputError
from mixsafe.geometry.grid import EARTH_RADIUS
from mixsafe.model.answer.verdict import SAFE, Verdict
from mixsafe.model.course import Deadline
from mixsafe.model.progress import Progress, no_progress
from mixsafe.model.question.requirement import Rule
from mixsafe.model.tracklets import Ints, Moments, Tracklets, Values
from mixsafe.tracklets.follower import Betting, Follower, both_verdicts
from mixsafe.tracklets.following import FollowedRides, follow
from mixsafe.tracklets.linking import MayLeave, link
from mixsafe.tracklets.rules import LinkRules

_CORNER = 1.01 / sqrt(2)
"""Farthest point of a cell of size 1 from its middle; 1%, because cells are not quite squares."""


def coarser(
    tracklets: Tracklets,
    *,
    places: float | None = None,
    range: float | None = None,
    battery: float | None = None,
    heading: float | None = None,
    speed: float | None = None,
    times: int | None = None,
    poll: int | None = None,
    hide: int | None = None,
    low: float | None = None,
    delay: int | None = None,
    drop: Collection[str] = (),
) -> Tracklets:
    """Make tracklets coarser, or publish them later, or not all.

    Parameters
    ----------
    places
        Size of the cells, metres, in whose middles positions are.
    range, battery
        Metres, and share of a full one, to whose multiples they are rounded.
    heading, speed
        Degrees, and m/s, to whose multiples they are rounded. No rule excludes by them.
    times
        Seconds to whose multiples the intervals of begins and ends are widened; reports likewise.
        The order in which identifiers appear stays: whoever reads the feed sees it.
    poll
        Seconds between snapshots. Tracklets between two snapshots vanish.
    hide
        Seconds up to which a vehicle stays hidden after a ride, for a random time each.
    low
        Share of a full battery, or of the greatest range, below which a vehicle is not shown after
        a ride: it carries nobody farther than a walk.
    delay
        Seconds by which everything is published later. That changes no link.
    drop
        Fields that are not published.

    Raises
    ------
    InputError
        A size is not a number above 0.
    """
    for name, size in (("places", places), ("range", range), ("battery", battery),
                       ("heading", heading), ("speed", speed), ("times", times), ("poll", poll),
                       ("hide", hide), ("low", low), ("delay", delay)):  # fmt: skip
        if size is not None and not (isfinite(size) and size > 0):
            raise InputError(f"coarser {name}: {size:g} is not a number above 0")
    resolution = dict(tracklets.resolution)
    tracklets = _shown(tracklets, low, poll, hide, delay)
    begins, ends = (_without(side, drop) for side in (tracklets.begins, tracklets.ends))
    order = tracklets.first, tracklets.last
    for name, size in (("range", range), ("battery", battery), ("heading", heading),
                       ("speed", speed)):  # fmt: skip
        if size is not None:
            begins, ends = (_rounded(side, name, size) for side in (begins, ends))
            resolution[name] = resolution.get(name, 0.0) + size / 2
    if places is not None:
        begins, ends = (_in_cells(side, places) for side in (begins, ends))
        resolution["place"] = resolution.get("place", 0.0) + _CORNER * places
    if times is not None:
        begins, ends = (_widened(side, times) for side in (begins, ends))
    return replace(tracklets, begins=begins, ends=ends, order=order, resolution=resolution)


def _shown(
    tracklets: Tracklets,
    low: float | None,
    poll: int | None,
    hide: int | None,
    delay: int | None,
) -> Tracklets:
    """The tracklets that are published, at the times at which they are."""
    if low is not None:
        tracklets = _charged(tracklets, low)
    if poll is not None:
        tracklets = _polled(tracklets, poll)
    if hide is not None:
        tracklets = _hidden(tracklets, hide)
    if delay is not None:
        tracklets = _later(tracklets, delay)
    return tracklets


def _without(moments: Moments, drop: Collection[str]) -> Moments:
    fields = {name: column for name, column in moments.fields.items() if name not in drop}
    return replace(moments, fields=fields)


def _rounded(moments: Moments, name: str, size: float) -> Moments:
    """A field rounded to the nearest multiple."""
    if name not in moments.fields:
        return moments
    rounded = np.round(moments.fields[name] / size) * size
    return _with(moments, {name: rounded % 360 if name == "heading" else rounded})


def _with(moments: Moments, fields: Mapping[str, Values]) -> Moments:
    return replace(moments, fields={**moments.fields, **fields})


def _in_cells(moments: Moments, size: float) -> Moments:
    """Positions in the middles of cells; those of a row of cells have one width in degrees."""
    high = np.degrees(size / EARTH_RADIUS)
    lat = (np.floor(moments.lat / high) + 0.5) * high
    wide = high / np.cos(np.radians(np.minimum(np.abs(lat), 89)))
    lon = (np.floor(moments.lon / wide) + 0.5) * wide
    return replace(moments, lat=lat, lon=lon)


def _widened(moments: Moments, size: int) -> Moments:
    """Intervals of time from and to multiples of so many seconds."""
    found = replace(
        moments,
        earliest=moments.earliest // size * size,
        latest=-(-moments.latest // size) * size,
    )
    if "last_reported" not in moments.fields:
        return found
    reported = np.floor(moments.fields["last_reported"] / size) * size
    return _with(found, {"last_reported": reported})


def _polled(tracklets: Tracklets, poll: int) -> Tracklets:
    """What remains if only every snapshot at a multiple of ``poll`` is published.

    A vehicle is there, and its values are those of its first and its last record, at all snapshots
    between these.
    """
    start, stop = tracklets.horizon
    first = (start - (start - tracklets.first) // poll * poll).astype(np.int64)
    last = (start + (tracklets.last - start) // poll * poll).astype(np.int64)
    stop = start + (stop - start) // poll * poll
    kept = np.flatnonzero(first <= last)
    begins, ends = (_those(side, kept) for side in (tracklets.begins, tracklets.ends))
    first, last = first[kept], last[kept]
    begins = replace(
        begins,
        earliest=np.minimum(begins.earliest, np.maximum(first - poll, start)),
        latest=first,
    )
    ends = replace(
        ends, earliest=last, latest=np.maximum(ends.latest, last + poll), cut=last >= stop
    )
    truth = None if tracklets.truth is None else tracklets.truth[kept]
    return replace(
        tracklets,
        ids=tracklets.ids[kept],
        begins=begins,
        ends=ends,
        horizon=(start, stop),
        truth=truth,
        order=None,
    )


def _charged(tracklets: Tracklets, low: float) -> Tracklets:
    """Those whose battery is not below a share when they begin; all whose battery is not known."""
    fields = tracklets.begins.fields
    battery = fields.get("battery", np.full(len(tracklets), np.nan))
    if np.isnan(battery).all() and np.isfinite(fields.get("range", battery)).any():
        battery = fields["range"] / np.nanmax(fields["range"])
    return _published(tracklets, np.flatnonzero(~(battery < low)))


def _hidden(tracklets: Tracklets, longest: int) -> Tracklets:
    """Tracklets begin later, by a random time each; those that end before they begin vanish.

    Whoever reads the feed knows how long a vehicle may have been hidden.
    """
    begins, poll = tracklets.begins, between_snapshots(tracklets)
    random = np.random.default_rng(0)
    back = begins.earliest + random.random(len(begins)) * (begins.latest - begins.earliest)
    shown = back + random.random(len(begins)) * longest
    late = np.maximum(np.ceil((shown - begins.latest) / poll), 0).astype(np.int64) * poll
    late[begins.cut] = 0
    first = tracklets.first + late
    kept = np.flatnonzero(first <= tracklets.last)
    known = np.where(begins.cut, begins.earliest, begins.earliest - longest + late)
    begins = replace(
        begins, earliest=np.minimum(known, begins.earliest), latest=begins.latest + late
    )
    return _published(replace(tracklets, begins=begins, order=(first, tracklets.last)), kept)


def between_snapshots(tracklets: Tracklets) -> int:
    """Seconds between snapshots, in the median of ends; at least 1."""
    ends = tracklets.ends
    apart = (ends.latest - ends.earliest)[~ends.cut]
    return max(int(np.median(apart)), 1) if len(apart) else 1


def _later(tracklets: Tracklets, delay: int) -> Tracklets:
    """Everything happens so many seconds later."""
    begins, ends = (
        replace(side, earliest=side.earliest + delay, latest=side.latest + delay)
        for side in (tracklets.begins, tracklets.ends)
    )
    start, stop = tracklets.horizon
    order = tracklets.first + delay, tracklets.last + delay
    horizon = (start + delay, stop + delay)
    return replace(tracklets, begins=begins, ends=ends, horizon=horizon, order=order)


def _published(tracklets: Tracklets, kept: Ints) -> Tracklets:
    """Some of the tracklets."""
    return replace(
        tracklets,
        ids=tracklets.ids[kept],
        begins=_those(tracklets.begins, kept),
        ends=_those(tracklets.ends, kept),
        truth=None if tracklets.truth is None else tracklets.truth[kept],
        order=(tracklets.first[kept], tracklets.last[kept]),
    )


def _those(moments: Moments, kept: Ints) -> Moments:
    """The chosen tracklets' moments."""
    return Moments(
        moments.earliest[kept],
        moments.latest[kept],
        moments.lat[kept],
        moments.lon[kept],
        moments.cut[kept],
        {name: column[kept] for name, column in moments.fields.items()},
    )


_DROPPED = 0.0
"""Step of a ladder at which the field is not published at all."""

LADDERS: Mapping[str, tuple[float, ...]] = {
    "places": (50, 100, 250),
    "times": (60, 300, 900),
    "poll": (60, 180, 300),
    "hide": (600, 1800),
    "low": (0.1,),
    "range": (1_000, 5_000, _DROPPED),
    "battery": (0.1, 0.25, _DROPPED),
    "heading": (45, _DROPPED),
    "speed": (5, _DROPPED),
    "type": (_DROPPED,),
    "last_reported": (_DROPPED,),
    "station": (_DROPPED,),
    "uri": (_DROPPED,),
    "slots": (_DROPPED,),
}
"""Steps from mild to coarse: metres, seconds, between snapshots, after a ride, share of
a battery, metres, share, degrees, m/s. A delay is none of them: it changes no link."""

_REMOVE = ("poll", "hide", "low")
"""Ladders that take vehicles out of the feed: fewer candidates may be left for the others."""

_SAID = {
    "places": "places to {:g} m",
    "times": "times to {:g} min",
    "poll": "snapshots every {:g} min",
    "hide": "hidden for up to {:g} min after a ride",
    "low": "not shown below {:g}% battery",
    "range": "range to {:g} km",
    "battery": "battery to {:g} percentage points",
    "heading": "heading to {:g}°",
    "speed": "speed to {:g} m/s",
}
_UNIT = {
    "places": 1,
    "times": 60,
    "poll": 60,
    "hide": 60,
    "low": 0.01,
    "range": 1_000,
    "battery": 0.01,
    "heading": 1,
    "speed": 1,
}

Levels = tuple[int, ...]
"""Step on each ladder in use, 0: as it is."""


@dataclass(frozen=True)
class FeedChange:
    """A change to a feed, and what it brings.

    Parameters
    ----------
    changes
        Step of the ladder by field: what is coarser, and how much.
    n_steps
        Steps on all ladders together.
    safe
        Share of rides that have k candidates whoever leaves the fleet.
    right
        Share of rides that a follower who bets expects to name correctly.
    verdict
        On the changed feed, by candidates and by beliefs.
    """

    changes: Mapping[str, float]
    n_steps: int
    safe: float
    right: float
    verdict: Verdict

    @property
    def words(self) -> str:
        """The change in words."""
        said = [
            f"{field} dropped" if size == _DROPPED else _SAID[field].format(size / _UNIT[field])
            for field, size in self.changes.items()
        ]
        return ", ".join(said) or "none"


@dataclass(frozen=True)
class FeedChanges:
    """What was tried, and whether something fulfils the rule.

    Parameters
    ----------
    tried
        From no change on, by steps.
    complete
        False: the deadline passed before something fulfilled the rule, or everything was tried.
    """

    tried: tuple[FeedChange, ...]
    complete: bool

    @property
    def mildest(self) -> tuple[FeedChange, ...]:
        """The changes that fulfil the rule with the fewest steps, the best first; may be empty."""
        found = [one for one in self.tried if one.verdict is Verdict.SAFE]
        fewest = min((one.n_steps for one in found), default=0)
        return tuple(sorted((one for one in found if one.n_steps == fewest), key=lambda r: r.right))

    @property
    def sentence(self) -> str:
        """The answer in a sentence."""
        if not self.tried:
            return "No change was tried in time."
        best = max(self.tried, key=lambda one: (one.safe, -one.right))
        if not self.complete:
            return f"Not all changes were tried in time; the best of those tried: {best.words}."
        if not self.mildest:
            return "Even all steps together do not fulfil the rule."
        first = self.mildest[0]
        if not first.n_steps:
            return "The rule is fulfilled as it is."
        return f"The mildest change that fulfils the rule: {first.words}."


@dataclass(frozen=True)
class FeedQuestion:
    """What is asked of a feed, and under which rules.

    Parameters
    ----------
    rules
        Of the links.
    may_leave
        Who need not continue in a closed fleet.
    k, rule
        Candidates that a ride needs, and which rides must have them.
    closed
        The fleet is known to be closed.
    betting
        How a follower bets, and how much she may believe.
    """

    rules: LinkRules
    may_leave: MayLeave
    k: int
    rule: Rule
    closed: bool = False
    betting: Betting = field(default_factory=Betting)

    def of(self, tracklets: Tracklets, deadline: Deadline | None = None) -> FollowedRides:
        """The candidates of all rides."""
        problem = link(tracklets, self.rules, fleet="closed", may_leave=self.may_leave)
        return follow(
            tracklets, problem, self.k, rule=self.rule, closed=self.closed, deadline=deadline
        )


def remedies(
    tracklets: Tracklets,
    asked: FeedQuestion,
    *,
    as_it_is: tuple[FollowedRides, Follower | None] | None = None,
    deadline: Deadline | None = None,
    progress: Progress = no_progress,
) -> FeedChanges:
    """Find the fewest and mildest changes to a feed that fulfil a rule.

    Parameters
    ----------
    tracklets
        What is published.
    asked
        The question.
    as_it_is
        What was found of the feed without a change; None: it is not known.
    deadline
        Of the search; None: until it is complete.

    Returns
    -------
    All changes that were tried: those of each number of steps, until some fulfil the rule. Where
    neither all steps together do, nor all that take no vehicle out of the feed: single steps, and
    these two.
    """
    deadline = Deadline(None) if deadline is None else deadline
    search = _Search(tracklets, asked, _ladders(tracklets, asked.rules), as_it_is, deadline)
    tried: list[FeedChange] = []
    top = tuple(map(len, search.ladders.values()))
    nobody_out = tuple(
        0 if name in _REMOVE else len(search.ladders[name]) for name in search.ladders
    )
    strongest: list[FeedChange] = []
    for levels in dict.fromkeys((top, nobody_out)):
        one = search.tried(levels)
        if one is None:
            return FeedChanges(tuple(strongest), complete=False)
        strongest.append(one)
    passes = any(one.verdict is Verdict.SAFE for one in strongest)
    for n_steps in range(sum(top) if passes else 2):
        for levels in _with_steps(n_steps, top):
            one = search.tried(levels)
            if one is None:
                return FeedChanges((*tried, *strongest), complete=False)
            tried.append(one)
            progress("trying changes", len(tried), 0)
        if any(one.verdict is Verdict.SAFE for one in tried):
            return FeedChanges(tuple(tried), complete=True)
    return FeedChanges((*tried, *strongest), complete=True)


def _ladders(tracklets: Tracklets, rules: LinkRules) -> dict[str, tuple[float, ...]]:
    """The steps that change something: of fields that the feed has and the adversary compares."""
    compared = set(rules.fields) & tracklets.ends.fields.keys()
    looked_at = {"places", "times", "poll", "hide", *compared}
    if compared & {"battery", "range"}:
        looked_at.add("low")
    found = {name: steps for name, steps in LADDERS.items() if name in looked_at}
    between = between_snapshots(tracklets)
    found["poll"] = tuple(one for one in found["poll"] if one > between)
    return {name: steps for name, steps in found.items() if steps}


def _with_steps(n_steps: int, top: Levels) -> Iterator[Levels]:
    """All levels with so many steps together."""
    choices = (range(min(most, n_steps) + 1) for most in top)
    return (levels for levels in itertools.product(*choices) if sum(levels) == n_steps)


@dataclass(frozen=True, eq=False)
class _Search:
    """What is tried, and how each change is judged."""

    tracklets: Tracklets
    asked: FeedQuestion
    ladders: Mapping[str, tuple[float, ...]]
    as_it_is: tuple[FollowedRides, Follower | None] | None
    deadline: Deadline

    def tried(self, levels: Levels) -> FeedChange | None:
        """A change, and what it brings; None: the time was up."""
        changes = {
            name: steps[level - 1]
            for (name, steps), level in zip(self.ladders.items(), levels, strict=True)
            if level
        }
        found, follower = self._judged(changes)
        if follower is None:
            return None
        codes = np.concatenate([found.verdicts(one) for one in found.sides])
        safe = float((codes == SAFE).mean()) if len(codes) else 0.0
        verdict = both_verdicts(found, follower)
        return FeedChange(changes, sum(levels), safe, follower.expected, verdict)

    def _judged(self, changes: Mapping[str, float]) -> tuple[FollowedRides, Follower | None]:
        """Candidates and beliefs of the changed feed; no beliefs: the time was up."""
        if not changes and self.as_it_is is not None:
            return self.as_it_is
        drop = tuple(name for name, size in changes.items() if size == _DROPPED)
        sizes: dict[str, Any] = {name: size for name, size in changes.items() if size != _DROPPED}
        changed = coarser(self.tracklets, drop=drop, **sizes)
        found = self.asked.of(changed, self.deadline)
        follower = None
        if not self.deadline.passed:
            betting, rules = self.asked.betting, self.asked.rules
            follower = betting.on(changed, found.problem, rules, quick=True, deadline=self.deadline)
        return found, follower
