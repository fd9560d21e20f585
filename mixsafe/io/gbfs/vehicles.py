"""Vehicles of snapshots: the values that tracklets need, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite, nan
from typing import Any

import numpy as np

from mixsafe.errors import InputError
from mixsafe.io.columns.no_position import no_position
from mixsafe.io.gbfs.parsing import Place, moment
from mixsafe.io.gbfs.snapshots import Snapshot
from mixsafe.io.gbfs.unused import Unused
from mixsafe.io.gbfs.wanted import Wanted

UNKNOWN = -1
"""What providers write for a value that they do not know."""

_READ = frozenset((
    "bike_id", "vehicle_id", "lat", "lon", "current_range_meters", "current_fuel_percent",
    "last_reported", "vehicle_type_id", "station_id", "rental_uris", "is_disabled", "is_reserved",
    "pricing_plan_id",
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

    wanted: Wanted
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

    def _checked(self, vehicle: Mapping[str, Any], name: str, place: Place) -> None:
        """Refuse a vehicle that cannot be read, and count nothing."""
        VehicleReader(self.wanted, Unused())._read(vehicle, name, place)

    def record(self, vehicle: Mapping[str, Any], name: str, place: Place) -> Record:
        """The values of a vehicle that a tracklet needs.

        Raises
        ------
        InputError
            A value that is needed cannot be one.
        """
        try:
            return self._read(vehicle, name, place)
        except InputError as error:
            self.unused.bad(error)
            raise

    def _read(self, vehicle: Mapping[str, Any], name: str, place: Place) -> Record:
        lat, lon = self._position(vehicle, name, place)
        uris = vehicle.get("rental_uris")
        known = {
            "lat": lat,
            "lon": lon,
            "range": self._number(vehicle, ("range", "current_range_meters", 1e9), name, place),
            "battery": self._number(vehicle, ("battery", "current_fuel_percent", 100), name, place),
            "last_reported": self._reported(vehicle, name, place),
            "type": _text(vehicle.get("vehicle_type_id")),
            "station": _text(vehicle.get("station_id")),
            "uris": "\n".join(map(str, uris.values())) if isinstance(uris, dict) else None,
            "disabled": float(bool(vehicle.get("is_disabled"))),
            SILENT: not {"lat", "lon"} & vehicle.keys() and vehicle.get("station_id") is None,
        }
        return known | self._more(vehicle) | known

    def _more(self, vehicle: Mapping[str, Any]) -> Record:
        """Further values: those that are wanted, and all that may name the vehicle.

        Keys that begin with an underscore are those of whoever collected the snapshots.
        """
        named = {
            key: str(value)
            for key, value in vehicle.items()
            if key not in _READ and key[:1] != "_" and type(value) in (str, int) and value != ""
        }
        named.pop(self.wanted.truth or "", None)
        return named | {key: _text(vehicle.get(key)) for key in self.wanted.also}

    def _position(self, vehicle: Mapping[str, Any], name: str, place: Place) -> tuple[float, float]:
        """Latitude and longitude; not numbers where they are no position.

        Raises
        ------
        InputError
            They are not on the earth, and stand for nothing else.
        """
        lat, lon = (_coordinate(vehicle.get(key), key, name, place) for key in ("lat", "lon"))
        keep = self.wanted.rules.keep_null_island
        if not (0.001 < abs(lat) <= 90 and abs(lon) <= 180):  # all others are positions
            point = np.array([lat]), np.array([lon])
            if bool(no_position(*point, keep_null_island=keep)[0]):
                return nan, nan
            for column, value, most in (("lat", lat, 90), ("lon", lon, 180)):
                if abs(value) > most:
                    hint = "are lat and lon swapped?" if abs(value) <= 180 else None
                    message = f"vehicle '{name}': {value:g} is not from {-most} to {most}"
                    raise place.error(message, column, hint)
        return lat, lon

    def _number(
        self,
        vehicle: Mapping[str, Any],
        column: tuple[str, str, float],
        name: str,
        place: Place,
    ) -> float:
        """A number of a vehicle from 0 on; not a number where it is not known.

        Parameters
        ----------
        column
            Name of the field, its key, and its largest value.

        Raises
        ------
        InputError
            The field is compared, and its value is something else.
        """
        field, key, most = column
        given = vehicle.get(key)
        if given is None:
            return nan
        value = _float(given)
        if value is not None and 0 <= value <= most:
            return value
        if _is_unknown(given, value):
            self.unused.unread(key, _where(given, name, place))
            return nan
        what = "is not a number" if value is None else f"is not from 0 to {most:g}"
        error = place.error(f"vehicle '{name}': {str(given)[:40]} {what}", key, _leave_out(field))
        return self._wrong(field, given, name, error, place)

    def _reported(self, vehicle: Mapping[str, Any], name: str, place: Place) -> float:
        """Unix seconds of the last report; not a number where they are not known.

        Raises
        ------
        InputError
            The field is compared, and its value is no time.
        """
        key = "last_reported"
        given = vehicle.get(key)
        if given is None:
            return nan
        if _is_unknown(given, _float(given)) or given == 0:
            self.unused.unread(key, _where(given, name, place))
            return nan
        try:
            return float(moment(given, place, key))
        except InputError as error:
            hint = " or ".join(filter(None, (error.hint, _leave_out(key))))
            said = place.error(f"vehicle '{name}': {error.message}", key, hint)
            return self._wrong(key, given, name, said, place)

    def _wrong(
        self, field: str, given: object, name: str, error: InputError, place: Place
    ) -> float:
        """Not a number, for a field that is not compared."""
        if field in self.wanted.fields:
            raise error
        self.unused.unread(error.column or field, _where(given, name, place))
        return nan


def _leave_out(field: str) -> str:
    return f"leave the field {field} out with --fields"


def _where(given: object, name: str, place: Place) -> str:
    """A value, and where it is."""
    where = place.file if place.line is None else f"line {place.line}"
    shown = repr(str(given)[:40]) if isinstance(given, str) else str(given)[:40]
    return f"{shown} of vehicle '{name}' ({where})"


def _is_unknown(given: object, value: float | None) -> bool:
    """Whether a value stands for one that the provider does not know."""
    if isinstance(given, str) and not given.strip():
        return True
    return value is not None and (not isfinite(value) or value == UNKNOWN)


def _float(given: object) -> float | None:
    """A value as a number; None: it is not one."""
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        return None
    try:
        return float(given)
    except (ValueError, OverflowError):
        return None


def _coordinate(given: object, column: str, name: str, place: Place) -> float:
    """A coordinate as a number; not a number if it is missing.

    Raises
    ------
    InputError
        It is something else.
    """
    if given is None or (isinstance(given, str) and not given.strip()):
        return nan
    value = _float(given)
    if value is None:
        raise place.error(f"vehicle '{name}': {str(given)[:40]} is not a number", column)
    return value


def _text(value: object) -> str | None:
    return None if value is None else str(value)
