"""Jumps faster than anybody goes: default positions of devices, and spikes.

The track of a user is cut wherever the way from one fix to the next is too fast. Of the parts,

- one between two others, of which the second can be reached from the first, is a jump to a place
  and back: a **spike**. Of neighbours that could all be meant, it is the one farther from the
  middle of the user's track.
- such a part, or the first or last one, that begins and ends at a place where one of another user
  does, too, shows no people, but the **default position** of their devices: as latitude 0,
  longitude 0, but elsewhere. Such fixes are no positions. Of neighbours that could both be meant,
  it is the one farther from the middle of all tracks with jumps.
"""

from __future__ import annotations

import datetime as dt
import itertools
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.geometry.grid import EARTH_RADIUS
from mixsafe.model.mobility.premises import MOST_EXAMPLES, Premises, Skipped
from mixsafe.model.mobility.time_zone import zone_of
from mixsafe.model.mobility.traces import Traces

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

FASTEST = 1000.0
"""Speed that nobody reaches, km/h: that of airliners is about 900."""

SHORTEST = 1000.0
"""Metres; shorter jumps are errors of receivers, if no speed is given."""

ALIKE = 4
"""Decimals of degrees to which two positions are the same: 11 m."""

DEFAULT_POSITION = "no position"
SPIKE = "spike"

_BLOCK = 1 << 16
_PER_DEGREE = np.radians(1) * EARTH_RADIUS


@dataclass(frozen=True)
class Fastest:
    """What is too fast.

    Parameters
    ----------
    speed
        Metres per second, > 0.
    shortest
        Length of jumps that do not count, metres.
    """

    speed: float = FASTEST / 3.6
    shortest: float = SHORTEST

    @classmethod
    def of(cls, kmh: float | None) -> Fastest:
        """Of a given speed, km/h; None: the default, and only jumps that are longer than 1 km."""
        return cls() if kmh is None else cls(kmh / 3.6, 0.0)

    def reach(self, seconds: npt.NDArray[np.int64]) -> Floats:
        """Greatest distances in some times, metres; times are rounded down to seconds."""
        return np.maximum(np.maximum(seconds, 1) * self.speed, self.shortest)


def distance(lat: Floats, lon: Floats, to_lat: Floats, to_lon: Floats) -> Floats:
    """Distances on the sphere, metres, (n,); by the half-angle form, exact for short ones."""
    north, east = np.radians(to_lat - lat) / 2, np.radians(to_lon - lon) / 2
    scale = np.cos(np.radians(lat)) * np.cos(np.radians(to_lat))
    half = np.sin(north) ** 2 + scale * np.sin(east) ** 2
    found: Floats = 2 * EARTH_RADIUS * np.arcsin(np.sqrt(np.minimum(half, 1)))
    return found


@dataclass(frozen=True)
class _Part:
    """Fixes of a user between two jumps: numbers ``begin`` to ``end``, without the end."""

    user: int
    begin: int
    end: int
    first: tuple[int, float, float]
    last: tuple[int, float, float]

    @property
    def place(self) -> tuple[float, float] | None:
        """Where it stands still; None: it moves."""
        first, last = (
            (round(lat, ALIKE), round(lon, ALIKE)) for _, lat, lon in (self.first, self.last)
        )
        return first if first == last else None


class Columns(NamedTuple):
    """Fixes: row of the user, time, latitude, longitude; (n,) each."""

    user: npt.NDArray[Any]
    time: Ints
    lat: Floats
    lon: Floats

    def at(self, rows: Any) -> Columns:  # noqa: ANN401 -- an index
        """Some of them."""
        return Columns(self.user[rows], self.time[rows], self.lat[rows], self.lon[rows])

    @classmethod
    def joined(cls, parts: Sequence[Columns]) -> Columns:
        """Fixes of several parts, one after the other."""
        return cls(
            np.concatenate([part.user for part in parts]),
            np.concatenate([part.time for part in parts]),
            np.concatenate([part.lat for part in parts]),
            np.concatenate([part.lon for part in parts]),
        )

    def fix(self, row: int) -> tuple[int, float, float]:
        """Time, latitude and longitude of one."""
        return int(self.time[row]), float(self.lat[row]), float(self.lon[row])


