"""Users who are always together, and may be one person twice: a phone and a watch, two ids of one.

One person under two names meets herself: each of her two tracks is the other one's candidate at all
times. So whoever is always together is taken for one person, before mix zones are made.

Two users are taken for one if

- both have a fix in ``STEPS`` steps or more, and in ``OVERLAP`` of the steps of the one with
  fewer;
- in ``SHARE`` of these steps they are together: in one place, or within ``NEAR`` metres of each
  other or of the other's way from the step before to the step after;
- both move: each changes the place ``MOVES`` times while they stay together, to ``PLACES`` places
  or more.

Colleagues in one office do not move together, passengers of one ride share a part of their time,
and people who are together less often are two people, as far as this goes.

Comparing all pairs would be quadratic. Only pairs are compared that were in one place at
``MEETINGS`` steps. Of a place with many people, those are taken who come from, or go on to, the
same places in the same steps: sets of people with the same way shrink, by doubling its length.
The work is linear in the number of positions. Of more than ``MOST`` fixes those in a part of the
time are looked at, in stretches of ``STRETCH`` steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.geometry.grid import EARTH_RADIUS
from mixsafe.model.csr import begins_of
from mixsafe.model.mobility.premises import AlwaysTogether
from mixsafe.model.mobility.traces import Names

STEPS = 10
"""Fewest common steps."""

OVERLAP = 0.25
"""Smallest share of common steps in those of the user with fewer."""

SHARE = 0.95
"""Smallest share of common steps in which two users are together."""

MOVES, PLACES = 5, 3
"""Fewest changes of the place while two users are together, and fewest places."""

NEAR = 30.0
"""Greatest distance of two devices of one person, metres: both are in error."""

MEETINGS = 3
"""Fewest steps in which users that are compared were in one place."""

MOST = 1 << 19
"""Fixes that are looked at, about."""

STRETCH = 8
"""Steps in a row that are looked at, of more fixes."""

_SMALL = 8
"""Members of a set of people of whom all pairs are compared."""

_DOUBLINGS = 4
"""Doublings of the way by which large sets are divided."""

_PROBES = 32
"""Common steps by which most pairs are told apart."""

Ints = npt.NDArray[np.integer]
Mask = npt.NDArray[np.bool_]


class Track(NamedTuple):
    """Positions of users, sorted by (row, step), at most one per user and step.

    Parameters
    ----------
    row, step, place
        (n,) each, as in :class:`mixsafe.model.mobility.traces.Positions`.
    lat, lon
        (n,) degrees; None if places have no coordinates.
    """

    row: npt.NDArray[np.int32]
    step: npt.NDArray[np.int32]
    place: npt.NDArray[np.int64]
    lat: npt.NDArray[np.float64] | None = None
    lon: npt.NDArray[np.float64] | None = None

    def only(self, chosen: Mask | Ints) -> Track:
        """Some of the positions, in order."""
        return Track(
            self.row[chosen],
            self.step[chosen],
            self.place[chosen],
            None if self.lat is None else self.lat[chosen],
            None if self.lon is None else self.lon[chosen],
        )


class PersonPairs(NamedTuple):
    """Pairs of users who are always together.

    Parameters
    ----------
    one, other
        (n_pairs,) rows, ``one`` below ``other``; in order.
    share
        (n_pairs,) share of the common steps in which they are together.
    """

    one: npt.NDArray[np.int64]
    other: npt.NDArray[np.int64]
    share: npt.NDArray[np.float64]

    def told(self, users: Names, *, merged: bool) -> AlwaysTogether:
        """What is said of them."""
        found = zip(self.one.tolist(), self.other.tolist(), self.share.tolist(), strict=True)
        pairs = tuple((str(users[a]), str(users[b]), round(share, 4)) for a, b, share in found)
        return AlwaysTogether(pairs, SHARE, merged and bool(pairs))

    def persons(self, n_users: int) -> npt.NDArray[np.int64]:
        """(n_users,) the first row of each user's person."""
        person = np.arange(n_users)
        for one, other in zip(self.one.tolist(), self.other.tolist(), strict=True):
            first, last = sorted((_root(person, one), _root(person, other)))
            person[last] = first
        while True:
            further = person[person]
            if np.array_equal(further, person):
                return person
            person = further


def leading(steps: Ints) -> npt.NDArray[np.int32]:
    """(n_users,) ranks: of two users who are one person, the places of the lower one count.

    Parameters
    ----------
    steps
        (n_users,) number of steps in which each has a position: more of them come first.
    """
    rank = np.empty(len(steps), np.int32)
    rank[np.argsort(-steps, kind="stable")] = np.arange(len(steps), dtype=np.int32)
    return rank


