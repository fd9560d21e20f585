"""Vehicles of snapshots: the values that tracklets need, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite, nan
from typing import Any

import numpy as np

from mixsafe.errors import InputError
from mixsafe.io.columns.reading import no_position
from mixsafe.io.gbfs.parsing import Place, moment
from mixsafe.io.gbfs.snapshots import Snapshot
from mixsafe.io.gbfs.wanted import Unused, WantedFeed

UNKNOWN = -1
"""What providers write for a value that they do not know."""

_READ = frozenset((
    "bike_id", "vehicle_id", "lat", "lon", "current_range_meters", "current_fuel_percent",
    "last_reported", "vehicle_type_id", "station_id", "rental_uris", "is_disabled", "is_reserved",
    "pricing_plan_id", "heading", "speed",
))  # fmt: skip
"""Keys of a vehicle that are read by their meaning, or say of what kind it is."""


Record = dict[str, Any]
"""What a tracklet needs of a vehicle in one snapshot: ``lat`` and ``lon``, and fields by name,
numbers and texts, None where there is no text."""

SILENT = "_silent"
"""Whether a record names neither a position nor a station; no field begins with an underscore."""

TYPES: Mapping[str, type] = {
    **dict.fromkeys(("lat", "lon", "range", "battery", "last_reported", "disabled"), float),
    SILENT: bool,
}
"""Types of a record's values that are not texts."""


@dataclass(frozen=True)
class VehicleReader:
    """Reads vehicles.

    Parameters
    ----------
    wanted
        What is read, and how strictly.
    unused
        Takes what is not used.
    """

    wanted: WantedFeed
    unused: Unused

    def by_identifier(self, snapshot: Snapshot) -> dict[str, dict[str, Any]]:
        """The vehicles of a snapshot by their identifiers.

        Raises
        ------
        InputError
            A vehicle has no identifier, or one that another one has.
        """
        key, vehicles = snapshot.key, snapshot.vehicles
        try:
            found = {vehicle[key]: vehicle for vehicle in vehicles}
            whole = (
                len(found) == len(vehicles) and set(map(type, found)) <= {str} and "" not in found
            )
        except (KeyError, TypeError):
            whole = False
        return found if whole else self._explained(snapshot)

    def _explained(self, snapshot: Snapshot) -> dict[str, dict[str, Any]]:
        """As :func:`by_identifier`, of vehicles that something may be wrong with."""
        found: dict[str, dict[str, Any]] = {}
        for number, vehicle in enumerate(snapshot.vehicles, 1):
            name = vehicle.get(snapshot.key) if isinstance(vehicle, dict) else None
            message = None
            if isinstance(name, bool) or not isinstance(name, str | int) or name == "":
                message = f"vehicle {number} has no identifier"
            elif str(name) in found:
                message = f"identifier '{name}' occurs twice in the snapshot"
            if message is None:
                found[str(name)] = vehicle
            else:
                self.unused.bad(snapshot.place.error(message, snapshot.key))
        return found

    def readable(
        self,
        now: dict[str, dict[str, Any]],
        known: Mapping[str, dict[str, Any]],
        place: Place,
    ) -> dict[str, dict[str, Any]]:
        """The vehicles that can be read.

        Parameters
        ----------
        now
            Vehicles of a snapshot.
        known
            Vehicles of the snapshot before, which can be read.
        """
        found = {}
        for name, vehicle in now.items():
            before = known.get(name)
            if before is not vehicle and before != vehicle:
                try:
                    self._checked(vehicle, name, place)
                except InputError as error:
                    self.unused.bad(error)
                    continue
            found[name] = vehicle
        return found

    def _checked(self, vehicle: dict[str, Any], name: str, place: Place) -> None:
        """Refuse a vehicle that cannot be read, and count nothing."""
        _Vehicle(vehicle, name, place, self.wanted, Unused()).record()

    def record(self, vehicle: dict[str, Any], name: str, place: Place) -> Record:
        """The values of a vehicle that a tracklet needs.

        Raises
        ------
        InputError
            A value that is needed cannot be one.
        """
        try:
            return _Vehicle(vehicle, name, place, self.wanted, self.unused).record()
        except InputError as error:
            self.unused.bad(error)
            raise