class Jumps:
    """Finds jumps in fixes that come by user and time, in batches.

    Parameters
    ----------
    fastest
        What is too fast.
    """

    def __init__(self, fastest: Fastest) -> None:
        self._fastest = fastest
        self._cuts: list[tuple[Ints, Flags, Columns, Columns]] = []
        self._size = 0
        self._before: Columns | None = None
        self.some = False

    def add(self, user: npt.NDArray[np.int32], time: Ints, lat: Floats, lon: Floats) -> None:
        """Take the next fixes, (n,) each."""
        if not len(user):
            return
        columns = Columns(user, time, lat, lon)
        if self._before is None:
            start = columns.at([0])
            self._cuts.append((np.zeros(1, np.int64), np.zeros(1, bool), start, start))
        else:
            columns = Columns.joined([self._before, columns])
        offset = self._size - (self._before is not None)
        for begin in range(0, len(columns.user) - 1, _BLOCK):
            part = columns.at(slice(begin, begin + _BLOCK + 1))
            at, fast = self._cuts_of(part)
            if len(at):
                self._cuts.append((offset + begin + at + 1, fast, part.at(at), part.at(at + 1)))
        self._size += len(user)
        self._before = columns.at([-1])

    def _cuts_of(self, part: Columns) -> tuple[Ints, Flags]:
        """Numbers of fixes after which a track is cut, and whether by a jump."""
        user, time, lat, lon = part
        same = user[1:] == user[:-1]
        reach = self._fastest.reach(np.diff(time))
        # The way along a meridian and a parallel is longer, and this is much less work.
        far = (np.abs(np.diff(lat)) + np.abs(np.diff(lon))) * _PER_DEGREE > reach
        far &= same
        if not far.any():
            at = np.flatnonzero(~same)
            return at, np.zeros(len(at), bool)
        jumps = np.flatnonzero(far)
        way = distance(lat[jumps], lon[jumps], lat[jumps + 1], lon[jumps + 1])
        jumps = jumps[way > reach[jumps]]
        self.some |= bool(len(jumps))
        at = np.sort(np.concatenate([np.flatnonzero(~same), jumps]))
        return at, same[at]

    def found(self) -> FoundJumps:
        """What was found in all fixes."""
        if not self.some or self._before is None:
            return FoundJumps(self._fastest, {}, (0, 0))
        begin = np.concatenate([cut[0] for cut in self._cuts])
        fast = np.concatenate([cut[1] for cut in self._cuts])
        first = Columns.joined([cut[3] for cut in self._cuts])
        last = Columns.joined([*(cut[2] for cut in self._cuts[1:]), self._before])
        end = np.append(begin[1:], self._size)
        jumping = np.isin(first.user, np.unique(first.user[fast]))
        tracks: dict[int, list[_Part]] = {}
        for row in np.flatnonzero(jumping).tolist():
            part = _Part(
                int(first.user[row]), int(begin[row]), int(end[row]), first.fix(row), last.fix(row)
            )
            tracks.setdefault(part.user, []).append(part)
        others = np.concatenate([first.time[~jumping], last.time[~jumping]])
        ends = (int(others.min()), int(others.max())) if len(others) else None
        return FoundJumps(self._fastest, tracks, ends)


