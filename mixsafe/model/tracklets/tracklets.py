"""Tracklets: published identifiers, each with a first and a last record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError

Values = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Moments:
    """When, where and with which values tracklets begin, or when, where and how they end.

    Snapshots say only that something happened between two of them. An end is after the last
    snapshot with the identifier (``earliest``) and at or before the next one (``latest``); a
    beginning is after the last snapshot without it and at or before the first one with it.

    Parameters
    ----------
    earliest, latest
        (n,) Unix seconds between which the tracklet begins or ends; equal where the time is known.
    lat, lon
        (n,) degrees of the record next to it; not a number where the data do not say the place.
    cut
        (n,) whether the data begin with the tracklet, or end with it: it is not known whether and
        when it begins or ends.
    fields
        Values of the record, (n,) each, not a number where there is none: ``range`` (metres that
        the vehicle can go), ``battery`` (share of a full one, 0 to 1), ``last_reported`` (Unix
        seconds), ``disabled`` (1 or 0); numbers of equal values: ``type``, ``station``, ``uri`` and
        others; and ``slots``: what is left of slots has the number ``slots``, and all that it may
        be left of have numbers from there to ``slots_until``.

    Raises
    ------
    InputError
        Arrays of different lengths, or ``latest`` before ``earliest``.
    """

    earliest: Ints
    latest: Ints
    lat: Values
    lon: Values
    cut: npt.NDArray[np.bool_]
    fields: Mapping[str, Values] = field(default_factory=dict)

    def __post_init__(self) -> None:
        arrays = (self.latest, self.lat, self.lon, self.cut, *self.fields.values())
        if any(len(array) != len(self.earliest) for array in arrays):
            raise InputError("the columns of tracklets have different lengths")
        if np.any(self.latest < self.earliest):
            raise InputError("a tracklet begins or ends in an interval of negative length")

    def __len__(self) -> int:
        return len(self.earliest)

    @property
    def placed(self) -> npt.NDArray[np.bool_]:
        """(n,) whether the place is known; all others are nowhere in particular."""
        found: npt.NDArray[np.bool_] = np.isfinite(self.lat) & np.isfinite(self.lon)
        return found


@dataclass(frozen=True, eq=False)
class Tracklets:
    """Published identifiers, each from its first record to its last one.

    Parameters
    ----------
    ids
        (n,) str, the identifiers as published, each once.
    begins, ends
        Of each tracklet.
    horizon
        Unix seconds of the first and the last snapshot or record of the data.
    truth
        (n,) number of the vehicle that each tracklet is of, where the data say it (for tests);
        None: unknown, as to an adversary.
    order
        (n,) times of the first records and of the last ones, where ``begins`` and ``ends`` are
        coarser than the order in which identifiers appear and vanish; None: they are not.
    resolution
        By how much values may differ from the true ones because they are rounded: ``place``
        (metres), ``range`` (metres), ``battery`` (share).

    Raises
    ------
    InputError
        Arrays of different lengths.
    """

    ids: npt.NDArray[np.str_]
    begins: Moments
    ends: Moments
    horizon: tuple[int, int]
    truth: Ints | None = None
    order: tuple[Ints, Ints] | None = None
    resolution: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        arrays = (self.begins, self.ends, *(self.order or ()))
        arrays = (*arrays, *(() if self.truth is None else (self.truth,)))
        if any(len(array) != len(self.ids) for array in arrays):
            raise InputError("the columns of tracklets have different lengths")

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def first(self) -> Ints:
        """(n,) times of the first records."""
        return self.begins.latest if self.order is None else self.order[0]

    @property
    def last(self) -> Ints:
        """(n,) times of the last records."""
        return self.ends.earliest if self.order is None else self.order[1]

    def __repr__(self) -> str:
        return f"<Tracklets: {len(self):,}>"
