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
from mixsafe.io.files.content import TABLE
from mixsafe.io.files.csv_records import listed
from mixsafe.io.files.table_form import GEOLIFE_FILES, GEOLIFE_NAMES

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
    "lat": ("y", "vehicle_y", "person_y", "pos_y"),
    "lon": ("x", "vehicle_x", "person_x", "pos_x"),
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
    search = _Search(file, header, given or {}, plane)
    search.check_given()
    for forms in (_USERS, _TIMES, _PLACES):
        search.look_for(forms)
    search.look_for_stays()
    found, times = search.found, {**_TIMES, **_STAYS}
    in_lines = False
    if lines is not None and not all(search.has(forms) for forms in (_USERS, times, _PLACES)):
        in_lines = search.look_for_lines(lines)
        if in_lines and "start" not in search.given:  # lines have times of their own
            found.pop("start", None)
    if "user_id" not in found:
        left = tuple(name for name in header if in_lines and name not in found.values())
        others = {
            what: tuple(part for part in parts if part not in found)
            for what, forms, parts in (
                ("times", times, ("time",)),
                ("places", _PLACES, ("lat", "lon")),
            )
            if not in_lines and not search.has(forms)
        }
        raise search.missing("user_id", "users", left=left, others=others)
    time = search.chosen(times, "times")
    place = search.chosen(_PLACES, "places")
    if place == "reg_id" and "reg_id" not in search.given:
        search.check_cells()
    if time == "start/end" and "start" not in search.given and search.are_trips:
        raise search.trips()
    flags = [name for name in header if plain_name(name) in _FLAGS]
    moments = found["start" if time == "start/end" else time]
    return Layout(
        user=found["user_id"],
        time=moments,
        numbered=time == "time_id",
        end=found["end"] if time == "start/end" else None,
        seconds=time == "seconds",
        flag=flags[0] if len(flags) == 1 else None,
        unused=search.unused(time, place),
        lat=found["lat"] if place == "lat/lon" else None,
        lon=found["lon"] if place == "lat/lon" else None,
        geometry=found["geometry"] if place == "geometry" else None,
        region=found["reg_id"] if place == "reg_id" else None,
        date=None if time in ("time_id", "seconds") else date_beside(header, moments),
    )


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
    search = _Search(file, header)
    search.look_for(_USERS)
    search.look_for(_TIMES)
    found, advice = search.found, "call it {}, or as in the data"  # no option names its columns
    if "user_id" not in found:
        raise search.missing("user_id", "users", advice=advice)
    if "time_id" in found:
        return Layout(found["user_id"], found["time_id"], numbered=True)
    search.look_for_stays()
    time = found.get("time") or found.get("seconds") or found.get("start")
    if time is None or not timed:
        column, what = ("time", "times") if timed else ("time_id", "numbers of steps")
        raise search.missing(column, what, advice=advice)
    return Layout(
        found["user_id"],
        time,
        numbered=False,
        date=date_beside(header, time),
        end=found.get("end"),
        seconds=time == found.get("seconds"),
    )


def tells_times(file: str | os.PathLike[str], header: tuple[str, ...]) -> bool:
    """Whether a table that refers to data already read has times, or the starts of stays.

    Raises
    ------
    InputError
        Two columns may be them.
    """
    search = _Search(file, header)
    search.look_for(_TIMES)
    search.look_for_stays()
    return search.has({**_TIMES, **_STAYS})


def user_column(
    file: str | os.PathLike[str], header: tuple[str, ...], given: Mapping[str, str]
) -> str | None:
    """The column of users, as :func:`layout_of` finds it by its name; None: there is none.

    Raises
    ------
    InputError
        Two columns may be it.
    """
    search = _Search(file, header, given)
    search.look_for(_USERS)
    return search.found.get("user_id")


def date_beside(header: tuple[str, ...], time: str) -> str | None:
    """The column of dates of a table; None: it has none, or has it for the time."""
    dates = [name for name in header if plain_name(name) in _DATES and name != time]
    return dates[0] if len(dates) == 1 else None


_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
"""Where a word begins in a name such as ``deviceId``."""


def plain_name(name: str) -> str:
    """The name of a column without what does not matter."""
    # Denmark's AIS begins its header with "# Timestamp".
    return re.sub(r"[\s_-]+", "_", name.lower().lstrip("# "))


