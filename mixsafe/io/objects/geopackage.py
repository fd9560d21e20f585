"""GeoPackage: a table of features in an SQLite file (OGC 12-128r19)."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from mixsafe.errors import InputError
from mixsafe.io.files.content import reading
from mixsafe.io.objects.frames import Frame, column_of

_LAYERS = """
    SELECT c.table_name, g.column_name, s.organization, s.organization_coordsys_id, s.definition
    FROM gpkg_contents c JOIN gpkg_geometry_columns g USING (table_name)
    JOIN gpkg_spatial_ref_sys s ON s.srs_id = g.srs_id WHERE c.data_type = 'features'
"""
_ENVELOPE = np.array([0, 32, 48, 48, 64, 0, 0, 0])
"""Bytes of the envelope, by the three flag bits of its kind (section 2.1.3)."""


@dataclass(frozen=True)
class GeoLayer:
    """A table of features.

    Parameters
    ----------
    path
        The file.
    name, geometry
        Names of the table and its geometry column.
    header
        Names of its other columns.
    crs
        Its reference system.
    """

    path: str
    name: str
    geometry: str
    header: tuple[str, ...]
    crs: object

    def column(self, name: str) -> list[Any]:
        """A column, by row id."""
        with _base(self.path) as base:
            asked = f"SELECT {_quoted(name)} FROM {_quoted(self.name)} ORDER BY rowid"
            return [value for (value,) in base.execute(asked)]

    def shapes(self) -> list[bytes | None]:
        """Geometries as WKB, None for missing ones.

        Raises
        ------
        InputError
            A geometry is not GeoPackage binary.
        """
        return [None if one is None else self._wkb(one) for one in self.column(self.geometry)]

    def _wkb(self, blob: Any) -> bytes:  # noqa: ANN401 -- whatever SQLite holds
        if not isinstance(blob, bytes) or blob[:2] != b"GP" or len(blob) < 13:
            raise InputError("a geometry is damaged", file=self.path, column=self.geometry)
        return blob[8 + int(_ENVELOPE[(blob[3] >> 1) & 7]) :]


@contextmanager
def _base(path: str | os.PathLike[str]) -> Iterator[sqlite3.Connection]:
    """Open the file as a read-only database."""
    try:
        with (
            reading(path),
            closing(sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode=ro", uri=True)) as base,
        ):
            yield base
    except (sqlite3.Error, OverflowError, UnicodeDecodeError) as error:
        raise InputError(f"the GeoPackage cannot be read: {error}", file=path) from None


def _quoted(name: str) -> str:
    """A name quoted for SQL."""
    return '"' + name.replace('"', '""') + '"'


def layer_of(
    path: str | os.PathLike[str],
    layer: str | None = None,
    hint: str = "export the layer into a separate file",
) -> GeoLayer:
    """A feature table of a file.

    Parameters
    ----------
    layer
        Its name; None: the only one.
    hint
        What to do if there are several.

    Raises
    ------
    InputError
        The file cannot be read, or does not have exactly one layer that may be meant.
    """
    with _base(path) as base:
        every = base.execute(_LAYERS).fetchall()
        layers = [one for one in every if layer in (None, one[0])]
        if len(layers) != 1:
            names = ", ".join(str(one[0]) for one in every) or "none"
            what = "exactly one feature layer" if layer is None else f"a layer '{layer}'"
            raise InputError(f"the file must have {what}, not {names}", file=path, hint=hint)
        name, geometry, organization, code, definition = layers[0]
        described = base.execute(f"PRAGMA table_info({_quoted(name)})").fetchall()
    header = tuple(str(column[1]) for column in described if column[1] != geometry)
    known = str(organization).upper() not in ("", "NONE")
    crs = f"{organization}:{code}" if known else definition
    return GeoLayer(os.fspath(path), name, geometry, header, None if crs == "undefined" else crs)


def layer_frame(path: str | os.PathLike[str], layer: str | None = None) -> Frame:
    """Read the features as a table: their columns, and points as WKB.

    Parameters
    ----------
    layer
        Name of the feature table; None: the only one.

    Raises
    ------
    InputError
        As :func:`layer_of`.
    """
    found = layer_of(path, layer, "say which one is meant: --layer NAME (layer= in Python)")

    def column(name: str) -> pa.ChunkedArray:
        if name == found.geometry:
            return pa.chunked_array([pa.array(found.shapes(), pa.binary())])
        return column_of(found.column(name), found.path, name, "column")

    said = {"geometry": found.geometry}
    return Frame(found.path, (*found.header, found.geometry), column, said, found.crs)
