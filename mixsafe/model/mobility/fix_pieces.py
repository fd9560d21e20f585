"""Fixes of a source larger than memory, in file order and in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.mobility.instant import DateOrder
from mixsafe.model.mobility.place_names import PlaceMeanings, PlaceName
from mixsafe.model.mobility.premises import Premises
from mixsafe.model.mobility.traces import Names


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
