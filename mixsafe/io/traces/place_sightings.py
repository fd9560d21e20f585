"""Sightings at places: ``user_id,time_id,reg_id``, or coordinates, a row each."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.geometry.grid import Outlines
from mixsafe.io.columns.dialects import Layout, layout_of
from mixsafe.io.columns.fixes import Fixes
from mixsafe.io.columns.names import places_of, users_of_table
from mixsafe.io.columns.reading import RowFilter, RowRules
from mixsafe.io.columns.stays import in_each_step, kinds_of_times, times_of
from mixsafe.io.files.arrays import numbers
from mixsafe.io.files.checked_table import CheckedTable
from mixsafe.io.files.csv_records import PLACED, Kind
from mixsafe.io.files.tables import header_of, read_parts
from mixsafe.io.lines.line_columns import refuse_lines
from mixsafe.io.traces.table import coordinates, degrees_of
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.release import Sightings

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SeenPlaces:
    """Sightings and their file.

    Parameters
    ----------
    sightings
        In the order of the file.
    table, column
        The file and its column of places, for error messages.
    """

    sightings: Sightings
    table: CheckedTable
    column: str

    def refuse(self, wrong: npt.NDArray[np.bool_], message: str, hint: str) -> None:
        """Refuse the first sighting marked ``wrong``; ``{}`` in the message stands for its place.

        Raises
        ------
        InputError
            Names its line.
        """
        self.table.check(wrong, self.column, message, hint)


def read_place_sightings(
    path: str | os.PathLike[str],
    axis: TimeAxis,
    *,
    n_regions: int | None = None,
    place_names: tuple[str, ...] | None = None,
    outlines: Outlines | None = None,
    similar_names: str | None = None,
    rules: RowRules | None = None,
) -> SeenPlaces:
    """Read sightings of users by name, at times and places of a release.

    Parameters
    ----------
    axis
        The release's time steps.
    n_regions
        Number of regions of the release, 1 to n in files and from 0 in memory; None: any numbers.
    place_names
        Names of the release's regions; None: they are numbers.
    outlines
        Places of a release with coordinates; None: the release has regions.
    similar_names
        What alike names are, as for :func:`mixsafe.io.columns.names.users_and_rows`.
    rules
        What becomes of rows that are no data; None: the default.

    Places that the release does not name have negative numbers.

    Raises
    ------
    InputError
        Names the line at fault: a value is missing or has another type, a time is outside the
        release, a region is outside ``n_regions``, or a user is in two places at one time.
    """
    header = header_of(path)
    layout = layout_of(path, header, lines=partial(refuse_lines, path, header))
    kinds: dict[str, Kind] = {layout.user: "name", **kinds_of_times(layout)}
    if outlines is None:
        column = layout.region or "reg_id"
        kinds[column] = "region"
    else:
        column = layout.lat or "lat"
        kinds |= {column: "coordinate", layout.lon or "lon": "coordinate"}
    filter = RowFilter(rules)
    rows = _usable(path, kinds, layout, axis, filter)
    (table,), step = rows.tables, rows.time
    if rows.until is not None:
        table, step = _last_in_steps(table, layout.user, (step, rows.until), axis)
    span = f"{axis.label(1)} to {axis.label(axis.steps)}"
    outside = (step < 1) | (step > axis.steps)
    table.check(outside, layout.time, f"time {{}} is outside the release's {span}")
    users, user = users_of_table(table, layout.user, similar_names)
    if outlines is None:
        place = places_of(table, column)[0].among(place_names)
        if n_regions is not None:
            outside = (place < 1) | (place > n_regions)
            table.check(outside, column, f"region {{}} is outside 1 to {n_regions}")
            place = place - 1
    else:
        place = outlines.place(table.values(column), table.values(layout.lon or "lon"))
    _refuse_two_places(table, column, user, step, place)
    seen = Sightings(users, user, step.astype(np.int32), place, rows.premises)
    return SeenPlaces(seen, table, column)


def _usable(
    path: str | os.PathLike[str],
    kinds: Mapping[str, Kind],
    layout: Layout,
    axis: TimeAxis,
    filter: RowFilter,
) -> Fixes:
    """The rows of a file with a time and a position, at least one, and those that were skipped.

    Their times are steps, which may be outside the release.

    Raises
    ------
    InputError
        A row cannot be read, or none has a position.
    """
    (table,) = read_parts(path, kinds, None, filter.rules.skip_bad)
    step, until = _steps(table, layout, axis)
    rows = Fixes((table,), layout.user, step, "time_id", until=until)
    rows = filter.without(rows, _nowhere(table, kinds, filter))
    filter.rules.check_most(rows.premises, len(rows.time), path)
    if not len(rows.time):
        raise InputError(f"no sighting can be used: {'; '.join(rows.premises.notes)}", file=path)
    return rows


def _last_in_steps(
    table: CheckedTable, user: str, stays: tuple[Ints, Ints], axis: TimeAxis
) -> tuple[CheckedTable, Ints]:
    """A sighting in each step of stays; of those in one step, the last moment counts, as in traces.

    Parameters
    ----------
    user
        Column of users.
    stays
        (n_rows,) first steps and last seconds.
    """
    first, until = stays
    length = axis.step_seconds or 1
    made, step = in_each_step(table, first, (until - axis.first) // length + 1)
    moment = np.minimum(until[made.origin], axis.first + step * length - 1)
    name = numbers(made.columns[user].unify_dictionaries().combine_chunks().indices)
    order = np.lexsort((-moment, step, name))
    first_of = np.append(True, (np.diff(name[order]) != 0) | (np.diff(step[order]) != 0))
    last = moment[order][first_of]
    counts_last = np.empty(len(step), bool)
    counts_last[order] = moment[order] == last[np.cumsum(first_of) - 1]
    return made.only(counts_last), step[counts_last]


def _nowhere(
    table: CheckedTable, kinds: Mapping[str, Kind], filter: RowFilter
) -> npt.NDArray[np.bool_] | None:
    """(n_rows,) rows without a position; None: no row."""
    names = [name for name, kind in kinds.items() if kind in PLACED]
    if len(names) == 1:
        return places_of(table, names[0])[1]
    lat, lon = names
    places = coordinates(table, lat), coordinates(table, lon)
    return degrees_of(table, (lat, lon), places, None, filter.rules)[2]


def _steps(table: CheckedTable, layout: Layout, axis: TimeAxis) -> tuple[Ints, Ints | None]:
    """Convert times to steps, also outside the release; and the last seconds of stays.

    Raises
    ------
    InputError
        Names the line of the first cell that is no time.
    """
    name = layout.time
    if layout.numbered:
        begin = 1 if axis.timed else axis.first
        step: Ints = table.values(name).clip(begin - 1, begin + axis.steps)
        step = step - begin + 1
        return step, None
    if axis.step_seconds is None:
        hint = "use time_id: the release numbers its steps"
        raise table.error("the sightings have timestamps, the release does not", 0, name, hint)
    when, until = times_of(table, layout, axis.tz, axis.order)
    return (when.seconds - axis.first) // axis.step_seconds + 1, until


def _refuse_two_places(
    table: CheckedTable,
    column: str,
    user: npt.NDArray[np.int32],
    step: npt.NDArray[np.int64],
    place: npt.NDArray[np.int64],
) -> None:
    """Refuse a user in two places at one time.

    Raises
    ------
    InputError
        Names the second line.
    """
    order = np.lexsort((step, user))
    same = (user[order][1:] == user[order][:-1]) & (step[order][1:] == step[order][:-1])
    wrong = np.zeros(len(user), bool)
    wrong[order[1:]] = same & (place[order][1:] != place[order][:-1])
    table.check(wrong, column, "the user is elsewhere at that time", "remove one of the two")