def _root(person: npt.NDArray[np.int64], row: int) -> int:
    while person[row] != row:
        row = int(person[row])
    return row


def is_looked_at(step: npt.NDArray[np.int32], n_fixes: int) -> Mask:
    """Which steps are looked at, of so many fixes in all; by the steps alone."""
    if n_fixes <= MOST:
        return np.ones(len(step), bool)
    last = int(step.max(initial=0))
    if last < len(step):
        looked_at: Mask = _in_sample(np.arange(last + 1), n_fixes)[step]
        return looked_at
    return _in_sample(step, n_fixes)


def _in_sample(step: Ints, n_fixes: int) -> Mask:
    """Whether steps are in a sample of stretches."""
    mixed = _mixed(step.astype(np.uint64) // np.uint64(STRETCH))
    return (mixed >> np.uint64(40)) < np.uint64(MOST / n_fixes * 2**24)


def _mixed(number: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Numbers in which periods of the data do not matter (splitmix64)."""
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))


def always_together(track: Track) -> PersonPairs:
    """All pairs of users who are always together.

    Parameters
    ----------
    track
        The positions that are looked at.
    """
    moving = _moving(track)
    if np.count_nonzero(moving) < 2:
        return _none()
    track = track.only(moving[track.row])
    one, other = _candidates(track)
    if not len(one):
        return _none()
    comparison = _Comparison(track)
    likely = comparison.of(one, other, _PROBES)
    few = likely.common < _PROBES // 4
    kept = few | (likely.together >= 0.6 * likely.common)
    one, other = one[kept], other[kept]
    compared = comparison.of(one, other)
    is_one = (
        (compared.common >= np.maximum(STEPS, OVERLAP * compared.fewer))
        & (compared.together >= SHARE * compared.common)
        & (compared.moves >= MOVES)
        & (compared.places >= PLACES)
    )
    share = compared.together[is_one] / compared.common[is_one]
    return PersonPairs(one[is_one], other[is_one], share)


def _none() -> PersonPairs:
    rows = np.zeros(0, np.int64)
    return PersonPairs(rows, rows, np.zeros(0))


def _moving(track: Track) -> Mask:
    """(n_rows,) users who could have moved often enough."""
    n_rows = int(track.row.max(initial=-1)) + 1
    same = track.row[1:] == track.row[:-1]
    moved = same & (track.place[1:] != track.place[:-1])
    enough = np.bincount(track.row[1:][moved], minlength=n_rows) >= MOVES
    return enough & (np.bincount(track.row, minlength=n_rows) >= STEPS)


def _candidates(track: Track) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Pairs of users who were in one place at enough steps."""
    n_rows = int(track.row.max()) + 1
    key = np.concatenate([low * n_rows + high for low, high in _meetings(track)])
    key, count = np.unique(key, return_counts=True)
    key = key[count >= MEETINGS]
    return key // n_rows, key % n_rows


def _meetings(track: Track) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
    """Pairs of users who are in one place at one step, each as often as they are."""
    yield np.zeros(0, np.int64), np.zeros(0, np.int64)
    way = _hashed(track.step, track.place)
    there = np.arange(len(track.row))
    for doubling in range(_DOUBLINGS + 1):
        order = there[np.argsort(way[there], kind="stable")]
        new = np.append(True, way[order][1:] != way[order][:-1])
        begin = np.flatnonzero(new)
        size = np.diff(np.append(begin, len(order)))
        for members in range(2, _SMALL + 1):
            first = begin[size == members]
            for low in range(members):
                for high in range(low + 1, members):
                    yield _pair(track, order[first + low], order[first + high])
        large = np.repeat(size > _SMALL, size)
        there = order[large]
        if not len(there):
            return
        if doubling == _DOUBLINGS:
            inside = np.flatnonzero(~new[large][1:])
            yield _pair(track, there[inside], there[inside + 1])
            return
        # A way twice as long: that from this position, and that from where it ends.
        ahead = np.minimum(np.arange(len(way)) + (1 << doubling), len(way) - 1)
        goes_on = track.row[ahead] == track.row
        way = _hashed(way, np.where(goes_on, way[ahead], np.uint64(0)))
        there = np.sort(there)


def _pair(
    track: Track, one: Ints, other: Ints
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    a, b = track.row[one].astype(np.int64), track.row[other].astype(np.int64)
    return np.minimum(a, b), np.maximum(a, b)


def _hashed(one: Ints, other: Ints) -> npt.NDArray[np.uint64]:
    """(n,) a number for each pair of values; two pairs share one by accident at most."""
    scaled = one.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return _mixed(scaled + other.astype(np.uint64))


class _Found(NamedTuple):
    """What pairs have in common, (n_pairs,) each.

    Parameters
    ----------
    fewer
        Positions of the user with fewer.
    common, together
        Steps in which both have a position, and in which they are together.
    moves, places
        Changes of the place while they are together (of the user who changes it less often), and
        places of the user with fewer positions.
    """

    fewer: Ints
    common: Ints
    together: Ints
    moves: Ints
    places: Ints


class _Comparison:
    """Comparison of users step by step.

    Parameters
    ----------
    track
        The positions.
    """

    def __init__(self, track: Track) -> None:
        self._track = track
        n_rows, self._width = int(track.row.max()) + 1, np.int64(track.step.max()) + 2
        self._key = track.row * self._width + track.step
        self._ptr = begins_of(track.row, n_rows)

    def of(self, one: Ints, other: Ints, probes: int | None = None, block: int = 1 << 20) -> _Found:
        """Compare pairs at all positions of the user with fewer, or at some, evenly spaced."""
        size = np.diff(self._ptr)
        less = size[one] <= size[other]
        short, long = np.where(less, one, other), np.where(less, other, one)
        count = size[short] if probes is None else np.minimum(size[short], probes)
        ends = np.cumsum(count)
        parts, begin = [], 0
        while begin < len(short):
            before = ends[begin - 1] if begin else 0
            end = max(int(np.searchsorted(ends, before + block, "right")), begin + 1)
            chosen = slice(begin, end)
            parts.append(self._of(short[chosen], long[chosen], count[chosen]))
            begin = end
        if not parts:
            return _Found(*(np.zeros(0, np.int64) for _ in _Found._fields))
        return _Found(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))

    def _of(self, short: Ints, long: Ints, count: Ints) -> _Found:
        track, n_pairs = self._track, len(short)
        pair = np.repeat(np.arange(n_pairs), count)
        place_in = np.arange(len(pair)) - np.repeat(np.cumsum(count) - count, count)
        size = np.diff(self._ptr)[short]
        at = self._ptr[short][pair] + place_in * size[pair] // count[pair]
        key = long[pair] * self._width + track.step[at]
        there = np.minimum(np.searchsorted(self._key, key), len(self._key) - 1)
        common = self._key[there] == key
        pair, at, there = pair[common], at[common], there[common]
        near = self._together(at, there)
        together = np.bincount(pair[near], minlength=n_pairs)
        on = near[1:] & near[:-1] & (pair[1:] == pair[:-1])
        moves = [
            np.bincount(
                pair[1:][on & (track.place[index[1:]] != track.place[index[:-1]])],
                minlength=n_pairs,
            )
            for index in (at, there)
        ]
        visited = np.unique(np.stack([pair[near], track.place[at[near]]], 1), axis=0)[:, 0]
        return _Found(
            size,
            np.bincount(pair, minlength=n_pairs),
            together,
            np.minimum(*moves),
            np.bincount(visited, minlength=n_pairs),
        )

    def _together(self, at: Ints, there: Ints) -> Mask:
        """Whether users are together: at positions of the one and of the other in one step."""
        track = self._track
        near: Mask = track.place[at] == track.place[there]
        far = np.flatnonzero(~near)
        if not len(far) or track.lat is None or track.lon is None:
            return near
        at, there = at[far], there[far]
        close = np.zeros(len(far), bool)
        for shift in (-1, 1):
            beside = np.clip(there + shift, 0, len(track.row) - 1)
            goes = self._key[beside] == self._key[there] + shift
            way = np.where(goes, beside, there)
            close |= _distance(track.lat, track.lon, at, there, way) <= NEAR
        near[far] = close
        return near


def _distance(
    lat: npt.NDArray[np.float64], lon: npt.NDArray[np.float64], at: Ints, begin: Ints, end: Ints
) -> npt.NDArray[np.float64]:
    """Metres from points to straight ways between two others; near them, the Earth is flat."""
    north = np.radians(lat) * EARTH_RADIUS
    scale = np.cos(np.radians(lat[at])) * EARTH_RADIUS

    def offset(index: Ints) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        turn = (lon[index] - lon[at] + 180) % 360 - 180
        return np.radians(turn) * scale, north[index] - north[at]

    (x, y), (far_x, far_y) = offset(begin), offset(end)
    way_x, way_y = far_x - x, far_y - y
    length = way_x * way_x + way_y * way_y
    with np.errstate(invalid="ignore", divide="ignore"):
        part = np.where(length > 0, -(x * way_x + y * way_y) / length, 0.0)
    part = np.clip(part, 0, 1)
    return np.hypot(x + part * way_x, y + part * way_y)
