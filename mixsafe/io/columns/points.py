"""Points in a column ``geometry``, and other reference systems than degrees (EPSG:4326).

Points are WKT, EWKT, WKB, or GeoParquet coordinate pairs. WKB follows OGC 06-103r4, section 8: a
byte for the byte order, the type (1: a point), x, y. Points with an elevation or a measure are of
type 1001, 2001, 3001. PostGIS marks them in the highest bits of the type instead, as it does a
reference system (SRID) before x, and writes bytes as hexadecimal text. Elevations and measures are
ignored.

PROJ converts coordinates, and is loaded only when that is needed; ``pip install pyproj`` installs
it. A plane in metres without a place on the Earth needs no PROJ: it is laid where the equator meets
Greenwich.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import compute

from mixsafe.errors import InputError
from mixsafe.geometry.grid import EARTH_RADIUS
from mixsafe.io.files.arrays import flags, is_text, numbers
from mixsafe.io.files.checked_table import CheckedTable
from mixsafe.io.files.parquet_columns import open_parquet
from mixsafe.model.numerals import DECIMAL

Degrees = npt.NDArray[np.float64]

DEGREES = ("4326", "EPSG:4326", "CRS84", "OGC:CRS84", "URN:OGC:DEF:CRS:OGC:1.3:CRS84")
"""Names of reference systems whose coordinates are already degrees."""

METRES = "METRES"
"""Reference system of a plane in metres whose place on the Earth is unknown; case is ignored."""

REACH = 100_000.0
"""Largest coordinate of such a plane, metres: distances are then right to 0.02 %."""

_INSTALL = "pip install pyproj, or convert them to EPSG:4326"


def in_degrees(crs: object) -> bool:
    """True if a reference system's coordinates are longitudes and latitudes of WGS 84.

    Parameters
    ----------
    crs
        An EPSG number, a text, PROJJSON, or a pyproj CRS; None: degrees.
    """
    return crs is None or _name(crs).upper() in DEGREES


def is_plane(crs: object) -> bool:
    """True for a plane in metres without a place on the Earth."""
    return crs is not None and _name(crs).upper() == METRES


def check_srid(srid: int, crs: object, file: str | os.PathLike[str], column: str) -> None:
    """Refuse points whose reference system is not that of their column.

    Parameters
    ----------
    srid
        EPSG number that the points state; 0: none.
    crs
        An EPSG number, a text, PROJJSON, or a pyproj CRS; None: degrees.

    Raises
    ------
    InputError
        They differ.
    """
    if not srid or (srid == 4326 and in_degrees(crs)):
        return
    name = "EPSG:4326" if in_degrees(crs) else _name(crs).upper()
    code = name.removeprefix("EPSG:")
    if code.isdigit() and int(code) != srid:
        message = f"points are in EPSG:{srid}, and are read as {name}"
        hint = f"say --crs EPSG:{srid} (crs= in Python), or convert them to EPSG:4326"
        raise InputError(message, file=file, column=column, hint=hint)


def to_degrees(
    x: Degrees, y: Degrees, crs: object, file: str | os.PathLike[str], column: str
) -> tuple[Degrees, Degrees]:
    """Convert coordinates of a reference system to latitudes and longitudes.

    Parameters
    ----------
    x, y
        (n,) coordinates: easting, northing.
    crs
        An EPSG number, a text, PROJJSON, or a pyproj CRS; None: degrees.
    file, column
        For error messages.

    Returns
    -------
    lat, lon
        (n,) degrees; infinite where the conversion is undefined.

    Raises
    ------
    InputError
        The reference system is unknown, pyproj is not installed, or a plane in metres is too large.
    """
    if in_degrees(crs):
        return y, x
    if is_plane(crs):
        return _of_plane(x, y, file, column)
    try:
        import pyproj
    except ModuleNotFoundError:
        message = f"coordinates are in {_name(crs)}"
        raise InputError(message, file=file, column=column, hint=_INSTALL) from None
    try:
        code = isinstance(crs, Mapping) and isinstance(crs.get("id"), Mapping)
        given = pyproj.CRS.from_user_input(_name(crs) if code else crs)
        transformer = pyproj.Transformer.from_crs(given, "OGC:CRS84", always_xy=True)
    except (pyproj.exceptions.CRSError, UnicodeEncodeError):
        hint = "use a name such as EPSG:2443"
        message = f"unknown reference system '{_name(crs)}'"
        raise InputError(message, file=file, column=column, hint=hint) from None
    lon, lat = transformer.transform(x, y)
    return np.asarray(lat, np.float64), np.asarray(lon, np.float64)


def _of_plane(
    x: Degrees, y: Degrees, file: str | os.PathLike[str], column: str
) -> tuple[Degrees, Degrees]:
    """Latitudes and longitudes, (n,) each, of a plane in metres around 0° N, 0° E.

    Raises
    ------
    InputError
        A coordinate is more than ``REACH`` from 0.
    """
    if np.any(np.abs(x) > REACH) or np.any(np.abs(y) > REACH):
        message = f"coordinates in metres are more than {REACH / 1000:g} km from 0"
        hint = "subtract an offset, or name the reference system: --crs EPSG:CODE"
        raise InputError(message, file=file, column=column, hint=hint)
    per_degree = np.radians(1) * EARTH_RADIUS
    return y / per_degree, x / per_degree


def _name(crs: object) -> str:
    """Display name of a reference system."""
    if isinstance(crs, Mapping):
        stated = crs.get("id")
        if isinstance(stated, Mapping) and "code" in stated:
            return f"{stated.get('authority', 'EPSG')}:{stated['code']}".replace(
                "EPSG:CRS84", "OGC:CRS84"
            )
        return str(crs.get("name", "an unknown reference system"))
    if isinstance(crs, int):
        return f"EPSG:{crs}"
    authority = getattr(crs, "to_authority", None)
    found = authority() if callable(authority) else None
    return ":".join(found) if found else str(crs).strip()


_WKT = rf"^\s*(?i:POINT)\s*\(\s*(?P<x>{DECIMAL})\s+(?P<y>{DECIMAL})\s*\)\s*$"
_CODE = r"(?:(?i:SRID)\s*=\s*(?P<srid>[0-9]{1,9})\s*;\s*)?"
_KIND = r"(?:\s*(?P<kind>(?i:ZM|Z|M)))?"
_MORE = r"(?P<more>(?:\s+[^\s(),;]+){0,2})"
_EWKT = rf"^\s*{_CODE}(?i:POINT){_KIND}\s*\(\s*(?P<x>{DECIMAL})\s+(?P<y>{DECIMAL}){_MORE}\s*\)\s*$"
"""Points with a reference system, an elevation z or a measure m."""
_HEX = r"^\s*(?:\\x)?(?P<hex>0[01](?:[0-9A-Fa-f]{2}){20,40})\s*$"
"""WKB in hexadecimal, as PostGIS writes it; with ``\\x`` as bytes."""
_EMPTY = (
    r"^\s*(?:(?:(?i:SRID)\s*=\s*[0-9]+\s*;\s*)?(?i:POINT)\s*(?i:ZM|Z|M)?\s*(?i:EMPTY)"
    r"|(?i:NA|NAN|NULL|NONE))?\s*$"
)
_LINE = r"(?i:LINESTRING|POLYLINE|@[0-9]{4}-)|^\s*\[\s*\["
_HINT = "write points as POINT (longitude latitude)"
_LINE_HINT = "write a row per fix: user, time, POINT (longitude latitude)"

_Z, _M, _SRID = 0x80000000, 0x40000000, 0x20000000
"""Bits of the type of PostGIS."""
_HEAD, _POINT = 5, 1
"""Bytes of the order and the type of WKB, and the type of points."""


Flags = npt.NDArray[np.bool_]


def points(table: CheckedTable, name: str, crs: object = None) -> tuple[Degrees, Degrees]:
    """Read latitudes and longitudes of a column of points (x is the longitude, y the latitude).

    Both are NaN where the geometry is missing or empty.

    Parameters
    ----------
    crs
        Reference system of the coordinates; None: degrees. That of a point must not differ.

    Raises
    ------
    InputError
        Names the line of the first cell that is not a point, or whose reference system differs.
    """
    column = table.columns[name].combine_chunks()
    kind = column.type
    if pa.types.is_struct(kind) and {"x", "y"} <= {field.name for field in kind}:
        x, y = compute.struct_field(column, "x"), compute.struct_field(column, "y")
        return _floats(y), _floats(x)
    if pa.types.is_null(kind):
        return np.full(len(column), np.nan), np.full(len(column), np.nan)
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        found, wrong = _of_wkb(column)
        what, hint = "the geometry is not a point", _HINT
    elif is_text(kind):
        found, wrong = points_of_texts(column)
        what = "'{}' is not a point"
        lines = compute.match_substring_regex(column, _LINE).fill_null(False)
        named = f"{_HINT}; or say --column reg_id={name} if these are names (column= in Python)"
        hint = _LINE_HINT if wrong.any() and (wrong & flags(lines)).any() else named
    else:
        raise InputError(
            f"the column contains {kind}, not points", file=table.file, column=name, hint=_HINT
        )
    table.check(wrong, name, what, hint)
    y, x, srid = found
    for one in np.unique(srid[~wrong]).tolist() if srid.any() else []:
        check_srid(one, crs, table.file, name)
    return y, x


def stated_crs(path: str | os.PathLike[str], name: str) -> object:
    """Reference system of a GeoParquet column; None: the file gives none.

    Raises
    ------
    InputError
        The GeoParquet metadata cannot be read.
    """
    with open_parquet(path) as file:
        metadata = file.schema_arrow.metadata or {}
    try:
        stated = json.loads(metadata.get(b"geo", b"{}"))
    except ValueError:
        raise InputError("the GeoParquet metadata is not JSON", file=path, column=name) from None
    # GeoParquet: the default without "crs" is OGC:CRS84.
    for key in ("columns", name, "crs"):
        stated = stated.get(key) if isinstance(stated, dict) else None
    return stated


def _floats(column: pa.Array) -> Degrees:
    """Coordinates as an array, NaN where they are null."""
    found: Degrees = numbers(column.cast(pa.float64()).fill_null(np.nan))
    return found


_Found = tuple[Degrees, Degrees, npt.NDArray[np.int64]]
"""y, x and SRID of each row, (n_rows,) each: NaN and 0 where there is none."""


def points_of_texts(column: pa.Array) -> tuple[_Found, Flags]:
    """y, x and SRID of WKT, EWKT and hexadecimal WKB, and flags of the texts that are no point."""
    plain = compute.extract_regex(column, _WKT)
    x, y = (_floats(compute.struct_field(plain, axis)) for axis in ("x", "y"))
    srid = np.zeros(len(column), np.int64)
    left = flags(compute.and_(plain.is_null(), _is_there(column)))
    if not left.any():
        return (y, x, srid), left
    y, x = y.copy(), x.copy()  # Arrow's are read-only
    rest = np.flatnonzero(left)
    texts = column.take(pa.array(rest))
    wrong = np.ones(len(rest), bool)
    further = compute.extract_regex(texts, _EWKT)
    for found, parse in ((further, _of_ewkt), (compute.extract_regex(texts, _HEX), _of_hex)):
        here = np.flatnonzero(flags(found.is_valid()))
        if len(here):
            (y[rest[here]], x[rest[here]], srid[rest[here]]), wrong[here] = parse(
                found.take(pa.array(here))
            )
    every = np.zeros(len(column), bool)
    every[rest] = wrong
    return (y, x, srid), every


def _is_there(column: pa.Array) -> pa.Array:
    """Flags of texts that are neither missing nor an empty point."""
    return compute.invert(compute.match_substring_regex(column, _EMPTY).fill_null(True))


def _of_ewkt(found: pa.StructArray) -> tuple[_Found, Flags]:
    """Points of parsed EWKT; wrong where there are not as many numbers as the text says."""
    x, y, kind, more, srid = (
        compute.struct_field(found, part) for part in ("x", "y", "kind", "more", "srid")
    )
    extra = numbers(compute.count_substring_regex(more, r"\S+"))
    stated = numbers(compute.utf8_length(kind).fill_null(0))
    code = compute.if_else(compute.equal(srid, ""), None, srid).fill_null("0").cast(pa.int64())
    return (_floats(y), _floats(x), numbers(code)), (stated > 0) & (stated != extra)


def _of_hex(found: pa.StructArray) -> tuple[_Found, Flags]:
    """Points of WKB in hexadecimal."""
    texts = compute.struct_field(found, "hex")
    size = numbers(compute.utf8_length(texts)).astype(np.int64)
    data = bytes.fromhex("".join(texts.to_pylist()))
    ends = np.concatenate([[0], np.cumsum(size // 2)])
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(data)]
    return _of_wkb(pa.Array.from_buffers(pa.large_binary(), len(texts), buffers))


class WkbHead(NamedTuple):
    """How a geometry in WKB begins.

    Parameters
    ----------
    order
        Order of its bytes, ``<`` or ``>``.
    kind
        1: a point, 2: a line, and so on.
    axes
        Numbers of a position, 2 to 4.
    measured
        Whether the last of them is a measure.
    start
        Where its content begins.
    has_srid
        Whether its reference system is before that.
    """

    order: str
    kind: int
    axes: int
    measured: bool
    start: int
    has_srid: bool


def head_of_wkb(cell: bytes, at: int = 0) -> WkbHead | None:
    """How the geometry that is at a place in bytes begins; None: there is none."""
    if len(cell) < at + _HEAD or cell[at] > 1:
        return None
    order = "<" if cell[at] else ">"
    (stated,) = struct.unpack_from(f"{order}I", cell, at + 1)
    iso, kind = divmod(stated & 0x0FFFFFFF, 1000)
    if iso > 3:
        return None
    z, m, srid = bool(stated & _Z) or iso in (1, 3), bool(stated & _M) or iso >= 2, stated & _SRID
    start = at + _HEAD + (4 if srid else 0)
    return WkbHead(order, kind, 2 + z + m, m, start, bool(srid))


def _of_wkb(column: pa.Array) -> tuple[_Found, Flags]:
    """Parse points from WKB of either byte order; flag the bytes that are none."""
    n = len(column)
    y, x, srid = np.full(n, np.nan), np.full(n, np.nan), np.zeros(n, np.int64)
    size = numbers(compute.binary_length(column).fill_null(0))
    wrong = flags(column.is_valid())
    heads = compute.binary_slice(column, 0, _HEAD).fill_null(b"").dictionary_encode()
    code = numbers(heads.indices)
    for number, cell in enumerate(heads.dictionary.to_pylist()):
        head = head_of_wkb(cell)
        if head is None or head.kind != _POINT:
            continue
        length = head.start + 8 * head.axes
        here = np.flatnonzero((code == number) & (size == length))
        part = column if len(here) == n else column.take(pa.array(here))
        record = np.dtype(
            {
                "names": ["srid", "x", "y"],
                "formats": [f"{head.order}{one}" for one in ("u4", "f8", "f8")],
                "offsets": [_HEAD, head.start, head.start + 8],
                "itemsize": length,
            }
        )
        records = np.frombuffer(b"".join(part.to_pylist()), record)
        x[here], y[here], wrong[here] = records["x"], records["y"], False
        if head.has_srid:
            srid[here] = records["srid"]
    return (y, x, srid), wrong
