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
from typing import Any, Literal

import networkx as nx
import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem
from mixsafe.network.meetings import MOST_PAIRS, meetings_of
from mixsafe.network.wires import WireNetwork

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
