"""First and last records of identifiers, and tracklets from them.

A list that is sorted by vehicle keeps the place of a vehicle that is away. Identifiers that are
new then appear between the same two neighbours between which another one has vanished.

A deep link into an app, such as ``https://app.example/open?vehicle=SN-4711``, may name the
vehicle itself and so outlive all changes of its identifier: its tokens that belong to a vehicle,
and not to its identifier or the operator, are kept.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.geometry.grid import EARTH_RADIUS
from mixsafe.io.gbfs.parsing import numbered_slots
from mixsafe.model.tracklets import Moments, Times, Tracklets

LONGEST = 7_200
"""Seconds of the longest ride whose vehicle is looked for."""

ENOUGH = 2_000
"""Arrivals that tell what there is to tell."""


class Arrival(NamedTuple):
    """An identifier that is new, between two others that were there before.

    Parameters
    ----------
    new, old
        The identifier, and one that vanished between the same two not long ago; None: none did.
    chance
        Probability that there is one, if the place of the new one is any, and all are alike.
    """

    new: str
    old: str | None
    chance: float


@dataclass
class RecordOrder:
    """The order of identifiers, with the places of those that vanished in the last two hours.

    Parameters
    ----------
    line
        Identifiers in order.
    gone
        Unix seconds at which those of the line that are not there vanished.
    arrivals
        The first ones. Those at the begin and at the end of the list are left out: lists in which
        the last one to come is first, or last, say nothing of vehicles.
    """

    line: list[str] = field(default_factory=list)
    gone: dict[str, int] = field(default_factory=dict)
    arrivals: list[Arrival] = field(default_factory=list)

    def step(self, names: Sequence[str], known: Set[str], time: int) -> None:
        """Go on to the next snapshot.

        Parameters
        ----------
        names
            Its identifiers in the order of the file.
        known
            Those of the snapshot before.
        time
            Unix seconds.
        """
        if len(self.arrivals) >= ENOUGH:
            return
        there, line = set(names), set(self.line)
        stay = [name for name in names if name in line]
        if stay != [name for name in self.line if name in there]:
            self.line, self.gone = list(names), {}  # sorted anew: nothing of it survives
            return
        self.gone |= dict.fromkeys(known - there, time)
        gaps = self._gaps(there, time)
        self.gone = {name: self.gone[name] for gap in gaps for name in gap}
        sizes = [len(gap) + 1 for gap in gaps[1:-1]]
        covered = sum(size for size in sizes if size > 1)
        self.line, number, fresh = [], 0, list[str]()
        for name in [*names, None]:
            if name is not None and name not in line:
                fresh.append(name)
                continue
            gap = gaps[number]
            for one in fresh:
                old = gap.pop(0) if gap else None
                self.gone.pop(old or "", None)
                if 0 < number < len(gaps) - 1:
                    self.arrivals.append(Arrival(one, old, covered / sum(sizes)))
            self.line += [*fresh, *gap, *([] if name is None else [name])]
            number, fresh = number + 1, []

    def _gaps(self, there: Set[str], time: int) -> list[list[str]]:
        """Identifiers that vanished not long ago, before each that is there and after the last."""
        gaps: list[list[str]] = [[]]
        for name in self.line:
            if name in there:
                gaps.append([])
            elif self.gone[name] >= time - LONGEST:
                gaps[-1].append(name)
        return gaps


Ints = npt.NDArray[np.int64]

_WORD = re.compile(r"[A-Za-z0-9_-]+")
SHORTEST = 3
"""Letters of a token."""


def vehicle_tokens(
    uris: npt.NDArray[np.object_],
    tracklet: Ints,
    ids: npt.NDArray[np.str_],
    first: Ints,
    last: Ints,
) -> npt.NDArray[np.object_]:
    """The part of each record's URIs that can be of one vehicle only.

    That is, the tokens without the identifier and without those that two identifiers have at the
    same time, which are the operator's.

    Parameters
    ----------
    uris
        (n_records,) URIs, one per line; None: there are none.
    tracklet
        (n_records,) number of the identifier of each record.
    ids
        (n,) identifiers.
    first, last
        (n_records,) snapshots from and to which its identifier is published.

    Returns
    -------
    tokens
        (n_records,) texts; None where nothing is left.
    """
    held: list[tuple[str, ...]] = []
    until: dict[str, int] = {}
    shared: set[str] = set()
    order = np.argsort(first, kind="stable")
    words = [_words(text, str(ids[one])) for text, one in zip(uris, tracklet, strict=True)]
    holder: dict[str, int] = {}
    for row in order.tolist():
        for word in words[row]:
            if word in until and until[word] >= first[row] and holder[word] != tracklet[row]:
                shared.add(word)
            until[word] = max(until.get(word, -1), int(last[row]))
            holder[word] = int(tracklet[row])
    held = [tuple(word for word in one if word not in shared) for one in words]
    found = np.empty(len(uris), object)
    found[:] = [" ".join(one) or None for one in held]
    return found


def _words(text: str | None, identifier: str) -> tuple[str, ...]:
    """The tokens of a record's URIs, without its identifier."""
    if not text:
        return ()
    words = _WORD.findall(text.replace(identifier, " "))
    return tuple(sorted({word for word in words if len(word) >= SHORTEST}))


Bools = npt.NDArray[np.bool_]

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
        numbers, ``availabilities`` as :data:`mixsafe.io.gbfs.parsing.Pattern`, ``type``,
        ``station``, ``uris`` and any others as texts or None.
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
    moving
        Whether the records are messages of vehicles that move, not of vehicles that stand.
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
    moving: bool = False

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
        within = fields.get("fraction", np.zeros(len(sightings[0])))
        order = np.lexsort((within, *sightings[::-1]))
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
        moving = _move(columns)
        if moving:
            jumps[:] = False  # whoever moves is elsewhere after each silence
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
            moving=moving,
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
        begun, ended = (_rounded_up(fields) for fields in (fields_begin, fields_end))
        begins = Moments(
            times[before],
            times[self.first] + begun,
            self.begins["lat"],
            self.begins["lon"],
            cut_begin,
            fields_begin,
        )
        ends = Moments(
            times[self.last],
            times[after] + ended,
            self.ends["lat"],
            self.ends["lon"],
            cut_end,
            fields_end,
        )
        horizon = int(times[0]), int(times[-1])
        truth = None if self.truth is None else np.unique(self.truth, return_inverse=True)[1]
        order: tuple[Times, Times] | None = None
        if "fraction" in fields_begin:
            order = (
                times[self.first] + fields_begin["fraction"],
                times[self.last] + fields_end["fraction"],
            )
        return Tracklets(self.ids, begins, ends, horizon, truth, order)

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


def _move(columns: Columns) -> bool:
    """Whether half of the records that say a speed say one above 0."""
    speed = columns.get("speed", np.zeros(0))
    known = speed[~np.isnan(speed)]
    return bool(2 * np.count_nonzero(known > 0) >= max(len(known), 1))


def _rounded_up(fields: Columns) -> Ints | int:
    """(n,) 1 where a time is after the second that it was rounded down to, else 0."""
    return (fields["fraction"] > 0).astype(np.int64) if "fraction" in fields else 0


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
