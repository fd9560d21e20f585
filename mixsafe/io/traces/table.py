"""Reader of tables of fixes, CSV or Parquet, with column names of mixsafe or other libraries."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt

from mixsafe.io.columns.dialects import Layout, layout_of
from mixsafe.io.columns.fixes import Fixes
from mixsafe.io.columns.instants import check_tz, instants
from mixsafe.io.columns.points import points, stated_crs
from mixsafe.io.columns.reference_systems import to_degrees
from mixsafe.io.files.checked_table import Table
from mixsafe.io.files.csv_records import Kind
from mixsafe.io.files.tables import first_file, header_of, read_parts

Degrees = npt.NDArray[np.float64]


def table_fixes(
    path: str | os.PathLike[str],
    columns: Mapping[str, str] | None = None,
    tz: str | None = None,
    rows: int | None = None,
    crs: object = None,
) -> Iterator[Fixes]:
    """Yield the fixes of a table with a row per fix, in order.

    Parameters
    ----------
    columns
        The file's column names for ``user_id, time, time_id, lat, lon, geometry, reg_id``, if not
        among those of :mod:`mixsafe.io.columns.dialects`.
    tz
        Zone in which days begin and end, and of times without a zone; None: the named zone of the
        file's times (Parquet), else UTC.
    rows
        Rows of a batch, about; None: whole files.
    crs
        Reference system of the coordinates, x in the column of ``lon`` and y in that of ``lat``:
        an EPSG number or a text such as ``EPSG:2443``; None: that of the file (GeoParquet), else
        degrees.

    Raises
    ------
    InputError
        Names the line and column at fault, when the rows at fault are read: a column or value is
        missing or has another type, a time is not a timestamp, or a coordinate is out of range.
    """
    layout = layout_of(first_file(path), header_of(path), columns)
    zone = None if tz is None else check_tz(tz)
    for table in read_parts(path, kinds_of(layout), rows):
        stated = crs
        if crs is None and layout.geometry is not None and not table.is_text:
            stated = stated_crs(table.file, layout.geometry)
        yield fixes_of(table, layout, zone, stated)


def fixes_of(table: Table, layout: Layout, zone: str | None, crs: object = None) -> Fixes:
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

    Raises
    ------
    InputError
        Names the first invalid line.
    """
    notes: tuple[str, ...] = ()
    if layout.numbered:
        time = table.values(layout.time)
        check_time_ids(table, layout.time, time)
    else:
        time, notes, own_zone = instants(table, layout.time, zone)
        zone = zone or own_zone
    lat, lon = _coordinates(table, layout, crs)
    region = None if layout.region is None else table.values(layout.region)
    if region is not None and layout.region is not None:
        table.check(region < 0, layout.region, "region {} is negative")
    return Fixes(
        tables=(table,),
        user=layout.user,
        time=time,
        clock="time_id" if layout.numbered else "unix",
        lat=lat,
        lon=lon,
        region=region,
        tz=zone or "UTC",
        notes=notes,
        when=layout.time,
    )


def check_time_ids(table: Table, name: str, time: npt.NDArray[np.int64]) -> None:
    """Refuse time_ids below 1.

    Raises
    ------
    InputError
        Names the first line.
    """
    table.check(time < 1, name, "time {} is below 1", "number steps from 1")


def kinds_of(layout: Layout) -> dict[str, Kind]:
    """Columns to read, and their kinds."""
    kinds: dict[str, Kind] = {
        layout.user: "name",
        layout.time: "integer" if layout.numbered else "time",
    }
    optional: list[tuple[str | None, Kind]] = [
        (layout.lat, "number"),
        (layout.lon, "number"),
        (layout.geometry, "text"),
        (layout.region, "integer"),
    ]
    return kinds | {name: kind for name, kind in optional if name is not None}


def _coordinates(
    table: Table, layout: Layout, crs: object
) -> tuple[Degrees | None, Degrees | None]:
    """Latitudes and longitudes, if the table has them.

    Raises
    ------
    InputError
        Names the line of the first coordinate out of range.
    """
    if layout.geometry is not None:
        lat, lon = points(table, layout.geometry)
        lat_name = lon_name = layout.geometry
    elif layout.lat is not None and layout.lon is not None:
        lat, lon = table.values(layout.lat), table.values(layout.lon)
        lat_name, lon_name = layout.lat, layout.lon
    else:
        return None, None
    lat, lon = to_degrees(lon, lat, crs, table.file, lon_name)
    swapped = bool(np.all(np.abs(lon) <= 90) and np.all(np.abs(lat) <= 180))
    hint = (
        "swap latitude and longitude if they are interchanged"
        if swapped
        else "coordinates are read as degrees; for others, name the reference system with --crs"
        " EPSG:CODE, or --crs metres for a plane of your own (crs= in Python)"
    )
    # "not <=" instead of ">", so that NaN is refused, too.
    table.check(~(np.abs(lat) <= 90), lat_name, "latitude {} is not within -90 to 90", hint)
    table.check(~(np.abs(lon) <= 180), lon_name, "longitude {} is not within -180 to 180", hint)
    return lat, lon
