"""Column names of tables of fixes: those of mixsafe, and those of other libraries.

====================  ======================================  ==========================
written by            user, time                              place
====================  ======================================  ==========================
mixsafe, the contest  ``user_id``; ``time`` or ``time_id``    ``lat,lon`` or ``reg_id``
scikit-mobility       ``uid, datetime`` (of stays, also       ``lat, lng``
                      ``leaving_datetime``)
privkit               ``uid, datetime``                       ``lat, lon``
trackintel            ``user_id, tracked_at``                 ``geometry`` (WKT or WKB)
mdl-anonymizer        ``user_id, timestamp``                  ``lon, lat``
stays                 ``user_id, started_at, finished_at``    any of these, or ``place``
SUMO (FCD as CSV)     ``vehicle_id, timestep_time``           ``vehicle_x, vehicle_y``
====================  ======================================  ==========================

Case and a first ``#`` are ignored, and blanks, hyphens and underscores are equivalent: ``User ID``
is ``user_id``. If no column has one of these names, other common names are tried, such as
``taxi_id`` and ``date_time``: see ``USUAL``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from mixsafe.errors import InputError
from mixsafe.io.files.csv_records import listed
from mixsafe.io.files.strangers import TABLE
from mixsafe.io.files.text_form import GEOLIFE_FILES, GEOLIFE_NAMES

_LEAVING = "leaving_datetime"
"""The end of a stay of scikit-mobility, of which ``datetime`` is the start."""

NAMES: Mapping[str, tuple[str, ...]] = {
    "user_id": ("user_id", "uid"),
    "time": ("time", "datetime", "tracked_at", "timestamp"),
    "time_id": ("time_id",),
    "lat": ("lat", "latitude"),
    "lon": ("lon", "lng", "longitude"),
    "geometry": ("geometry", "geom"),
    "reg_id": ("reg_id",),
    "start": ("started_at",),
    "end": ("finished_at", _LEAVING),
    "seconds": ("timestep_time",),
}
"""Recognized column names of each meaning."""

USUAL: Mapping[str, tuple[str, ...]] = {
    "user_id": (
        "user", "person_id", "taxi_id", "taxi", "cab_id", "cab", "vehicle_id", "vehicle",
        "driver_id", "driver", "device_id", "agent_id", "individual_id", "participant_id",
        "bike_id", "ship_id", "mmsi", "individual_local_identifier", "userid", "deviceid", "device",
        "device_name", "devicename", "device_mac", "mac", "mac_address", "client_mac", "client",
        "client_id", "username", "user_name", "icao24", "caller_id", "caller", "subscriber_id",
        "subscriber", "imsi", "msisdn", "callingstationid", "calling_station_id", "badge_id",
        "badge", "card_id", "employee_id", "person", "personid", "vehicleid", "animal_id",
        "visitor_id", "customer_id", "patient_id",
    ),
    "time": (
        "date_time", "datetime_utc", "timestamp_utc", "time_utc", "unix_time", "unixtime", "epoch",
        "ts", "time_stamp", "recorded_at", "gps_time", "basedatetime", "base_date_time",
        "coordtimes", "times", "timestamps", "fixtime", "fix_time", "check_in_time", "checkin_time",
        "event_time", "seen_at",
    ),
    "time_id": ("step", "time_step", "timestep"),
    "lat": ("latitude_deg", "location_lat", "gps_lat"),
    "lon": ("long", "longitude_deg", "location_long", "location_lon", "gps_lon", "gps_lng"),
    "geometry": ("geom", "wkt", "the_geom", "point", "location"),
    "reg_id": (
        "region_id", "region", "cell_id", "zone", "area_id", "place", "place_id", "place_name",
        "location_id", "location_name", "venue", "venue_id", "venue_name", "station", "station_id",
        "station_name", "ap", "ap_id", "ap_name", "access_point", "bssid", "cell", "cid", "cellid",
        "cell_name", "antenna", "antenna_id", "tower", "tower_id", "badge_reader", "reader",
        "reader_id", "door", "door_id", "gate", "room", "room_id", "zone_id", "zone_name", "ap_mac",
        "site", "site_id", "h3", "h3_index", "h3_cell", "hex_id", "hexagon", "geohash", "quadkey",
        "calledstationid", "called_station_id",
    ),
    "start": (
        "start", "start_time", "starttime", "arrival", "arrival_time", "arrived_at", "check_in",
        "checked_in_at", "check_in_time", "checkin_time", "checkin", "connected_at", "connect_time",
        "entered_at", "entry_time", "begin", "began_at", "enter", "entry", "acctstarttime",
        "acct_start_time", "association_time", "associated_at", "login_time", "time_in", "clock_in",
        "start_datetime", "start_date", "starts_at", "begin_time", "enter_time",
    ),
    "end": (
        "end", "end_time", "endtime", "departure", "departure_time", "departed_at", "left_at",
        "check_out", "checked_out_at", "check_out_time", "checkout_time", "checkout",
        "disconnected_at", "disconnect_time", "exited_at", "exit_time", "ended_at", "exit",
        "acctstoptime", "acct_stop_time", "disassociation_time", "disassociated_at", "logout_time",
        "time_out", "clock_out", "end_datetime", "end_date", "ends_at", "leave_time", "stop_time",
        "stoptime",
    ),
    "seconds": (),
}  # fmt: skip
"""Common column names of each meaning, tried only where none of ``NAMES`` occurs."""

PLANE: Mapping[str, tuple[str, ...]] = {
    "lat": ("y", "vehicle_y", "person_y"),
    "lon": ("x", "vehicle_x", "person_x"),
}
"""Further names, of coordinates whose reference system is given: elsewhere x may be anything."""

_DATES = ("date", "gps_date", "date_utc", "utc_date")
"""Names of columns of dates that stand beside times of the day."""

_FLAGS = ("visible", "valid")
"""Columns that say of a row whether it is a fix, of Movebank and of Traccar."""

_OF_TRIPS = tuple(
    re.compile(rf"(?:{end})(?:_.*)?_?(?:lat|station|location|zone).*|{short}location.*")
    for end, short in (("start|from|origin|pickup", "pu"), ("end|to|destination|dropoff", "do"))
)
"""Names of columns of the places at which trips start and end."""

_CELLS, _AREAS = ("cell", "cell_id", "cellid", "cid"), ("lac", "tac", "location_area_code")
"""Columns of numbers of cells, and of areas in each of which cells are numbered."""

_USERS = {"user_id": ("user_id",)}
_TIMES = {"time": ("time",), "time_id": ("time_id",), "seconds": ("seconds",)}
_STAYS = {"start/end": ("start", "end")}
_PLACES = {"lat/lon": ("lat", "lon"), "geometry": ("geometry",), "reg_id": ("reg_id",)}

TRACK_NAME = "name"
"""Column of users of a table of lines that has no other: the names of tracks."""

RELEASED_HINT = "use mixsafe audit for a release; this command needs the original traces"


@dataclass(frozen=True)
class Layout:
    """The column of each meaning.

    Parameters
    ----------
    user, time
        Columns of users and of times.
    numbered
        True if ``time`` contains numbers of steps, False if it contains timestamps.
    end
        Column of the ends of stays, of which ``time`` contains the starts; None: rows are fixes.
    seconds
        True if ``time`` contains seconds after the start of a simulation.
    date
        Column of dates, needed where ``time`` contains only times of the day; None: absent.
    flag
        Column that says of a row whether it is a fix; None: all are.
    unused
        Columns of places or of stays that are not used.
    lat, lon, geometry, region
        Columns of places: ``lat`` and ``lon``, or ``geometry``, or ``region``; None: absent. If
        ``time`` is also ``geometry``, the lines there have times of their own.
    """

    user: str
    time: str
    numbered: bool
    lat: str | None = None
    lon: str | None = None
    geometry: str | None = None
    region: str | None = None
    date: str | None = None
    end: str | None = None
    seconds: bool = False
    flag: str | None = None
    unused: tuple[str, ...] = ()


class LineColumn(NamedTuple):
    """A column whose rows have lines of positions.

    Parameters
    ----------
    name
        Its name.
    timed
        True if positions have times.
    """

    name: str
    timed: bool


def layout_of(
    file: str | os.PathLike[str],
    header: tuple[str, ...],
    given: Mapping[str, str] | None = None,
    *,
    plane: bool = False,
    lines: Callable[[str | None], LineColumn | None] | None = None,
) -> Layout:
    """Determine the layout of a table of fixes.

    Parameters
    ----------
    header
        Its column names.
    given
        Columns named by the caller, such as ``{"user_id": "driver"}``; the keys are those of
        ``NAMES``. A given meaning excludes its alternatives.
    plane
        Whether ``x`` and ``y`` are coordinates, because their reference system is given.
    lines
        Looks for a column of lines (only the one given, if any), if users, times or places are
        missing; None: rows with lines cannot be used.

    Raises
    ------
    InputError
        Users, times or places are missing or ambiguous.
    """
    given = dict(given or {})
    _check_given(file, header, given)
    found = dict(given)
    usual = USUAL if not plane else {**USUAL, **{key: USUAL[key] + PLANE[key] for key in PLANE}}
    for forms in (_USERS, _TIMES, _PLACES):
        _look_for(file, header, found, forms, usual)
    _look_for_stays(file, header, found, given)
    times = {**_TIMES, **_STAYS}
    in_lines = False
    if lines is not None and not all(_is_full(found, one) for one in (_USERS, times, _PLACES)):
        in_lines = _look_for_lines(file, header, found, lines)
        if in_lines and "start" not in given:  # lines have times of their own
            found.pop("start", None)
    if "user_id" not in found:
        left = tuple(name for name in header if in_lines and name not in found.values())
        others = {
            what: tuple(part for part in parts if part not in found)
            for what, forms, parts in (
                ("times", times, ("time",)),
                ("places", _PLACES, ("lat", "lon")),
            )
            if not in_lines and not _is_full(found, forms)
        }
        raise _missing(file, header, "user_id", "users", left=left, others=others)
    time = _choose(file, header, found, given, times, "times")
    place = _choose(file, header, found, given, _PLACES, "places")
    if place == "reg_id" and "reg_id" not in given:
        _check_cells(file, header, found["reg_id"])
    if time == "start/end" and "start" not in given and _are_trips(header):
        raise _trips(file)
    flags = [name for name in header if plain_name(name) in _FLAGS]
    moments = found["start" if time == "start/end" else time]
    return Layout(
        user=found["user_id"],
        time=moments,
        numbered=time == "time_id",
        end=found["end"] if time == "start/end" else None,
        seconds=time == "seconds",
        flag=flags[0] if len(flags) == 1 else None,
        unused=_unused(header, found, time, place),
        lat=found["lat"] if place == "lat/lon" else None,
        lon=found["lon"] if place == "lat/lon" else None,
        geometry=found["geometry"] if place == "geometry" else None,
        region=found["reg_id"] if place == "reg_id" else None,
        date=None if time in ("time_id", "seconds") else date_beside(header, moments),
    )


def _look_for_stays(
    file: str | os.PathLike[str],
    header: tuple[str, ...],
    found: dict[str, str],
    given: Mapping[str, str],
) -> None:
    """Find the starts and ends of stays, unless another column has the times.

    Raises
    ------
    InputError
        Two columns have the same meaning.
    """
    named = {
        one: [found[one]] if one in found else _called(header, one) for one in ("start", "end")
    }
    if any(one in given for one in ("time", "time_id", "seconds")):
        return
    if "time" in found and [plain_name(name) for name in named["end"]] == [_LEAVING]:
        named["start"] = [found["time"]]
    if not all(named.values()):
        return
    if "start" in given or found.get("time") in named["start"]:
        found.pop("time", None)
    if _is_full(found, _TIMES):
        return
    for meaning, names in named.items():
        if len(names) > 1:
            raise _twice(file, meaning, names, meaning)
        found[meaning] = names[0]


def _called(header: tuple[str, ...], meaning: str) -> list[str]:
    """Columns that are called as those of a meaning are."""
    names = (*NAMES[meaning], *USUAL[meaning])
    return [name for name in header if plain_name(name) in names]


def _unused(
    header: tuple[str, ...], found: Mapping[str, str], time: str, place: str
) -> tuple[str, ...]:
    """Columns of named places beside other places, and of stays beside other times."""
    names = [] if place == "reg_id" else _called(header, "reg_id")
    stays = [_called(header, one) for one in ("start", "end")]
    if time != "start/end" and all(stays):
        names += [name for some in stays for name in some]
    return tuple(name for name in names if name not in found.values())


def _check_cells(file: str | os.PathLike[str], header: tuple[str, ...], region: str) -> None:
    """Refuse numbers of cells beside the areas in which cells are numbered.

    Raises
    ------
    InputError
        There are such areas.
    """
    areas = [name for name in header if plain_name(name) in _AREAS]
    if areas and plain_name(region) in _CELLS:
        raise InputError(
            f"cells of several areas may have one number: '{areas[0]}' is an area",
            file=file,
            line=1,
            column=region,
            hint=f"join {areas[0]} and {region} into one column, called place; or say --column"
            f" reg_id={region} if {region} alone tells cells apart (column= in Python)",
        )


def date_beside(header: tuple[str, ...], time: str) -> str | None:
    """The column of dates of a table; None: it has none, or has it for the time."""
    dates = [name for name in header if plain_name(name) in _DATES and name != time]
    return dates[0] if len(dates) == 1 else None


def _look_for_lines(
    file: str | os.PathLike[str],
    header: tuple[str, ...],
    found: dict[str, str],
    lines: Callable[[str | None], LineColumn | None],
) -> bool:
    """Find what a table of lines has instead of columns of users, times and places.

    Returns
    -------
    True if it is one.

    Raises
    ------
    InputError
        Lines have no times.
    """
    placed = _is_full(found, _PLACES)
    line = None if placed and "geometry" not in found else lines(found.get("geometry"))
    if line is None:
        return False
    if not line.timed and not _is_full(found, _TIMES):
        message = "a row has a whole line of fixes without times"
        raise InputError(message, file=file, line=1, column=line.name, hint=TABLE)
    if not placed:
        found["geometry"] = line.name
    if not _is_full(found, _TIMES):
        found["time"] = line.name
    tracks = [name for name in header if plain_name(name) == TRACK_NAME]
    if "user_id" not in found and len(tracks) == 1:
        found["user_id"] = tracks[0]
    return True


def _is_full(found: Mapping[str, str], forms: Mapping[str, tuple[str, ...]]) -> bool:
    """True if one of the forms is complete."""
    return any(all(part in found for part in parts) for parts in forms.values())


_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
"""Where a word begins in a name such as ``deviceId``."""


def plain_name(name: str) -> str:
    """The name of a column without what does not matter."""
    # Denmark's AIS begins its header with "# Timestamp".
    return re.sub(r"[\s_-]+", "_", name.lower().lstrip("# "))


def reference_columns(
    file: str | os.PathLike[str], header: tuple[str, ...], *, timed: bool
) -> Layout:
    """Determine the columns of users and times of a table that refers to data already read.

    Parameters
    ----------
    header
        Its column names, with the same meanings as those of the data.
    timed
        True if the data have timestamps.

    Returns
    -------
    Layout without places. Numbers of steps come first where the table has both.

    Raises
    ------
    InputError
        Users or times are missing or ambiguous, or are timestamps where the data number their
        steps.
    """
    found: dict[str, str] = {}
    for forms in (_USERS, _TIMES):
        _look_for(file, header, found, forms)
    if "user_id" not in found:
        raise _missing(file, header, "user_id", "users", advice=_NAME_IT)
    numbered = "time_id" in found
    if not numbered:
        _look_for_stays(file, header, found, {})
    time = found.get("time") or found.get("seconds") or found.get("start")
    if not numbered and (time is None or not timed):
        what = "times" if timed else "numbers of steps"
        column = "time" if timed else "time_id"
        raise _missing(file, header, column, what, advice=_NAME_IT)
    if numbered:
        return Layout(found["user_id"], found["time_id"], numbered=True)
    return Layout(
        found["user_id"],
        str(time),
        numbered=False,
        date=date_beside(header, str(time)),
        end=found.get("end"),
        seconds=time == found.get("seconds"),
    )


def user_column(
    file: str | os.PathLike[str], header: tuple[str, ...], given: Mapping[str, str]
) -> str | None:
    """The column of users, as :func:`layout_of` finds it by its name; None: there is none.

    Raises
    ------
    InputError
        Two columns may be it.
    """
    found = dict(given)
    _look_for(file, header, found, _USERS)
    return found.get("user_id")


_NAME_IT = "call it {}, or as in the data"
"""Advice for tables whose columns no option names."""


def _look_for(
    file: str | os.PathLike[str],
    header: tuple[str, ...],
    found: dict[str, str],
    forms: Mapping[str, tuple[str, ...]],
    usual: Mapping[str, tuple[str, ...]] = USUAL,
) -> None:
    """Find columns by their names, until one of the ``forms`` is complete.

    Exact names come first, then names equal up to case and separators, then other common names: a
    column ``region`` next to ``lat`` and ``lon`` is ignored. Then come names of programs and of
    objects in objects: ``deviceId`` and ``device.id``, and ``coords.latitude`` by its last part.

    Raises
    ------
    InputError
        Two columns have the same meaning.
    """
    plain = {name: plain_name(name) for name in header}
    nested = {name: plain_name(_HUMP.sub("_", name).replace(".", "_")) for name in header}
    inner = {name: plain_name(_HUMP.sub("_", name.rpartition(".")[2])) for name in header}
    meanings = [meaning for parts in forms.values() for meaning in parts]
    written = {name: name for name in header}
    for known, called in (
        *((NAMES, written), (NAMES, plain), (usual, plain)),
        *((known, called) for called in (nested, inner) for known in (NAMES, usual)),
    ):
        if _is_full(found, forms):
            return
        for meaning in meanings:
            taken = found.values()
            present = [
                name for name in header if called[name] in known[meaning] and name not in taken
            ]
            beside = meaning == "reg_id" and known is usual and {"lat", "lon"} <= found.keys()
            if meaning not in found and present and not beside:
                if len(present) > 1:
                    what = "places" if meaning == "reg_id" else meaning
                    raise _twice(file, what, present, meaning)
                found[meaning] = present[0]


def _check_given(
    file: str | os.PathLike[str], header: tuple[str, ...], given: Mapping[str, str]
) -> None:
    """Refuse unknown meanings and missing columns."""
    for meaning, name in given.items():
        if meaning not in NAMES:
            raise InputError(
                f"unknown meaning of a column: '{meaning}'",
                hint=f"use {', '.join(NAMES)}; x is lon, and y is lat",
            )
        if name not in header:
            raise InputError(
                "the column does not exist",
                file=file,
                line=1,
                column=name,
                hint=f"the columns are {listed(header)}",
            )


def _choose(
    file: str | os.PathLike[str],
    header: tuple[str, ...],
    found: Mapping[str, str],
    given: Mapping[str, str],
    forms: Mapping[str, tuple[str, ...]],
    what: str,
) -> str:
    """Choose the one form in which a table gives its times or places.

    Raises
    ------
    InputError
        No form is complete, or more than one is.
    """
    full = [form for form, parts in forms.items() if all(part in found for part in parts)]
    meant = [form for form in full if any(part in given for part in forms[form])]
    chosen = meant or full
    if len(chosen) == 1:
        return chosen[0]
    if not chosen:
        partly = [part for parts in forms.values() for part in parts if part in found]
        first = "lon" if partly == ["lat"] else "lat" if partly == ["lon"] else None
        raise _missing(file, header, first or next(iter(forms)), what)
    raise _twice(file, what, [found[forms[form][0]] for form in chosen], chosen[0])


def _missing(
    file: str | os.PathLike[str],
    header: tuple[str, ...],
    column: str,
    what: str,
    advice: str | None = None,
    left: tuple[str, ...] = (),
    others: Mapping[str, tuple[str, ...]] | None = None,
) -> InputError:
    """The error for a table without a column of users, times or places.

    Parameters
    ----------
    advice
        What to do, ``{}`` standing for the column; None: to name it.
    left
        Columns that may be it; if there is only one, it is named.
    others
        What else is not found, and the meanings of its columns.
    """
    if "pse_id" in header or header == ("reg_id",):
        return InputError("this is a release, not traces", file=file, line=1, hint=RELEASED_HINT)
    if column == "user_id" and header == GEOLIFE_NAMES:
        hint = "give the folder of all users, and say whose its files are: " + GEOLIFE_FILES
        return InputError("the file does not say whose it is", file=file, hint=hint)
    if _are_trips(header):
        return _trips(file)
    told = _hint_name(column, header) if advice is None else advice.format(column)
    if len(left) == 1:
        name = f"'{left[0]}'" if " " in left[0] else left[0]
        told = f"say --column {column}={name} if it is that (column= in Python)"
    if others:
        meanings = [column, *(part for parts in others.values() for part in parts)]
        named = " ".join(f"--column {meaning}=NAME" for meaning in meanings)
        told = f"name them with {named} (column= in Python)"
        *first, last = (what, *others)
        what = f"{', '.join(first)} and {last}"
    return InputError(
        f"no column{'s' if others else ''} of {what} found",
        file=file,
        line=1,
        column=column.split("/")[0],
        hint=f"the columns are {listed(header)}: {told}",
    )


def _are_trips(header: tuple[str, ...]) -> bool:
    """Whether a table has places at which something starts, and others at which it ends."""
    return all(any(form.fullmatch(plain_name(name)) for name in header) for form in _OF_TRIPS)


def _trips(file: str | os.PathLike[str]) -> InputError:
    """The error for a table of trips: nobody is at one place from their start to their end."""
    hint = f"mixsafe links reads trips; for this command, {TABLE}"
    return InputError("these are trips, with two places each", file=file, line=1, hint=hint)


def _hint_name(meaning: str, header: tuple[str, ...] = ()) -> str:
    """Hint: how to name the column of a meaning."""
    plain = {plain_name(name): name for name in reversed(header)}
    if meaning == "user_id" and "id" in plain:
        return (
            f"say --column user_id={plain['id']} if {plain['id']} is a person, and not the number"
            " of a row (column= in Python)"
        )
    if meaning == "user_id":
        return (
            "name it with --column user_id=NAME (column= in Python); or give the folder of all"
            " users, and say whose its files are: --files '{user_id}.csv'"
        )
    starts = _called(header, "start")
    if meaning == "time" and len(starts) == 1:
        shown = f"'{starts[0]}'" if " " in starts[0] else starts[0]
        return (
            f"say --column time={shown} if a row is one moment, or --column end=NAME if it is a"
            " stay until then (column= in Python)"
        )
    if meaning == "time" and "t" in plain:
        name = plain["t"]
        return (
            f"say --column time={name} if {name} is a time, or time_id={name} if it numbers steps"
        )
    pairs = zip(PLANE["lon"], PLANE["lat"], strict=True)
    on_plane = [(plain[x], plain[y]) for x, y in pairs if x in plain and y in plain]
    if meaning == "lat/lon" and on_plane:
        x, y = on_plane[0]
        return (
            f"say --crs metres or --crs EPSG:CODE if {x} and {y} are on a plane, or"
            f" --column lon={x} --column lat={y} if they are degrees"
        )
    first, *others = meaning.split("/")
    further = "".join(f" --column {other}=NAME" for other in others)
    return f"name it with --column {first}=NAME{further} (column= in Python)"


def _twice(file: str | os.PathLike[str], what: str, columns: list[str], meaning: str) -> InputError:
    """The error for two columns of one meaning."""
    return InputError(
        f"columns {' and '.join(columns)} both contain {what}",
        file=file,
        line=1,
        hint=_hint_name(meaning),
    )
