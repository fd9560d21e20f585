"""What the columns of a table of fixes mean: mixsafe's own names, and those of its peers.

====================  ======================================  ==========================
written by            user, time                              place
====================  ======================================  ==========================
mixsafe, the contest  ``user_id``; ``time`` or ``time_id``    ``lat,lon`` or ``reg_id``
scikit-mobility       ``uid, datetime``                       ``lat, lng``
privkit               ``uid, datetime``                       ``lat, lon``
trackintel            ``user_id, tracked_at``                 ``geometry`` (WKT or WKB)
mdl-anonymizer        ``user_id, timestamp``                  ``lon, lat``
====================  ======================================  ==========================

Upper and lower case are alike, and so are blanks, hyphens and underscores: ``User ID`` is
``user_id``. Where no column has one of these names, other usual ones are understood, such as
``taxi_id`` and ``date_time``: see ``USUAL``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

from mixsafe.errors import InputError
from mixsafe.io.files.csv_records import listed

NAMES: Mapping[str, tuple[str, ...]] = {
    "user_id": ("user_id", "uid"),
    "time": ("time", "datetime", "tracked_at", "timestamp"),
    "time_id": ("time_id",),
    "lat": ("lat", "latitude"),
    "lon": ("lon", "lng", "longitude"),
    "geometry": ("geometry", "geom"),
    "reg_id": ("reg_id",),
}
"""For each meaning, the column names that are understood."""

USUAL: Mapping[str, tuple[str, ...]] = {
    "user_id": (
        "user", "userid", "person_id", "taxi_id", "taxi", "cab_id", "cab", "vehicle_id", "vehicle",
        "driver_id", "driver", "device_id", "agent_id", "individual_id", "participant_id",
        "bike_id", "ship_id", "mmsi",
    ),
    "time": (
        "date_time", "datetime_utc", "timestamp_utc", "time_utc", "unix_time", "unixtime", "epoch",
        "ts", "time_stamp", "recorded_at", "gps_time", "basedatetime", "t",
    ),
    "time_id": ("step", "time_step", "timestep"),
    "lat": ("latitude_deg", "y", "location_lat", "gps_lat"),
    "lon": ("long", "longitude_deg", "x", "location_long", "location_lon", "gps_lon", "gps_lng"),
    "geometry": ("geom", "wkt", "the_geom", "point", "location"),
    "reg_id": ("region_id", "region", "cell_id", "zone", "area_id"),
}  # fmt: skip
"""The same for names that are looked for only where there is none of ``NAMES``."""

_USERS = {"user_id": ("user_id",)}
_TIMES = {"time": ("time",), "time_id": ("time_id",)}
_PLACES = {"lat/lon": ("lat", "lon"), "geometry": ("geometry",), "reg_id": ("reg_id",)}

RELEASED_HINT = "released data are for mixsafe audit; here the original traces are needed"


@dataclass(frozen=True)
class Layout:
    """Which column says what.

    Parameters
    ----------
    user, time
        Columns of users and of times.
    numbered
        Whether ``time`` numbers its steps, or holds moments.
    lat, lon, geometry, region
        Columns of places: the first two, or the third, or the last; None: not there.
    """

    user: str
    time: str
    numbered: bool
    lat: str | None = None
    lon: str | None = None
    geometry: str | None = None
    region: str | None = None


def layout_of(
    file: str | os.PathLike[str],
    header: tuple[str, ...],
    said: Mapping[str, str] | None = None,
) -> Layout:
    """The layout of a table of fixes.

    Parameters
    ----------
    header
        Its column names.
    said
        What the caller says of columns that have other names, such as ``{"user_id": "driver"}``;
        the keys are those of ``NAMES``. A meaning that is said excludes its alternatives.

    Raises
    ------
    InputError
        Users, times or places are missing, or are there twice.
    """
    said = dict(said or {})
    _check_said(file, header, said)
    found = dict(said)
    for ways in (_USERS, _TIMES, _PLACES):
        _look_for(file, header, found, ways)
    if "user_id" not in found:
        raise _missing(file, header, "user_id", "users")
    time = _choose(file, header, found, said, _TIMES, "times")
    place = _choose(file, header, found, said, _PLACES, "places")
    return Layout(
        user=found["user_id"],
        time=found[time],
        numbered=time == "time_id",
        lat=found["lat"] if place == "lat/lon" else None,
        lon=found["lon"] if place == "lat/lon" else None,
        geometry=found["geometry"] if place == "geometry" else None,
        region=found["reg_id"] if place == "reg_id" else None,
    )


def _look_for(
    file: str | os.PathLike[str],
    header: tuple[str, ...],
    found: dict[str, str],
    ways: Mapping[str, tuple[str, ...]],
) -> None:
    """Find columns by their names, until one way to say something is whole.

    Names that are written as they are known come first, then those much like them, then other usual
    ones: a column ``region`` beside ``lat`` and ``lon`` says nothing new.

    Raises
    ------
    InputError
        Two columns say the same.
    """
    plain = {name: re.sub(r"[\s_-]+", "_", name.lower()) for name in header}
    meanings = [meaning for parts in ways.values() for meaning in parts]
    written = {name: name for name in header}
    for known, called in ((NAMES, written), (NAMES, plain), (USUAL, plain)):
        if any(all(part in found for part in parts) for parts in ways.values()):
            return
        for meaning in meanings:
            taken = found.values()
            present = [
                name for name in header if called[name] in known[meaning] and name not in taken
            ]
            if meaning not in found and present:
                if len(present) > 1:
                    raise _twice(file, meaning, present, meaning)
                found[meaning] = present[0]


def _check_said(
    file: str | os.PathLike[str], header: tuple[str, ...], said: Mapping[str, str]
) -> None:
    """Refuse meanings that do not exist, and columns that are not there."""
    for meaning, name in said.items():
        if meaning not in NAMES:
            raise InputError(
                f"a column cannot be said to be '{meaning}'", hint=f"use {', '.join(NAMES)}"
            )
        if name not in header:
            raise InputError(
                "there is no such column",
                file=file,
                line=1,
                column=name,
                hint=f"the columns are {listed(header)}",
            )


def _choose(
    file: str | os.PathLike[str],
    header: tuple[str, ...],
    found: Mapping[str, str],
    said: Mapping[str, str],
    ways: Mapping[str, tuple[str, ...]],
    what: str,
) -> str:
    """The one way in which a table says its times or places.

    Raises
    ------
    InputError
        There is no way, or more than one.
    """
    full = [way for way, parts in ways.items() if all(part in found for part in parts)]
    meant = [way for way in full if any(part in said for part in ways[way])]
    chosen = meant or full
    if len(chosen) == 1:
        return chosen[0]
    if not chosen:
        partly = [part for parts in ways.values() for part in parts if part in found]
        first = "lon" if partly == ["lat"] else "lat" if partly == ["lon"] else None
        raise _missing(file, header, first or " or ".join(ways), what)
    raise _twice(file, what, [found[ways[way][0]] for way in chosen], chosen[0])


def _missing(
    file: str | os.PathLike[str], header: tuple[str, ...], column: str, what: str
) -> InputError:
    """The error for a table that does not say its users, times or places."""
    if "pse_id" in header or header == ("reg_id",):
        return InputError("this is a release, not traces", file=file, line=1, hint=RELEASED_HINT)
    if len(header) == 1 and (";" in header[0] or "\t" in header[0]):
        mark = "semicolons" if ";" in header[0] else "tabs"
        return InputError(
            f"columns are separated by {mark}", file=file, line=1, hint="separate them by commas"
        )
    return InputError(
        f"there is no column of {what}",
        file=file,
        line=1,
        column=column,
        hint=f"the columns are {listed(header)}: {_say(column.split(' or ')[0])}",
    )


def _say(meaning: str) -> str:
    """How people say which column has a meaning."""
    first, *others = meaning.split("/")
    further = "".join(f" --column {other}=NAME" for other in others)
    return f"say which one with --column {first}=NAME{further} (column= in Python)"


def _twice(file: str | os.PathLike[str], what: str, columns: list[str], meaning: str) -> InputError:
    """The error for a table that says something in two columns."""
    return InputError(
        f"columns {' and '.join(columns)} both say {what}",
        file=file,
        line=1,
        hint=_say(meaning),
    )