class _Search:
    """The search for the columns of a table.

    Parameters
    ----------
    file, header, given, plane
        The file, its column names, columns named by the caller, and whether ``x`` and ``y`` are
        coordinates.
    """

    def __init__(
        self,
        file: str | os.PathLike[str],
        header: tuple[str, ...],
        given: Mapping[str, str] | None = None,
        plane: bool = False,
    ) -> None:
        self.file, self.header, self.given = file, header, dict(given or {})
        self.found = dict(self.given)
        more = PLANE if plane else {}
        self.usual = {key: (*names, *more.get(key, ())) for key, names in USUAL.items()}

    def has(self, forms: Mapping[str, tuple[str, ...]]) -> bool:
        """True if one of the forms is complete."""
        return any(all(part in self.found for part in parts) for parts in forms.values())

    def look_for(self, forms: Mapping[str, tuple[str, ...]]) -> None:
        """Find columns by their names, until one of the ``forms`` is complete.

        Exact names come first, then names equal up to case and separators, then other common names:
        a column ``region`` next to ``lat`` and ``lon`` is ignored. Then come names of programs and
        of objects in objects: ``deviceId`` and ``device.id``, and ``coords.latitude`` by its last
        part.

        Raises
        ------
        InputError
            Two columns have the same meaning.
        """
        header, found = self.header, self.found
        words = {name: _HUMP.sub("_", name) for name in header}
        plain = {name: plain_name(name) for name in header}
        nested = {name: plain_name(words[name].replace(".", "_")) for name in header}
        inner = {name: plain_name(words[name].rpartition(".")[2]) for name in header}
        written = {name: name for name in header}
        for known, called in (
            *((NAMES, written), (NAMES, plain), (self.usual, plain)),
            *((known, called) for called in (nested, inner) for known in (NAMES, self.usual)),
        ):
            if self.has(forms):
                return
            for meaning in (meaning for parts in forms.values() for meaning in parts):
                taken = found.values()
                present = [
                    name for name in header if called[name] in known[meaning] and name not in taken
                ]
                beside = meaning == "reg_id" and known is self.usual and {"lat", "lon"} <= {*found}
                if meaning not in found and present and not beside:
                    if len(present) > 1:
                        what = "places" if meaning == "reg_id" else meaning
                        raise self.twice(what, present, meaning)
                    found[meaning] = present[0]

    def look_for_stays(self) -> None:
        """Find the starts and ends of stays, unless another column has the times.

        Raises
        ------
        InputError
            Two columns have the same meaning.
        """
        found = self.found
        named = {
            one: [found[one]] if one in found else self.called(one) for one in ("start", "end")
        }
        if any(one in self.given for one in ("time", "time_id", "seconds")):
            return
        if "time" in found and [plain_name(name) for name in named["end"]] == [_LEAVING]:
            named["start"] = [found["time"]]
        if not all(named.values()):
            return
        if "start" in self.given or found.get("time") in named["start"]:
            found.pop("time", None)
        if self.has(_TIMES):
            return
        for meaning, names in named.items():
            if len(names) > 1:
                raise self.twice(meaning, names, meaning)
            found[meaning] = names[0]

    def look_for_lines(self, lines: Callable[[str | None], LineColumn | None]) -> bool:
        """Find what a table of lines has instead of columns of users, times and places.

        Returns
        -------
        True if it is one.

        Raises
        ------
        InputError
            Lines have no times.
        """
        found, placed, timed = self.found, self.has(_PLACES), self.has(_TIMES)
        line = None if placed and "geometry" not in found else lines(found.get("geometry"))
        if line is None:
            return False
        if not line.timed and not timed:
            message = "a row has a whole line of fixes without times"
            raise self.error(message, TABLE, line.name)
        if not placed:
            found["geometry"] = line.name
        if not timed:
            found["time"] = line.name
        tracks = [name for name in self.header if plain_name(name) == TRACK_NAME]
        if "user_id" not in found and len(tracks) == 1:
            found["user_id"] = tracks[0]
        return True

    def chosen(self, forms: Mapping[str, tuple[str, ...]], what: str) -> str:
        """Choose the one form in which a table gives its times or places.

        Raises
        ------
        InputError
            No form is complete, or more than one is.
        """
        found = self.found
        full = [form for form, parts in forms.items() if all(part in found for part in parts)]
        meant = [form for form in full if any(part in self.given for part in forms[form])]
        chosen = meant or full
        if len(chosen) == 1:
            return chosen[0]
        if not chosen:
            partly = [part for parts in forms.values() for part in parts if part in found]
            first = "lon" if partly == ["lat"] else "lat" if partly == ["lon"] else None
            raise self.missing(first or next(iter(forms)), what)
        raise self.twice(what, [found[forms[form][0]] for form in chosen], chosen[0])

    def called(self, meaning: str) -> list[str]:
        """Columns that are called as those of a meaning are."""
        names = (*NAMES[meaning], *USUAL[meaning])
        return [name for name in self.header if plain_name(name) in names]

    def unused(self, time: str, place: str) -> tuple[str, ...]:
        """Columns of named places beside other places, and of stays beside other times."""
        names = [] if place == "reg_id" else self.called("reg_id")
        stays = [self.called(one) for one in ("start", "end")]
        if time != "start/end" and all(stays):
            names += [name for some in stays for name in some]
        return tuple(name for name in names if name not in self.found.values())

    @property
    def are_trips(self) -> bool:
        """Whether there are places at which something starts, and others at which it ends."""
        names = [plain_name(name) for name in self.header]
        return all(any(map(form.fullmatch, names)) for form in _OF_TRIPS)

    def check_given(self) -> None:
        """Refuse unknown meanings and missing columns."""
        for meaning, name in self.given.items():
            if meaning not in NAMES:
                message = f"unknown meaning of a column: '{meaning}'"
                raise InputError(message, hint=f"use {', '.join(NAMES)}; x is lon, and y is lat")
            if name not in self.header:
                hint = f"the columns are {listed(self.header)}"
                raise self.error("the column does not exist", hint, name)

    def check_cells(self) -> None:
        """Refuse numbers of cells beside the areas in which cells are numbered.

        Raises
        ------
        InputError
            There are such areas.
        """
        region = self.found["reg_id"]
        areas = [name for name in self.header if plain_name(name) in _AREAS]
        if areas and plain_name(region) in _CELLS:
            message = f"cells of several areas may have one number: '{areas[0]}' is an area"
            hint = (
                f"join {areas[0]} and {region} into one column, called place; or say --column"
                f" reg_id={region} if {region} alone tells cells apart (column= in Python)"
            )
            raise self.error(message, hint, region)

    def error(self, message: str, hint: str, column: str | None = None) -> InputError:
        """The error about the header, or about a column."""
        return InputError(message, file=self.file, line=1, column=column, hint=hint)

    def missing(
        self,
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
        if "pse_id" in self.header or self.header == ("reg_id",):
            return self.error("this is a release, not traces", RELEASED_HINT)
        if column == "user_id" and self.header == GEOLIFE_NAMES:
            hint = "give the folder of all users, and say whose its files are: " + GEOLIFE_FILES
            return InputError("the file does not say whose it is", file=self.file, hint=hint)
        if self.are_trips:
            return self.trips()
        told = self.hint(column) if advice is None else advice.format(column)
        if len(left) == 1:
            told = f"say --column {column}={_shown(left[0])} if it is that (column= in Python)"
        if others:
            meanings = [column, *(part for parts in others.values() for part in parts)]
            named = " ".join(f"--column {meaning}=NAME" for meaning in meanings)
            told = f"name them with {named} (column= in Python)"
            *first, last = (what, *others)
            what = f"{', '.join(first)} and {last}"
        message = f"no column{'s' if others else ''} of {what} found"
        hint = f"the columns are {listed(self.header)}: {told}"
        return self.error(message, hint, column.split("/")[0])

    def trips(self) -> InputError:
        """The error for a table of trips: nobody is at one place from their start to their end."""
        hint = f"mixsafe links reads trips; for this command, {TABLE}"
        return self.error("these are trips, with two places each", hint)

    def twice(self, what: str, columns: list[str], meaning: str) -> InputError:
        """The error for two columns of one meaning."""
        return self.error(f"columns {' and '.join(columns)} both contain {what}", _name_it(meaning))

    def hint(self, meaning: str) -> str:
        """How to name the column of a meaning, which some column may be."""
        plain = {plain_name(name).replace(".", "_"): name for name in reversed(self.header)}
        if meaning == "user_id" and "id" in plain:
            return (
                f"say --column user_id={plain['id']} if {plain['id']} is a person, and not the"
                " number of a row (column= in Python)"
            )
        starts = self.called("start")
        if meaning == "time" and len(starts) == 1:
            return (
                f"say --column time={_shown(starts[0])} if a row is one moment, or --column"
                " end=NAME if it is a stay until then (column= in Python)"
            )
        if meaning == "time" and "t" in plain:
            t = plain["t"]
            return f"say --column time={t} if {t} is a time, or time_id={t} if it numbers steps"
        pairs = zip(PLANE["lon"], PLANE["lat"], strict=True)
        on_plane = [(plain[x], plain[y]) for x, y in pairs if x in plain and y in plain]
        if meaning == "lat/lon" and on_plane:
            x, y = on_plane[0]
            return (
                f"say --crs metres or --crs EPSG:CODE if {x} and {y} are on a plane, or"
                f" --column lon={x} --column lat={y} if they are degrees"
            )
        return _name_it(meaning)


def _name_it(meaning: str) -> str:
    """How to name the columns of a meaning."""
    if meaning == "user_id":
        return (
            "name it with --column user_id=NAME (column= in Python); or give the folder of all"
            " users, and say whose its files are: --files '{user_id}.csv'"
        )
    first, *others = meaning.split("/")
    further = "".join(f" --column {other}=NAME" for other in others)
    return f"name it with --column {first}=NAME{further} (column= in Python)"


def _shown(name: str) -> str:
    """A name as one word of a command line."""
    return f"'{name}'" if " " in name else name
