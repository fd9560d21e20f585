"""Heading and speed in tables of messages of vehicles that move, as many programs write them.

========================  =========================================================  ==============
written by                columns                                                    units
========================  =========================================================  ==============
mixsafe                   ``heading, speed``                                         degrees, m/s
SUMO (FCD as CSV)         ``vehicle_angle, vehicle_speed``                           degrees, m/s
Veins, F2MD, PTF          ``heading.x, heading.y, speed.x, speed.y``                 m/s
AIS                       ``COG, SOG``                                               degrees, knots
others                    ``course``, ``bearing``; ``velocity``, ``speed_kmh``, …    by their names
========================  =========================================================  ==============

A heading is clockwise from north; of two parts, x is east and y is north, as those of positions.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float64]

NAMES: Mapping[str, tuple[str, ...]] = {
    "heading": ("heading", "heading_deg", "vehicle_angle", "angle", "course", "cog", "bearing"),
    "speed": ("speed", "speed_mps", "speed_m_s", "vehicle_speed", "velocity"),
    "speed_kmh": ("speed_kmh", "speed_km_h", "speed_kph"),
    "speed_knots": ("speed_knots", "speed_kn", "sog"),
    "heading_x": ("heading.x", "heading_x"),
    "heading_y": ("heading.y", "heading_y"),
    "speed_x": ("speed.x", "speed_x"),
    "speed_y": ("speed.y", "speed_y"),
}
"""Names of the columns of each number, in the order in which they are taken."""

FIELD: Mapping[str, str] = {name: name.partition("_")[0] for name in NAMES}
"""The field that each number is of."""

LIMITS: Mapping[str, tuple[float, float]] = {
    "heading": (0.0, 360.0),
    **dict.fromkeys(("speed", "speed_kmh", "speed_knots"), (0.0, np.inf)),
    **dict.fromkeys(("heading_x", "heading_y", "speed_x", "speed_y"), (-np.inf, np.inf)),
}
"""Least and largest value of each."""

_METRES_PER_SECOND: Mapping[str, float] = {"speed": 1.0, "speed_kmh": 1 / 3.6,
                                           "speed_knots": 1852 / 3600}  # fmt: skip


def motion_columns(columns: Mapping[str, str]) -> dict[str, str]:
    """Columns of :data:`NAMES` that say the heading and the speed, each in one way.

    Parameters
    ----------
    columns
        All that the table has.
    """
    chosen: dict[str, str] = {}
    for ways in (
        (("heading",), ("heading_x", "heading_y")),
        (("speed",), ("speed_kmh",), ("speed_knots",), ("speed_x", "speed_y")),
    ):
        known = (way for way in ways if all(name in columns for name in way))
        chosen |= {name: columns[name] for name in next(known, ())}
    return chosen


def motion_of(numbers: Mapping[str, Values]) -> dict[str, Values]:
    """``heading``, degrees from 0 to 360, and ``speed``, m/s; (n,) each, those that are known.

    Parameters
    ----------
    numbers
        (n,) each, of :data:`NAMES`; not a number: unknown.
    """
    found: dict[str, Values] = {}
    if "heading" in numbers:
        found["heading"] = numbers["heading"]
    elif "heading_x" in numbers:
        x, y = numbers["heading_x"], numbers["heading_y"]
        heading = np.degrees(np.arctan2(x, y)) % 360
        found["heading"] = np.where(np.hypot(x, y) > 0, heading, np.nan)
    for name, factor in _METRES_PER_SECOND.items():
        if name in numbers:
            found["speed"] = numbers[name] * factor
    if "speed_x" in numbers:
        found["speed"] = np.hypot(numbers["speed_x"], numbers["speed_y"])
    return found
