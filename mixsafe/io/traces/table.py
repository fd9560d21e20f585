"""Tables of fixes, read and written, CSV or Parquet, with names of columns of mixsafe or others."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import compute

from mixsafe.io.columns.dialects import Layout, layout_of
from mixsafe.io.columns.fixes import Fixes
from mixsafe.io.columns.instants import Instants
from mixsafe.io.columns.names import places_of
from mixsafe.io.columns.points import in_degrees, is_plane, points, stated_crs, to_degrees
from mixsafe.io.columns.reading import (
    Reading,
    RowFilter,
    RowRules,
    all_are_positions,
    at_null_island,
    no_position,
)
from mixsafe.io.columns.stays import fixes_per_stay, kinds_of_times, times_of, with_steps
from mixsafe.io.files.arrays import numbers
from mixsafe.io.files.checked_table import CheckedTable
from mixsafe.io.files.csv_records import Kind
from mixsafe.io.files.sniffing import Sniffed
from mixsafe.io.files.table_form import TableForm
from mixsafe.io.files.table_parts import parts_of
from mixsafe.io.files.tables import first_file, header_of, read_parts
from mixsafe.io.files.writing import column_stream, write_columns
from mixsafe.io.lines.line_columns import fixes_per_row, line_column, with_fixes
from mixsafe.model.mobility.instant import check_tz
from mixsafe.model.mobility.names import plain
from mixsafe.model.mobility.traces import Traces

File = str | os.PathLike[str]
Degrees = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

CONTEST = ("user_id", "time_id", "reg_id")
"""Columns of traces of PWS Cup 2019.

