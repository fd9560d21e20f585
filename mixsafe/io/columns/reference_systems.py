"""Coordinates in other reference systems, made into degrees (EPSG:4326) by PROJ.

PROJ is asked only where there is something to convert: ``pip install pyproj`` brings it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError

Degrees = npt.NDArray[np.float64]

DEGREES = ("4326", "EPSG:4326", "CRS84", "OGC:CRS84", "URN:OGC:DEF:CRS:OGC:1.3:CRS84")
"""Names of the systems whose coordinates are degrees already."""

_INSTALL = "convert them to EPSG:4326, or pip install pyproj, which can"


def in_degrees(crs: object) -> bool:
    """Whether coordinates of a reference system are longitudes and latitudes of WGS 84.

    Parameters
    ----------
    crs
        An EPSG number, a text, PROJJSON, or what pyproj makes of these; None: nothing is said, and
        degrees are meant.
    """
    return crs is None or _name(crs).upper() in DEGREES


def to_degrees(
    x: Degrees, y: Degrees, crs: object, file: str | os.PathLike[str], column: str
) -> tuple[Degrees, Degrees]:
    """Latitudes and longitudes of coordinates in a reference system.

    Parameters
    ----------
    x, y
        (n,) coordinates: to the east, to the north.
    crs
        As for :func:`in_degrees`.
    file, column
        For messages.

    Returns
    -------
    lat, lon
        (n,) degrees; infinite where there are none.

    Raises
    ------
    InputError
        The system is unknown, or there is no PROJ.
    """
    if in_degrees(crs):
        return y, x
    try:
        import pyproj
    except ModuleNotFoundError:
        message = f"coordinates are in {_name(crs)}"
        raise InputError(message, file=file, column=column, hint=_INSTALL) from None
    try:
        code = isinstance(crs, Mapping) and isinstance(crs.get("id"), Mapping)
        given = pyproj.CRS.from_user_input(_name(crs) if code else crs)
        transformer = pyproj.Transformer.from_crs(given, "OGC:CRS84", always_xy=True)
    except pyproj.exceptions.CRSError:
        hint = "use a name such as EPSG:2443"
        message = f"there is no reference system '{_name(crs)}'"
        raise InputError(message, file=file, column=column, hint=hint) from None
    lon, lat = transformer.transform(x, y)
    return np.asarray(lat, np.float64), np.asarray(lon, np.float64)


def _name(crs: object) -> str:
    """What people call a reference system."""
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
