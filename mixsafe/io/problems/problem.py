"""Problems in JSON, read and written: zones, knowledge, requirements in one object or per line."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from difflib import get_close_matches
from itertools import chain
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.io.files.content import check_plausible
from mixsafe.io.files.json_values import ObjectReader, objects_of, shown
from mixsafe.model.csr import pointers
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Names
from mixsafe.model.numerals import LARGEST_INTEGER
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.mix_zones import Ints, MixZones, Relation
from mixsafe.model.question.places import ZonePlaces
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import NO_K, Requirements, outside_k

MOST_STEPS = 2**31 - 2
"""Steps are held as int32."""

MOST_USERS = 10_000_000
"""Limit of ``users`` as a number."""

_USER_BYTES = 120
"""Memory that a user takes who is in no zone, bytes."""

_KEYS = {
    "name", "users", "horizon", "zones", "knowledge", "distinct", "requirements", "places", "costs",
}  # fmt: skip
_ANSWERS = {
    "verdict", "summary", "results", "domains", "paper", "status", "minimum", "bound", "kept",
    "left_out", "answer", "answers", "comment",
}  # fmt: skip
"""What may be beside a problem and is not read: its answer, or a comment."""
_CLOSE = 0.6
"""Similarity of letters from which on an unknown key is taken for a misspelled one."""


_Find = Callable[[Any], int]
"""Finds the row of a user by name; -1: there is none."""


def read_problems(path: str | os.PathLike[str]) -> list[Problem]:
    """Read problems from a JSON file (an object or a list of objects) or JSON Lines.

    Raises
    ------
    InputError
        Names the line of malformed JSON, or the key at fault: it is missing or has another type, a
        user is unknown, a time is outside the horizon, zones overlap, k is below 1 or above the
        number of users.
    """
    file, problems, held = os.fspath(path), [], 0
    for one in objects_of(path):
        held += _USER_BYTES * _counted(one.value)
        check_plausible(path, held, "its users take", "leave out users who are in no zone")
        problems.append(_Reader(file, one.line).problem(one.value, one.name))
    return problems


def _counted(found: object) -> int:
    """Number of users of a problem that does not list them."""
    users = found.get("users") if isinstance(found, dict) else 0
    return users if type(users) is int and users <= MOST_USERS else 0


def problem_of(found: object, name: str, file: str, line: int | None = None) -> Problem:
    """Build the problem that a JSON object describes.

    Parameters
    ----------
    found
        The object.
    name
        Name of a problem without ``name``.
    file, line
        Its position, for error messages.

    Raises
    ------
    InputError
        As :func:`read_problems`.
    """
    return _Reader(file, line).problem(found, name)


class _Reader(ObjectReader):
    """Builds problems from JSON objects."""

    def problem(self, found: object, name: str) -> Problem:
        """Build the problem that an object describes; ``name`` is the default name."""
        if not isinstance(found, dict):
            self.refuse("a problem must be an object with users, horizon and zones", None)
        self._check_known(found.keys())
        self.check_keys(found, "users", "horizon", "zones")
        users = self._users(found["users"])
        axis = TimeAxis(self.count(found["horizon"], "horizon", MOST_STEPS))
        rows = _finder(users, named=isinstance(found["users"], list))
        zones, zone_index = self._zones(found["zones"], users, axis, rows)
        row, time = self._columns(found.get("knowledge", []), "knowledge", ("user", "time"), rows)
        self._check_times(time, 0, axis.steps, "knowledge")
        return Problem(
            name=self.name(found.get("name", name)),
            zones=zones,
            knowledge=Knowledge.of(row, time, distinct=self._distinct(found.get("distinct"))),
            requirements=self._requirements(found.get("requirements"), axis, rows),
            zone_index=zone_index,
            places=self._places(found.get("places"), found.get("costs"), zone_index),
        )

    def _check_known(self, keys: Set[str]) -> None:
        """Refuse a key that would be ignored although it may say what is asked."""
        for key in sorted(keys - _KEYS - _ANSWERS):
            close = get_close_matches(key, sorted(_KEYS), 1, _CLOSE)
            meant = f"; did you mean '{close[0]}'?" if close else ""
            self.refuse(f"unknown key{meant}", key, f"keys are {', '.join(sorted(_KEYS))}")

    def _distinct(self, found: object) -> bool:
        """Whether different people are different; absent: the paper's reading."""
        if found is None:
            return False
        if not isinstance(found, bool):
            self.refuse(f"{shown(found)} is neither true nor false", "distinct")
        return found

    def _users(self, found: object) -> Names:
        """Names of the users: as listed, or 0 to n - 1."""
        if not isinstance(found, list):
            return np.arange(self.count(found, "users", MOST_USERS), dtype=np.int64)
        kinds = {type(name) for name in found}
        if len(kinds) != 1 or kinds - {str, int}:
            self.refuse("users must be one or more names: texts or whole numbers", "users")
        if len(set(found)) < len(found):
            twice = next(name for name in found if found.count(name) > 1)
            self.refuse(f"user {twice} is listed twice", "users")
        if kinds == {int}:
            return self._integers(found, "users", "user")
        return np.array(found, object)

    def _zones(
        self, found: object, users: Names, axis: TimeAxis, rows: _Find
    ) -> tuple[MixZones, tuple[int, ...]]:
        """Mix zones in order of time, and the position of each in the file."""
        listed = self._tuples(found, "zones", ("time", "users"), ("allowed",))
        groups = [zone[1] for zone in listed]
        for group in groups:
            self.listed(group, "zones", "users")
        time = self._integers([zone[0] for zone in listed], "zones", "time")
        self._check_times(time, 1, axis.steps, "zones")
        members = self._rows(list(chain.from_iterable(groups)), "zones", rows)
        sizes = np.array([len(group) for group in groups], np.int64)
        if len(sizes) and sizes.min() < 2:
            least = int(sizes.argmin())
            reason = f"zone {least}, at time {time[least]}, has fewer than two users"
            self.refuse(reason, "zones")
        order = np.argsort(time, kind="stable")
        rank = np.argsort(order)
        by_zone = np.lexsort((members, np.repeat(rank, sizes)))
        ptr = pointers(sizes[order])
        try:
            zones = MixZones(users, axis, time[order].astype(np.int32), ptr, members[by_zone])
        except InputError as error:
            self.refuse(error.message, "zones", error.hint)
        allowed = {zone: listed[zone][2] for zone in order.tolist() if len(listed[zone]) == 3}
        if allowed:
            relation = self._relation(zones, rank[list(allowed)], list(allowed.items()), rows)
            zones = replace(zones, relation=relation)
        return zones, tuple(order.tolist())

    def _relation(
        self, zones: MixZones, number: Ints, allowed: list[tuple[int, object]], rows: _Find
    ) -> Relation:
        """What zones allow; ``number``: of each in order of time; ``allowed``: as in the file."""
        for written, found in allowed:
            self._check_pairs(found, written)
        listed = cast("list[tuple[int, list[list[Any]]]]", allowed)
        names = [name for _, found in listed for pair in found for name in pair]
        pairs = self._rows(names, "zones", rows).reshape(-1, 2)
        which = np.repeat(np.arange(len(listed)), [len(found) for _, found in listed])
        place = zones.places_of(number[which, None], pairs)
        for pair, side in np.argwhere(place < 0)[:1].tolist():
            written, who = listed[which[pair]][0], zones.users[pairs[pair, side]]
            self.refuse(f"zone {written} allows a pair with user {who}, who is no member",
                         "zones", "pairs are of the zone's users")  # fmt: skip
        one, other = place.T
        order = np.lexsort((other, one))
        again = (np.diff(one[order]) == 0) & (np.diff(other[order]) == 0)
        for pair in order[:-1][again][:1].tolist():
            written, names = listed[which[pair]][0], zones.users[pairs[pair]].tolist()
            said = f"[{names[0]}, {names[1]}]"
            self.refuse(f"zone {written} allows the pair {said} twice", "zones")
        return Relation.of(zones.ptr, np.sort(number), one, other)

    def _check_pairs(self, found: object, zone: int) -> None:
        """Refuse what is not a list of pairs."""
        for pair in self.listed(found, "zones", "pairs"):
            if not isinstance(pair, list) or len(pair) != 2:
                what = f"{shown(pair)}, not a pair of users"
                self.refuse(f"zone {zone} allows {what}", "zones")

    def _requirements(self, found: object, axis: TimeAxis, rows: _Find) -> Requirements | None:
        if found is None:
            return None
        row, time, k = self._columns(found, "requirements", ("user", "time", "k"), rows)
        self._check_times(time, 0, axis.steps, "requirements")
        wrong = np.flatnonzero(outside_k(k))
        if len(wrong):
            self.refuse(f"k = {k[wrong[0]]} {NO_K}", "requirements")
        return Requirements(row, time.astype(np.int32), k.astype(np.int32))

    def _places(
        self, found: object, costs: object, zone_index: tuple[int, ...]
    ) -> ZonePlaces | None:
        """The place of each zone, in order of time, and what each place costs."""
        if found is None:
            if costs is not None:
                self.refuse("there are no places that could cost anything", "costs",
                             "name each zone's place in places")  # fmt: skip
            return None
        if not isinstance(found, list) or len(found) != len(zone_index):
            said = f"it is {shown(found)}, not a list with a place for each of"
            self.refuse(f"{said} {len(zone_index)} zones", "places")
        if {type(name) for name in found} not in (set(), {str}, {int}):
            self.refuse("places must be names: texts or whole numbers", "places")
        places = ZonePlaces.named(found)
        places = replace(places, of=places.of[np.array(zone_index, np.int64)])
        if costs is None:
            return places
        try:
            return replace(places, cost=self._costs(costs, places))
        except InputError as error:
            self.refuse(error.message, "costs")

    def _costs(self, found: object, places: ZonePlaces) -> npt.NDArray[np.int64]:
        """(n_places,) what each costs; all are named, and no others."""
        if not isinstance(found, dict):
            self.refuse(f"{shown(found)} is not an object with a cost by place", "costs")
        names = [str(name) for name in places.names]
        for name in found.keys() - set(names):
            self.refuse(f"no zone is at place {shown(name)}", "costs")
        for name in names:
            if name not in found:
                self.refuse(f"place {shown(name)} has no cost", "costs")
        return self._integers([found[name] for name in names], "costs", "cost")

    def _columns(
        self, found: object, key: str, parts: tuple[str, ...], rows: _Find
    ) -> list[npt.NDArray[Any]]:
        """Split a list of tuples into rows of users and whole numbers."""
        tuples = self._tuples(found, key, parts)
        columns: list[list[Any]] = [list(column) for column in zip(*tuples, strict=True)]
        columns = columns or [[] for _ in parts]
        numbers = [
            self._integers(column, key, part)
            for part, column in zip(parts[1:], columns[1:], strict=True)
        ]
        return [self._rows(columns[0], key, rows), *numbers]

    def _tuples(
        self, found: object, key: str, parts: tuple[str, ...], further: tuple[str, ...] = ()
    ) -> list[list[Any]]:
        """Validate a list of lists with entries for ``parts``, and perhaps for ``further`` ones."""
        shape = f"[{', '.join(parts)}]"
        if further:
            shape += f" or [{', '.join(parts + further)}]"
        least, most = len(parts), len(parts) + len(further)
        entries = self.listed(found, key, shape)
        for number, entry in enumerate(entries):
            if not isinstance(entry, list) or not least <= len(entry) <= most:
                self.refuse(f"entry {number} is {shown(entry)}, not {shape}", key)
        return entries

    def _rows(self, names: list[Any], key: str, rows: _Find) -> npt.NDArray[np.int32]:
        """Look up rows of users."""
        found = np.fromiter(map(rows, names), np.int32, len(names))
        if len(found) and found.min() < 0:
            unknown = names[int(found.argmin())]
            self.refuse(f"user {shown(unknown)} is not one of the users", key)
        return found

    def _integers(self, values: Sequence[object], key: str, part: str) -> npt.NDArray[np.int64]:
        """Validate whole numbers."""
        for value in values:
            # isinstance(True, int) holds in Python.
            if type(value) is not int:
                self.refuse(f"{part} {shown(value)} is not a whole number", key)
            if abs(value) > LARGEST_INTEGER:
                beyond = f"is not from -{LARGEST_INTEGER} to {LARGEST_INTEGER}"
                self.refuse(f"{part} {shown(value)} {beyond}", key)
        return np.array(values, np.int64)

    def _check_times(self, time: npt.NDArray[np.int64], first: int, last: int, key: str) -> None:
        """Refuse times outside the range ``first`` to ``last``."""
        wrong = np.flatnonzero((time < first) | (time > last))
        if len(wrong):
            reason = f"time {time[wrong[0]]} is outside {first} to {last}"
            self.refuse(reason, key, "check the horizon")


