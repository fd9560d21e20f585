"""Conversion of coordinates from other reference systems to degrees (EPSG:4326) by PROJ.

PROJ is loaded only when a conversion is needed; ``pip install pyproj`` installs it. A plane in
metres without a place on the Earth needs no PROJ: it is laid where the equator meets Greenwich.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.geometry.grid import EARTH_RADIUS

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
