"""What catches the eye about the identifiers of a feed, without any search."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mixsafe.io.gbfs.records import MOVED, Records, metres
from mixsafe.io.gbfs.surviving import LEVEL, Passed, chance_of, equal_values, same_slots
from mixsafe.model.tracklets.feed import FeedFinding, Kind
from mixsafe.model.tracklets.tracklets import Tracklets

_OTHERWISE_READ = ("range", "battery", "disabled", "type", "station", "slots", "slots_until")
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
        found += [*_order(records), *_in_place(records, tracklets), *_reused(records)]
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