def _finder(users: Names, *, named: bool) -> _Find:
    """Finds the row of a user; ``named``: users are listed by name, not numbered."""
    n, kind = len(users), str if users.dtype == object else int
    if not named:
        return lambda name: name if type(name) is int and 0 <= name < n else -1
    row_of = {name: row for row, name in enumerate(users.tolist())}
    return lambda name: row_of.get(name, -1) if type(name) is kind else -1


def problem_object(problem: Problem, *, asked: bool = True) -> dict[str, Any]:
    """Convert a problem to the JSON object that ``read_problems`` reads; zones in order of time.

    Parameters
    ----------
    problem
        The problem.
    asked
        True: include its requirements, if any.
    """
    zones, known = problem.zones, problem.knowledge
    names = zones.users.tolist()
    counted = names == list(range(len(names)))
    members = np.split(zones.users[zones.members], zones.ptr[1:-1]) if len(zones) else []
    found: dict[str, Any] = {
        "name": problem.name,
        "users": len(names) if counted else names,
        "horizon": zones.axis.steps,
        "zones": [
            [step, met.tolist(), *allowed]
            for step, met, allowed in zip(
                zones.time.tolist(), members, _allowed(zones), strict=True
            )
        ],
        "knowledge": _tuples(zones.users[known.row], known.time),
    }
    if known.distinct:
        found["distinct"] = True
    requirements = problem.requirements
    if asked and requirements is not None:
        found["requirements"] = _tuples(
            zones.users[requirements.row], requirements.time, requirements.k
        )
    if problem.places is not None:
        places = problem.places
        found["places"] = [places.names[place] for place in places.of.tolist()]
        named = map(str, places.names)
        found["costs"] = dict(zip(named, places.cost.tolist(), strict=True))
    return found


def _allowed(zones: MixZones) -> list[list[list[list[Any]]]]:
    """For each zone a list with the pairs that it allows; empty if it is complete."""
    found: list[list[list[list[Any]]]] = [[] for _ in range(len(zones))]
    if zones.relation is None:
        return found
    one, other = zones.relation.pairs(zones.ptr)
    for zone in zones.relation.zones.tolist():
        found[zone] = [[]]
    zone_of = np.searchsorted(zones.ptr, one, side="right") - 1
    names = zones.users[zones.members].tolist()
    for z, come, leave in zip(zone_of.tolist(), one.tolist(), other.tolist(), strict=True):
        found[z][0].append([names[come], names[leave]])
    return found


def _tuples(*columns: np.ndarray[Any, Any]) -> list[list[Any]]:
    return [list(entry) for entry in zip(*(column.tolist() for column in columns), strict=True)]