@dataclass(frozen=True)
class _Vehicle:
    """A vehicle of a snapshot, and its identifier."""

    said: dict[str, Any]
    name: str
    place: Place
    wanted: WantedFeed
    unused: Unused

    def record(self) -> Record:
        lat, lon = self._position()
        uris = self.said.get("rental_uris")
        known = {
            "lat": lat,
            "lon": lon,
            "range": self._number("range", "current_range_meters", 1e9),
            "battery": self._number("battery", "current_fuel_percent", 100),
            "last_reported": self._number("last_reported", "last_reported", None),
            "type": _text(self.said.get("vehicle_type_id")),
            "station": _text(self.said.get("station_id")),
            "uris": "\n".join(map(str, uris.values())) if isinstance(uris, dict) else None,
            "disabled": float(bool(self.said.get("is_disabled"))),
            SILENT: not {"lat", "lon"} & self.said.keys() and self.said.get("station_id") is None,
        }
        return known | self._more() | known

    def _more(self) -> Record:
        """Further values: those that are wanted, and all that may name the vehicle.

        Keys that begin with an underscore are those of whoever collected the snapshots.
        """
        named = {
            key: str(value)
            for key, value in self.said.items()
            if key not in _READ and key[:1] != "_" and type(value) in (str, int) and value != ""
        }
        named.pop(self.wanted.truth or "", None)
        return named | {key: _text(self.said.get(key)) for key in self.wanted.also}

    def _position(self) -> tuple[float, float]:
        """Latitude and longitude; not numbers where they are no position.

        Raises
        ------
        InputError
            They are not on the earth, and stand for nothing else.
        """
        lat, lon = self._coordinate("lat"), self._coordinate("lon")
        keep = self.wanted.rules.keep_null_island
        if not (0.001 < abs(lat) <= 90 and abs(lon) <= 180):  # all others are positions
            point = np.array([lat]), np.array([lon])
            if bool(no_position(*point, keep_null_island=keep)[0]):
                return nan, nan
            for key, value, most in (("lat", lat, 90), ("lon", lon, 180)):
                if abs(value) > most:
                    hint = "are lat and lon swapped?" if abs(value) <= 180 else None
                    raise self._error(f"{value:g} is not from {-most} to {most}", key, hint)
        return lat, lon

    def _coordinate(self, key: str) -> float:
        """A coordinate as a number; not a number if it is missing.

        Raises
        ------
        InputError
            It is something else.
        """
        given = self.said.get(key)
        if given is None or (isinstance(given, str) and not given.strip()):
            return nan
        value = _float(given)
        if value is None:
            raise self._error(f"{str(given)[:40]} is not a number", key)
        return value

    def _number(self, field: str, key: str, most: float | None) -> float:
        """A number of a field; not a number where it is not known.

        Parameters
        ----------
        most
            The largest number, the least being 0; None: it is a time, Unix seconds.

        Raises
        ------
        InputError
            The field is compared, and its value is something else.
        """
        given = self.said.get(key)
        if given is None:
            return nan
        if not _is_unknown(given) and (most is not None or given != 0):
            try:
                if most is None:
                    return float(moment(given, self.place, key))
                return _within(given, most)
            except InputError as error:
                if field in self.wanted.fields:
                    advice = f"leave the field {field} out with --fields"
                    hint = " or ".join(filter(None, (error.hint, advice)))
                    raise self._error(error.message, key, hint) from None
        where = self.place.file if self.place.line is None else f"line {self.place.line}"
        shown = repr(str(given)[:40]) if isinstance(given, str) else str(given)[:40]
        self.unused.unread(key, f"{shown} of vehicle '{self.name}' ({where})")
        return nan

    def _error(self, message: str, key: str, hint: str | None = None) -> InputError:
        """The error about a value."""
        return self.place.error(f"vehicle '{self.name}': {message}", key, hint)


def _is_unknown(given: object) -> bool:
    """Whether a value stands for one that the provider does not know."""
    if isinstance(given, str) and not given.strip():
        return True
    value = _float(given)
    return value is not None and (not isfinite(value) or value == UNKNOWN)


def _within(given: object, most: float) -> float:
    """A value as a number from 0 to the largest one.

    Raises
    ------
    InputError
        It is something else.
    """
    value = _float(given)
    if value is None or not 0 <= value <= most:
        what = "is not a number" if value is None else f"is not from 0 to {most:g}"
        raise InputError(f"{str(given)[:40]} {what}")
    return value


def _float(given: object) -> float | None:
    """A value as a number; None: it is not one."""
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        return None
    try:
        return float(given)
    except (ValueError, OverflowError):
        return None


def _text(value: object) -> str | None:
    return None if value is None else str(value)
