"""What catches the eye about the identifiers of a feed, without any search.

Above all what goes from an identifier that vanished on to a new one, and how often it would by
chance.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp, log
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.io.gbfs.records import MOVED, Records, metres
from mixsafe.model.tracklets import MOTION, FeedFinding, Ints, Kind, Times, Tracklets, Values

DAY = 86_400
"""Seconds within which the next identifier of a vehicle is looked for."""

SHARE = 0.05
"""Share of the identifiers from which what survives is no accident."""

LEVEL = 0.01
"""Probability that chance may have of doing as much."""


@dataclass(frozen=True, eq=False)
class Passed:
    """What identifiers pass on to the next one of their vehicle.

    Parameters
    ----------
    one, other
        (n,) numbers of the tracklets that pass it on, and of those that have it next.
    of
        Number of tracklets that might.
    expected
        Of these, how many would by chance.
    """

    one: Ints
    other: Ints
    of: int
    expected: float

    @property
    def is_found(self) -> bool:
        """Whether so many do that it is no accident."""
        count = len(self.one)
        return count > SHARE * self.of and chance_of(count, self.of, self.expected) < LEVEL


def chance_of(count: int, of: int, expected: float) -> float:
    """Largest probability that so many or more of independent cases occur (Chernoff).

    Parameters
    ----------
    count, of
        Number of cases that occurred, and of all.
    expected
        Sum of their probabilities.
    """
    if count <= expected:
        return 1.0
    if expected == 0:
        return 0.0
    share, rate = count / of, expected / of
    rest = 0.0 if share == 1 else (1 - share) * log((1 - share) / (1 - rate))
    return exp(-of * (share * log(share / rate) + rest))


def equal_values(
    tracklets: Tracklets, begun: Values, ended: Values, until: Times | None = None
) -> Passed:
    """Values that an identifier has at last, and exactly one later identifier at first.

    A value that two identifiers have at one time is of no single vehicle, and left out. How often
    such pairs are equal tells how often others are by chance.

    Parameters
    ----------
    begun, ended
        (n,) values of the first and of the last records; not a number: unknown.
    until
        (n,) time at which the other one must have begun; None: within a day.
    """
    until = tracklets.last + DAY if until is None else until
    rows, value = _valued(tracklets, np.concatenate([begun, ended]))
    one, other = rows[:-1], rows[1:]
    again = value[1:] == value[:-1]
    at_once = again & (tracklets.last[one] >= tracklets.first[other])
    alone = again & ~at_once & ~np.isin(value[1:], value[1:][at_once])
    alone &= ~tracklets.ends.cut[one] & ~tracklets.begins.cut[other]
    alone &= (ended[one] == value[:-1]) & (begun[other] == value[1:])
    alone &= tracklets.first[other] <= until[one]
    goes = np.flatnonzero(~tracklets.ends.cut & ~np.isnan(ended))
    comes = np.sort(tracklets.first[~tracklets.begins.cut & ~np.isnan(begun)])
    later = np.searchsorted(comes, until[goes], "right")
    later -= np.searchsorted(comes, tracklets.last[goes], "right")
    rate = _share(int(np.count_nonzero(at_once)), _pairs_at_once(tracklets, np.unique(rows)))
    return Passed(one[alone], other[alone], len(goes), float(np.minimum(later * rate, 1).sum()))


def _share(count: float, of: float) -> float:
    return count / of if of else 0.0


def _pairs_at_once(tracklets: Tracklets, rows: Ints) -> int:
    """Number of pairs of tracklets that are there at the same time."""
    begins = np.sort(tracklets.first[rows])
    after = np.searchsorted(begins, np.sort(tracklets.last[rows]), "right")
    return int((after - np.arange(1, len(rows) + 1)).sum())


def _valued(tracklets: Tracklets, value: Values) -> tuple[Ints, Values]:
    """Each tracklet once per value of its first or last record, by values and first records."""
    rows = np.tile(np.arange(len(tracklets)), 2)
    known = np.flatnonzero(~np.isnan(value))
    rows, value = rows[known], value[known]
    order = np.lexsort((rows, tracklets.first[rows], value))
    rows, value = rows[order], value[order]
    new = np.ones(len(rows), bool)
    new[1:] = (rows[1:] != rows[:-1]) | (value[1:] != value[:-1])
    return rows[new], value[new]


def same_slots(tracklets: Tracklets) -> Passed:
    """Slots of which an identifier has the last ones at first, and exactly one had them before.

    That is, one of those that vanished in the last day; and no other that is there has them.
    """
    begun, ended = (side.fields["slots"] for side in (tracklets.begins, tracklets.ends))
    until, first, last = tracklets.begins.fields["slots_until"], tracklets.first, tracklets.last
    comes = np.flatnonzero(~tracklets.begins.cut & ~np.isnan(begun))
    goes = _Sorted.of(ended, ~tracklets.ends.cut)
    there = _Sorted.of(begun)
    firsts, lasts, ends = np.sort(first[there.rows]), np.sort(last[there.rows]), last[goes.rows]
    ends.sort()
    n_before, n_there, same_there, pairs = 0, 0, 0, []
    for row in comes.tolist():
        now = first[row]
        alive = there.between(begun[row], until[row])
        alive = alive[(first[alive] <= now) & (last[alive] >= now) & (alive != row)]
        before = goes.between(begun[row], until[row])
        before = before[(last[before] < now) & (last[before] >= now - DAY)]
        n_there += int(np.searchsorted(firsts, now, "right") - np.searchsorted(lasts, now)) - 1
        n_before += int(np.searchsorted(ends, now) - np.searchsorted(ends, now - DAY))
        same_there += len(alive)
        if len(before) == 1 and not len(alive):
            pairs.append((int(before[0]), row))
    one, other = np.array(pairs, np.int64).reshape(-1, 2).T
    expected = min(n_before * _share(same_there, n_there), len(comes))
    return Passed(one, other, len(comes), float(expected))


class _Sorted(NamedTuple):
    """Rows in the order of their values, and these."""

    rows: Ints
    values: Values

    @classmethod
    def of(cls, values: Values, chosen: npt.NDArray[np.bool_] | None = None) -> _Sorted:
        """The chosen rows with a value."""
        known = ~np.isnan(values)
        rows = np.flatnonzero(known if chosen is None else known & chosen)
        rows = rows[np.argsort(values[rows], kind="stable")]
        return cls(rows, values[rows])

    def between(self, least: float, most: float) -> Ints:
        """Rows whose values are from the least to the most."""
        low, high = np.searchsorted(self.values, least), np.searchsorted(self.values, most, "right")
        return self.rows[low:high]


_OTHERWISE_READ = (
    "range", "battery", "disabled", "type", "station", "slots", "slots_until", *MOTION, "fraction",
)  # fmt: skip
"""Fields that do not name a vehicle, or are looked at in another way."""


def findings_of(records: Records, tracklets: Tracklets) -> tuple[FeedFinding, ...]:
    """Findings about identifiers, the gravest first.

    What survives a change of the identifier is found if it does so for more than one identifier in
    twenty, and chance does as much with a probability below 1%.
    """
    found: list[FeedFinding] = []
    if records.snapshots or records.several_trips:
        found += _kept(records)
    found += [*_stamps(tracklets), *_tokens(tracklets), *_fields(tracklets), *_slots(tracklets)]
    if records.snapshots:
        found += _order(records)
    if records.snapshots and not records.moving:
        found += [*_in_place(records, tracklets), *_reused(records)]
    return tuple(found)


def _kept(records: Records) -> Iterator[FeedFinding]:
    """Identifiers that vehicles keep while they move."""
    count, n = int(np.count_nonzero(records.moved)), len(records.ids)
    move = "make several trips" if records.several_trips else f"move more than {MOVED:g} m"
    if count:
        first = str(records.ids[int(records.moved.argmax())])
        yield FeedFinding(
            "kept",
            f"{count:,} of {n:,} identifiers stay the same while their vehicles {move}, such as"
            f" '{first}': these rides need no search.",
            count,
            n,
            (first,),
            "Give the vehicle a new random identifier after each trip.",
        )


def _reused(records: Records) -> Iterator[FeedFinding]:
    """Identifiers that return where they were."""
    back = (records.missed > 0) & ~records.moved
    count, n = int(np.count_nonzero(back)), len(records.ids)
    if count:
        most, first = int(records.missed[back].max()), str(records.ids[int(back.argmax())])
        yield FeedFinding(
            "reused",
            f"{count:,} of {n:,} identifiers are missing in up to {most:,} snapshots and return at"
            f" the same place, such as '{first}'; each is taken as one tracklet.",
            count,
            n,
            (first,),
        )


def _survives(
    kind: Kind,
    passed: Passed,
    tracklets: Tracklets,
    does: str,
    advice: str,
    counts: tuple[int, int] | None = None,
) -> Iterator[FeedFinding]:
    """The finding about what survives, unless chance does as much.

    Parameters
    ----------
    does
        What identifiers do, between their numbers and an example.
    counts
        Numbers of those that do, and of all; None: of those that pass something on.
    """
    if not passed.is_found:
        return
    count, of = counts or (len(passed.one), passed.of)
    one, other = (str(tracklets.ids[side[0]]) for side in (passed.one, passed.other))
    yield FeedFinding(
        kind,
        f"{count:,} of {of:,} identifiers {does}, such as '{one}' and '{other}'.",
        count,
        of,
        (one, other),
        advice,
    )


def _in_place(records: Records, tracklets: Tracklets) -> Iterator[FeedFinding]:
    """Identifiers that change from one snapshot to the next although the vehicle stays.

    At a station another vehicle may arrive, of another type, battery and range.
    """
    sides = tracklets.begins, tracklets.ends
    lat, lon = (np.concatenate([getattr(side, name) for side in sides]) for name in ("lat", "lon"))
    blank = np.full(len(tracklets), np.nan)
    values = [np.round(lat, 5), np.round(lon, 5)]
    docked = ~np.isnan(np.concatenate([side.fields.get("station", blank) for side in sides]))
    for name in ("type", "battery", "range"):
        value = np.concatenate([side.fields.get(name, blank) for side in sides])
        values.append(np.where(docked & ~np.isnan(value), value, -1))
    known = np.flatnonzero(np.isfinite(lat))
    place = np.full(len(lat), np.nan)
    place[known] = np.unique(np.stack(values, 1)[known], axis=0, return_inverse=True)[1].reshape(-1)
    begun, ended = np.split(place, 2)
    after = records.times[np.minimum(records.last + 1, len(records.times) - 1)]
    yield from _survives(
        "each poll",
        equal_values(tracklets, begun, ended, until=after),
        tracklets,
        "that vanish are replaced at the same place in the next snapshot: they change although"
        " nothing moves",
        "Change the identifier once per trip only: each further change tells that the old and the"
        " new one are one vehicle.",
    )


def _tokens(tracklets: Tracklets) -> Iterator[FeedFinding]:
    """Tokens of rental URIs that several identifiers share, one after the other."""
    if "uri" not in tracklets.begins.fields:
        return
    begun, ended = (side.fields["uri"] for side in (tracklets.begins, tracklets.ends))
    passed = equal_values(tracklets, begun, ended)
    yield from _survives(
        "token",
        passed,
        tracklets,
        "share a token of their rental URIs with another one",
        "Change rental_uris with the identifier; --fields uri shows what they give away.",
        (len(np.union1d(passed.one, passed.other)), len(tracklets)),
    )


def _stamps(tracklets: Tracklets) -> Iterator[FeedFinding]:
    """Times of reports that go from one identifier on to exactly one later one."""
    if "last_reported" not in tracklets.begins.fields:
        return
    begun, ended = (side.fields["last_reported"] for side in (tracklets.begins, tracklets.ends))
    # After a ride a vehicle reports anew; a time from before the beginning has survived it.
    old = tracklets.begins.cut | (begun < tracklets.begins.earliest)
    yield from _survives(
        "time stamp",
        equal_values(tracklets, np.where(old, begun, np.nan), ended),
        tracklets,
        "that vanish share the time of their last report with exactly one identifier that follows",
        "Leave last_reported out, or round it; --fields last_reported shows what it gives away.",
    )


def _fields(tracklets: Tracklets) -> Iterator[FeedFinding]:
    """Any other values that go from one identifier on to the next."""
    for name, begun in tracklets.begins.fields.items():
        if name not in ("uri", "last_reported", *_OTHERWISE_READ):
            yield from _survives(
                "field",
                equal_values(tracklets, begun, tracklets.ends.fields[name]),
                tracklets,
                f"that vanish share their {name} with exactly one identifier that follows",
                f"Leave {name} out, or change it with the identifier; --fields {name} shows what it"
                " gives away.",
            )


def _slots(tracklets: Tracklets) -> Iterator[FeedFinding]:
    """Time slots that an identifier has from exactly one that vanished."""
    if "slots_until" in tracklets.begins.fields:
        yield from _survives(
            "slots",
            same_slots(tracklets),
            tracklets,
            "that are new have the slots of exactly one that vanished",
            "Publish slots of stations and types, not of vehicles, or round them; --fields slots"
            " shows what they give away.",
        )


def _order(records: Records) -> Iterator[FeedFinding]:
    """Identifiers that are new where another one was in the list, and elsewhere on the street."""
    row = {name: number for number, name in enumerate(records.ids.tolist())}
    hits, chances = [], []
    for new, old, chance in records.arrivals:
        if new not in row or (old is not None and old not in row):
            continue
        if old is not None:
            if _is_same_place(records, row[old], row[new]):
                continue  # a list that is sorted by places
            hits.append((old, new))
        chances.append(chance)
    count, n, expected = len(hits), len(chances), sum(chances)
    if 2 * (count - expected) > n - expected and chance_of(count, n, expected) < LEVEL:
        one, other = hits[0]
        yield FeedFinding(
            "order",
            f"{count:,} of {n:,} identifiers that are new have the place in the list that another"
            f" one had, such as '{other}' that of '{one}'; {expected:,.0f} would by chance.",
            count,
            n,
            (one, other),
            "Sort the list by the new identifiers, or shuffle it.",
        )


def _is_same_place(records: Records, old: int, new: int) -> bool:
    """Whether an identifier begins where another one ended."""
    ended, begun = records.ends, records.begins
    stations = ended["station"][old], begun["station"][new]
    if None not in stations and stations[0] == stations[1]:
        return True
    points = (
        side[name][row] for side, row in ((ended, old), (begun, new)) for name in ("lat", "lon")
    )
    return bool(metres(*points) <= MOVED)
