"""What makes a feed doubtful: snapshots that are missing, and identifiers that are nearly alike."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from mixsafe.io.gbfs.records import Records
from mixsafe.model.tracklets import FeedGaps

_GAP = 3
"""Times the usual time between snapshots, above which there is a gap."""


def gaps_of(records: Records) -> FeedGaps | None:
    """Where snapshots are missing; None: nowhere, or the data are no snapshots."""
    if not records.snapshots or len(records.times) < _GAP:
        return None
    apart = np.diff(records.times)
    usual = max(int(np.median(apart)), 1)
    gaps = apart[apart > _GAP * usual]
    if not len(gaps):
        return None
    whole = int(records.times[-1] - records.times[0])
    return FeedGaps(len(gaps), int(gaps.max()), float(gaps.sum()) / whole, usual)


def alike_notes(ids: npt.NDArray[np.str_]) -> Iterator[str]:
    """A note if identifiers differ only in case: they are taken for those of different vehicles."""
    first: dict[str, str] = {}
    pairs = []
    for one in ids.tolist():
        other = first.setdefault(one.casefold(), one)
        if other != one:
            pairs.append((other, one))
    if pairs:
        one, other = pairs[0]
        several = len(pairs) > 1
        number = f"{len(pairs):,} identifiers differ" if several else "1 identifier differs"
        differ = "they are taken for different identifiers" if several else "they are taken for two"
        yield (
            f"{number} from another one only in case, such as '{one}' and '{other}': {differ}."
            " If they are of one vehicle, its rides look safer than they are: write them alike."
        )
