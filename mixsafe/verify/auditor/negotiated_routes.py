"""An initial solution where none is known: routes for all tokens at once, by negotiation.

An auditor does not know which token starts where, so the identity need not be a solution (fact 1
holds for publishers). Each tracked token takes a cheapest path over its possible wires. Shared
wires become more expensive, and tokens that share one are rerouted around it, until no wire is
shared (negotiated congestion: McMurchie and Ebeling, PathFinder, FPGA 1995). A result is a
solution; no result proves nothing.

A detour replaces a part of a token's path between two wires that stay. So the search only visits
zones on some path between the two.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import compiled, inner
from mixsafe.model.course import Course
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork, is_complete, may_leave
from mixsafe.solver.local.generator import next_random
from mixsafe.solver.state.tokens import TokenSets, bit
from mixsafe.solver.state.witness import Assignment, complete

_TASTES = 1 << 14  # a power of two: places of the table of tastes
_AT_ONCE = 200_000_000  # wires looked at between two looks at the clock: about a second
_SPREADS = (3, 6, 12)  # wires to either side that a detour replaces at most, one of these
_NOWHERE = np.float32(1e30)

Longs = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]


class Terms(NamedTuple):
    """Costs of sharing wires.

    Parameters
    ----------
    rounds
        In which tokens choose, at most.
    sharing, dearer, dearest
        Initial cost of sharing a wire, in wires; its growth factor per round; and its maximum.
    lasting
        Permanent cost of each time a wire was shared, in wires.
    taste
        Amplitude of random differences of costs between tokens, which spread them.
    """

    rounds: int = 6000
    sharing: float = 2.0
    dearer: float = 1.02
    dearest: float = 1e6
    lasting: float = 0.3
    taste: float = 0.3


TERMS = Terms()
"""Default terms."""


class RoutingGraph(NamedTuple):
    """A network with its wires in order of time.

    Wires 0 to n_rows - 1 are those of step 0; then each entry of the zones has the wire on which
    its member leaves.
    """

    zone_ptr: Longs
    came: Longs  # wire on which the member of each entry comes
    comes_from: Longs  # zone at the start of each wire, -1 at step 0
    leads_to: Longs  # zone at the end of each wire, -1 at the horizon
    last: Longs  # (n_rows,): wires at the horizon
    allowed: npt.NDArray[np.uint64]  # (words, n_wires): tokens that may be on each wire
    pair_ptr: Longs  # pairs that zones allow, as in Wires
    pairs: npt.NDArray[np.uint64]


class Routes(NamedTuple):
    """Routes of tokens, and costs of wires."""

    users: npt.NDArray[np.int32]  # tokens on each wire
    dear: Floats  # what sharing has cost so far
    cost: Floats  # of each wire at present
    taste: Floats  # by which tokens differ about costs; a power of two of them
    path: Longs  # (n_tokens, most): wires of each path, in order of time
    length: Longs  # (n_tokens,)
    random: npt.NDArray[np.uint64]  # state of the generator


class PathSearch(NamedTuple):
    """Working memory of searches, as it must be between two of them."""

    reach: Floats  # cost of the cheapest path to each wire
    via: Longs  # wire before it on that path
    ahead: Longs  # mark of the last search that came to each zone
    back: Longs  # mark of the last search whose end can be reached from each zone
    seen: Longs  # zones that were looked at
    path: Longs  # result, the last wire first
    mark: Longs  # (1,): that of the last search


def route(
    core: Core,
    possible: TokenSets,
    tracked: npt.NDArray[np.bool_],
    course: Course,
    terms: Terms = TERMS,
) -> Assignment | None:
    """Find a solution.

    Parameters
    ----------
    core
        Tokens start on their own rows at step 0; that they stay there need not be a solution.
    possible
        (n_wires, words): wires on which each token may be, narrowed by reachability, so that each
        of them lies on a full path.
    tracked
        (n_rows,) bool: tokens that have pins. The others take what is left.
    course
        Of the run; its seed is that of the order in which tokens choose, and of their tastes.
    terms
        What it costs to share wires.

    Returns
    -------
    (n_wires,) token on each wire, or None: no solution was found.
    """
    network, token = core.network, np.flatnonzero(tracked)
    wire = _in_order(network)
    graph, random = _graph_of(core, possible, wire), np.random.default_rng(course.seed)
    routes = _new_routes(network.n_wires, token, network.horizon, terms.taste, random)
    n_parts = 1 + len(token) * network.n_wires // _AT_ONCE
    factor, shared = terms.sharing, len(token)
    for again in range(terms.rounds):
        routes.cost[:] = (1.0 + routes.dear) * (1.0 + factor * routes.users)
        course.progress(
            "looking for an initial solution", len(token) - min(shared, len(token)), len(token)
        )
        for part in np.array_split(random.permutation(len(token)), 1 if again else n_parts):
            if course.passed:
                return None
            _negotiate(part, np.float32(factor), graph, routes)
        shared = int(np.count_nonzero(routes.users > 1))
        if not shared:
            return _assignment_of(core, routes, wire, tracked)
        routes.dear[:] += np.float32(terms.lasting) * np.maximum(routes.users - 1, 0)
        factor = min(factor * terms.dearer, terms.dearest)
    return None


def _in_order(network: WireNetwork) -> npt.NDArray[np.int64]:
    """(n_wires,) number of each wire in order of time."""
    wire = np.empty(network.n_wires, np.int64)
    wire[network.first[:-1]] = np.arange(network.n_rows)
    wire[network.before + 1] = network.n_rows + np.arange(len(network.before))
    return wire


def _graph_of(core: Core, possible: TokenSets, wire: npt.NDArray[np.int64]) -> RoutingGraph:
    """The network with its wires in order of time."""
    network = core.network
    allowed = np.empty((possible.shape[1], network.n_wires), np.uint64)
    allowed[:, wire] = possible.T
    comes_from, leads_to = np.empty((2, network.n_wires), np.int64)
    comes_from[wire], leads_to[wire] = network.comes_from, network.leads_to
    return RoutingGraph(
        network.zone_ptr,
        wire[network.before],
        comes_from,
        leads_to,
        wire[network.first[1:] - 1],
        allowed,
        network.wires.pair_ptr,
        network.wires.pairs,
    )


def _new_routes(
    n_wires: int,
    token: npt.NDArray[np.int64],
    horizon: int,
    taste: float,
    random: np.random.Generator,
) -> Routes:
    """Initial routes: each token on its first wire."""
    users = np.zeros(n_wires, np.int32)
    users[token] = 1
    path = np.full((len(token), horizon + 2), -1, np.int64)  # one zone a step at most
    path[:, 0] = token
    return Routes(
        users,
        np.zeros(n_wires, np.float32),
        np.ones(n_wires, np.float32),
        (taste * random.random(_TASTES)).astype(np.float32),
        path,
        np.ones(len(token), np.int64),
        random.integers(1, 2**63, 1, dtype=np.uint64),
    )


def _assignment_of(
    core: Core, routes: Routes, wire: npt.NDArray[np.int64], tracked: npt.NDArray[np.bool_]
) -> Assignment | None:
    """The assignment in which tracked tokens take their routes."""
    on = np.full(len(wire), -1, np.int32)
    mine = np.arange(routes.path.shape[1]) < routes.length[:, None]
    on[routes.path[mine]] = np.repeat(np.flatnonzero(tracked), routes.length)
    solution = complete(core, on[wire], tracked)
    return None if np.any(solution < 0) else solution


@compiled
def _negotiate(  # pragma: no cover - compiled
    tokens: Longs, factor: np.float32, graph: RoutingGraph, routes: Routes
) -> None:
    """Reroute those of ``tokens`` that share a wire, or have no full path yet.

    Parameters
    ----------
    tokens
        Numbers of routes: token i starts on wire ``routes.path[i, 0]``, which has its number.
    factor
        What sharing a wire costs, in wires.
    """
    s = _new_search(graph, routes)
    for i in tokens:
        begin, end = _stretch(i, graph, routes)
        if begin >= 0:
            _detour(i, begin, end, factor, graph, routes, s)


@compiled
def _new_search(graph: RoutingGraph, routes: Routes) -> PathSearch:  # pragma: no cover - compiled
    """Working memory."""
    n_wires, n_zones = len(graph.leads_to), len(graph.zone_ptr) - 1
    return PathSearch(
        np.full(n_wires, _NOWHERE, np.float32),
        np.full(n_wires, -1, np.int64),
        np.full(n_zones, -1, np.int64),
        np.full(n_zones, -1, np.int64),
        np.empty(n_zones, np.int64),
        np.empty(routes.path.shape[1], np.int64),
        np.zeros(1, np.int64),
    )


@compiled
def _detour(  # pragma: no cover - compiled
    i: int,
    begin: int,
    end: int,
    factor: np.float32,
    graph: RoutingGraph,
    routes: Routes,
    s: PathSearch,
) -> None:
    """Replace the part of a path between two places by a cheapest one."""
    _clear(i, begin, end, factor, routes)
    target = -1 if end == routes.length[i] else int(routes.path[i, end])
    length = _cheapest(i, routes.path[i, begin], target, graph, routes, s)
    _replace(i, begin, end, length, factor, routes, s)


@inner
def _clear(  # pragma: no cover - compiled
    i: int, begin: int, end: int, factor: np.float32, routes: Routes
) -> None:
    """Remove token ``i`` from the wires between two places of its path."""
    for j in range(begin + 1, min(end, routes.length[i])):
        _count(routes.path[i, j], -1, factor, routes)


@inner
def _count(  # pragma: no cover - compiled
    wire: int, change: int, factor: np.float32, routes: Routes
) -> None:
    """One more token on a wire, or one less."""
    routes.users[wire] += change
    routes.cost[wire] = (1 + routes.dear[wire]) * (1 + factor * routes.users[wire])


@inner
def _stretch(
    i: int, graph: RoutingGraph, routes: Routes
) -> tuple[int, int]:  # pragma: no cover - compiled
    """Places on the path of token ``i`` between which to reroute; (-1, -1): none.

    Wires at these places stay. An end equal to the length of the path means a free end.
    """
    n = routes.length[i]
    if graph.leads_to[routes.path[i, n - 1]] >= 0:  # it has no full path yet
        return 0, n
    first, last = -1, -1
    for j in range(1, n):
        if routes.users[routes.path[i, j]] > 1:
            first, last = (j if first < 0 else first), j
    if first < 0:
        return -1, -1
    spread = _SPREADS[next_random(routes.random, len(_SPREADS))]
    begin = max(0, first - 1 - next_random(routes.random, spread))
    end = min(n, last + 1 + next_random(routes.random, spread))
    return begin, end


@inner
def _look_back(  # pragma: no cover - compiled
    first: int, last: int, mark: int, graph: RoutingGraph, s: PathSearch
) -> int:
    """Mark zones from which zone ``last`` can be reached; the first one that is looked at.

    It goes half of the distance back: farther back nearly all zones would be marked.
    """
    middle = (first + last) // 2
    s.back[last] = mark
    for z in range(last, middle, -1):
        if s.back[z] == mark:
            for m in range(graph.zone_ptr[z], graph.zone_ptr[z + 1]):
                zone = graph.comes_from[graph.came[m]]
                if zone >= 0:
                    s.back[zone] = mark
    return middle


@inner
def _cheapest(  # pragma: no cover - compiled
    i: int, start: int, target: int, graph: RoutingGraph, routes: Routes, s: PathSearch
) -> int:
    """Write the cheapest path from ``start`` to ``target`` to ``s.path``.

    Returns its length, -1 if there is none. The last wire comes first, ``start`` is left out.
    A ``target`` of -1 is any wire at the horizon.
    """
    s.mark[0] += 1
    mark = s.mark[0]
    first = graph.leads_to[start]
    last = len(graph.zone_ptr) - 2 if target < 0 else graph.comes_from[target]
    middle = last if target < 0 else _look_back(first, last, mark, graph, s)
    shift = next_random(routes.random, len(routes.taste))
    s.reach[start] = 0.0
    s.ahead[first] = mark
    n = 0
    for z in range(first, last + 1):
        if s.ahead[z] == mark and (z <= middle or s.back[z] == mark):
            s.seen[n] = z
            n += 1
            _through(z, routes.path[i, 0], shift, mark, graph, routes, s)
    wire = target
    if target < 0:
        for exit_wire in graph.last:
            if wire < 0 or s.reach[exit_wire] < s.reach[wire]:
                wire = exit_wire
    length = 0 if s.reach[wire] < _NOWHERE else -1
    while length >= 0 and wire != start:
        s.path[length] = wire
        length += 1
        wire = s.via[wire]
    s.reach[start] = _NOWHERE
    for z in s.seen[:n]:
        for m in range(graph.zone_ptr[z], graph.zone_ptr[z + 1]):
            s.reach[len(graph.last) + m] = _NOWHERE
    return length


@inner
def _through(  # pragma: no cover - compiled
    z: int, token: int, shift: int, mark: int, graph: RoutingGraph, routes: Routes, s: PathSearch
) -> None:
    """Go on from the cheapest wire that comes to a zone to all that may be left on."""
    begin, end = graph.zone_ptr[z], graph.zone_ptr[z + 1]
    allowed, mine, mask = graph.allowed[token >> 6], bit(token), len(routes.taste) - 1
    complete = is_complete(z, graph)
    came = graph.came[begin]
    if complete:  # not by a function: handed the whole network, it takes longer than this loop
        for m in range(begin + 1, end):
            if s.reach[graph.came[m]] < s.reach[came]:
                came = graph.came[m]
    so_far = s.reach[came]
    for m in range(begin, end):
        wire = len(graph.last) + m
        if allowed[wire] & mine:
            if not complete:
                came = _nearest(z, m, graph, s)
                so_far = s.reach[came] if came >= 0 else _NOWHERE
            s.via[wire] = came
            s.reach[wire] = so_far + routes.cost[wire] + routes.taste[(m + shift) & mask]
            zone = graph.leads_to[wire]
            if zone >= 0:
                s.ahead[zone] = mark


@inner
def _nearest(  # pragma: no cover - compiled
    z: int, leave: int, graph: RoutingGraph, s: PathSearch
) -> int:
    """Cheapest wire by which the path may come that leaves a zone on a member's track; -1: none."""
    best, least = -1, _NOWHERE
    for m in range(graph.zone_ptr[z], graph.zone_ptr[z + 1]):
        came = graph.came[m]
        if s.reach[came] < least and may_leave(m, leave, z, graph):
            best, least = came, s.reach[came]
    return best


@compiled
def _replace(  # pragma: no cover - compiled
    i: int, begin: int, end: int, length: int, factor: np.float32, routes: Routes, s: PathSearch
) -> None:
    """Insert the result between two places of a path that were cleared."""
    old, path = routes.length[i], routes.path[i]
    rest = max(0, old - end - 1)  # what stays after the target, which is found again
    routes.length[i] = begin + 1 + length + rest
    tail = path[old - rest : old].copy()
    for j in range(length):
        path[begin + 1 + j] = s.path[length - 1 - j]
    path[begin + 1 + length : routes.length[i]] = tail
    for j in range(1 if end < old else 0, length):
        _count(s.path[j], 1, factor, routes)
