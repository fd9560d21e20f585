"""What catches the eye about the identifiers of a feed, without any search."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mixsafe.io.gbfs.records import MOVED, Records
from mixsafe.model.tracklets.feed import Finding
from mixsafe.model.tracklets.tracklets import Ints, Tracklets, Values

SHARE = 0.05
"""Share of ends from which changes without a move are no accidents."""


def findings_of(records: Records, tracklets: Tracklets) -> tuple[Finding, ...]:
    """Findings about identifiers, the gravest first."""
    found: list[Finding] = []
    if records.snapshots:
        found += [*_kept(records), *_stamps(tracklets), *_tokens(tracklets), *_in_place(records)]
        found += _reused(records)
    else:
        found += _kept(records) if records.several_trips else ()
        found += [*_stamps(tracklets), *_tokens(tracklets)]
    return tuple(found)


def _kept(records: Records) -> Iterator[Finding]:
    """Identifiers that vehicles keep while they move."""
    count, n = int(np.count_nonzero(records.moved)), len(records.ids)
    move = "make several trips" if records.several_trips else f"move more than {MOVED:g} m"
    if count:
        yield Finding(
            "kept",
            f"{count:,} of {n:,} identifiers stay the same while their vehicles {move}: these rides"
            " need no search.",
            count,
            n,
        )


def _reused(records: Records) -> Iterator[Finding]:
    """Identifiers that return where they were."""
    back = (records.missed > 0) & ~records.moved
    count, n = int(np.count_nonzero(back)), len(records.ids)
    if count:
        most = int(records.missed[back].max())
        yield Finding(
            "reused",
            f"{count:,} of {n:,} identifiers are missing in up to {most:,} snapshots and return at"
            " the same place; each is taken as one tracklet.",
            count,
            n,
        )


def _in_place(records: Records) -> Iterator[Finding]:
    """Identifiers that change from one snapshot to the next although the vehicle stays."""
    last = len(records.times) - 1
    goes = np.flatnonzero(records.last < last)
    begins = np.round(np.stack([records.begins["lat"], records.begins["lon"]]), 5)
    ends = np.round(np.stack([records.ends["lat"], records.ends["lon"]]), 5)
    new = set(zip(records.first.tolist(), *begins.tolist(), strict=True))
    old = zip((records.last[goes] + 1).tolist(), *ends[:, goes].tolist(), strict=True)
    count = sum(one in new for one in old)
    if count > SHARE * len(goes):
        yield Finding(
            "each poll",
            f"{count:,} of {len(goes):,} identifiers that vanish are replaced at the same place in"
            " the next snapshot: they change although nothing moves.",
            count,
            len(goes),
        )


def _tokens(tracklets: Tracklets) -> Iterator[Finding]:
    """Tokens of rental URIs that several identifiers share, one after the other."""
    if "uri" not in tracklets.begins.fields:
        return
    token = tracklets.begins.fields["uri"]
    known = np.flatnonzero(~np.isnan(token))
    _, number, count = np.unique(token[known], return_inverse=True, return_counts=True)
    shared = count[number] > 1
    n = int(np.count_nonzero(shared))
    if n:
        first = number[int(shared.argmax())]
        one, other = tracklets.ids[known[number == first]][:2]
        yield Finding(
            "token",
            f"{n:,} of {len(tracklets):,} identifiers share a token of their rental URIs with"
            f" another one, such as '{one}' and '{other}'; compare the field uri.",
            n,
            len(tracklets),
        )


def _stamps(tracklets: Tracklets) -> Iterator[Finding]:
    """Times of reports that go from one identifier on to exactly one later one."""
    if "last_reported" not in tracklets.begins.fields:
        return
    sides = tracklets.begins, tracklets.ends
    begun, ended = (side.fields["last_reported"] for side in sides)
    # After a ride a vehicle reports anew; a time from before the beginning has survived it.
    old = ~tracklets.begins.cut & (begun < tracklets.begins.earliest)
    goes = ~tracklets.ends.cut & ~np.isnan(ended)
    rows, stamp = _stamped(tracklets, np.concatenate([begun, ended]))
    again = stamp[1:] == stamp[:-1]
    # At one time a stamp of two vehicles says nothing, such as that of a nightly update.
    at_once = again & (tracklets.last[rows[:-1]] >= tracklets.first[rows[1:]])
    alone = again & ~np.isin(stamp[1:], stamp[1:][at_once])
    one, other = rows[:-1][alone], rows[1:][alone]
    count = int(np.count_nonzero(goes[one] & old[other] & (ended[one] == begun[other])))
    n = int(np.count_nonzero(goes))
    if count:
        yield Finding(
            "time stamp",
            f"{count:,} of {n:,} identifiers that vanish share the time of their last report with"
            " exactly one identifier that follows; compare the field last_reported.",
            count,
            n,
        )


def _stamped(tracklets: Tracklets, stamp: Values) -> tuple[Ints, Values]:
    """Each tracklet once per stamp of its first or last record, by stamps and first records."""
    rows = np.tile(np.arange(len(tracklets)), 2)
    known = np.flatnonzero(~np.isnan(stamp))
    rows, stamp = rows[known], stamp[known]
    order = np.lexsort((rows, tracklets.first[rows], stamp))
    rows, stamp = rows[order], stamp[order]
    new = np.ones(len(rows), bool)
    new[1:] = (rows[1:] != rows[:-1]) | (stamp[1:] != stamp[:-1])
    return rows[new], stamp[new]
