"""First and last records of identifiers in the rows of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.io.gbfs.records import Ints, Records
from mixsafe.io.gbfs.rows import FeedRows

Names = npt.NDArray[np.str_]

_LEAST_PER_TIME = 1.5
"""Records per time from which times are those of snapshots."""


def refuse_twice(
    rows: FeedRows, column: str, names: Names, time: Ints | None = None, hint: str | None = None
) -> None:
    """Refuse identifiers that occur twice, or twice at one time.

    Raises
    ------
    InputError
        Names the line of the second record, unless such rows are skipped.
    """
    kept = np.flatnonzero(rows.kept)
    _, number = np.unique(names[kept], return_inverse=True)
    at = np.zeros(len(kept), np.int64) if time is None else time[kept]
    order = np.lexsort((kept, at, number))
    same = (number[order[1:]] == number[order[:-1]]) & (at[order[1:]] == at[order[:-1]])
    again = np.zeros(len(rows), bool)
    again[kept[order[1:]]] = same
    said = "twice" if time is None else "twice at one time"
    rows.table.check(again, column, lambda row: f"identifier '{names[row]}' occurs {said}", hint)


def records_of(
    rows: FeedRows,
    names: Names,
    *sides: tuple[Ints, Mapping[str, npt.NDArray[Any]]],
    several_trips: bool = False,
) -> Records:
    """The first and the last records of the identifiers of rows, once all at fault are marked.

    Parameters
    ----------
    names
        (n_rows,) identifiers.
    sides
        (n_rows,) times, and fields: of a row's record, or of the begin and the end of its trip.
    several_trips
        Whether identifiers are those of vehicles, each of which may make several trips.

    Raises
    ------
    InputError
        Too many rows are at fault, or an identifier is of two vehicles.
    """
    truth = rows.wanted.truth
    vehicles = None if truth is None else rows.names(truth)
    rows.settle()
    kept = np.flatnonzero(rows.kept)
    row, of_trips = np.tile(kept, len(sides)), len(sides) > 1
    fields = {
        name: np.concatenate([side[name][kept] for _, side in sides])
        for name in sides[0][1]
        if all(name in side for _, side in sides)
    }
    ids, number = np.unique(names[row], return_inverse=True)
    times, at = np.unique(np.concatenate([time[kept] for time, _ in sides]), return_inverse=True)
    told = None if vehicles is None else vehicles[row]
    found = Records.of("trip" if of_trips else "record", ids, times, (number, at), fields, told)
    if truth is not None and vehicles is not None and found.truth is not None:
        first = found.truth[np.argsort(found.ids)]
        _check_truth(rows, truth, (names, vehicles), (row, first[number]))
    snapshots = not of_trips and len(kept) >= _LEAST_PER_TIME * len(times)
    return replace(
        found,
        snapshots=snapshots,
        several_trips=several_trips,
        notes=tuple(rows.notes),
        tz=rows.zone,
    )


def _check_truth(
    rows: FeedRows, column: str, said: tuple[Names, Names], first: tuple[Ints, Names]
) -> None:
    """Refuse identifiers of two vehicles.

    Parameters
    ----------
    said
        (n_rows,) identifiers, and vehicles.
    first
        Rows, and the vehicles of which their identifiers are at first.

    Raises
    ------
    InputError
        Names the line of the second.
    """
    (names, vehicles), (row, before) = said, first
    wrong = vehicles[row] != before
    if wrong.any():
        one = int(np.where(wrong, row, len(names)).argmin())
        at = row[one]
        message = f"identifier '{names[at]}' is of vehicle {vehicles[at]} here, before of "
        raise rows.table.error(message + before[one], int(at), column)
