"""Layers of features as tables: GeoPackage, read by SQLite; FlatGeobuf and shapefiles, by GDAL.

A GeoPackage is an SQLite file (OGC 12-128r19). GDAL opens whatever a name leads to: other files,
web addresses, archives. So the content is recognized before, and GDAL gets a copy in a folder of
its own, whose name has the ending of the format. What it warns of is refused: it goes on with what
it made of a damaged file.
"""

from __future__ import annotations

import os
import sqlite3
import warnings
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any

import numpy as np
import pyarrow as pa

from mixsafe.errors import InputError, MixsafeError
from mixsafe.io.files.content import SHAPEFILE, head_of, reading, size_of, with_parts
from mixsafe.io.objects.adapters import copy
from mixsafe.io.objects.frames import Frame, arrow_frame, column_of
from mixsafe.machinery.memory import check_fits
from mixsafe.machinery.temporary_files import scratch_folder

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


_TIMES = 8
"""Memory that a file takes while it is read, times its size."""


def vector_frame(path: Path) -> Frame:
    """Read the features of a file as a table: their fields, and geometries as WKB.

    Raises
    ------
    InputError
        The file is damaged, or GDAL is not installed.
    """
    try:
        import pyogrio.raw
    except ModuleNotFoundError:
        message = "FlatGeobuf and shapefiles need pyogrio"
        raise InputError(message, file=path, hint="pip install pyogrio") from None
    with _copied(path) as whole, _by_gdal(path):
        stated = pyogrio.read_info(whole, force_feature_count=True)["features"]
        about, table = pyogrio.raw.read_arrow(whole, datetime_as_string=True)
        table.validate(full=True)
        if len(table) != stated:
            raise ValueError(f"{len(table):,} of {stated:,} features can be read")
    name = about["geometry_name"] or "wkb_geometry"
    said = {"geometry": name} if name in table.column_names else {}
    return replace(arrow_frame(table, os.fspath(path)), said=said, crs=about["crs"])


@contextmanager
def _copied(path: Path) -> Iterator[Path]:
    """A copy of the file, with the files beside a shapefile.

    Raises
    ------
    InputError
        It cannot be read, or does not fit into memory.
    """
    main, *beside = with_parts(path)
    ending = ".shp" if head_of(path).startswith(SHAPEFILE) else ".fgb"
    files = {ending: main} | {one.suffix.lower(): one for one in beside}
    check_fits(path, _TIMES * sum(map(size_of, files.values())))
    with scratch_folder("vector") as folder:
        for suffix, one in files.items():
            with reading(one) as file:
                copy(file, folder / f"layer{suffix}", os.fspath(one))
        yield folder / f"layer{ending}"


def _check_quiet(warned: Sequence[warnings.WarningMessage]) -> None:
    """Raise the first warning.

    Raises
    ------
    Warning
        There is one.
    """
    for one in warned:
        raise one.message if isinstance(one.message, Warning) else RuntimeWarning(one.message)


@contextmanager
def _by_gdal(path: Path) -> Iterator[None]:
    """Refuse what GDAL cannot read, or warns of, in one line.

    Raises
    ------
    InputError
        Names the file.
    """
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            warnings.filterwarnings("ignore", r"Measured \(M\)")  # of the type of the layer alone
            yield
        _check_quiet(warned)
    except (MixsafeError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 -- GDAL, Arrow and pyogrio raise what they like
        reason = str(error).partition("\n")[0].partition(";")[0].rstrip(".")
        if isinstance(error, IndexError):  # of pyogrio's list of layers
            reason = "no layer"
        words = (PurePath(one.strip("':,")).name if "/" in one else one for one in reason.split())
        message = f"GDAL cannot read the file: {' '.join(words)}"
        raise InputError(message, file=path) from None
