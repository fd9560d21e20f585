"""Points in a column ``geometry``: WKT text, WKB bytes, or GeoParquet coordinate pairs.

WKB follows OGC 06-103r4, section 8: a byte for the byte order, the type (1 is a point), x, y.
"""

from __future__ import annotations

import json
import os

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import compute

from mixsafe.errors import InputError
from mixsafe.io.files.arrays import numbers
from mixsafe.io.files.checked_table import Table

_NUMBER = r"[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?"
_WKT = rf"^\s*(?i:POINT)\s*\(\s*(?P<x>{_NUMBER})\s+(?P<y>{_NUMBER})\s*\)\s*$"
_WKB = np.dtype([("order", "u1"), ("type", "<u4"), ("x", "<f8"), ("y", "<f8")])
_EMPTY = r"^\s*(?:(?i:POINT)\s*(?i:ZM|Z|M)?\s*(?i:EMPTY)|(?i:NA|NAN|NULL|NONE))?\s*$"
_NO_POINT = np.array((1, 1, np.nan, np.nan), _WKB).tobytes()
_HINT = "write points as POINT (longitude latitude)"

Degrees = npt.NDArray[np.float64]


def points(table: Table, name: str) -> tuple[Degrees, Degrees]:
    """Read latitudes and longitudes of a column of points (x is the longitude, y the latitude).

    Both are NaN where the geometry is missing or empty.

    Raises
    ------
    InputError
        Names the line of the first cell that is not a point.
    """
    column = table.columns[name].combine_chunks()
    kind = column.type
    if pa.types.is_struct(kind) and {"x", "y"} <= {field.name for field in kind}:
        x, y = compute.struct_field(column, "x"), compute.struct_field(column, "y")
        return _floats(y), _floats(x)
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return _from_wkb(table, name, column)
    if pa.types.is_null(kind):
        return np.full(len(column), np.nan), np.full(len(column), np.nan)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _from_wkt(table, name, column)
    raise InputError(
        f"the column contains {kind}, not points", file=table.file, column=name, hint=_HINT
    )


def stated_crs(path: str | os.PathLike[str], name: str) -> object:
    """Reference system of a GeoParquet column; None: the file gives none.

    Raises
    ------
    InputError
        The GeoParquet metadata cannot be read.
    """
    from pyarrow import parquet  # imported lazily: most files are CSV

    metadata = parquet.read_schema(path).metadata or {}
    try:
        stated = json.loads(metadata.get(b"geo", b"{}"))
    except ValueError:
        raise InputError("the GeoParquet metadata is not JSON", file=path, column=name) from None
    # GeoParquet: the default without "crs" is OGC:CRS84.
    for key in ("columns", name, "crs"):
        stated = stated.get(key) if isinstance(stated, dict) else None
    return stated


def _from_wkt(table: Table, name: str, column: pa.Array) -> tuple[Degrees, Degrees]:
    """Parse points from WKT."""
    none = compute.match_substring_regex(column, _EMPTY).fill_null(True)
    found = compute.extract_regex(column, _WKT)
    wrong = compute.and_(found.is_null(), compute.invert(none))
    table.check(wrong.to_numpy(zero_copy_only=False), name, "'{}' is not a point", _HINT)
    x, y = (compute.struct_field(found, axis).cast(pa.float64()) for axis in ("x", "y"))
    return _floats(y), _floats(x)


def _floats(column: pa.Array) -> Degrees:
    """Coordinates as an array, NaN where they are null."""
    found: Degrees = numbers(column.cast(pa.float64()).fill_null(np.nan))
    return found


def _from_wkb(table: Table, name: str, column: pa.Array) -> tuple[Degrees, Degrees]:
    """Parse points from WKB of either byte order."""
    none = column.is_null().to_numpy(zero_copy_only=False)
    size = numbers(compute.binary_length(column).fill_null(0))
    wrong = (size != _WKB.itemsize) & ~none
    table.check(wrong, name, "the geometry is not a point in two dimensions")
    cells = column.to_pylist()
    for row in np.flatnonzero(none | wrong):
        cells[row] = _NO_POINT
    records = np.frombuffer(b"".join(cells), _WKB)
    big = records["order"] == 0
    kind, x, y = (
        np.where(big, records[part].byteswap(), records[part]) for part in ("type", "x", "y")
    )
    table.check(kind != 1, name, "the geometry is not a point in two dimensions")
    return y.astype(np.float64), x.astype(np.float64)
