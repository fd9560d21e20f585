"""Extraction of mix zones from positions, and their places.

Meetings are within one step, so an executor finds zones in parallel over time. A zone's place may
count by itself or by the hour of the day.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.extract.companions import Track, always_together, is_looked_at
from mixsafe.geometry.grid import CellGrid
from mixsafe.machinery.spill import blocks, whole_stretches
from mixsafe.model.course import Executor, Found
from mixsafe.model.csr import pointers
from mixsafe.model.mobility.instant import zone_of
from mixsafe.model.mobility.places import PlaceName, place_name
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Names, Positions, Traces, stable_order
from mixsafe.model.question.mix_zones import EVERYWHERE, MixZones
from mixsafe.model.question.places import PER, ZonePlaces
from mixsafe.model.question.problem import Problem

_POSITIONS = 1 << 20
"""Of the steps that a worker takes at once, if each has fewer."""


class PositionColumns(NamedTuple):
    """Positions of users: at most one place for each user and step, in order of the users.

    Parameters
    ----------
    row, step, place
        (n,) each.
    """

    row: npt.NDArray[np.int32]
    step: npt.NDArray[np.int32]
    place: npt.NDArray[np.int64]

    def only(self, chosen: slice | npt.NDArray[np.int64]) -> PositionColumns:
        """Some of them."""
        return PositionColumns(self.row[chosen], self.step[chosen], self.place[chosen])


def zones_apart(
    positions: PositionColumns, min_users: int, executor: Executor, at_once: int = _POSITIONS
) -> Iterator[Found]:
    """All groups of ``min_users`` or more users at one place in one step.

    A task has about ``at_once`` positions, or those of one step.

    Yields
    ------
    dict
        ``time``, ``size`` and ``place`` of zones, by step, then by place, and ``row``, their
        members, ascending in each: those of some steps, the earlier ones first.
    """
    counts = np.zeros(int(positions.step.max(initial=0)) + 1, np.int64)
    for part in blocks(len(positions.step)):
        counts += np.bincount(positions.step[part], minlength=len(counts))
    share = np.cumsum(counts) // at_once
    ends = np.append(np.flatnonzero(np.diff(share)) + 1, len(counts)).tolist()
    tasks = list(zip([0, *ends[:-1]], ends, strict=True))
    return executor.each(_groups_of, executor.share((positions, min_users)), tasks)


def _groups_of(context: tuple[PositionColumns, int], steps: tuple[int, int]) -> Found:
    """The zones of the steps from the first one up to before the other."""
    positions, min_users = context
    chosen = np.flatnonzero((positions.step >= steps[0]) & (positions.step < steps[1]))
    return groups(positions.only(chosen), min_users)


def groups(positions: PositionColumns, min_users: int) -> Found:
    """The zones of some steps, all positions of which are there."""
    order = stable_order(positions.step, positions.place)  # users are in order already
    row, step, place = (column[order] for column in positions)
    new = np.append(True, (step[1:] != step[:-1]) | (place[1:] != place[:-1]))[: len(row)]
    begin = np.flatnonzero(new)
    size = np.diff(np.append(begin, len(row)))
    large: npt.NDArray[Any] = size >= min_users
    return {
        "time": step[begin[large]],
        "size": size[large],
        "place": place[begin[large]],
        "row": row[np.repeat(large, size)],
    }


_AT_ONCE = 1_000_000
"""Positions that are sorted at once: of more, those of some steps after the other."""


def mix_zones(
    positions: Positions,
    *,
    min_users: int = 2,
    executor: Executor | None = None,
    at_once: int = _AT_ONCE,
) -> MixZones:
    """Extract all groups of ``min_users`` or more users at one place in one step.

    Parameters
    ----------
    positions
        At most one place per user and step.
    min_users
        Smallest number of users that makes a mix zone, >= 2.
    executor
        Who looks for them; None: this process.
    at_once
        Positions that are sorted at once, or those of one step; without an executor.

    Returns
    -------
    MixZones
        By step, then by place; members ascending.

    Raises
    ------
    InputError
        ``min_users`` below 2: one user alone cannot mix.
    """
    if min_users < 2:
        raise InputError(f"a mix zone needs at least two users, not {min_users}")
    columns = PositionColumns(positions.row, positions.step, positions.place)
    if executor is None:
        parts = [groups(columns.only(part), min_users) for part in _steps(columns.step, at_once)]
    else:
        parts = list(zones_apart(columns, min_users, executor))
    time, size, row, place = (
        np.concatenate([part[name] for part in parts]) for name in ("time", "size", "row", "place")
    )
    ptr = pointers(size)
    users, axis, notes = positions.users, positions.axis, positions.notes
    absent = positions.absent
    premises, published = positions.premises, positions.published
    return MixZones(
        users, axis, time, ptr, row, place, notes, absent, premises=premises,
        place_names=positions.place_names, cells=positions.cells,
        published=None if published.are_all_of(axis.steps) else published,
    )  # fmt: skip


def with_companions(zones: MixZones) -> MixZones:
    """Zones that tell which users are in the same ones: their places are not known.

    Nobody is merged, because two people who meet often may be in no other zones.
    """
    if zones.premises.together is not None or zones.place is not None:
        return zones
    zone = zones.zone_of_member
    chosen = is_looked_at(zones.time[zone], len(zone))
    row, step, place = zones.members[chosen], zones.time[zone][chosen], zone[chosen]
    order = np.lexsort((step, row))
    pairs = always_together(Track(row[order], step[order], place[order]))
    together = pairs.told(zones.users, merged=False)
    premises = replace(zones.premises, together=together)
    return replace(zones, premises=premises, notes=(*zones.notes, *together.notes))


def _steps(step: npt.NDArray[np.int32], at_once: int) -> Iterator[slice | npt.NDArray[np.int64]]:
    """Positions of whole steps, the earlier ones first, some at a time: all of them if few."""
    if len(step) <= at_once:
        yield slice(None)
        return
    # NumPy sorts short numbers by their digits.
    digits = step.astype(np.uint16) if step.max() < 1 << 16 else step
    order = np.argsort(digits, kind="stable")
    digits = digits[order]
    ptr = np.append(np.flatnonzero(np.append(True, digits[1:] != digits[:-1])), len(step))
    yield from (
        order[ptr[stretch.start] : ptr[stretch.stop]] for stretch in whole_stretches(ptr, at_once)
    )


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
    names = tuple(
        "everywhere" if number == EVERYWHERE else named(number) for number in known.tolist()
    )
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
    names = tuple(f"{places.names[number]} {hour:02}:00" for number, hour in pairs)
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
    hours = [dt.datetime.fromtimestamp(number * _QUARTER, zone).hour for number in quarter.tolist()]
    hour: npt.NDArray[np.int64] = np.array(hours, np.int64)[at]
    return hour


@dataclass(frozen=True, eq=False)
class Extraction:
    """The extraction result of a source of traces, without the traces.

    Parameters
    ----------
    traces
        What the source is: names, clock, time zone, period, centre, notes. Of its fixes it holds
        the first and the last time only.
    positions
        Where each user is in each step.
    zones
        Where users meet.
    grid
        In whose cells they meet; None where places are regions.
    """

    traces: Traces
    positions: Positions
    zones: MixZones
    grid: CellGrid | None

    @property
    def users(self) -> Names:
        """Names, (n_users,)."""
        return self.zones.users
