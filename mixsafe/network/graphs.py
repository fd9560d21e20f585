"""Mix zones as NetworkX graphs: the wires between zones, and the meetings of users.

Both are for inspection and for graph software; engines work on arrays. Times are those of the data:
a time_id, or an ISO 8601 time.

**wires**: a ``DiGraph`` along which pseudonyms travel. The nodes ``w0``, ``w1``, … are the wires (a
user between two consecutive mix zones), by user and time; ``z0``, ``z1``, … are the mix zones, by
time. Each zone has an edge from each wire on which a member comes, and to each wire on which a
member leaves. Without sightings, the pseudonym of wire ``w`` can reach the wires among
``networkx.descendants(graph, w)``.

- Attributes of a wire: ``kind`` "wire", ``label`` (name of the user, as text), ``user`` (name of
  the user), ``from_time`` and ``to_time`` (both included; the zone in which the wire begins is at
  ``from_time``), ``sightings`` (number of sightings of the user on the wire).
- Attributes of a zone: ``kind`` "zone", ``label`` (its number, as text), ``zone`` (its number in
  the problem as it was written, or in order of time, from 0), ``time``, ``members`` (their number),
  and ``place`` (region or cell) if places are known.

**meetings**: a ``Graph`` with a node for each user, named after the user, and an edge between two
users who share at least one mix zone. Users without meetings are included.

- Attributes of a user: ``label`` (name, as text), ``zones`` (number of mix zones), ``sightings``
  (number of sightings).
- Attributes of an edge: ``weight`` (number of common mix zones), ``first_meeting`` and
  ``last_meeting`` (times of the first and the last of them).

Only graphs of a problem have ``sightings``: mix zones alone have no adversary. Attributes of the
graph: ``kind``, ``users``, ``horizon`` (the last step), and ``name`` for a problem.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, Literal

import networkx as nx
import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem
from mixsafe.network.wires import WireNetwork

MOST_PAIRS = 10_000_000
"""Maximum number of edges: NetworkX needs about 5 GB for them, and more to write the graph."""

_AT_ONCE = 1 << 22
"""Pairs that are processed at once; a zone with more pairs is processed alone."""


@dataclass(frozen=True, eq=False)
class MetPairs:
    """Distinct pairs of rows that meet, ordered by the lower row, then by the other.

    Parameters
    ----------
    n_users
        Number of rows.
    key
        (n_pairs,) int64: ``lower * n_users + other``, ascending.
    times
        (n_pairs,) int64: number of common zones, >= 1.
    first, last
        (n_pairs,) int32 each: steps of the first of those zones and of the last.
    """

    n_users: int
    key: npt.NDArray[np.int64]
    times: npt.NDArray[np.int64]
    first: npt.NDArray[np.int32]
    last: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.key)

    @property
    def rows(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The lower row of each pair, and the other, (n_pairs,) each."""
        lower, other = np.divmod(self.key, self.n_users)
        return lower, other

    @classmethod
    def none(cls, n_users: int) -> MetPairs:
        """No pair."""
        whole, step = np.zeros(0, np.int64), np.zeros(0, np.int32)
        return cls(n_users, whole, whole, step, step)

    @classmethod
    def of(cls, zones: MixZones, begin: int, end: int) -> MetPairs:
        """The pairs of zones ``begin`` to ``end - 1``: each member with all later ones."""
        ptr = zones.ptr[begin : end + 1]
        members = zones.members[ptr[0] : ptr[-1]].astype(np.int64)
        ends = np.repeat(ptr[1:] - ptr[0], np.diff(ptr))
        place = np.arange(len(members))
        later = ends - place - 1
        one = np.repeat(place, later)
        start = np.cumsum(later) - later
        other = one + 1 + np.arange(len(one)) - start[one]
        time = np.repeat(np.repeat(zones.time[begin:end], np.diff(ptr)), later)
        key = members[one] * zones.n_users + members[other]
        return cls._merged(zones.n_users, key, np.ones(len(key), np.int64), time, time)

    def joined(self, other: MetPairs) -> MetPairs:
        """The union with ``other`` pairs."""
        return self._merged(
            self.n_users,
            np.concatenate([self.key, other.key]),
            np.concatenate([self.times, other.times]),
            np.concatenate([self.first, other.first]),
            np.concatenate([self.last, other.last]),
        )

    @classmethod
    def _merged(
        cls,
        n_users: int,
        key: npt.NDArray[np.int64],
        times: npt.NDArray[np.int64],
        first: npt.NDArray[np.int32],
        last: npt.NDArray[np.int32],
    ) -> MetPairs:
        """Merge entries with the same key."""
        if not len(key):
            return cls.none(n_users)
        order = np.argsort(key, kind="stable")
        key = key[order]
        begin = np.flatnonzero(np.append(True, key[1:] != key[:-1]))
        return cls(
            n_users,
            key[begin],
            np.add.reduceat(times[order], begin),
            np.minimum.reduceat(first[order], begin),
            np.maximum.reduceat(last[order], begin),
        )


