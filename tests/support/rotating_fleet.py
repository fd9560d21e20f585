"""A fleet that rotates its identifiers honestly, or keeps something over the change."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.support.feeds import START, bike, free_bike_status

POLL = 300

ORDERS: dict[str, Callable[[RotatingVehicle], Any]] = {
    "identifier": lambda one: one.identifier,
    "arrival": lambda one: one.since,
    "newest first": lambda one: -one.since,
    "latitude": lambda one: one.place[0],
    "station": lambda one: (one.place, one.identifier),
    "battery": lambda one: one.battery,
    "vehicle": lambda one: one.serial,
}
"""By what a list of vehicles may be sorted; only the last one says which vehicle is which."""


@dataclass
class RotatingVehicle:
    """A vehicle between two rides, or on one."""

    serial: int
    identifier: str
    place: tuple[float, float]
    since: float
    battery: float
    away: int = 0
    reported: int = 0


def rotating_fleet(
    seed: int,
    *,
    vehicles: int = 40,
    steps: int = 400,
    order: str = "identifier",
    stations: int = 0,
    keys: Callable[[RotatingVehicle], dict[str, Any]] = lambda one: {},
) -> list[dict[str, Any]]:
    """Snapshots, every five minutes, of vehicles with a new random identifier after each ride.

    Parameters
    ----------
    order
        Of ``ORDERS``, or ``shuffled``.
    stations
        Places at which all vehicles stand; the first ones are the busiest.
    keys
        Further keys of a vehicle.
    """
    dice = random.Random(seed)

    def place() -> tuple[float, float]:
        if stations:
            return spots[min(int(dice.expovariate(4 / stations)), stations - 1)]
        return round(dice.gauss(52.5, 0.02), 5), round(dice.gauss(13.4, 0.03), 5)

    def name() -> str:
        return f"{dice.getrandbits(48):012x}"

    spots = [(dice.gauss(52.5, 0.02), dice.gauss(13.4, 0.03)) for _ in range(stations)]
    fleet = [
        RotatingVehicle(serial, name(), place(), dice.random() - 1, dice.random())
        for serial in dice.sample(range(10 * vehicles), vehicles)
    ]
    found = []
    for step in range(steps):
        for one in fleet:
            if one.away:
                one.away -= 1
                if not one.away:
                    one.identifier, one.place, one.since = name(), place(), step + dice.random()
                    one.battery = (one.battery - 0.1 * dice.random()) % 1
                    one.reported = POLL * step - dice.randrange(POLL)
            elif dice.random() < 0.02:
                one.away = dice.randrange(1, 5)
        there = [one for one in fleet if not one.away]
        if order == "shuffled":
            dice.shuffle(there)
        else:
            there.sort(key=ORDERS[order])
        found.append(free_bike_status(POLL * step, *_shown(there, stations, keys)))
    return found


def _shown(
    there: Sequence[RotatingVehicle],
    stations: int,
    keys: Callable[[RotatingVehicle], dict[str, Any]],
) -> list[dict[str, Any]]:
    return [
        bike(
            one.identifier,
            *one.place,
            **{
                "current_fuel_percent": round(one.battery, 2),
                "current_range_meters": int(40_000 * one.battery),
                "last_reported": START + one.reported,
                "rental_uris": {"web": f"https://app.example/{one.identifier[:4]}"},
                **({"station_id": str(one.place)} if stations else {}),
                **keys(one),
            },
        )
        for one in there
    ]
