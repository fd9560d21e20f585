"""Mix zones as NetworkX graphs: the wires between zones, and who meets whom.

Both are for people and for programs that know graphs; what decides works on arrays. Times are what
the data call them: a time_id, or an ISO 8601 time.

**wires**: a ``DiGraph`` in which pseudonyms travel. ``w0``, ``w1``, … are the wires, a user between
two of her consecutive mix zones, by user and time; ``z0``, ``z1``, … the mix zones, by time. Each
zone has an edge from the wires on which its members come, and one to those on which they go on.
Where the pseudonym of wire ``w`` can get to, if nothing is known, are the wires among
``networkx.descendants(graph, w)``.

- Of a wire: ``kind`` "wire", ``label`` (the user's name, as text), ``user`` (her name),
  ``from_time`` and ``to_time`` (both included; the zone in which it begins is at ``from_time``),
  ``sightings`` (how often the adversary sees her meanwhile).
- Of a zone: ``kind`` "zone", ``label`` (its number, as text), ``zone`` (its number in the problem
  as it was written, or in order of time, from 0), ``time``, ``members`` (how many), and ``place``
  (region or cell) where places are known.

**meetings**: a ``Graph`` with a node per user, called by her name, those who meet nobody included,
and an edge between two users who are ever in one mix zone.

- Of a user: ``label`` (her name, as text), ``zones`` (how many mix zones she is in), ``sightings``
  (how often the adversary sees her).
- Of an edge: ``weight`` (in how many mix zones both are), ``first_meeting`` and ``last_meeting``
  (the times of the first of them and the last).

``sightings`` are there in graphs of a problem only: mix zones alone do not say what an adversary
knows. Of the graph itself: ``kind``, ``users``, ``horizon`` (the last step), and of a problem
``name``.
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


def graph(problem: Problem | MixZones, kind: GraphKind = "wires") -> nx.Graph:
    """The network of wires and zones, or of who meets whom, as a NetworkX graph.

    What nodes and edges are, and what they say, is at the head of this module.

    Parameters
    ----------
    problem
        A problem, or mix zones alone.
    kind
        ``wires`` or ``meetings``.

    Returns
    -------
    networkx.DiGraph or networkx.Graph
        Attributes are Python's own integers and texts, so that every format can hold them.

    Raises
    ------
    InputError
        Another kind, or more than ten million edges, which do not go into a NetworkX graph on a
        common machine.
    """
    zones = problem if isinstance(problem, MixZones) else problem.zones
    if kind == "wires":
        made = _wires(zones, problem if isinstance(problem, Problem) else None)
    elif kind == "meetings":
        made = _meetings(zones, problem if isinstance(problem, Problem) else None)
    else:
        raise InputError(f"no graph is called '{kind}'", hint=f"there are {', '.join(KINDS)}")
    made.graph.update(kind=kind, users=zones.n_users, horizon=zones.axis.steps)
    if isinstance(problem, Problem):
        made.graph["name"] = problem.name
    return made


def _wires(zones: MixZones, problem: Problem | None) -> nx.DiGraph:
    """Wires and zones as nodes, and edges from one to the next."""
    if 2 * len(zones.members) > MOST_PAIRS:
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
        nodes["place"] = zones.place.tolist()
    made = nx.DiGraph()
    made.add_nodes_from(_nodes("w", network.n_wires, {"kind": itertools.repeat("wire"), **wires}))
    made.add_nodes_from(_nodes("z", len(zones), {"kind": itertools.repeat("zone"), **nodes}))
    zone, before = zones.zone_of_member.tolist(), network.before.tolist()
    made.add_edges_from((f"w{w}", f"z{z}") for w, z in zip(before, zone, strict=True))
    made.add_edges_from((f"z{z}", f"w{w + 1}") for w, z in zip(before, zone, strict=True))
    return made


def _nodes(letter: str, count: int, columns: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Nodes ``letter``0, 1, … with an attribute from each column."""
    rows = zip(range(count), *columns.values(), strict=False)  # the kind repeats for ever
    return [(f"{letter}{row[0]}", dict(zip(columns, row[1:], strict=True))) for row in rows]


def _meetings(zones: MixZones, problem: Problem | None) -> nx.Graph:
    """Users as nodes, and edges between those who meet."""
    met = meetings_of(zones)
    names = zones.users.tolist()
    columns: dict[str, list[Any]] = {
        "label": [str(name) for name in names],
        "zones": np.bincount(zones.members, minlength=len(names)).tolist(),
    }
    if problem is not None:
        seen = np.bincount(problem.knowledge.row, minlength=len(names))
        columns["sightings"] = seen.tolist()
    values = zip(*columns.values(), strict=True)
    made = nx.Graph()
    made.add_nodes_from(
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
    made.add_edges_from((a, b, dict(zip(keys, row, strict=True))) for a, b, *row in edges)
    return made


def _labels(axis: TimeAxis, steps: npt.NDArray[np.int32]) -> list[int | str]:
    """What the steps are called outside."""
    different, which = np.unique(steps, return_inverse=True)
    names = [axis.label(step) for step in different.tolist()]
    return [names[place] for place in which.tolist()]
