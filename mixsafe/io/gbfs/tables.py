"""Tables of identifiers, CSV or Parquet: a row per record, or a row per trip."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa

from mixsafe.errors import InputError
from mixsafe.io.columns.dialects import NAMES, Layout, layout_of
from mixsafe.io.columns.reading import REASON
from mixsafe.io.files.checked_table import with_plain_names
from mixsafe.io.files.csv_records import Kind
from mixsafe.io.files.parquet_columns import table_of_kinds
from mixsafe.io.files.tables import checked, first_file, header_of, read_parts
from mixsafe.io.gbfs import motion
from mixsafe.io.gbfs.records import Records
from mixsafe.io.gbfs.row_records import (
    FIELDS,
    IDENTIFIERS,
    found_in,
    leave_out_repeated,
    records_of,
    refuse_twice,
)
from mixsafe.io.gbfs.rows import FeedRows
from mixsafe.io.gbfs.trips import trip_columns, trips_of
from mixsafe.io.gbfs.wanted import Unused, WantedFeed
from mixsafe.io.lines.line_columns import refuse_lines
from mixsafe.io.traces.table import kinds_of
from mixsafe.model.tracklets import Times

_SECONDS = ("t", "timestep_time")
"""Names of a column of seconds after the start of a simulation, or of Unix seconds."""


def read_table_of_identifiers(
    path: str | os.PathLike[str], wanted: WantedFeed, unused: Unused
) -> Records:
    """Read a table of records (``id, time, lat, lon``) or of trips.

    Parameters
    ----------
    wanted
        What is read, and how strictly.
    unused
        Takes what is not used.

    Raises
    ------
    InputError
        A column is missing, or a cell wrong; names its line.
    """
    header = header_of(path, wanted.form)
    trips = trip_columns(first_file(path, wanted.form), header, wanted)

    def read(kinds: Mapping[str, Kind], dates: Mapping[str, str | None]) -> FeedRows:
        tables = read_parts(path, kinds, None, wanted.rules.skip_bad, wanted.form)
        return FeedRows.of(path, tables, wanted, unused, dates)

    if trips is not None:
        return trips_of(read(trips.kinds(wanted), trips.dates), trips)
    layout = _layout(path, header, wanted)
    fields = found_in(header, FIELDS) | motion.motion_columns(found_in(header, motion.NAMES))
    fields |= {name: name for name in wanted.also if name not in fields}
    kinds: dict[str, Kind] = {name: "optional" for name in fields.values()}
    kinds |= kinds_of(layout)
    if wanted.truth is not None:
        kinds[wanted.truth] = "name"
    return _of_records(read(kinds, {layout.time: layout.date}), layout, fields)


def read_trips_in_memory(
    path: str | os.PathLike[str], data: pa.Table, wanted: WantedFeed, unused: Unused
) -> Records:
    """Read trips of MDS (:func:`mixsafe.io.gbfs.trips.mds_trips`).

    A device is a vehicle, unless another column is named.

    Raises
    ------
    InputError
        A column is missing, or a cell wrong; names its row.
    """
    header, label = tuple(data.column_names), os.fspath(path)
    if "device_id" in header and wanted.truth != "device_id":
        wanted = replace(wanted, columns={"id": "device_id", **wanted.columns})
    trips = trip_columns(path, header, wanted)
    if trips is None:
        raise InputError("the trips of MDS have neither times nor places", file=path)
    kinds = trips.kinds(wanted)
    table = table_of_kinds(label, header, kinds, (data.select(kinds), 0))
    table = checked(with_plain_names(table, kinds), kinds, wanted.rules.skip_bad)
    return trips_of(FeedRows.of(path, [table], wanted, unused, trips.dates), trips)


def _of_records(rows: FeedRows, layout: Layout, columns: dict[str, str]) -> Records:
    """Read a table with a row per record.

    Parameters
    ----------
    columns
        Column of each field.
    """
    names = rows.names(layout.user)
    time, fraction = rows.moments(layout)
    lat, lon = rows.placed(layout)
    said = rows.fields(columns)
    fields = {name: values for name, values in said.items() if name not in motion.NAMES}
    moving = motion.motion_of({name: said[name] for name in said if name in motion.NAMES})
    moment: Times = time
    if moving and fraction.any():
        moving["fraction"] = fraction
        moment = time + fraction
    fields |= {**moving, "lat": lat, "lon": lon}
    leave_out_repeated(rows, names, moment, fields)
    refuse_twice(rows, layout.user, names, moment)
    found = records_of(rows, names, (time, fields))
    rows.name(REASON, rows.kept & np.isnan(lat), names)
    if found.snapshots:
        return found
    note = "records have times of their own: identifiers begin and end with them"
    return replace(found, notes=(*found.notes, note))


def _layout(path: str | os.PathLike[str], header: tuple[str, ...], wanted: WantedFeed) -> Layout:
    """The column of each meaning.

    Raises
    ------
    InputError
        One is missing, or the table is of steps or regions.
    """
    given = {"user_id" if one == "id" else one: name for one, name in wanted.columns.items()}
    identifier = found_in(header, {"id": IDENTIFIERS}).get("id")
    if "user_id" not in given and identifier is not None:
        given["user_id"] = identifier
    seconds = found_in(header, {"seconds": _SECONDS, "time": NAMES["time"]})
    if "seconds" in seconds and "time" not in {*seconds, *wanted.columns}:
        given["seconds"] = seconds["seconds"]
    lines, plane = partial(refuse_lines, path, header, form=wanted.form), wanted.crs is not None
    layout = layout_of(first_file(path, wanted.form), header, given, plane=plane, lines=lines)
    if layout.numbered or layout.end or layout.region is not None:
        message = "the table gives numbers of steps or of regions, or stays"
        hint = "give times and coordinates: id,time,lat,lon"
        raise InputError(message, file=first_file(path, wanted.form), line=1, hint=hint)
    return layout
