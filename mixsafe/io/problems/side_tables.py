"""Side tables: what is said of users, zones and places of data already read, a row each.

====================================================  ==========================================
table                                                 columns
====================================================  ==========================================
sightings of an adversary                             ``user_id,time_id``
requirements                                          ``user_id,time_id,k``
costs of places                                       ``place,cost``
exchange probabilities                                ``zone_id,chance`` or ``user_id,chance``
greatest speeds                                       ``user_id,max_speed``
users who are kept                                    a name per line, or a table that says who is
places of interest                                    ``lat`` (or ``y``), ``lon`` (or ``x``),
                                                      maybe ``category``
====================================================  ==========================================
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.io.columns.dialects import Layout, reference_columns
from mixsafe.io.columns.names import rows_of_users
from mixsafe.io.columns.stays import in_each_step, kinds_of_times, times_of
from mixsafe.io.files.checked_table import CheckedTable
from mixsafe.io.files.content import text_head_of
from mixsafe.io.files.csv_records import Kind, records
from mixsafe.io.files.tables import NoRowError, header_of, read_table
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Names
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.places import MOST_COST, ZonePlaces
from mixsafe.model.question.requirement import NO_K, Requirements, outside_k


class MemoryTable(Protocol):
    """Protocol of tables in memory, such as :class:`mixsafe.io.objects.frames.Frame`."""

    @property
    def label(self) -> str:
        """Name of the table in messages."""

    @property
    def header(self) -> tuple[str, ...]:
        """Names of the columns."""

    def table(self, kinds: Mapping[str, Kind]) -> CheckedTable:
        """Validated columns of the given kinds."""


TableSource = str | os.PathLike[str] | MemoryTable


def read_references(
    source: TableSource,
    users: Names,
    axis: TimeAxis,
    others: dict[str, Kind] | None = None,
    aliases: Mapping[str, str] | None = None,
) -> tuple[CheckedTable, npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Read a table with columns ``user_id`` and ``time_id`` (or ``time``), and optional others.

    Columns may have the other names that those of traces may have
    (:mod:`mixsafe.io.columns.dialects`).

    ``time_id`` is the data's label of a step; for data with timestamps it is the number of the
    step, from 1. Time 0 is before the first step. ``time`` is a timestamp, for such data only.

    Returns
    -------
    table, row, step
        The table, and (n_rows,) rows and steps.

    Raises
    ------
    InputError
        Names the line of the first user who is not in the data, or time outside its range.
    """
    read: Callable[[Mapping[str, Kind]], CheckedTable]
    if isinstance(source, str | os.PathLike):
        label, header, read = os.fspath(source), header_of(source), partial(read_table, source)
    else:
        label, header, read = source.label, source.header, source.table
    layout = reference_columns(label, header, timed=axis.timed)
    kinds: dict[str, Kind] = {layout.user: "name", **kinds_of_times(layout)}
    table, step, _ = steps_and_moments(read(kinds | (others or {})), layout, axis)
    return table, rows_of_users(table, layout.user, users, aliases), step


