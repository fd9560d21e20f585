"""How likely it is that who comes into a mix zone on one track leaves it on another.

Fixes in the step of the zone do not count; of those before and after, two on either side do, as
long as they belong to the exchange (:mod:`mixsafe.extract.exchange.rules`). Their features are
the time and the way between them, where dead reckoning from both sides misses the other one, the
turn between both headings, and whether the time fits the interval at which the data report. What
tells continuations from other pairs of the same zones is learned from the data themselves. Each
member of a zone is judged by the ways of other people at other times: nobody is known by heart, and
neither are those who are in the zone, too. (Their fixes would tell that everybody left as the
other, because a way that is one's own is not another's.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.extract.exchange.movement import Movement, PlacedFixes
from mixsafe.extract.exchange.relation import bounds, stretches
from mixsafe.extract.exchange.rotation import Rotated
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.movement.ratios import Binned, RatioTable, log_ratios

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

LEAST_TO_LEARN = 200
"""Continuations with a fix on both sides; from fewer, nothing is learned."""

_PARTS = 16
"""Parts of people, and stretches of time, each of which is judged by what the others teach."""

_PART = "part"
"""The number of a part of people in a stretch of time, as a feature."""

_OTHERS = 8
"""Members of the same zone whose tracks are compared with that of each one, to learn from."""

_STALE = 5
"""Headings come from two fixes that are no further apart than so many usual intervals."""

_LEAST_INTERVAL = 4
"""Units of time; times of data that report more often are too coarse to tell people apart."""

_PRIOR = 2.0
"""Continuations that each bin is taken to have seen beforehand, and as many others as are alike."""

_RAYLEIGH = 2.146
"""Standard deviations in each direction, within which nine ways of ten are."""

_TURNS = np.array([0.0, 20.0, 60.0, 120.0])
_OFF = np.array([0.0, 0.025, 0.04, 0.075, 0.14, 0.25])


class Approach(NamedTuple):
    """The last two fixes before zones, or the first two after them; NaN: there is none.

    Parameters
    ----------
    time
        (n,) of the nearer fix, as in the traces.
    point, velocity
        (n, 2 or 3) of the nearer fix, as the movement measures ways, and by unit of time.
    day
        (n,) number of the day where days are apart, else 0; -1: there is no fix.
    """

    time: Floats
    point: Floats
    velocity: Floats
    day: Ints

    def at(self, number: Ints) -> Approach:
        """Those with these numbers."""
        day = self.day[number]
        return Approach(self.time[number], self.point[number], self.velocity[number], day)


class Habits(NamedTuple):
    """How often the fixes of users are made, and how fast users are.

    Parameters
    ----------
    usual, common
        Median and commonest time between two fixes of a user; ``common`` is 0 where it is too short
        to tell people apart.
    pace
        Standard deviation of ways in a unit of time.
    """

    usual: float
    common: int
    pace: float

    @classmethod
    def of(cls, movement: Movement) -> Habits:
        """Those of all users of some fixes, none of which is left out."""
        fixes = movement.fixes
        own = (np.diff(movement.user) == 0) & (np.diff(fixes.day) == 0)
        time, leap = np.diff(fixes.time)[own], np.diff(fixes.point, axis=0)[own]
        moved = time > 0
        if not moved.any():
            return cls(1.0, 0, 1.0)
        time = time[moved]
        pace = np.linalg.norm(leap[moved], axis=1) / time
        usual = float(np.median(time))
        intervals, often = np.unique(time[time <= usual * _STALE], return_counts=True)
        common = int(intervals[often.argmax()])
        # Some fixes jump: the fastest do not count. The ways of a normal density are Rayleigh's.
        spread = float(np.quantile(pace, 0.9)) / _RAYLEIGH or 1.0
        return cls(usual, common if common >= _LEAST_INTERVAL else 0, spread)


@dataclass(frozen=True, eq=False)
class Continuations:
    """Fixes around the memberships of mix zones, and what is learned of them.

    Parameters
    ----------
    before, after
        (n_memberships,) each.
    part
        (n_memberships,) numbers of the part of people in a stretch of time, below ``_PARTS``
        squared, that are judged by the same tables.
    interval
        The commonest time between two fixes of a user; 0: it is too short to tell people apart.
    models
        Tables of independent features; none: there are too few continuations to learn from.
    pace
        Standard deviation of ways in a unit of time, for a normal density where nothing is learned.
    """

    before: Approach
    after: Approach
    part: Ints
    interval: int
    pace: float
    models: tuple[RatioTable, ...] = ()

    @classmethod
    def of(
        cls,
        found: Rotated,
        movement: Movement,
        counted: tuple[Ints, Ints] | None = None,
        habits: Habits | None = None,
    ) -> Continuations:
        """Learn from the members of mix zones.

        Parameters
        ----------
        found
            Mix zones and rotations.
        movement
            Fixes of their users; how far people get does not matter.
        counted
            Time from which, and up to which, the fixes of each membership's row count, where
            ``found`` lacks some of their zones; None: it has them all.
        habits
            Of people, where ``movement`` lacks some of their fixes; None: it has them all.
        """
        usual, common, pace = Habits.of(movement) if habits is None else habits
        before, after = _around(found, movement, usual, counted)
        unlearned = cls(before, after, _parts(found.zones), common, pace)
        n_known = int(np.count_nonzero((before.day >= 0) & (before.day == after.day)))
        if n_known < LEAST_TO_LEARN:
            return unlearned
        return replace(unlearned, models=unlearned._learned(found.zones))

    @property
    def learned(self) -> bool:
        """Whether there were enough continuations to learn from."""
        return bool(self.models)

    def log_likelihoods(self, one: Ints, other: Ints) -> Floats:
        """(n,) logarithms of likelihoods, up to a number for each track, of pairs of memberships.

        Parameters
        ----------
        one, other
            Places of members in the array of all members: who comes as the first leaves as the
            second.
        """
        features = self._features(one, other)
        if not self.models:
            return self._normal(features)
        return log_ratios(self.models, features)

    def _normal(self, features: Mapping[str, Floats]) -> Floats:
        """Normal densities of ways, in proportion to time."""
        spread = self.pace * np.maximum(features["time"], 1)
        density = -0.5 * (features["way"] / spread) ** 2 - 2 * np.log(spread)
        known: Floats = np.nan_to_num(density, nan=0.0)
        return known

    def _features(self, one: Ints, other: Ints) -> dict[str, Floats]:
        """Features of pairs, (n,) each; NaN: a fix is missing."""
        before, after = self.before.at(one), self.after.at(other)
        apart = before.day != after.day
        time = np.where(apart, np.nan, after.time - before.time)
        leap = after.point - before.point
        miss = leap - (before.velocity + after.velocity) / 2 * time[:, None]
        dot = (before.velocity * after.velocity).sum(axis=1)
        paces = np.linalg.norm(before.velocity, axis=1), np.linalg.norm(after.velocity, axis=1)
        cosine = np.clip(dot / np.maximum(paces[0] * paces[1], 1e-9), -1, 1)
        way = np.where(apart, np.nan, np.linalg.norm(leap, axis=1))
        both = np.linalg.norm(miss, axis=1)
        forward = np.linalg.norm(leap - before.velocity * time[:, None], axis=1)
        backward = np.linalg.norm(leap - after.velocity * time[:, None], axis=1)
        one_sided = np.where(np.isnan(forward), backward, forward)
        off = np.abs((time / self.interval + 0.5) % 1 - 0.5) if self.interval else time * np.nan
        return {
            "time": time,
            "way": way,
            "miss": both,
            "one-sided miss": np.where(np.isnan(both), one_sided, np.nan),
            "way alone": np.where(np.isnan(one_sided), way, np.nan),
            "pace before": np.where(apart, np.nan, paces[0]),
            "pace after": paces[1],
            "turn": np.degrees(np.arccos(cosine)),
            "off": off,
            _PART: self.part[one].astype(np.float64),
        }

    def _learned(self, zones: MixZones) -> tuple[RatioTable, ...]:
        """Tables for each part, learned from other people at other times."""
        own = np.arange(len(self.part))
        head, size = (values[zones.zone_of_member] for values in (zones.ptr, zones.sizes))
        kinds = _kinds(self._features(own, own), self._features(*_neighbours(own, head, size, 1)))
        counts = [np.zeros((2, int(np.prod(kind.shape)))) for kind in kinds]
        for apart in range(_OTHERS + 1):
            features = self._features(*_neighbours(own, head, size, apart))
            for kind, seen in zip(kinds, counts, strict=True):
                seen[min(apart, 1)] += kind.counts(kind.bins(features))
        return tuple(
            _table(kind, *(_elsewhere(each) for each in seen))
            for kind, seen in zip(kinds, counts, strict=True)
        )


def _parts(zones: MixZones) -> Ints:
    """(n_memberships,) number of the part of people, by row, in a stretch of zones, by time."""
    stretch = zones.zone_of_member.astype(np.int64) * _PARTS // max(len(zones), 1)
    return (zones.members % _PARTS).astype(np.int64) * _PARTS + stretch


def _elsewhere(counts: Floats) -> Floats:
    """Counts of each part as sums over other people at other times."""
    seen = counts.reshape(_PARTS, _PARTS, -1)
    people, times = seen.sum(axis=1, keepdims=True), seen.sum(axis=0, keepdims=True)
    found: Floats = (seen.sum(axis=(0, 1), keepdims=True) - people - times + seen).ravel()
    return found


def _neighbours(own: Ints, head: Ints, size: Ints, apart: int) -> tuple[Ints, Ints]:
    """Members, and others of the same zone that come so many places later, the first again."""
    one = own[size > apart]
    return one, head[one] + (one - head[one] + apart) % size[one]


def _kinds(true: Mapping[str, Floats], others: Mapping[str, Floats]) -> Sequence[Binned]:
    """Features that are put into bins together: the more continuations, the finer."""

    def edges(name: str, n_bins: int) -> Floats:
        known = [values[name][~np.isnan(values[name])] for values in (true, others)]
        shares = np.arange(1, 2 * n_bins, 2) / (2 * n_bins)
        both = [np.quantile(values, shares) for values in known if len(values)]
        return np.unique(np.quantile(np.concatenate([[0.0], *both]), np.arange(n_bins) / n_bins))

    fine = int(np.clip(np.cbrt(np.count_nonzero(~np.isnan(true["way"])) / 10), 3, 14))
    time, pace = edges("time", 4), edges("pace before", 5)
    way, miss = edges("way", fine), edges("miss", max(fine * 2 // 3, 3))
    part = np.arange(_PARTS**2, dtype=np.float64)
    kinds = (
        Binned(("time", "way", "miss"), (time, way, miss), 1),
        Binned(("time", "way", "one-sided miss"), (time, way, miss), 1),
        Binned(("time", "way alone"), (time, way), 1),
        Binned(("pace before", "pace after", "turn"), (pace, pace, _TURNS), 2),
        Binned(("off",), (_OFF,)),
    )
    return [Binned((_PART, *kind.names), (part, *kind.edges), kind.given + 1) for kind in kinds]


def _table(kind: Binned, true: Floats, others: Floats) -> RatioTable:
    """Ratios that are near 1 in bins with few pairs: Bayes' estimates, with a gamma prior."""
    rows = int(np.prod(kind.shape[: kind.given]))
    true, others = true.reshape(rows, -1), others.reshape(rows, -1)
    each = others.sum(axis=1, keepdims=True) / np.maximum(true.sum(axis=1, keepdims=True), 1)
    return RatioTable.of(kind, (true + _PRIOR).ravel(), (others + _PRIOR * each).ravel())


