"""Location traces: fixes as read, whole or in batches, and positions per user and time step.

Fixes are in the order of users and times, and of places where these are equal. Those of a source
larger than memory are in the order of its file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.mobility.instant import DateOrder
from mixsafe.model.mobility.places import PlaceMeanings, PlaceName, PlaceShapes
from mixsafe.model.mobility.premises import Premises
from mixsafe.model.mobility.published_steps import PublishedSteps
from mixsafe.model.mobility.time_axis import TimeAxis

Scalar = TypeVar("Scalar", bound=np.generic)

_BITS = 63
"""Of a number that is not negative."""


def in_order(*keys: npt.NDArray[Any]) -> npt.NDArray[np.int64] | None:
    """A stable order by the keys, the first first; None if they are already sorted."""
    return None if in_sequence(keys) else stable_order(*keys)


def stable_order(*keys: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    """A stable order by the keys, the first first.

    Each row is one number, of its keys and its place, if 63 bits hold them: NumPy sorts such ones
    ten times as fast as by several keys.
    """
    n_rows = len(keys[0])
    if not n_rows:
        return np.zeros(0, np.int64)
    lows = [int(key.min()) for key in keys]
    widths = [(int(key.max()) - low).bit_length() for key, low in zip(keys, lows, strict=True)]
    of_place = (n_rows - 1).bit_length()
    if sum(widths) + of_place > _BITS:
        return np.lexsort(keys[::-1])
    packed = np.zeros(n_rows, np.int64)
    for key, low, width in zip(keys, lows, widths, strict=True):
        packed <<= width
        packed |= key.astype(np.int64) - low
    packed <<= of_place
    packed |= np.arange(n_rows)
    packed.sort()
    packed &= (1 << of_place) - 1
    return packed


def in_sequence(keys: Sequence[npt.NDArray[Any]]) -> bool:
    """Whether rows are sorted by keys, the first first."""
    later = keys[-1][1:] >= keys[-1][:-1]
    for key in keys[-2::-1]:
        later = (key[1:] > key[:-1]) | ((key[1:] == key[:-1]) & later)
    return bool(later.all())


def take(array: npt.NDArray[Scalar], order: npt.NDArray[np.int64] | None) -> npt.NDArray[Scalar]:
    """Reorder an array; unchanged if ``order`` is None."""
    return array if order is None else array[order]


def equal_to_next(columns: Sequence[npt.NDArray[Any]]) -> npt.NDArray[np.bool_]:
    """(n - 1,) whether the next row has the same values."""
    equal: npt.NDArray[np.bool_] = columns[0][1:] == columns[0][:-1]
    for column in columns[1:]:
        equal &= column[1:] == column[:-1]
    return equal


def same_moment_in_order(
    keys: Sequence[npt.NDArray[Any]],
    places: Sequence[npt.NDArray[Any]],
    again: npt.NDArray[np.bool_],
    order: npt.NDArray[np.int64] | None,
) -> npt.NDArray[np.int64]:
    """The order in which rows of one user and time are also sorted by place.

    Rows do not say in which of two places a user is at one moment, and which of them comes first in
    a file must not matter. The last one counts: the northernmost, then the easternmost, or the
    region with the largest number, or the last name.

    Parameters
    ----------
    keys
        (n,) columns of users and times, in order.
    places
        (n,) columns of places, as in the file.
    again
        (n - 1,) whether the next row has the same keys.
    order
        (n,) rows of the file by keys; None: as they are.
    """
    whole = np.arange(len(keys[0])) if order is None else order.copy()
    slots = np.flatnonzero(np.append(again, False) | np.append(False, again))
    rows = whole[slots]
    columns = [*(key[slots] for key in keys), *(place[rows] for place in places)]
    whole[slots] = rows[np.lexsort(columns[::-1])]
    return whole


def elsewhere_note(count: int) -> tuple[str, ...]:
    """A note on the number of fixes with another one of the same user at the same time."""
    if not count:
        return ()
    some = "1 fix has" if count == 1 else f"{count:,} fixes have"
    return (
        f"{some} the same user and time as another one elsewhere: the northernmost counts, or the"
        " region with the largest number, or the last name",
    )


Names = npt.NDArray[np.int64] | npt.NDArray[np.object_]


@dataclass(frozen=True)
class PlacedTime:
    """A time in a source, with its line.

    Parameters
    ----------
    time
        Unix seconds (UTC), or a time_id.
    error
        Returns the error that names its line, given a message and a hint.
    """

    time: int
    error: Callable[[str, str | None], InputError]


@dataclass(frozen=True, eq=False)
class Traces:
    """The fixes of some users, sorted by user and time.

    Parameters
    ----------
    users
        Names, (n_users,): integers if every name is one, else strings. A user may have no fix.
    user
        Row of the user of each fix, (n_fixes,) int32, ascending.
    time
        (n_fixes,) int64, ascending within a user: Unix seconds (UTC), or time_ids.
    clock
        Meaning of ``time``.
    lat, lon
        (n_fixes,) float64, degrees (EPSG:4326); None if places are regions.
    region
        (n_fixes,) int64 numbers of regions; None if places are coordinates.
    tz
        Zone in which the data's days begin and end: an IANA name, or an offset such as ``+09:00``.
    order
        What comes first in dates whose year comes last, in files about the data.
    window
        First and last+1 ``time`` of the data, with or without a fix; None: from the first fix to
        the last.
    center
        Mean latitude and longitude of the whole source, degrees. Selections keep it, so that
        samples of one source share one grid.
    notes
        What the reader merged, dropped or assumed: one sentence with counts each.
    shapes
        Places with outlines in which people mix; None: grid cells or regions.
    ends
        First and last time of the source, with their lines; empty if unknown.
    premises
        Rows that are no data, and people who may be one.
    place_names
        Names of regions 1 to n, sorted, none twice; None: regions are called by their numbers.
    stay_step
        Seconds between the fixes of stays: time steps must not be shorter; None: no stays.
    """

    users: Names
    user: npt.NDArray[np.int32]
    time: npt.NDArray[np.int64]
    clock: Literal["unix", "time_id"]
    lat: npt.NDArray[np.float64] | None = None
    lon: npt.NDArray[np.float64] | None = None
    region: npt.NDArray[np.int64] | None = None
    tz: str = "UTC"
    order: DateOrder | None = None
    window: tuple[int, int] | None = None
    center: tuple[float, float] | None = None
    notes: tuple[str, ...] = ()
    shapes: PlaceShapes | None = None
    ends: tuple[PlacedTime, ...] = ()
    premises: Premises = field(default_factory=Premises)
    place_names: tuple[str, ...] | None = None
    stay_step: int | None = None

    @property
    def in_cells(self) -> bool:
        """Whether people mix in cells of a grid, and not at regions or given places alone."""
        return self.region is None and (self.shapes is None or self.shapes.elsewhere)

    def those(self, fixes: npt.NDArray[np.int64]) -> Traces:
        """The fixes with these ascending numbers, of the same users."""
        return replace(
            self,
            user=self.user[fixes],
            time=self.time[fixes],
            lat=None if self.lat is None else self.lat[fixes],
            lon=None if self.lon is None else self.lon[fixes],
            region=None if self.region is None else self.region[fixes],
        )

    def __repr__(self) -> str:
        return f"<Traces: {len(self.users):,} users, {len(self.user):,} fixes>"


@dataclass(frozen=True, eq=False)
class Positions:
    """Positions of users in time steps: at most one place per (user, step).

    Parameters
    ----------
    users
        Names, (n_users,).
    axis
        The time steps.
    row, step, place
        (n_positions,) each, sorted by (row, step): the user's row (int32), the step
        1..t* (int32), the id of the region or grid cell (int64); -1, -2, … are the places of
        ``Traces.shapes``. No entry: the position is unknown.
    notes
        What was merged or dropped, with counts.
    all_published
        Steps with a fix, also where people do not mix at its place; None: those of the positions.
    premises, place_names
        Rows that are no data, and people who may be one; names of regions 1 to n, None: numbers.
    cells
        Whether people mix in cells of a grid, whose size can be chosen.
    """

    users: Names
    axis: TimeAxis
    row: npt.NDArray[np.int32]
    step: npt.NDArray[np.int32]
    place: npt.NDArray[np.int64]
    notes: tuple[str, ...] = ()
    all_published: PublishedSteps | None = None
    premises: Premises = field(default_factory=Premises)
    place_names: tuple[str, ...] | None = None
    cells: bool = True

    def __repr__(self) -> str:
        users, steps = len(self.users), self.axis.steps
        return f"<Positions: {len(self.row):,} of {users:,} users, {steps:,} steps>"

    @cached_property
    def published(self) -> PublishedSteps:
        """Steps in which something of each user is published."""
        if self.all_published is not None:
            return self.all_published
        return PublishedSteps.of(self.row, self.step, len(self.users))

    @property
    def absent(self) -> npt.NDArray[np.int64]:
        """Ascending rows of the users without data."""
        return np.flatnonzero(self.published.counts == 0)

    def only(self, counts: npt.NDArray[np.bool_]) -> Positions:
        """The positions selected by a mask, (n_positions,); the others stay published."""
        return replace(
            self,
            row=self.row[counts],
            step=self.step[counts],
            place=self.place[counts],
            all_published=self.published,
        )


class FixPiece(NamedTuple):
    """A batch of fixes in file order.

    Parameters
    ----------
    user
        (n,) int32: number of the user, by first occurrence in the source.
    time, lat, lon
        (n,) each, as in :class:`mixsafe.model.mobility.traces.Traces`.
    region
        (n,) codes of regions: their numbers, or -1, -2, … for names.
    fraction
        (n,) int32 nanoseconds after the seconds of ``time``; None: all are 0.
    """

    user: npt.NDArray[np.int32]
    time: npt.NDArray[np.int64]
    lat: npt.NDArray[np.float64] | None
    lon: npt.NDArray[np.float64] | None
    region: npt.NDArray[np.int64] | None
    fraction: npt.NDArray[np.int32] | None = None


class FixPieces(Protocol):
    """Protocol of a source that is read once in batches; names are known afterwards."""

    clock: Literal["unix", "time_id"]
    tz: str
    order: DateOrder | None
    notes: tuple[str, ...]
    premises: Premises

    def __iter__(self) -> Iterator[FixPiece]:
        """Yield the batches.

        Raises
        ------
        InputError
            Names file, line and column at fault, when its batch is read.
        """
        ...

    def users(self) -> tuple[Names, npt.NDArray[np.int32]]:
        """Sorted names, (n_users,), and the position of each user number among them."""
        ...

    def place_meanings(self, known: Callable[[], npt.NDArray[np.int64]]) -> PlaceMeanings | None:
        """What codes of regions stand for; None: they are numbers.

        Parameters
        ----------
        known
            Returns the codes that are numbers, ascending, none twice.
        """
        ...

    def second_place(
        self, row: int, fix: tuple[str, int], regions: tuple[PlaceName, PlaceName]
    ) -> InputError:
        """The error for a row (from 0) that gives a user a second region at one time."""
        ...