def steps_and_moments(
    table: CheckedTable, layout: Layout, axis: TimeAxis
) -> tuple[CheckedTable, npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Convert times to steps; the table has a row for each step of stays.

    Returns
    -------
    table, step, moment
        The table, and (n_rows,) steps, and seconds, or starts of stays; 0 where steps are numbered.

    Raises
    ------
    InputError
        Names the line of the first time outside the range of the data.
    """
    name = layout.time
    if not layout.numbered:
        when, until = times_of(table, layout, axis.tz, axis.order)
        length = axis.step_seconds or 1
        moment = when.seconds
        step = (moment - axis.first) // length + 1
        if until is not None:
            table, step = in_each_step(table, step, (until - axis.first) // length + 1)
            moment = moment[table.origin]
        first, last = axis.label(0), axis.label(axis.steps)
    else:
        begin = 1 if axis.timed else axis.first
        first, last = begin - 1, begin + axis.steps - 1
        number = np.clip(table.values(name), min(first, 0) - 1, last + 1)  # differences fit
        step = np.where(number == 0, 0, number - begin + 1)
        moment = np.zeros(len(step), np.int64)
    outside = (step < 0) | (step > axis.steps)
    table.check(outside, name, f"time {{}} is outside the data's {first} to {last}")
    return table, step.astype(np.int32), moment


def read_sightings(
    source: TableSource,
    users: Names,
    axis: TimeAxis,
    *,
    maybe_none: bool = False,
    aliases: Mapping[str, str] | None = None,
) -> Knowledge:
    """Read sightings of users from a file or a table in memory; duplicates are merged.

    They are an adversary's, to whom different people are different.

    Parameters
    ----------
    users, axis
        Users and time axis of the data. If the axis has timestamps, the file may have ``time``
        (ISO 8601 or Unix seconds) instead of ``time_id``.
    maybe_none
        True: a header without rows means no sightings and is not an error.
    aliases
        Further names of users: sightings under any of her names are a person's.

    Raises
    ------
    InputError
        Names the line at fault: a value is missing or has another type, the user is not in the
        data, or the time is out of range.
    """
    try:
        _, row, step = read_references(source, users, axis, aliases=aliases)
    except NoRowError:
        if not maybe_none:
            raise
        return Knowledge.from_pairs([], distinct=True)
    return Knowledge.of(row, step, distinct=True)


def read_requirements(
    source: TableSource,
    users: Names,
    axis: TimeAxis,
    aliases: Mapping[str, str] | None = None,
) -> Requirements:
    """Read requirements in the order of a file or a table in memory.

    Parameters
    ----------
    users, axis
        Users and time axis of the data. If the axis has timestamps, the file may have ``time``
        (ISO 8601 or Unix seconds) instead of ``time_id``.
    aliases
        Further names of users.

    Raises
    ------
    InputError
        Names the line at fault: a value is missing or has another type, the user is not in the
        data, the time is out of range, or k is below 2.
    """
    table, row, step = read_references(source, users, axis, {"k": "integer"}, aliases)
    k = table.values("k")
    table.check(outside_k(k), "k", f"k = {{}} {NO_K}")
    return Requirements(row, step, k.astype(np.int32))


def read_costs(source: TableSource, places: ZonePlaces) -> npt.NDArray[np.int64]:
    """Read what each of some places costs.

    Parameters
    ----------
    source
        A CSV or Parquet file, or a table in memory, with ``place`` and ``cost``, in any order.
    places
        Their names as answers have them.

    Returns
    -------
    (n_places,) int64, each 0 to ``MOST_COST``.

    Raises
    ------
    InputError
        Names the line of a place without a mix zone, one that is listed twice, or a cost that is no
        whole number or out of range; or a place that is not listed.
    """
    kinds: dict[str, Kind] = {"place": "name", "cost": "integer"}
    if isinstance(source, str | os.PathLike):
        table = read_table(source, kinds)
    else:
        table = source.table(kinds)
    cost = table.values("cost")
    table.check(
        (cost < 0) | (cost > MOST_COST), "cost", f"the cost {{}} is not from 0 to {MOST_COST:,}"
    )
    number = {str(name): n for n, name in enumerate(places.names)}
    found = np.full(len(places), -1, np.int64)
    for row, name in enumerate(table.columns["place"].cast("string").to_pylist()):
        if name not in number:
            hint = "the answer's places, and those of 'mixsafe zones --map', have these names"
            raise table.error(f"no mix zone is at place {name}", row, "place", hint)
        if found[number[name]] >= 0:
            raise table.error(f"place {name} is listed twice", row, "place", "list each place once")
        found[number[name]] = cost[row]
    missing = np.flatnonzero(found < 0)
    if len(missing):
        more = f" ({len(missing):,} places have none)" if len(missing) > 1 else ""
        raise InputError(
            f"place {places.names[missing[0]]} has no cost{more}", file=table.file, column="cost",
            hint="list each place that has a mix zone; a cost of 0 is free",
        )  # fmt: skip
    return found


Floats = npt.NDArray[np.float64]


class ExchangeChances(NamedTuple):
    """Probabilities that exchanges happen: ``zone``, (n_zones,), and ``user``, (n_users,)."""

    zone: Floats
    user: Floats


def read_chances(path: str | os.PathLike[str], zones: MixZones) -> ExchangeChances:
    """Read exchange probabilities of zones or users; those not in the file are 1.

    Parameters
    ----------
    path
        A CSV or Parquet file with ``chance``, and with ``user_id`` or ``zone_id``: the number of
        the zone, from 0 in order of time, as ``mixsafe zones`` writes it.
    zones
        The mix zones that the file refers to.

    Raises
    ------
    InputError
        Names the line at fault: a probability outside 0..1, an unknown user or zone, or one that
        occurs twice.
    """
    found, header = ExchangeChances(np.ones(len(zones)), np.ones(zones.n_users)), header_of(path)
    name = next((one for one in ("user_id", "zone_id") if one in header), None)
    if name is None:
        raise InputError(
            "no column 'user_id' or 'zone_id' found",
            file=path,
            line=1,
            hint="use columns user_id,chance or zone_id,chance",
        )
    table = read_table(path, {name: "name" if name == "user_id" else "integer", "chance": "number"})
    row: npt.NDArray[np.integer]
    if name == "user_id":
        row, chances = rows_of_users(table, name, zones.users, zones.premises.aliases), found.user
    else:
        row, chances = table.values(name), found.zone
        wrong = (row < 0) | (row >= len(zones))
        table.check(wrong, name, f"zone {{}} is not one of the data's {len(zones)} zones")
    given = table.values("chance")
    table.check(~((given >= 0) & (given <= 1)), "chance", "the chance {} is not between 0 and 1")
    again = np.ones(len(row), bool)
    again[np.unique(row, return_index=True)[1]] = False
    table.check(again, name, "{} occurs twice")
    chances[row] = given
    return found


def read_speeds(path: str | os.PathLike[str]) -> dict[str | int, float]:
    """Read the greatest speed of users, km/h; where a user has several, the greatest counts.

    Users of other data may be among them, and users who are not are not limited.

    Parameters
    ----------
    path
        A CSV or Parquet file with ``user_id`` and ``max_speed``; traces with such a column will do.

    Raises
    ------
    InputError
        Names the line of a speed that is missing or not above 0.
    """
    table = read_table(path, {"user_id": "name", "max_speed": "number"})
    speed = table.values("max_speed")
    table.check(~((speed > 0) & (speed < np.inf)), "max_speed", "the speed {} is not above 0")
    fastest: dict[str | int, float] = {}
    names = table.columns["user_id"].cast("string").to_pylist()
    for name, one in zip(names, speed.tolist(), strict=True):
        fastest[name] = max(one, fastest.get(name, 0.0))
    return fastest


_HEADERS = (["user_id"], ["uid"])


def line_of(path: str | os.PathLike[str], name: str) -> int | None:
    """The first line with a given name in a list of users; None: there is none."""
    return next((line for line, said in _names(path) if said == name), None)


def read_user_list(path: str | os.PathLike[str]) -> list[str]:
    """Read names of users, one per line; the first line may be the header ``user_id``.

    A table with columns ``user_id`` and ``kept``, as ``mixsafe protect`` writes it, is read as the
    list of those who are kept.

    Raises
    ------
    InputError
        The file cannot be read, a line has more than one field, or there is no name.
    """
    text_head_of(path)
    names = [name for _, name in _names(path) if name]
    if not names:
        raise InputError("the file contains no names of users", file=path)
    return names


def _names(path: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    """Names of users with their lines."""
    head: list[str] = []
    for line, fields in records(path):
        cells = [one.strip() for one in fields]
        if not head:
            head = cells
            if head in _HEADERS or head[:2] == ["user_id", "kept"]:
                continue
            head = ["user_id"]
        if len(cells) != len(head):
            raise InputError(
                f"{len(cells)} fields instead of {len(head)}",
                file=path,
                line=line,
                hint="one name per line",
            )
        if len(head) == 1 or _is_kept(cells[1], path, line):
            yield line, cells[0]


def _is_kept(said: str, path: str | os.PathLike[str], line: int) -> bool:
    if said.lower() not in ("true", "false"):
        raise InputError(f"kept is '{said}'", file=path, line=line, hint="write true or false")
    return said.lower() == "true"


NAMES = (("lat", "lon"), ("latitude", "longitude"), ("y", "x"))
"""Column names of latitude and longitude."""


def read_places(path: str | os.PathLike[str], category: str | None = None) -> tuple[Floats, Floats]:
    """Read latitude and longitude of places, degrees.

    Parameters
    ----------
    category
        Select places with this ``category``, or with this part of it before the first ``/``; case
        is ignored.

    Raises
    ------
    InputError
        Names the column at fault, or lists the categories.
    """
    header = header_of(path)
    pairs = [pair for pair in NAMES if set(pair) <= set(header)]
    if not pairs:
        raise InputError(
            "the places have no coordinates", file=path, line=1, hint="name columns lat and lon"
        )
    lat, lon = pairs[0]
    kinds: dict[str, Kind] = {lat: "number", lon: "number"}
    if category:
        kinds["category"] = "name"
    table = read_table(path, kinds)
    chosen = np.ones(len(table.values(lat)), bool)
    if category:
        text = table.columns["category"].combine_chunks().to_pylist()
        known = [str(word).casefold() for word in text]
        wanted = category.casefold()
        chosen = np.array([wanted in (word, word.partition("/")[0]) for word in known], bool)
        if not chosen.any():
            heads = sorted({word.partition("/")[0] for word in known})
            raise InputError(
                f"no place has category '{category}'",
                file=path,
                column="category",
                hint=f"use one of {', '.join(heads[:10])}",
            )
    for name, most in ((lat, 90), (lon, 180)):
        table.check(np.abs(table.values(name)) > most, name, "{} is not a coordinate in degrees")
    return table.values(lat)[chosen], table.values(lon)[chosen]