@dataclass(frozen=True)
class FoundJumps:
    """Parts of all tracks, cut at jumps.

    Parameters
    ----------
    fastest
        What is too fast.
    tracks
        Parts of the track of each user with a jump, in order.
    ends
        First and last time of all other users; None: there are none.
    """

    fastest: Fastest
    tracks: dict[int, list[_Part]]
    ends: tuple[int, int] | None

    def default_positions(self) -> list[_Part]:
        """Parts at default positions of devices, by number of their fixes."""
        seen: dict[tuple[float, float], set[int]] = {}
        for parts in self.tracks.values():
            for part in parts:
                if part.place is not None:
                    seen.setdefault(part.place, set()).add(part.user)
        shared = {place for place, users in seen.items() if len(users) > 1}
        if not shared:
            return []
        middle = _middle([part for parts in self.tracks.values() for part in parts])
        found = []
        for parts in self.tracks.values():
            found += [
                parts[at]
                for at in self._outliers(parts, middle)
                if parts[at].place in shared and (self._returns(parts, at) or _is_end(parts, at))
            ]
        return sorted(found, key=lambda part: part.begin)

    def spikes(self, without: list[_Part]) -> list[_Part]:
        """Parts that are jumps to a place and back, in tracks without some parts."""
        gone, found = {part.begin for part in without}, []
        for parts in self.tracks.values():
            if len(parts) > 2:
                left = self._joined([part for part in parts if part.begin not in gone])
                if len(left) > 2:
                    outliers = self._outliers(left, _middle(left))
                    found += [left[at] for at in outliers if self._returns(left, at)]
        return sorted(found, key=lambda part: part.begin)

    def _outliers(self, parts: list[_Part], middle: tuple[float, float]) -> list[int]:
        """Numbers of parts that are farther from the middle than neighbours that could be meant.

        Beside a jump to a place and back these are other such jumps; beside the first or last part,
        all.
        """
        lat = np.array([part.first[1] for part in parts])
        lon = np.array([part.first[2] for part in parts])
        way = distance(lat, lon, np.full(len(lat), middle[0]), np.full(len(lat), middle[1]))
        returns = [self._returns(parts, at) for at in range(len(parts))]
        found = []
        for at in range(len(parts)):
            around = [one for one in (at - 1, at + 1) if 0 <= one < len(parts)]
            rivals = [one for one in around if returns[one] or not returns[at]]
            if all(way[at] > way[one] for one in rivals):
                found.append(at)
        return found

    def _returns(self, parts: list[_Part], at: int) -> bool:
        """Whether the part after one can be reached from the part before it."""
        return 0 < at < len(parts) - 1 and self._reachable(parts[at - 1], parts[at + 1])

    def _reachable(self, one: _Part, other: _Part) -> bool:
        time, lat, lon = (np.array([value]) for value in one.last)
        then, to_lat, to_lon = (np.array([value]) for value in other.first)
        return bool(distance(lat, lon, to_lat, to_lon)[0] <= self.fastest.reach(then - time)[0])

    def _joined(self, parts: list[_Part]) -> list[_Part]:
        """Parts between which something was left out, joined where one reaches the next."""
        joined: list[_Part] = []
        for part in parts:
            before = joined[-1] if joined else None
            if before is not None and before.end < part.begin and self._reachable(before, part):
                part = _Part(part.user, before.begin, part.end, before.first, part.last)
                joined.pop()
            joined.append(part)
        return joined


def _middle(parts: list[_Part]) -> tuple[float, float]:
    """Median of latitudes and of longitudes; a part that stands still counts once."""
    lat = np.array([part.first[1] for part in parts])
    lon = np.array([part.first[2] for part in parts])
    weight = np.array([1 if part.place is not None else part.end - part.begin for part in parts])
    found = []
    for values in (lat, lon):
        order = np.argsort(values)
        total = np.cumsum(weight[order])
        found.append(float(values[order[np.searchsorted(total, total[-1] / 2)]]))
    return found[0], found[1]


def _is_end(parts: list[_Part], at: int) -> bool:
    """Whether a part is the first or the last one."""
    return at in (0, len(parts) - 1)


@dataclass(frozen=True)
class Dropped:
    """Fixes that are dropped as default positions and spikes, and what is said of them.

    Parameters
    ----------
    begin, end
        (n_parts,) ascending numbers of the first fix of each part, and of the first after it.
    premises
        What was skipped, and what was kept.
    notes
        A sentence for each.
    ends
        First and last time of the fixes that are left; None: nothing is left.
    """

    begin: Ints
    end: Ints
    premises: Premises
    notes: tuple[str, ...]
    ends: tuple[int, int] | None = None

    def kept(self, begin: int, size: int) -> Flags:
        """Flags of the fixes to keep, of ``size`` fixes from number ``begin`` on."""
        change = np.zeros(size + 1, np.int64)
        np.add.at(change, np.clip(self.begin - begin, 0, size), 1)
        np.add.at(change, np.clip(self.end - begin, 0, size), -1)
        kept: Flags = np.cumsum(change[:-1]) == 0
        return kept


