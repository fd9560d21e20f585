"""Upper bounds by matching (fact 6): at any moment the tokens are a bijection.

The identity is one perfect matching of tokens to rows. A token may be on a row in some perfect
matching only if the two lie on one cycle of the digraph "row v may hold token c", that is in one
strongly connected component, where row and token of one name are one node.

Most steps have one large component and many of a single node. So nodes without successors are
removed first, repeatedly; then a forward and a backward search from a remaining node find its
component. On bit sets each search costs a few passes over the rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import inner, side_by_side, tiered
from mixsafe.network.core import Core
from mixsafe.network.wires import Wires
from mixsafe.solver.state import tokens
from mixsafe.solver.state.tokens import TokenSets

_CHUNKS = 64  # stretches of time, the tasks of threads

Bits = npt.NDArray[np.uint64]


class Narrowed(NamedTuple):
    """Result of one stretch of time.

    Wires that began before the stretch belong to an earlier one. Their result goes to ``begun``, so
    that no two threads write to the same place.
    """

    possible: TokenSets  # (n_wires, words): before the call
    component: TokenSets  # (n_wires, words): narrowed in place
    begun: TokenSets  # (n_rows, words): result for the wires that began earlier
    wire: npt.NDArray[np.int64]  # (n_rows,): current wire of each row
    is_new: npt.NDArray[np.bool_]  # (n_rows,): whether it began in this stretch


class Nodes(NamedTuple):
    """Working memory: sets of nodes, (words,) each, and a list of some."""

    left: Bits  # not yet in a component
    ahead: Bits  # reachable from the pivot
    done: Bits  # already expanded
    part: Bits  # one component
    fresh: Bits  # the listed ones
    listed: npt.NDArray[np.int64]  # (n_rows,)


def match(core: Core, possible: TokenSets, wires: npt.NDArray[np.int64], workers: int = 0) -> bool:
    """Narrow ``possible`` in place to what perfect matchings of some steps allow.

    So do those of all sightings, where different people are different.

    Parameters
    ----------
    core
        The question.
    possible
        (n_wires, words): a superset of the candidates that holds every wire's own token.
    wires
        Wires of interest: only steps at which one of them begins or ends are used.
    workers
        Threads; 0 means one per core.

    Returns
    -------
    Whether anything was removed.
    """
    network, words = core.network, core.words
    steps = np.unique(np.concatenate([network.start[wires], network.end[wires]]).astype(np.int64))
    chunks = [some for some in np.array_split(steps, _CHUNKS) if len(some)]
    first = np.repeat([some[0] for some in chunks], network.n_rows)
    at_first = network.wire_at(np.tile(np.arange(network.n_rows), len(chunks)), first)
    at_first = at_first.reshape(len(chunks), network.n_rows)
    component = np.full_like(possible, ~np.uint64(0))
    begun = np.full((len(chunks), network.n_rows, words), ~np.uint64(0))

    def match_chunk(i: int) -> None:
        narrowed = Narrowed(
            possible, component, begun[i], at_first[i].copy(), np.zeros(network.n_rows, np.bool_)
        )
        zone = int(np.searchsorted(network.zone_time, chunks[i][0], side="right"))
        nodes = _new_nodes(network.n_rows, words)
        _match_chunk(chunks[i], zone, narrowed, nodes, network.wires)

    side_by_side(match_chunk, range(len(chunks)), workers)
    for wire, sets in zip(at_first, begun, strict=True):
        component[wire] &= sets
    component &= possible
    changed = not np.array_equal(component, possible)
    possible[:] = component
    return _match_seen(core, possible) or changed


def _match_seen(core: Core, possible: TokenSets) -> bool:
    """Narrow ``possible`` in place to what different people can be seen with (fact 16).

    The tokens at the sightings of all people are different, as if all were seen at one moment.
    Who is seen at step 0 has her own token, and who is not seen may have any that is left.
    """
    wires, rows = core.apart_wires, core.apart.row
    if not len(wires):
        return False
    network, words = core.network, core.words
    named = np.unique(core.pins.token)
    taken = tokens.set_of(named.astype(np.int64), words)
    moment = tokens.everything(network.n_rows, network.n_rows) & ~taken
    moment[named] = tokens.identity(named, words)
    moment[rows] &= possible[wires]
    found = moment.copy()
    nodes = _new_nodes(network.n_rows, words)
    every, new = np.arange(network.n_rows), np.ones(network.n_rows, np.bool_)
    _match_moment(Narrowed(moment, found, found[:0], every, new), nodes)
    changed = not np.array_equal(found[rows], possible[wires])
    possible[wires] = found[rows]
    return changed


def _new_nodes(n_rows: int, words: int) -> Nodes:
    left, ahead, done, part, fresh = np.zeros((5, words), np.uint64)
    return Nodes(left, ahead, done, part, fresh, np.zeros(n_rows, np.int64))


@tiered
def _match_moment(narrowed: Narrowed, nodes: Nodes) -> None:  # pragma: no cover - compiled
    """Narrow to the components of one moment."""
    _components(narrowed, nodes)


@tiered
def _match_chunk(  # pragma: no cover - compiled
    steps: npt.NDArray[np.int64], zone: int, narrowed: Narrowed, nodes: Nodes, net: Wires
) -> None:
    """Narrow to the components of each of ``steps``; ``zone`` is the first after the first one."""
    for t in steps:
        while zone < len(net.zone_time) and net.zone_time[zone] <= t:
            for m in range(net.zone_ptr[zone], net.zone_ptr[zone + 1]):
                narrowed.wire[net.member[m]] = net.before[m] + 1
                narrowed.is_new[net.member[m]] = True
            zone += 1
        _components(narrowed, nodes)


@inner
def _components(narrowed: Narrowed, nodes: Nodes) -> None:  # pragma: no cover - compiled
    """Narrow the wires of one step to the components of their rows."""
    left, part = nodes.left, nodes.part
    n_rows = len(narrowed.wire)
    for v in range(n_rows):
        tokens.add(left, v)
    _take_off(narrowed, nodes)
    for pivot in range(n_rows):
        if tokens.holds(left, pivot):
            _search_forward(pivot, narrowed, nodes)
            _search_back(pivot, narrowed, nodes)
            for i in range(tokens.below(part, nodes.listed)):
                tokens.remove(left, nodes.listed[i])
                _narrow(nodes.listed[i], part, narrowed)
            _take_off(narrowed, nodes)


@inner
def _narrow(v: int, part: Bits, narrowed: Narrowed) -> None:  # pragma: no cover - compiled
    """Restrict row ``v`` to the tokens of its component."""
    sets, i = narrowed.begun, np.int64(v)
    if narrowed.is_new[v]:
        sets, i = narrowed.component, narrowed.wire[v]
    for word in range(len(part)):
        sets[i, word] &= part[word]


@inner
def _take_off(narrowed: Narrowed, nodes: Nodes) -> None:  # pragma: no cover - compiled
    """Remove nodes without a successor from ``left``: each is a component."""
    possible, wire, left, part = narrowed.possible, narrowed.wire, nodes.left, nodes.part
    again = True
    while again:
        again = False
        for i in range(tokens.below(left, nodes.listed)):
            v = nodes.listed[i]
            if not tokens.meets(possible[wire[v]], left, v):
                tokens.remove(left, v)
                _clear(part)
                tokens.add(part, v)
                _narrow(v, part, narrowed)
                again = True


@inner
def _clear(some: Bits) -> None:  # pragma: no cover - compiled
    for word in range(len(some)):
        some[word] = 0


@inner
def _list_fresh(some: Bits, done: Bits, nodes: Nodes) -> int:  # pragma: no cover - compiled
    """List the nodes of one set that are not in another; their number."""
    for word in range(len(some)):
        nodes.fresh[word] = some[word] & ~done[word]
    return tokens.below(nodes.fresh, nodes.listed)


@inner
def _search_forward(  # pragma: no cover - compiled
    pivot: int, narrowed: Narrowed, nodes: Nodes
) -> None:
    """Set ``ahead`` to the nodes of ``left`` that are reachable from ``pivot``."""
    possible, wire, ahead, done = narrowed.possible, narrowed.wire, nodes.ahead, nodes.done
    _clear(ahead)
    _clear(done)
    tokens.add(ahead, pivot)
    again = True
    while again:
        again = False
        for i in range(_list_fresh(ahead, done, nodes)):
            v = nodes.listed[i]
            tokens.add(done, v)
            again = True
            for word in range(len(ahead)):
                ahead[word] |= possible[wire[v], word] & nodes.left[word]


@inner
def _search_back(  # pragma: no cover - compiled
    pivot: int, narrowed: Narrowed, nodes: Nodes
) -> None:
    """Set ``part`` to the nodes of ``ahead`` from which ``pivot`` is reachable."""
    possible, wire, part = narrowed.possible, narrowed.wire, nodes.part
    _clear(part)
    tokens.add(part, pivot)
    again = True
    while again:
        again = False
        for i in range(_list_fresh(nodes.ahead, part, nodes)):
            v = nodes.listed[i]
            if tokens.meets(possible[wire[v]], part, -1):
                tokens.add(part, v)
                again = True