def around(found: Rotated) -> tuple[Ints, Ints]:
    """Time before which, and from which on, the fixes around each membership are looked for."""
    zones = found.zones
    zone = zones.zone_of_member
    begin, end = bounds(zones.axis, zones.time[zone])
    # Whoever is in a mix zone at the time of a rotation has the fixes of its step in it.
    return begin, np.where(found.rotation[zone] & (found.met < 0), begin, end)


def counted_fixes(found: Rotated) -> tuple[Ints, Ints]:
    """Time from which, and up to which, the fixes of each membership's row count."""
    zones = found.zones
    begin, end = bounds(zones.axis, zones.time[zones.zone_of_member])
    return stretches(found, begin, end, exact=True)


def _around(
    found: Rotated, movement: Movement, usual: float, counted: tuple[Ints, Ints] | None
) -> tuple[Approach, Approach]:
    """The fixes before and after each membership."""
    row = found.zones.members.astype(np.int64)
    begin, until = around(found)
    counted = counted_fixes(found) if counted is None else counted
    before, after = movement.first_number(row, begin), movement.first_number(row, until)

    def approach(near: Ints, far: Ints) -> Approach:
        one, other = (_fixes(movement, row, number).within(counted) for number in (near, far))
        time, point = one.time.astype(np.float64), np.where(one.day[:, None] < 0, np.nan, one.point)
        apart = np.abs(other.time - one.time)
        fresh = (one.day >= 0) & (one.day == other.day) & (apart > 0) & (apart <= usual * _STALE)
        leap = (other.point - one.point) / np.where(fresh, other.time - one.time, 1)[:, None]
        return Approach(time, point, np.where(fresh[:, None], leap, np.nan), one.day)

    return approach(before - 1, before - 2), approach(after, after + 1)


def _fixes(movement: Movement, row: Ints, number: Ints) -> PlacedFixes:
    """Fixes with these numbers, as long as they are those of the row."""
    exists = (number >= 0) & (number < len(movement.user))
    return movement.chosen(row, number, exists)