def meetings_of(zones: MixZones, most: int = MOST_PAIRS, at_once: int = _AT_ONCE) -> MetPairs:
    """All pairs of users who share a zone; ``at_once`` are looked at together, or those of a zone.

    Raises
    ------
    InputError
        There are more than ``most``.
    """
    sizes = zones.sizes
    until = np.cumsum(sizes * (sizes - 1) // 2)
    _check_number(int((sizes * (sizes - 1) // 2).max(initial=0)), most)
    found = MetPairs.none(zones.n_users)
    begin = 0
    while begin < len(zones):
        before = int(until[begin - 1]) if begin else 0
        end = max(int(np.searchsorted(until, before + at_once, side="right")), begin + 1)
        found = found.joined(MetPairs.of(zones, begin, end))
        _check_number(len(found), most)
        begin = end
    return found


def _check_number(pairs: int, most: int) -> None:
    """Raise if there are too many pairs for a graph."""
    if pairs > most:
        raise InputError(
            f"more than {most:,} pairs of users meet",
            hint="take fewer users, a shorter time or smaller cells, or the graph of the wires",
        )


GraphKind = Literal["wires", "meetings"]
KINDS: tuple[GraphKind, ...] = ("wires", "meetings")


def graph(
    problem: Problem | MixZones, kind: GraphKind = "wires", *, most_edges: int = MOST_PAIRS
) -> nx.Graph:
    """The network of wires and zones, or of meetings, as a NetworkX graph.

    The docstring of this module describes nodes, edges and attributes.

    Parameters
    ----------
    problem
        A problem, or mix zones alone.
    kind
        ``wires`` or ``meetings``.
    most_edges
        A larger graph is refused; ten million are too many for NetworkX on a common machine.

    Returns
    -------
    networkx.DiGraph or networkx.Graph
        Attributes are Python's own integers and texts, so that every format can hold them.

    Raises
    ------
    InputError
        The kind is unknown, or the graph would have more than ``most_edges`` edges.
    """
    zones = problem if isinstance(problem, MixZones) else problem.zones
    if kind == "wires":
        result = _wires(zones, problem if isinstance(problem, Problem) else None, most_edges)
    elif kind == "meetings":
        result = _meetings(zones, problem if isinstance(problem, Problem) else None, most_edges)
    else:
        raise InputError(f"no graph is called '{kind}'", hint=f"there are {', '.join(KINDS)}")
    result.graph.update(kind=kind, users=zones.n_users, horizon=zones.axis.steps)
    if isinstance(problem, Problem):
        result.graph["name"] = problem.name
    return result


def _wires(zones: MixZones, problem: Problem | None, most_edges: int) -> nx.DiGraph:
    """Graph with wires and zones as nodes."""
    if 2 * len(zones.members) > most_edges:
        raise InputError(
            f"the graph of the wires would have {2 * len(zones.members):,} edges",
            hint="take fewer users, or a shorter time",
        )
    network = WireNetwork.of(zones)
    names = zones.users[network.row].tolist()
    wires: dict[str, list[Any]] = {
        "label": [str(name) for name in names],
        "user": names,
        "from_time": _labels(zones.axis, network.start),
        "to_time": _labels(zones.axis, network.end),
    }
    numbers = list(range(len(zones)))
    if problem is not None:
        seen = network.wire_at(problem.knowledge.row, problem.knowledge.time)
        wires["sightings"] = np.bincount(seen, minlength=network.n_wires).tolist()
        numbers = numbers if problem.zone_index is None else list(problem.zone_index)
    nodes: dict[str, list[Any]] = {
        "label": [str(number) for number in numbers],
        "zone": numbers,
        "time": _labels(zones.axis, zones.time),
        "members": zones.sizes.tolist(),
    }
    if zones.place is not None:
        nodes["place"] = zones.place_labels
    result = nx.DiGraph()
    result.add_nodes_from(_nodes("w", network.n_wires, {"kind": itertools.repeat("wire"), **wires}))
    result.add_nodes_from(_nodes("z", len(zones), {"kind": itertools.repeat("zone"), **nodes}))
    zone, before = zones.zone_of_member.tolist(), network.before.tolist()
    result.add_edges_from((f"w{w}", f"z{z}") for w, z in zip(before, zone, strict=True))
    result.add_edges_from((f"z{z}", f"w{w + 1}") for w, z in zip(before, zone, strict=True))
    return result


def _nodes(letter: str, count: int, columns: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Nodes ``letter``0, 1, … with an attribute from each column."""
    rows = zip(range(count), *columns.values(), strict=False)  # the kind is an infinite iterator
    return [(f"{letter}{row[0]}", dict(zip(columns, row[1:], strict=True))) for row in rows]


def _meetings(zones: MixZones, problem: Problem | None, most_edges: int) -> nx.Graph:
    """Graph with users as nodes, and an edge between users who meet."""
    met = meetings_of(zones, most_edges)
    names = zones.users.tolist()
    columns: dict[str, list[Any]] = {
        "label": [str(name) for name in names],
        "zones": np.bincount(zones.members, minlength=len(names)).tolist(),
    }
    if problem is not None:
        seen = np.bincount(problem.knowledge.row, minlength=len(names))
        columns["sightings"] = seen.tolist()
    values = zip(*columns.values(), strict=True)
    result = nx.Graph()
    result.add_nodes_from(
        (name, dict(zip(columns, row, strict=True)))
        for name, row in zip(names, values, strict=True)
    )
    keys = ("weight", "first_meeting", "last_meeting")
    edges = zip(
        *(zones.users[rows].tolist() for rows in met.rows),
        met.times.tolist(),
        _labels(zones.axis, met.first),
        _labels(zones.axis, met.last),
        strict=True,
    )
    result.add_edges_from((a, b, dict(zip(keys, row, strict=True))) for a, b, *row in edges)
    return result


def _labels(axis: TimeAxis, steps: npt.NDArray[np.int32]) -> list[int | str]:
    """The names of steps in the data."""
    different, which = np.unique(steps, return_inverse=True)
    names = [axis.label(step) for step in different.tolist()]
    return [names[place] for place in which.tolist()]
