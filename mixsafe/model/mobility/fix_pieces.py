"""Fixes of a source that does not fit into memory: as they stand in the file, piece after piece."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.mobility.traces import Names


class FixPiece(NamedTuple):
    """Some fixes in the order of their file.

    Parameters
    ----------
    user
        (n,) int32: number of the user, in the order in which users first occur in the source.
    time, lat, lon, region
        (n,) each, as in :class:`mixsafe.model.mobility.traces.Traces`.
    """

    user: npt.NDArray[np.int32]
    time: npt.NDArray[np.int64]
    lat: npt.NDArray[np.float64] | None
    lon: npt.NDArray[np.float64] | None
    region: npt.NDArray[np.int64] | None


class FixPieces(Protocol):
    """A source that is read once, piece after piece; what it is called is known afterwards."""

    clock: Literal["unix", "time_id"]
    tz: str
    notes: tuple[str, ...]

    def __iter__(self) -> Iterator[FixPiece]:
        """Read it.

        Raises
        ------
        InputError
            Names file, line and column at fault when they are reached.
        """
        ...

    def users(self) -> tuple[Names, npt.NDArray[np.int32]]:
        """Names in order, (n_users,), and the place of each number of a user among them."""
        ...

    def second_place(self, row: int, fix: tuple[str, int], regions: tuple[int, int]) -> InputError:
        """The error for a row (from 0) that puts a user at a time into a second region."""
        ...
