"""GeoPackages of points, made from the standard's text, without a library."""

from __future__ import annotations

import contextlib
import sqlite3
import struct
from collections.abc import Iterable
from pathlib import Path

_HEAD = struct.pack("<2sBBi", b"GP", 0, 1, 4326)


def layer_of_points(path: Path, fixes: Iterable[tuple[str, int, float, float]]) -> Path:
    """A layer ``fixes``: user, time, longitude and latitude of each point."""
    with contextlib.closing(sqlite3.connect(path)) as base:
        base.executescript("""
            PRAGMA application_id = 1196444487;
            CREATE TABLE gpkg_contents (table_name, data_type);
            CREATE TABLE gpkg_geometry_columns (table_name, column_name, srs_id);
            CREATE TABLE gpkg_spatial_ref_sys
              (srs_id, organization, organization_coordsys_id, definition);
            INSERT INTO gpkg_contents VALUES ('fixes', 'features');
            INSERT INTO gpkg_geometry_columns VALUES ('fixes', 'geom', 4326);
            INSERT INTO gpkg_spatial_ref_sys VALUES (4326, 'EPSG', 4326, '');
            CREATE TABLE fixes (user_id, time, geom);
        """)
        for user, time, lon, lat in fixes:
            shape = _HEAD + struct.pack("<BIdd", 1, 1, lon, lat)
            base.execute("INSERT INTO fixes VALUES (?, ?, ?)", (user, time, shape))
        base.commit()
    return path