def dropped(jumps: Jumps, kmh: float | None, named: Callable[[int, int], str]) -> Dropped | None:
    """Which fixes are dropped; None: there is nothing to drop and nothing to say.

    Parameters
    ----------
    jumps
        All fixes.
    kmh
        Drop spikes that are faster; None: keep them.
    named
        Name of a user's fix, of the user's row and its time.
    """
    if not jumps.some:
        return None
    found = jumps.found()
    defaults = found.default_positions()
    spikes = found.spikes(defaults)
    if not defaults and not spikes:
        return None
    skipped, kept, notes = [], [], []
    if defaults:
        count = Skipped(DEFAULT_POSITION, *_counted(defaults, named))
        users = len({part.user for part in defaults})
        places = sorted({part.place for part in defaults if part.place is not None})
        where = "; ".join(f"{lat:.4f}, {lon:.4f}" for lat, lon in places[:MOST_EXAMPLES])
        skipped.append(count)
        notes.append(
            f"{count.note}: in the tracks of {users} users who cannot have been at {where} and"
            " back, taken for the default position of their devices"
        )
    if spikes and kmh is not None:
        count = Skipped(SPIKE, *_counted(spikes, named))
        skipped.append(count)
        notes.append(f"{count.note}: jumps to a place and back, faster than {kmh:g} km/h")
    elif spikes:
        count = Skipped(SPIKE, *_counted(spikes, named))
        kept.append(count)
        rows = "1 fix" if count.count == 1 else f"{count.count:,} fixes"
        more = ", …" if count.count > len(count.examples) else ""
        notes.append(
            f"{rows} may be spikes ({', '.join(count.examples)}{more}): jumps to a place and"
            f" back, faster than {FASTEST:,.0f} km/h; kept; --drop-spikes {FASTEST:.0f} drops them"
        )
    gone = sorted([*defaults, *(spikes if kmh is not None else [])], key=lambda part: part.begin)
    begin = np.array([part.begin for part in gone], np.int64)
    end = np.array([part.end for part in gone], np.int64)
    premises = Premises(tuple(skipped), kept=tuple(kept))
    return Dropped(begin, end, premises, tuple(notes), _ends(found, gone))


def _counted(parts: list[_Part], named: Callable[[int, int], str]) -> tuple[int, tuple[str, ...]]:
    """Number of fixes of some parts, and names of the first ones."""
    count = sum(part.end - part.begin for part in parts)
    return count, tuple(named(part.user, part.first[0]) for part in parts[:MOST_EXAMPLES])


def _ends(found: FoundJumps, gone: list[_Part]) -> tuple[int, int] | None:
    """First and last time of all fixes but those of some parts."""
    every = [part for parts in found.tracks.values() for part in parts]
    begins = [part.begin for part in gone]  # ascending
    until = [0, *itertools.accumulate((part.end for part in gone), max)]
    left = [part for part in every if part.begin >= until[bisect_right(begins, part.begin)]]
    times = [time for part in left for time in (part.first[0], part.last[0])]
    times += found.ends or ()
    return (min(times), max(times)) if times else None


def without_jumps(traces: Traces, kmh: float | None = None) -> Traces:
    """Traces without fixes at default positions of devices, and with ``kmh`` without spikes.

    Parameters
    ----------
    traces
        All fixes, sorted by user and time.
    kmh
        Drop spikes that are faster; None: keep them, and count those above ``FASTEST``.

    Raises
    ------
    InputError
        A speed is given, and the traces have no coordinates or no clock; or no fix is left.
    """
    if traces.lat is None or traces.lon is None or traces.clock != "unix":
        check_speed(kmh, traces.lat is not None)
        return traces
    jumps = Jumps(Fastest.of(kmh))
    jumps.add(traces.user, traces.time, traces.lat, traces.lon)
    found = dropped(jumps, kmh, namer(traces))
    if found is None:
        return traces
    premises = Premises.joined((traces.premises, found.premises))
    notes = (*traces.notes, *found.notes)
    if not len(found.begin):
        return replace(traces, premises=premises, notes=notes)
    keep = found.kept(0, len(traces.time))
    if not keep.any():
        raise InputError(f"no row can be used: {'; '.join(found.notes)}")
    lat, lon = traces.lat[keep], traces.lon[keep]
    return replace(
        traces,
        user=traces.user[keep],
        time=traces.time[keep],
        lat=lat,
        lon=lon,
        center=(float(lat.mean()), float(lon.mean())),
        premises=premises,
        notes=notes,
    )


def check_speed(kmh: float | None, coordinates: bool) -> None:
    """Refuse a greatest speed for traces whose speeds are unknown.

    Raises
    ------
    InputError
        Says why they are.
    """
    if kmh is not None:
        why = "steps without a length in seconds" if coordinates else "places without coordinates"
        raise InputError(f"--drop-spikes: the traces have {why}", hint="omit it")


def namer(traces: Traces) -> Callable[[int, int], str]:
    """What names a fix by the row of its user and its time."""
    zone = zone_of(traces.tz)
    return lambda user, time: (
        f"{traces.users[user]} at {dt.datetime.fromtimestamp(time, zone).isoformat()}"
    )
