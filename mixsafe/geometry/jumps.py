"""Jumps faster than anybody goes: default positions of devices, and spikes.

The track of a user is cut wherever the way from one fix to the next is too fast. Of the parts,

- one of an hour or less between two others, of which the second can be reached from the first, is a
  jump to a place and back: a **spike**. It has no more fixes than either of the two (one that
  stands still counts as one fix). Of neighbours that could all be meant, and have as many, it is
  the one farther from the middle of the user's track.
- such a part, or the first or last one, that begins and ends at a place where one of another user
  does, too, shows no people, but the **default position** of their devices: as latitude 0,
  longitude 0, but elsewhere. Such fixes are no positions. Of neighbours that could both be meant,
  it is the one farther from the middle of all tracks with jumps.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.geometry.grid import EARTH_RADIUS
from mixsafe.model.mobility.instant import zone_of
from mixsafe.model.mobility.premises import MOST_EXAMPLES, Premises, Skipped
from mixsafe.model.mobility.traces import Traces

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Scalar = TypeVar("Scalar", bound=np.generic)

FASTEST = 1000.0
"""Speed that nobody reaches, km/h: that of airliners is about 900."""

SHORTEST = 1000.0
"""Metres; shorter jumps are errors of receivers, if no speed is given."""

LONGEST = 3600
"""Seconds that a spike lasts at most: whoever stays for longer may have come and gone otherwise."""

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

    @property
    def least(self) -> float:
        """Distance that can be reached in any time, metres."""
        return max(self.speed, self.shortest)

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


class TrackParts(NamedTuple):
    """Fixes of a user between two jumps, (n_parts,) each: numbers ``begin`` to ``end - 1``."""

    begin: Ints
    end: Ints
    first: Columns
    last: Columns

    @property
    def user(self) -> npt.NDArray[Any]:
        """Row of the user of each."""
        return self.first.user

    @property
    def place(self) -> Ints:
        """Where each begins: the same number for positions that are alike."""
        return _place(self.first)

    @property
    def stands(self) -> Flags:
        """Whether each ends where it begins."""
        return np.asarray(self.place == _place(self.last))

    @property
    def moving(self) -> Ints:
        """Fixes of each; one that stands still counts as one."""
        return np.where(self.stands, 1, self.end - self.begin)

    def at(self, rows: Any) -> TrackParts:  # noqa: ANN401 -- an index
        """Some of them."""
        return TrackParts(self.begin[rows], self.end[rows], self.first.at(rows), self.last.at(rows))

    @classmethod
    def joined(cls, one: TrackParts, other: TrackParts) -> TrackParts:
        """Those of both, by begin."""
        begin, end = (np.concatenate(both) for both in zip(one[:2], other[:2], strict=True))
        first, last = (Columns.joined(both) for both in zip(one[2:], other[2:], strict=True))
        return cls(begin, end, first, last).at(np.argsort(begin, kind="stable"))


def _place(fixes: Columns) -> Ints:
    lat, lon = (np.rint(values * 10**ALIKE).astype(np.int64) for values in fixes[2:])
    return np.asarray((lat << 32) + lon)


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
        # The way along a meridian and a parallel is longer, and this is much less work.
        way = (np.abs(np.diff(lat)) + np.abs(np.diff(lon))) * _PER_DEGREE
        jumps = np.flatnonzero(same & (way > self._fastest.least))
        reach = self._fastest.reach(time[jumps + 1] - time[jumps])
        far = way[jumps] > reach
        jumps, reach = jumps[far], reach[far]
        if not len(jumps):
            at = np.flatnonzero(~same)
            return at, np.zeros(len(at), bool)
        way = distance(lat[jumps], lon[jumps], lat[jumps + 1], lon[jumps + 1])
        jumps = jumps[way > reach]
        self.some |= bool(len(jumps))
        at = np.sort(np.concatenate([np.flatnonzero(~same), jumps]))
        return at, same[at]

    def found(self) -> FoundJumps:
        """What was found in all fixes."""
        if self._before is None:
            raise ValueError("there are no fixes")
        begin = np.concatenate([cut[0] for cut in self._cuts])
        fast = np.concatenate([cut[1] for cut in self._cuts])
        first = Columns.joined([cut[3] for cut in self._cuts])
        last = Columns.joined([*(cut[2] for cut in self._cuts[1:]), self._before])
        end = np.append(begin[1:], self._size)
        jumping = np.isin(first.user, np.unique(first.user[fast]))
        parts = TrackParts(begin, end, first, last).at(jumping)
        others = np.concatenate([first.time[~jumping], last.time[~jumping]])
        ends = (int(others.min()), int(others.max())) if len(others) else None
        return FoundJumps(self._fastest, parts, ends)


@dataclass(frozen=True)
class FoundJumps:
    """Parts of tracks, cut at jumps.

    Parameters
    ----------
    fastest
        What is too fast.
    parts
        Those of users with a jump, in order.
    ends
        First and last time of all other users; None: there are none.
    """

    fastest: Fastest
    parts: TrackParts
    ends: tuple[int, int] | None

    def default_positions(self) -> Flags:
        """(n_parts,) those at default positions of devices."""
        parts = self.parts
        stands = np.flatnonzero(parts.stands)
        shared = np.zeros(len(parts.begin), bool)
        shared[stands] = _of_several(parts.place[stands], parts.user[stands])
        if not shared.any():
            return shared
        returns, goes_on = self._returns(parts), _goes_on(parts)
        shared &= returns | ~(goes_on & np.roll(goes_on, -1))
        if not shared.any():
            return shared
        alike = np.zeros(len(parts.begin), np.int64)  # one track of all, and one size
        return shared & self._outliers(parts, returns, track=alike, size=alike)

    def spikes(self, without: Flags) -> TrackParts:
        """Jumps to a place and back, in tracks without some parts, (n_parts,)."""
        left = self._joined(self.parts.at(~without))
        returns = self._returns(left)
        there = np.isin(left.user, np.unique(left.user[returns]))
        left, returns = left.at(there), returns[there]
        _, track = np.unique(left.user, return_inverse=True)
        short = left.last.time - left.first.time <= LONGEST
        return left.at(short & returns & self._outliers(left, returns, track, left.moving))

    def _outliers(self, parts: TrackParts, returns: Flags, track: Ints, size: Ints) -> Flags:
        """(n_parts,) those that are meant rather than the parts beside them.

        They are not larger than these, and farther from the middle of the track than those of the
        same size that could be meant: beside a jump to a place and back other such jumps; beside
        the first or last part, all.
        """
        way = distance(parts.first.lat, parts.first.lon, *_middles(parts, track))
        beaten = np.zeros(len(way), bool)
        after = np.flatnonzero(_goes_on(parts))
        for one, other in ((after, after - 1), (after - 1, after)):
            rival = returns[other] | ~returns[one]
            nearer = (size[one] == size[other]) & (way[one] <= way[other])
            beaten[one] |= (size[one] > size[other]) | (rival & nearer)
        return ~beaten

    def _returns(self, parts: TrackParts) -> Flags:
        """Whether the part after each one can be reached from the part before it."""
        goes_on, found = _goes_on(parts), np.zeros(len(parts.begin), bool)
        inner = np.flatnonzero(goes_on[:-1] & goes_on[1:])
        found[inner] = self._reachable(parts.last.at(inner - 1), parts.first.at(inner + 1))
        return found

    def _reachable(self, one: Columns, other: Columns) -> Flags:
        way = distance(one.lat, one.lon, other.lat, other.lon)
        return np.asarray(way <= self.fastest.reach(other.time - one.time))

    def _joined(self, parts: TrackParts) -> TrackParts:
        """Parts between which something was left out, joined where one reaches the next."""
        gap = np.flatnonzero(_goes_on(parts) & (parts.begin > np.roll(parts.end, 1)))
        if not len(gap):
            return parts
        gap = gap[self._reachable(parts.last.at(gap - 1), parts.first.at(gap))]
        heads = np.ones(len(parts.begin), bool)
        heads[gap] = False
        begins, ends = parts.at(heads), parts.at(np.append(heads[1:], True))
        return TrackParts(begins.begin, ends.end, begins.first, ends.last)


def _goes_on(parts: TrackParts) -> Flags:
    """Whether the part before each is of the same user."""
    return np.append(False, parts.user[1:] == parts.user[:-1])[: len(parts.user)]


def _of_several(place: Ints, user: npt.NDArray[Any]) -> Flags:
    """(n,) whether several users are at each place."""
    order = np.lexsort((user, place))
    place, user = place[order], user[order]
    moved = np.append(True, place[1:] != place[:-1])[: len(place)]
    number = np.cumsum(moved) - 1
    other = np.append(False, user[1:] != user[:-1])[: len(place)] & ~moved
    found = np.empty(len(place), bool)
    found[order] = (np.bincount(number[other], minlength=len(place)) > 0)[number]
    return found


def _middles(parts: TrackParts, track: Ints) -> tuple[Floats, Floats]:
    """Median of latitudes and of longitudes of a part's track, (n_parts,) each.

    ``track`` is ascending from 0 on. A part that stands still counts once.
    """
    weight = parts.moving
    total = np.bincount(track, weight)
    until = np.cumsum(total)
    found = []
    for values in (parts.first.lat, parts.first.lon):
        order = np.lexsort((values, track))
        at = np.searchsorted(np.cumsum(weight[order]), until - total / 2)
        found.append(values[order[at]][track])
    return found[0], found[1]


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
        end = np.clip(np.maximum.accumulate(self.end) - begin, 0, size)
        first = np.clip(self.begin - begin, 0, size)
        first = np.maximum(first, np.append(0, end)[: len(end)])  # parts may overlap
        edges = np.concatenate([[0], np.stack([first, end], axis=1).ravel(), [size]])
        kept: Flags = np.repeat(np.arange(len(edges) - 1) % 2 == 0, np.diff(edges))
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
    at_default = found.default_positions()
    defaults, spikes = found.parts.at(at_default), found.spikes(at_default)
    if not len(defaults.begin) and not len(spikes.begin):
        return None
    skipped, kept, notes = [], [], []
    if len(defaults.begin):
        count = Skipped(DEFAULT_POSITION, *_counted(defaults, named))
        users = len(np.unique(defaults.user))
        _, first = np.unique(defaults.place, return_index=True)
        lat, lon = defaults.first.lat[first].tolist(), defaults.first.lon[first].tolist()
        places = sorted(zip(lat, lon, strict=True))[:MOST_EXAMPLES]
        where = "; ".join(f"{lat:.4f}, {lon:.4f}" for lat, lon in places)
        skipped.append(count)
        notes.append(
            f"{count.note}: in the tracks of {users} users who cannot have been at {where} and"
            " back, taken for the default position of their devices"
        )
    if len(spikes.begin):
        count = Skipped(SPIKE, *_counted(spikes, named))
        if kmh is not None:
            skipped.append(count)
            notes.append(f"{count.note}: jumps to a place and back, faster than {kmh:g} km/h")
        else:
            kept.append(count)
            notes.append(_may_be_spikes(count))
    gone = defaults if kmh is None else TrackParts.joined(defaults, spikes)
    premises = Premises(tuple(skipped), kept=tuple(kept))
    return Dropped(gone.begin, gone.end, premises, tuple(notes), _ends(found, gone))


def _may_be_spikes(count: Skipped) -> str:
    rows = "1 fix" if count.count == 1 else f"{count.count:,} fixes"
    more = ", …" if count.count > len(count.examples) else ""
    return (
        f"{rows} may be spikes ({', '.join(count.examples)}{more}): jumps to a place and"
        f" back, faster than {FASTEST:,.0f} km/h; kept; --drop-spikes {FASTEST:.0f} drops them"
    )


def _counted(parts: TrackParts, named: Callable[[int, int], str]) -> tuple[int, tuple[str, ...]]:
    """Number of fixes of some parts, and names of the first ones."""
    count = int((parts.end - parts.begin).sum())
    some = slice(0, MOST_EXAMPLES)
    begun = zip(parts.user[some].tolist(), parts.first.time[some].tolist(), strict=True)
    return count, tuple(named(user, time) for user, time in begun)


def _ends(found: FoundJumps, gone: TrackParts) -> tuple[int, int] | None:
    """First and last time of all fixes but those of some parts."""
    parts = found.parts
    until = np.append(0, np.maximum.accumulate(gone.end))
    left = parts.begin >= until[np.searchsorted(gone.begin, parts.begin, side="right")]
    times = np.concatenate([parts.first.time[left], parts.last.time[left], found.ends or ()])
    return (int(times.min()), int(times.max())) if len(times) else None


def without_jumps(traces: Traces, kmh: float | None = None) -> Traces:
    """Traces without fixes at default positions of devices, and with ``kmh`` without spikes.

    Parameters
    ----------
    traces
        All fixes, sorted by user and time. They are used up: their arrays may be overwritten.
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
    lat, lon = _only(traces.lat, keep), _only(traces.lon, keep)
    return replace(
        traces,
        user=_only(traces.user, keep),
        time=_only(traces.time, keep),
        lat=lat,
        lon=lon,
        center=(float(lat.mean()), float(lon.mean())),
        premises=premises,
        notes=notes,
    )


def _only(array: npt.NDArray[Scalar], keep: Flags) -> npt.NDArray[Scalar]:
    """Some entries of an array, in its place: new memory costs several times the move."""
    if not array.flags.owndata or not array.flags.writeable:
        return array[keep]
    size = 0
    for begin in range(0, len(array), _BLOCK):
        part = array[begin : begin + _BLOCK][keep[begin : begin + _BLOCK]]
        array[size : size + len(part)] = part
        size += len(part)
    return array[:size]


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