Unlike in the contest (:mod:`mixsafe.io.contest.reading`), rows may be in any order, users and
regions may have any names, and users no region at some times.
"""


def is_contest(sniffed: Sniffed) -> bool:
    """True if the columns are those of the contest."""
    return set(sniffed.header) == set(CONTEST)


def contest_fixes(path: File, reading: Reading, rows: int | None = None) -> Iterator[Fixes]:
    """Yield the fixes of a table with the columns of the contest, as :func:`table_fixes`.

    Raises
    ------
    InputError
        As :func:`table_fixes`.
    """
    fixed = Reading(column={"time_id": "time_id", "reg_id": "reg_id"}, rules=reading.rules)
    return _fixes(path, fixed, rows, None)


def is_table(sniffed: Sniffed) -> bool:
    """True if the columns are those of traces; otherwise raises the reason."""
    layout_of_file(sniffed.path, plane=True, form=sniffed.form)
    return True


def table_fixes(
    path: File, reading: Reading | None = None, rows: int | None = None
) -> Iterator[Fixes]:
    """Yield the fixes of a table with a row per fix, in order.

    Parameters
    ----------
    reading
        What the user says of it; None: nothing.
    rows
        Fixes of a batch, about; None: whole files.

    Raises
    ------
    InputError
        Names the line and column at fault, when the rows at fault are read: a column or value is
        missing or has another type, a time is not a timestamp, or a coordinate is out of range.
    """
    reading = reading or Reading()
    return _fixes(path, reading, rows, reading.form)


def _fixes(
    path: File, reading: Reading, rows: int | None, form: TableForm | None
) -> Iterator[Fixes]:
    """Yield the fixes of a table; ``form`` None: nothing can be said of its files."""
    crs = reading.crs
    layout = layout_of_file(path, reading.column, plane=crs is not None, form=form)
    zone = None if reading.tz is None else check_tz(reading.tz)
    filter = RowFilter(reading.rules)
    if rows is not None:
        rows = max(rows // fixes_of_a_row(path, layout, form, filter.rules.time_step), 1)
    told = False
    for table in read_parts(path, kinds_of(layout), rows, filter.rules.skip_bad, form):
        stated = crs
        if crs is None and layout.geometry is not None and table.form is None:
            stated = stated_crs(table.file, layout.geometry)
        fixes = fixes_of(table, layout, zone, stated, filter)
        yield fixes if told else _with_empty_files(fixes, path, form)
        told = True


def _with_empty_files(fixes: Fixes, path: File, form: TableForm | None) -> Fixes:
    """The first fixes of several files, with the users of empty files, and a note on these."""
    if form is None or form.files is None:
        return fixes
    empty = [part for part in parts_of(path, form) if part.empty]
    if not empty:
        return fixes
    names = [plain(part.partition[fixes.user]) for part in empty if fixes.user in part.partition]
    some = "1 file is" if len(empty) == 1 else f"{len(empty):,} files are"
    note = f"{some} empty, such as {Path(empty[0].path).name}"
    absent = pa.array(names, pa.string()).dictionary_encode()
    return replace(fixes, notes=(*fixes.notes, note), absent=(*fixes.absent, absent))


def fixes_of_a_row(path: File, layout: Layout, form: TableForm | None, step: int) -> int:
    """How many fixes a row of a file becomes, by its first rows: of lines and stays more than one.

    Parameters
    ----------
    step
        Length of a time step, seconds.
    """
    lines = 1 if layout.geometry is None else fixes_per_row(path, (layout.geometry,), form)
    return lines if layout.end is None else lines * fixes_per_stay(path, layout, form, step)


def layout_of_file(
    path: File,
    columns: Mapping[str, str] | None = None,
    *,
    plane: bool = False,
    form: TableForm | None = None,
) -> Layout:
    """The column of each meaning of a file, or of the files of a folder.

    Raises
    ------
    InputError
        As :func:`mixsafe.io.columns.dialects.layout_of`.
    """
    header = header_of(path, form)
    lines = partial(line_column, path, header, form=form)
    return layout_of(first_file(path, form), header, columns, plane=plane, lines=lines)


def fixes_of(
    table: CheckedTable,
    layout: Layout,
    zone: str | None,
    crs: object = None,
    filter: RowFilter | None = None,
) -> Fixes:
    """Convert columns to fixes.

    Parameters
    ----------
    table
        Columns with the kinds of :func:`kinds_of`.
    layout
        The column of each meaning.
    zone
        Time zone in which days begin and end; None: that of the times.
    crs
        Reference system of the coordinates; None: degrees.
    filter
        Leaves out rows that are no data; None: by the default rules.

    Raises
    ------
    InputError
        Names the first invalid line.
    """
    filter, written = filter or RowFilter(), layout
    flagged = _flagged_rows(table, layout)
    if flagged is not None:
        table = _without_positions(table, layout, flagged)
    table, layout, notes = with_fixes(table, layout, crs)
    if flagged is not None and table.origin is not None:
        flagged = flagged[table.origin]
    until = None
    if layout.numbered:
        when = Instants(table.values(layout.time))
        check_time_ids(table, layout.time, when.seconds)
    else:
        when, until = times_of(table, layout, zone, filter.rules.date_order)
    lat, lon, nowhere = positions(table, layout, crs, filter.rules)
    places = None
    if layout.region is not None:
        least = int(set(table.header) == set(CONTEST))  # regions there are numbered from 1
        places, nowhere = places_of(table, layout.region, least)
    fixes = Fixes(
        tables=(table,),
        user=layout.user,
        time=when.seconds,
        order=filter.rules.date_order,
        fraction=when.fraction,
        clock="time_id" if layout.numbered else "unix",
        lat=lat,
        lon=lon,
        places=places,
        tz=zone or when.tz or "UTC",
        form=when.form,
        notes=(
            *(table.form.notes if table.form else ()),
            *_choice_notes(layout, filter.rules.time_step),
            *notes,
            *when.notes,
        ),
        when=layout.time,
        until=until,
        layout=written,
    )
    fixes = with_steps(filter.without(fixes, nowhere, flagged), filter.rules.time_step)
    return fixes if layout.user in table.header else fixes.oldest_first()


def _flagged_rows(table: CheckedTable, layout: Layout) -> Flags | None:
    """(n_rows,) rows that say of themselves that they are no fix; None: no row does."""
    if layout.flag is None:
        return None
    texts = compute.utf8_lower(table.columns[layout.flag].cast(pa.string())).fill_null("")
    said = texts.unique().to_pylist()
    if not set(said) <= {*_NO, *_YES, ""} or not set(said) & set(_NO):
        return None
    return np.asarray(compute.is_in(texts, value_set=pa.array(_NO)), bool)


_NO, _YES = ("false", "f", "no", "n", "0"), ("true", "t", "yes", "y", "1")


def _without_positions(table: CheckedTable, layout: Layout, rows: Flags) -> CheckedTable:
    """The table without the positions of some rows."""
    names = [layout.lat, layout.lon, layout.geometry, layout.region]
    kept = pa.array(np.arange(len(table)), mask=rows)
    taken = {name: table.columns[name].take(kept) for name in names if name is not None}
    return replace(table, columns={**table.columns, **taken})


def _choice_notes(layout: Layout, step: int) -> tuple[str, ...]:
    """Notes on what was chosen among columns, and on stays."""
    notes = []
    if layout.unused:
        used = layout.time, layout.end, layout.lat, layout.lon, layout.geometry, layout.region
        unused, taken = (
            " and ".join(f"'{name}'" for name in names if name) for names in (layout.unused, used)
        )
        columns = "column" if len(layout.unused) == 1 else "columns"
        notes.append(f"{columns} {unused} not used: times and places are from {taken}")
    if layout.end is not None:
        span = f"from '{layout.time}' until '{layout.end}'"
        notes.append(f"rows are stays {span}: a fix in each step of {step} s")
    return tuple(notes)


def check_time_ids(table: CheckedTable, name: str, time: npt.NDArray[np.int64]) -> None:
    """Refuse time_ids below 1.

    Raises
    ------
    InputError
        Names the first line.
    """
    table.check(time < 1, name, "time {} is below 1", "number steps from 1")


def kinds_of(layout: Layout) -> dict[str, Kind]:
    """Columns to read, and their kinds."""
    kinds: dict[str, Kind] = {layout.user: "name", **kinds_of_times(layout)}
    optional: list[tuple[str | None, Kind]] = [
        (layout.flag, "optional"),
        (layout.lat, "coordinate"),
        (layout.lon, "coordinate"),
        (layout.geometry, "geometry"),
        (layout.region, "region"),
    ]
    return kinds | {name: kind for name, kind in optional if name is not None}


def positions(
    table: CheckedTable, layout: Layout, crs: object, rules: RowRules
) -> tuple[Degrees | None, Degrees | None, Flags | None]:
    """Latitudes and longitudes, if the table has them, and the rows without a position.

    Raises
    ------
    InputError
        Names the line of the first coordinate out of range.
    """
    if layout.geometry is not None:
        y, x = points(table, layout.geometry, crs)
        lat_name = lon_name = layout.geometry
    elif layout.lat is not None and layout.lon is not None:
        y, x = coordinates(table, layout.lat), coordinates(table, layout.lon)
        lat_name, lon_name = layout.lat, layout.lon
    else:
        return None, None, None
    return degrees_of(table, (lat_name, lon_name), (y, x), crs, rules)


def coordinates(table: CheckedTable, name: str) -> Degrees:
    """A column of coordinates, NaN where there is none."""
    column = table.columns[name]
    found: Degrees = numbers(column.fill_null(np.nan) if column.null_count else column)
    return found


def degrees_of(
    table: CheckedTable,
    names: tuple[str, str],
    coordinates: tuple[Degrees, Degrees],
    crs: object = None,
    rules: RowRules | None = None,
) -> tuple[Degrees, Degrees, Flags | None]:
    """Latitudes and longitudes of coordinates, and the rows without a position; None: no row.

    Parameters
    ----------
    names
        Columns of y and x.
    coordinates
        (n_rows,) y and x, NaN where there is none.
    crs
        Their reference system; None: degrees.
    rules
        What is a position; None: the default.

    Raises
    ------
    InputError
        Names the line of the first coordinate that is out of range and stands for nothing.
    """
    y, x = coordinates
    rules = rules or RowRules()
    degrees, keep = in_degrees(crs), rules.keep_null_island
    if degrees and all_are_positions(y, x):
        return y, x, None
    nowhere = no_position(y, x, degrees=degrees, keep_null_island=keep)
    if nowhere.all():
        return y, x, nowhere
    lat, lon = to_degrees(x, y, crs, table.file, names[1])
    if not degrees and not is_plane(crs) and not keep:
        # 0° N, 0° E as other reference systems have it, such as Web Mercator; within a metre.
        nowhere |= at_null_island(lat, lon, 1e-5)
    there = ~nowhere
    swapped = bool(np.all(np.abs(lon[there]) <= 90) and np.all(np.abs(lat[there]) <= 180))
    hint = (
        "swap latitude and longitude if they are interchanged"
        if swapped
        else "coordinates are read as degrees; for others, name the reference system with --crs"
        " EPSG:CODE, or --crs metres for a plane of your own (crs= in Python)"
    )
    # "not <=" instead of ">", so that NaN is refused, too.
    wrong = there & ~(np.abs(lat) <= 90)
    table.check(wrong, names[0], "latitude {} is not within -90 to 90", hint)
    wrong = there & ~(np.abs(lon) <= 180)
    table.check(wrong, names[1], "longitude {} is not within -180 to 180", hint)
    return lat, lon, nowhere if nowhere.any() else None


def write_table(path: str | os.PathLike[str], traces: Traces) -> None:
    """Write traces as CSV or Parquet, by the file's ending, atomically.

    Times are Unix seconds in a column ``time``, or numbers in a column ``time_id``.

    Raises
    ------
    InputError
        Another ending, or the file cannot be written.
    """
    write_columns(path, _table(traces))


@contextmanager
def table_stream(path: str | os.PathLike[str]) -> Iterator[Callable[[Traces], None]]:
    """Open a stream that writes traces larger than memory, as ``write_table``.

    Yields
    ------
    callable
        Writes the fixes of the next users; each user's fixes come in one call.

    Raises
    ------
    InputError
        Another ending, or the file cannot be written.
    """
    with column_stream(path) as add:
        yield lambda traces: add(_table(traces))


def _table(traces: Traces) -> pa.Table:
    """Columns of the traces."""
    columns = {
        "user_id": pa.array(traces.users.tolist()).take(pa.array(traces.user)),
        "time" if traces.clock == "unix" else "time_id": pa.array(traces.time),
    }
    for name, values in (("lat", traces.lat), ("lon", traces.lon)):
        if values is not None:
            columns[name] = pa.array(values)
    if traces.region is not None:
        columns["reg_id"] = region_column(traces.region, traces.place_names)
    return pa.table(columns)


def region_column(region: npt.NDArray[np.int64], place_names: tuple[str, ...] | None) -> pa.Array:
    """Regions as files have them: by name, if they have names."""
    if place_names is None:
        return pa.array(region)
    return pa.array(place_names, pa.string()).take(pa.array(region - 1))
