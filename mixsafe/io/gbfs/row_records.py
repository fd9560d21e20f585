"""First and last records of identifiers in the rows of a table."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.io.gbfs.records import MOVED, Ints, Records, metres
from mixsafe.io.gbfs.rows import Rows

Names = npt.NDArray[np.str_]

_LEAST_PER_TIME = 1.5
"""Records per time from which times are those of snapshots."""


def refuse_twice(
    rows: Rows, column: str, names: Names, time: Ints | None = None, hint: str | None = None
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
    rows.refuse(again, column, lambda row: f"identifier '{names[row]}' occurs {said}", hint)


def records_of(
    rows: Rows,
    path: str | os.PathLike[str],
    names: Names,
    *sides: tuple[Ints, Mapping[str, npt.NDArray[Any]]],
    several_trips: bool = False,
) -> Records:
    """The first and the last records of the identifiers of rows, once all at fault are marked.

    Parameters
    ----------
    path
        For messages.
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
    rows.settle(path)
    kept = np.flatnonzero(rows.kept)
    row, of_trips = np.tile(kept, len(sides)), len(sides) > 1
    fields = {
        name: np.concatenate([side[name][kept] for _, side in sides])
        for name in sides[0][1]
        if all(name in side for _, side in sides)
    }
    ids, number = np.unique(names[row], return_inverse=True)
    times, at = np.unique(np.concatenate([time[kept] for time, _ in sides]), return_inverse=True)
    order = np.lexsort((at, number))
    row, number, at = row[order], number[order], at[order]
    fields = {name: column[order] for name, column in fields.items()}
    same = number[1:] == number[:-1]
    starts = np.flatnonzero(np.concatenate([[True], ~same]))
    stops = np.concatenate([starts[1:], [len(row)]]) - 1
    gaps = np.where(same, np.diff(at) - 1, 0)
    lat, lon = fields["lat"], fields["lon"]
    jumps = same & (metres(lat[:-1], lon[:-1], lat[1:], lon[1:]) > MOVED)
    return Records(
        ids=ids,
        times=times,
        first=at[starts],
        last=at[stops],
        begins={name: column[starts] for name, column in fields.items()},
        ends={name: column[stops] for name, column in fields.items()},
        missed=np.maximum.reduceat(np.concatenate([[0], gaps]), starts),
        moved=stops - starts > 1
        if of_trips
        else np.logical_or.reduceat(np.concatenate([[False], jumps]), starts),
        truth=None
        if truth is None or vehicles is None
        else _one_truth(rows, truth, vehicles, (row, number, starts), ids),
        snapshots=not of_trips and len(kept) >= _LEAST_PER_TIME * len(times),
        several_trips=several_trips,
    ).in_order()


def _one_truth(
    rows: Rows, column: str, truth: Names, sorted_rows: tuple[Ints, Ints, Ints], ids: Names
) -> Names:
    """The true vehicle of each identifier.

    Raises
    ------
    InputError
        An identifier is of two vehicles; names the line of the second.
    """
    order, number, starts = sorted_rows
    of_first = truth[order[starts]]
    wrong = truth[order] != of_first[number]
    if wrong.any():
        row = int(order[wrong].min())
        one = number[np.flatnonzero(order == row)[0]]
        said = f"identifier '{ids[one]}' is of vehicle {truth[row]} here, before of {of_first[one]}"
        raise rows.error(row, said, column)
    return of_first
