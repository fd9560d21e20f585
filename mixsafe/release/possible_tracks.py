"""Tracks that may belong to whoever was seen at a place, and the strictest reading by which.

A gap of a published track may hide a person who was seen elsewhere then. The person on the track
made its last fix before the gap and its first one after it, as long as pseudonyms did not all
change in between. So the way from the one to the place and on to the other must be possible in the
time between. Ways are straight, times are cut off to whole units, and a place is the circle around
it: no way that somebody could make is excluded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt

from mixsafe.extract.exchange.movement import Movement, PlacedFixes, at_speed, on_sphere
from mixsafe.geometry.grid import Outlines
from mixsafe.model.answer.gaps import Gaps
from mixsafe.model.csr import pointers, ranges
from mixsafe.model.mobility.traces import Traces
from mixsafe.model.question.mix_zones import EVERYWHERE, MixZones

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

_AT_ONCE = 1 << 18
"""Pairs of a sighting and a track that are looked at together."""

Levels = npt.NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class GapReach:
    """How far people get in the gaps of published tracks.

    Parameters
    ----------
    fixes
        All fixes of the tracks, with coordinates and moments.
    zones
        Where pseudonyms are exchanged; rows are tracks.
    outlines
        Where the places of sightings are.
    speed
        Greatest speed of a person, kilometres per hour, > 0.
    error
        Of the place of a fix, metres, >= 0.
    """

    fixes: Traces
    zones: MixZones
    outlines: Outlines
    speed: float
    error: float = 0.0

    def possible(
        self, step: npt.NDArray[np.int32], place: Ints, row: npt.NDArray[np.int32]
    ) -> Bools:
        """Whether whoever is on a track may be at a place in a step without a fix, (n,) each."""
        places, number = np.unique(place, return_inverse=True)
        centre, radius = self._circles(places)
        found = np.empty(len(step), bool)
        for begin in range(0, len(step), _AT_ONCE):
            part = slice(begin, begin + _AT_ONCE)
            of = number[part]
            found[part] = self._possible(step[part], (centre[of], radius[of]), row[part])
        return found

    def _possible(
        self,
        step: npt.NDArray[np.int32],
        circle: tuple[Floats, Floats],
        row: npt.NDArray[np.int32],
    ) -> Bools:
        """The same for some pairs, whose places are circles."""
        movement, track = self._movement, row.astype(np.int64)
        begin, end = self._times(step)
        between = self._between(step)
        before = movement.last_before(track, begin).within(between)
        after = movement.first_from(track, end).within(between)
        came, came_at = self._apart(before, track, circle, late=False)
        left, left_at = self._apart(after, track, circle, late=True)
        speed, spare = movement.per_unit[track], movement.spare[track]
        comes = (before.day < 0) | (came <= speed * (end - came_at) + spare)
        leaves = (after.day < 0) | (left <= speed * (left_at - begin) + spare)
        through = came + left <= speed * (left_at - came_at) + spare
        return comes & leaves & (through | (before.day < 0) | (after.day < 0))

    def _apart(
        self, fix: PlacedFixes, row: Ints, circle: tuple[Floats, Floats], *, late: bool
    ) -> tuple[Floats, Ints]:
        """How far at least a person on a track is from a circle at a fix of it, and when.

        In a mix zone of coordinates the fix may be that of another person who is there: the person
        was somewhere in the zone, at some time of its step.
        """
        centre, radius = circle
        way: Floats = np.linalg.norm(fix.point - centre, axis=1) - radius
        time, length = fix.time, self.zones.axis.step_seconds or 1
        step = (fix.time - self.zones.axis.first) // length + 1
        zone = self._zone_of(row, step)
        met = np.flatnonzero(zone >= 0)
        if len(met):
            way[met] -= 2 * self._zone_radius[zone[met]]
            start = self.zones.axis.first + (step - 1) * length
            time = np.where(zone >= 0, start + length if late else start, time)
        return np.maximum(way, 0.0), time

    @cached_property
    def _movement(self) -> Movement:
        return at_speed(self.fixes, self.speed, self.error)

    def _times(self, step: npt.NDArray[np.int32]) -> tuple[Ints, Ints]:
        """First time of each step, and the first one after it."""
        length = self.zones.axis.step_seconds or 1
        begin = self.zones.axis.first + (step.astype(np.int64) - 1) * length
        return begin, begin + length

    def _between(self, step: npt.NDArray[np.int32]) -> tuple[Ints, Ints]:
        """Time from which, and up to which, fixes of a track are of whom it is at each step."""
        rotation = rotations(self.zones)
        number = np.searchsorted(rotation, step, side="right")
        first, _ = self._times(rotation)
        ends = np.iinfo(np.int64).min, np.iinfo(np.int64).max
        first = np.concatenate([ends[:1], first, ends[1:]])
        return first[number], first[number + 1]

    def _circles(self, place: Ints) -> tuple[Floats, Floats]:
        """Centre, metres from that of the earth, and radius of the circle around each place."""
        lat, lon, radius = self.outlines.circles(place)
        return on_sphere(lat, lon), radius

    def _zone_of(self, row: Ints, step: Ints) -> Ints:
        """Mix zone of each track at a step; -1: none."""
        keys, zone = self._memberships
        if not len(keys):
            return np.full(len(row), -1)
        asked = row * np.int64(self.zones.axis.steps + 1) + np.clip(step, 0, self.zones.axis.steps)
        at = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
        return np.where(keys[at] == asked, zone[at], -1)

    @cached_property
    def _memberships(self) -> tuple[Ints, Ints]:
        """Track and step of each membership of a mix zone as one number, ascending; its zone."""
        zones = self.zones
        zone = zones.zone_of_member
        if zones.place is not None:
            meets = np.flatnonzero(zones.place[zone] != EVERYWHERE)
        else:
            meets = np.arange(len(zone))
        keys = zones.members[meets] * np.int64(zones.axis.steps + 1) + zones.time[zone[meets]]
        order = np.argsort(keys)
        return keys[order], zone[meets[order]]

    @cached_property
    def _zone_radius(self) -> Floats:
        """(n_zones,) radius of the circle around each mix zone."""
        if self.zones.place is None:
            return np.full(len(self.zones), np.inf)
        place, number = np.unique(np.asarray(self.zones.place), return_inverse=True)
        radius = np.zeros(len(place))
        known = place != EVERYWHERE
        radius[known] = self.outlines.circles(place[known])[2]
        return radius[number]


def rotations(zones: MixZones) -> npt.NDArray[np.int32]:
    """Steps at which all pseudonyms change, ascending; a rotation may be several zones."""
    if zones.place is None:
        return np.zeros(0, np.int32)
    return np.unique(zones.time[np.asarray(zones.place) == EVERYWHERE])


_NONE = np.int8(len(Gaps))


@dataclass(frozen=True, eq=False)
class PossibleTracks:
    """Tracks of sightings, CSR; a track that is possible by no reading is no entry.

    Parameters
    ----------
    ptr
        (n + 1,) int64: sighting s has the tracks ``rows[ptr[s]:ptr[s + 1]]``.
    rows
        (n_entries,) int32, ascending within a sighting.
    shown
        (n_entries,) bool: the track is possible by every reading; else it has a gap then.
    reachable
        Tells of entries, (m,) numbers, whether their gaps may hide the person by the reading
        *reachable*; called once, and only if that matters.
    """

    ptr: Ints
    rows: npt.NDArray[np.int32]
    shown: npt.NDArray[np.bool_]
    reachable: Callable[[Ints], npt.NDArray[np.bool_]]

    def __len__(self) -> int:
        return len(self.ptr) - 1

    @cached_property
    def sighting(self) -> Ints:
        """(n_entries,) sighting of each entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.ptr))

    @cached_property
    def level(self) -> Levels:
        """(n_entries,) the strictest reading by which each entry is possible."""
        found = np.where(self.shown, Gaps.ABSENT.level, Gaps.ANYWHERE.level).astype(np.int8)
        gaps = np.flatnonzero(~self.shown)
        if len(gaps):
            found[gaps[self.reachable(gaps)]] = Gaps.REACHABLE.level
        return found

    @cached_property
    def strictest(self) -> Levels:
        """(n,) the strictest reading that leaves each sighting a track; 3: none does."""
        found = np.where(np.bincount(self.sighting[self.shown], minlength=len(self)) > 0, 0, _NONE)
        found = found.astype(np.int8)
        if np.any((found == _NONE) & (np.diff(self.ptr) > 0)):
            np.minimum.at(found, self.sighting, self.level)
        return found

    def by(self, level: Levels) -> tuple[Ints, npt.NDArray[np.int32]]:
        """Tracks of each sighting by a reading each, (n,): CSR, as ``ptr`` and ``rows``."""
        if np.all(level == Gaps.ABSENT.level):
            kept = self.shown
        elif np.all(level == Gaps.ANYWHERE.level):
            return self.ptr, self.rows
        else:
            kept = self.level <= level[self.sighting]
        return pointers(kept)[self.ptr], self.rows[kept]

    def those(self, chosen: Ints) -> PossibleTracks:
        """Select sightings by their numbers, in any order."""
        sizes = np.diff(self.ptr)[chosen]
        entry = ranges(self.ptr[chosen], sizes)
        among = partial(_of_entries, self.reachable, entry)
        return PossibleTracks(pointers(sizes), self.rows[entry], self.shown[entry], among)

    def on_rows(self, row: Ints) -> PossibleTracks:
        """The same on other rows: ``row[r]`` for track r."""
        moved = row[self.rows]
        order = np.lexsort((moved, self.sighting))
        among = partial(_of_entries, self.reachable, order)
        return PossibleTracks(self.ptr, moved[order].astype(np.int32), self.shown[order], among)

    @classmethod
    def joined(cls, parts: Sequence[PossibleTracks]) -> PossibleTracks:
        """Sightings of several releases, one after the other."""
        level = np.concatenate([one.level for one in parts])
        return cls(
            pointers(np.concatenate([np.diff(one.ptr) for one in parts])),
            np.concatenate([one.rows for one in parts]),
            level == Gaps.ABSENT.level,
            partial(np.take, level <= Gaps.REACHABLE.level),
        )


def _of_entries(
    reachable: Callable[[Ints], npt.NDArray[np.bool_]], entry: Ints, asked: Ints
) -> npt.NDArray[np.bool_]:
    """What is known of entries that are numbered anew: ``entry[n]`` for n."""
    return reachable(entry[asked])


def no_gap(entry: Ints) -> npt.NDArray[np.bool_]:
    """No gap hides anybody who gets there and back in time."""
    return np.zeros(len(entry), bool)
