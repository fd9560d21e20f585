"""Places in questions: those at which zones are chosen together, and where published tracks are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.csr import distinct
from mixsafe.model.mobility.places import PlaceName, PlaceShapes, place_name
from mixsafe.model.mobility.traces import Positions

PER = ("zone", "place", "place:hour")
"""What exchanges are chosen by: zones, places with all their zones, or hours of places."""

MOST_COST = 10**12
"""Limit of the cost of a place, so that sums of costs are int64."""


@dataclass(frozen=True, eq=False)
class ZonePlaces:
    """A place for each mix zone, and a cost for each place.

    Parameters
    ----------
    names
        Name of each place, none twice.
    of
        (n_zones,) int64: number of the place of each zone, in the order of the zones.
    cost
        (n_places,) int64, 0 to ``MOST_COST``: what exchanges at a place cost.

    Raises
    ------
    InputError
        The parts do not fit, a name occurs twice, or a cost is out of range.
    """

    names: tuple[PlaceName, ...]
    of: npt.NDArray[np.int64]
    cost: npt.NDArray[np.int64]

    def __post_init__(self) -> None:
        n = len(self.names)
        if len(self.cost) != n or np.any((self.of < 0) | (self.of >= n)):
            raise InputError("places, their costs and the zones at them do not fit together")
        if len(set(self.names)) < n:
            raise InputError("two places have one name")
        wrong = np.flatnonzero((self.cost < 0) | (self.cost > MOST_COST))
        if len(wrong):
            name, cost = self.names[wrong[0]], self.cost[wrong[0]]
            raise InputError(f"place {name} costs {cost}, not 0 to {MOST_COST:,}")

    def __len__(self) -> int:
        return len(self.names)

    @classmethod
    def named(cls, name_of_zone: Sequence[PlaceName]) -> ZonePlaces:
        """Places by the name of each zone's, in order of first mention; each costs 1."""
        number: dict[PlaceName, int] = {}
        of = [number.setdefault(name, len(number)) for name in name_of_zone]
        return cls(tuple(number), np.array(of, np.int64), np.ones(len(number), np.int64))


UNKNOWN = -1
"""Number of the place of a track that shows none."""

_BLOCK = 1 << 24
"""Tracks times steps that are laid out at once."""


@dataclass(frozen=True, eq=False)
class TrackPlaces:
    """The place of each track at each step, as far as it is published.

    Parameters
    ----------
    row, step, place
        (n_known,) each: at this step (1 to t*) the track of this row shows this place. At most one
        place for a row and a step; without one, the place is unknown.
    names
        Names of the places with outlines, whose ids are -1, -2, …; None: there are only cells or
        regions.
    sensitive
        Ids of the places that are marked as sensitive; None: nothing says which are.
    place_names
        Names of regions 1 to n; None: regions are called by their numbers.
    """

    row: npt.NDArray[np.int32]
    step: npt.NDArray[np.int32]
    place: npt.NDArray[np.int64]
    names: tuple[str, ...] | None = None
    sensitive: npt.NDArray[np.int64] | None = None
    place_names: tuple[str, ...] | None = None

    @classmethod
    def of(cls, positions: Positions, shapes: PlaceShapes | None = None) -> TrackPlaces:
        """Places of the people of traces; ``shapes``: with these outlines among them."""
        columns = positions.row, positions.step, positions.place
        return cls.at(*columns, shapes, positions.place_names)

    @classmethod
    def at(
        cls,
        row: npt.NDArray[np.int32],
        step: npt.NDArray[np.int32],
        place: npt.NDArray[np.int64],
        shapes: PlaceShapes | None,
        place_names: tuple[str, ...] | None = None,
    ) -> TrackPlaces:
        """Places of tracks; ``shapes``: with these outlines among them."""
        if shapes is None:
            return cls(row, step, place, place_names=place_names)
        marked = None if shapes.sensitive is None else -1 - np.flatnonzero(shapes.sensitive)
        return cls(row, step, place, shapes.names, marked)

    @property
    def named(self) -> bool:
        """Whether there are places with outlines, and not only cells or regions."""
        return self.names is not None

    def label(self, number: int) -> PlaceName:
        """Name of a place by its number in ``ids``, or its id where it has none."""
        place = int(self.ids[number])
        if place < 0 and self.names is not None:
            return self.names[-1 - place]
        return place_name(place, self.place_names)

    @cached_property
    def ids(self) -> npt.NDArray[np.int64]:
        """(n_places,) ids of all places that some track shows, ascending."""
        return distinct(self.place)

    @property
    def is_sensitive(self) -> npt.NDArray[np.bool_]:
        """(n_places,) whether each of ``ids`` is marked as sensitive."""
        marked = np.zeros(0, np.int64) if self.sensitive is None else self.sensitive
        return np.isin(self.ids, marked)

    def blocks(
        self, n_rows: int, begin: int, end: int
    ) -> Iterator[tuple[int, npt.NDArray[np.int32]]]:
        """The steps ``begin`` to ``end``, some at a time.

        Yields
        ------
        first, place
            A step, and (n_steps, n_rows) int32: numbers of the places, in ``ids``, that tracks
            show from that step on; ``UNKNOWN`` where they show none.
        """
        at_once = max(1, _BLOCK // max(1, n_rows))
        for first in range(begin, end + 1, at_once):
            steps = min(at_once, end + 1 - first)
            here = np.flatnonzero((self.step >= first) & (self.step < first + steps))
            found = np.full((steps, n_rows), UNKNOWN, np.int32)
            number = np.searchsorted(self.ids, self.place[here]).astype(np.int32)
            found[self.step[here] - first, self.row[here]] = number
            yield first, found


def check_distinct_places(least: int, places: TrackPlaces | None) -> None:
    """Refuse a number of places, or a question about places where none are known.

    Raises
    ------
    InputError
        Fewer than one place, or nobody knows where tracks are.
    """
    if least < 1:
        raise InputError(
            f"{least} distinct places are asked for", hint="ask for 1 or more; 1 only measures"
        )
    if places is None:
        raise InputError(
            "where the candidates are is unknown: the source has mix zones, but no positions",
            hint="use traces, or leave out --distinct-places",
        )
