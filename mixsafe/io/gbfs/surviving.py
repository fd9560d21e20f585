"""What goes from an identifier that vanished on to a new one, and how often it would by chance."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.model.tracklets.tracklets import Ints, Tracklets, Values

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
    tracklets: Tracklets, begun: Values, ended: Values, until: Ints | None = None
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
