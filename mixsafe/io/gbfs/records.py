"""First and last records of identifiers, and tracklets from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from mixsafe.geometry.grid import EARTH_RADIUS
from mixsafe.io.gbfs.record_order import Arrival
from mixsafe.io.gbfs.slots import numbered_slots
from mixsafe.io.gbfs.uris import vehicle_tokens
from mixsafe.model.tracklets.tracklets import Moments, Tracklets

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
Values = npt.NDArray[np.float64]
Columns = Mapping[str, npt.NDArray[Any]]

MOVED = 100.0
"""Metres that the position of a parked vehicle does not jump."""


@dataclass(frozen=True, eq=False)
class Records:
    """The first and the last record of each identifier.

    Parameters
    ----------
    ids
        (n,) identifiers, in the order of their first records.
    times
        (n_times,) Unix seconds of the snapshots, ascending.
    first, last
        (n,) snapshots of the records.
    begins, ends
        Columns of the first and of the last records: ``lat`` and ``lon``; those of the fields that
        there are: ``range``, ``battery`` (0 to 1, or 0 to 100), ``last_reported``, ``disabled`` as
        numbers, ``availabilities`` as :data:`mixsafe.io.gbfs.slots.Pattern`, ``type``, ``station``,
        ``uris`` and any others as texts or None.
    missed
        (n,) longest run of snapshots between two with the identifier that are without it.
    moved
        (n,) whether the position moves while the identifier stays.
    truth
        (n,) names of the vehicles; None: unknown.
    snapshots
        Whether the times are those of snapshots; if not, each record has a time of its own.
    several_trips
        Whether identifiers are those of vehicles, each of which may make several trips.
    arrivals
        Identifiers that are new between two others of the list, by time.
    notes
        Assumptions made while reading.
    tz
        Time zone that the data say; None: they say none.
    """

    ids: npt.NDArray[np.str_]
    times: Ints
    first: Ints
    last: Ints
    begins: Columns
    ends: Columns
    missed: Ints
    moved: npt.NDArray[np.bool_]
    truth: npt.NDArray[np.str_] | None = None
    snapshots: bool = True
    several_trips: bool = False
    arrivals: tuple[Arrival, ...] = ()
    notes: tuple[str, ...] = ()
    tz: str | None = None

    @classmethod
    def of(
        cls,
        each: Literal["record", "trip", "stay"],
        ids: npt.NDArray[np.str_],
        times: Ints,
        sightings: tuple[Ints, Ints],
        fields: Columns,
        truth: npt.NDArray[np.str_] | None = None,
    ) -> Records:
        """The first and the last of the sightings of identifiers.

        Parameters
        ----------
        each
            What sightings are: all records of a vehicle; or the begin and the end of each of its
            trips, or of each stay in which it is in all snapshots.
        times
            (n_times,) Unix seconds, ascending.
        sightings
            (n_sightings,) number of the identifier of each, and of its time.
        fields, truth
            (n_sightings,) columns, and names of vehicles.
        """
        order = np.lexsort(sightings[::-1])
        number, at = (column[order] for column in sightings)
        columns = {name: column[order] for name, column in fields.items()}
        new = np.concatenate([[True], number[1:] != number[:-1]])
        starts = np.flatnonzero(new)
        stops = np.append(starts[1:], len(number)) - 1
        row, start = np.arange(len(number)), np.repeat(starts, stops - starts + 1)
        ends_stay = (row - start) % 2 == 1 if each == "stay" else np.zeros(len(row), bool)
        before = np.where(ends_stay, start, np.maximum(row - 1, 0))
        gaps = np.where(new | ends_stay, 0, at - at[before] - 1)
        lat, lon = columns["lat"], columns["lon"]
        jumps = ~new & (metres(lat[before], lon[before], lat, lon) > MOVED)
        moves = row - start > 1 if each == "trip" else jumps
        found = cls(
            ids=ids,
            times=times,
            first=at[starts],
            last=at[stops],
            begins={name: column[starts] for name, column in columns.items()},
            ends={name: column[stops] for name, column in columns.items()},
            missed=np.maximum.reduceat(gaps, starts),
            moved=np.logical_or.reduceat(moves, starts),
            truth=None if truth is None else truth[order][starts],
        )
        return found.taken(np.lexsort((found.ids, found.first)))

    def taken(self, order: Ints | Bools) -> Records:
        """Some of the identifiers, or all in another order."""
        return replace(
            self,
            ids=self.ids[order],
            first=self.first[order],
            last=self.last[order],
            begins={name: column[order] for name, column in self.begins.items()},
            ends={name: column[order] for name, column in self.ends.items()},
            missed=self.missed[order],
            moved=self.moved[order],
            truth=None if self.truth is None else self.truth[order],
        )

    def tracklets(self, missed_polls: int = 0) -> Tracklets:
        """The tracklets.

        Parameters
        ----------
        missed_polls
            Number of snapshots in a row that may miss a vehicle that is there.

        """
        times, last = self.times, len(self.times) - 1
        if self.snapshots:
            before = np.maximum(self.first - 1 - missed_polls, 0)
            after = np.minimum(self.last + 1 + missed_polls, last)
            cut_begin, cut_end = self.first <= missed_polls, self.last >= last - missed_polls
        else:
            before, after = self.first, self.last
            cut_begin, cut_end = self.first == 0, self.last == last
        fields_begin, fields_end = self._fields()
        begins = Moments(
            times[before],
            times[self.first],
            self.begins["lat"],
            self.begins["lon"],
            cut_begin,
            fields_begin,
        )
        ends = Moments(
            times[self.last], times[after], self.ends["lat"], self.ends["lon"], cut_end, fields_end
        )
        horizon = int(times[0]), int(times[-1])
        truth = None if self.truth is None else np.unique(self.truth, return_inverse=True)[1]
        return Tracklets(self.ids, begins, ends, horizon, truth)

    def _fields(self) -> tuple[dict[str, Values], ...]:
        """Fields of the beginnings and of the ends, as :class:`Moments` has them."""
        n, found = len(self.ids), dict[str, Values]()
        for name in (one for one in self.begins if one not in ("lat", "lon")):
            both = np.concatenate([self.begins[name], self.ends[name]])
            if name == "battery" and self.in_percent:
                both = both / 100
            if name == "uris":
                alive = np.tile(self.first, 2), np.tile(self.last, 2)
                both = vehicle_tokens(both, np.tile(np.arange(n), 2), self.ids, *alive)
                name = "uri"
            if name == "availabilities":
                found["slots_until"], both = numbered_slots(both)[::-1]
                name = "slots"
            found[name] = numbered(both) if both.dtype == object else both
        said = {name: np.split(both, 2) for name, both in found.items() if not np.isnan(both).all()}
        return tuple({name: halves[side] for name, halves in said.items()} for side in range(2))

    @property
    def in_percent(self) -> bool:
        """Whether batteries are given in percent: one is above 1."""
        sides = [side["battery"] for side in (self.begins, self.ends) if "battery" in side]
        return any(np.nanmax(battery, initial=0) > 1 for battery in sides)


def metres(lat: Values, lon: Values, to_lat: Values, to_lon: Values) -> Values:
    """Distance of two points each, (n,), short ones; not a number where one is not known."""
    east = (to_lon - lon) * np.cos(np.radians(lat))
    distance: Values = np.hypot(to_lat - lat, east) * np.radians(1) * EARTH_RADIUS
    return distance


def numbered(texts: npt.NDArray[np.object_]) -> npt.NDArray[np.float64]:
    """Number of each text, equal for equal texts; not a number for None."""
    numbers: dict[Any, float] = {None: np.nan}
    for text in texts.tolist():
        numbers.setdefault(text, float(len(numbers) - 1))
    return np.array([numbers[text] for text in texts.tolist()])
