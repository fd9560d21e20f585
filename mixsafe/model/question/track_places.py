"""Where published tracks are at each step, for questions about the places of candidates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.distinct import distinct
from mixsafe.model.mobility.place_names import PlaceName, place_name
from mixsafe.model.mobility.place_shapes import PlaceShapes
from mixsafe.model.mobility.traces import Positions

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
