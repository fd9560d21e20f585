"""The place of each mix zone, by itself or by the hour of the day."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.mobility.instant import zone_of
from mixsafe.model.mobility.places import PlaceName, place_name
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.question.mix_zones import EVERYWHERE, MixZones
from mixsafe.model.question.places import PER, ZonePlaces
from mixsafe.model.question.problem import Problem

_QUARTER = 900
"""Seconds; time zones are whole quarters of an hour off."""


def zone_places(zones: MixZones, label: Callable[[int], PlaceName] | None = None) -> ZonePlaces:
    """Places of mix zones, ascending by number; each costs 1.

    Parameters
    ----------
    zones
        With places.
    label
        Name of a place by its number; None: the name of its region. Places of a rotation are
        "everywhere".

    Raises
    ------
    InputError
        The places of the zones are unknown.
    """
    if zones.place is None:
        raise InputError(
            "the places of the mix zones are unknown",
            hint="use traces, or name each zone's place in the problem ('places')",
        )
    known, of = np.unique(zones.place, return_inverse=True)
    named = label or partial(place_name, names=zones.place_names)
    names = tuple("everywhere" if one == EVERYWHERE else named(one) for one in known.tolist())
    return ZonePlaces(names, of.astype(np.int64), np.ones(len(known), np.int64))


def by_hour(places: ZonePlaces, zones: MixZones) -> ZonePlaces:
    """Make each hour of the day at a place a place of its own, as ``"P 08:00"``.

    Each costs what the place costs. Hours are those of the clock in the data's time zone.

    Raises
    ------
    InputError
        The data only number their steps.
    """
    hour = _hours(zones.axis, zones.time)
    known, of = np.unique(places.of * 24 + hour, return_inverse=True)
    place, hours = np.divmod(known, 24)
    pairs = zip(place.tolist(), hours.tolist(), strict=True)
    names = tuple(f"{places.names[one]} {hour:02}:00" for one, hour in pairs)
    return ZonePlaces(names, of.astype(np.int64), places.cost[place])


def places_per(
    problem: Problem,
    per: str,
    label: Callable[[int], PlaceName] | None = None,
    cost: Callable[[ZonePlaces], npt.NDArray[np.int64]] | None = None,
) -> ZonePlaces | None:
    """The places among which mix zones are chosen; None: each zone is chosen by itself.

    Parameters
    ----------
    per
        One of :data:`mixsafe.model.question.places.PER`.
    label
        Name of a place by its number, where the problem does not name its places; None: the name of
        its region.
    cost
        What places cost, (n_places,); None: as the problem says, else 1 each.

    Raises
    ------
    InputError
        An unknown ``per``, costs of single zones, unknown places, or hours of times that are
        numbers.
    """
    if per not in PER:
        raise InputError(f"unknown choice '{per}'", hint=f"use one of {', '.join(PER)}")
    if per == "zone":
        if cost is not None:
            raise InputError("costs are of places, not of zones", hint="choose per place")
        return None
    places = problem.places or zone_places(problem.zones, label)
    if cost is not None:
        places = replace(places, cost=cost(places))
    return places if per == "place" else by_hour(places, problem.zones)


def groupings(problem: Problem) -> Iterator[npt.NDArray[np.int64]]:
    """Yield the place of each zone, (n_zones,), and that by the hour where steps have hours."""
    places = problem.places or zone_places(problem.zones)
    yield places.of
    if problem.zones.axis.step_seconds is not None:
        yield by_hour(places, problem.zones).of


def _hours(axis: TimeAxis, step: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """(n,) hour of the day, 0 to 23, in which each step begins."""
    if axis.step_seconds is None:
        raise InputError(
            "the times of the data are numbers, which have no hour", hint="use --per place"
        )
    second = axis.first + (step.astype(np.int64) - 1) * axis.step_seconds
    quarter, at = np.unique(second // _QUARTER, return_inverse=True)
    zone = zone_of(axis.tz)
    hours = [dt.datetime.fromtimestamp(one * _QUARTER, zone).hour for one in quarter.tolist()]
    hour: npt.NDArray[np.int64] = np.array(hours, np.int64)[at]
    return hour
