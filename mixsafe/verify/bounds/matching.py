"""Upper bounds by matching (fact 6): at any moment the tokens are a bijection.

The identity is one perfect matching of tokens to rows. A token may be on a row in some perfect
matching only if the two lie on one cycle of the digraph "row v may hold token c", that is in one
strongly connected component, where row and token of one name are one node.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit, prange

from mixsafe.compiled import compiled
from mixsafe.network.wires import Wires
from mixsafe.verify.core.core import Core
from mixsafe.verify.core.timeline import wire_at
from mixsafe.verify.core.tokens import TokenSets

_CHUNKS = 64  # stretches of time that threads take up one by one


def match(core: Core, possible: TokenSets, wires: npt.NDArray[np.int64]) -> bool:
    """Narrow ``possible`` in place to what perfect matchings of some steps allow.

    Parameters
    ----------
    core
        The question.
    possible
        (n_wires, words): a superset of the candidates that holds every wire's own token.
    wires
        Wires of interest: only the steps at which one of them begins or ends are looked at.

    Returns
    -------
    Whether anything was removed.
    """
    network = core.network
    wanted = np.zeros(network.horizon + 1, np.bool_)
    wanted[network.start[wires]] = True
    wanted[network.end[wires]] = True
    n_chunks = min(_CHUNKS, network.horizon + 1)
    steps = np.linspace(0, network.horizon + 1, n_chunks + 1).astype(np.int64)
    component = np.full_like(possible, ~np.uint64(0))
    carried = np.full((n_chunks, network.n_rows, core.words), ~np.uint64(0))
    _match_chunks(
        possible,
        component,
        carried,
        steps,
        wanted,
        network.wires,
    )
    _take_in(component, carried, steps, network.wires)
    component &= possible
    changed = not np.array_equal(component, possible)
    possible[:] = component
    return changed


@njit(cache=True, parallel=True)
def _match_chunks(  # pragma: no cover - compiled
    possible: TokenSets,
    component: TokenSets,
    carried: TokenSets,
    steps: npt.NDArray[np.int64],
    wanted: npt.NDArray[np.bool_],
    net: Wires,
) -> None:
    """Narrow ``component`` over stretches of time, a thread each.

    Wires that a stretch finds begun belong to an earlier one; what this one says of them goes to
    ``carried``, (stretches, n_rows, words), so that no two threads write to one place.
    """
    n_rows = len(net.first) - 1
    for chunk in prange(len(steps) - 1):
        wire = np.empty(n_rows, np.int64)
        begun = np.ones(n_rows, np.bool_)
        for v in range(n_rows):
            wire[v] = wire_at(v, steps[chunk], net)
        z = np.searchsorted(net.zone_time, steps[chunk], side="right")
        label = np.empty(n_rows, np.int64)
        for t in range(steps[chunk], steps[chunk + 1]):
            while z < len(net.zone_time) and net.zone_time[z] == t:
                for m in range(net.zone_ptr[z], net.zone_ptr[z + 1]):
                    wire[net.member[m]] = net.before[m] + 1
                    begun[net.member[m]] = False
                z += 1
            if wanted[t]:
                _components(possible, wire, label)
                _keep_components(component, carried[chunk], wire, begun, label)


@compiled
def _take_in(  # pragma: no cover - compiled
    component: TokenSets,
    carried: TokenSets,
    steps: npt.NDArray[np.int64],
    net: Wires,
) -> None:
    """Narrow the wires that each stretch found begun to what it says of them."""
    for chunk in range(len(steps) - 1):
        for v in range(len(net.first) - 1):
            component[wire_at(v, steps[chunk], net)] &= carried[chunk, v]


@compiled
def _keep_components(  # pragma: no cover - compiled
    component: TokenSets,
    carried: TokenSets,
    wire: npt.NDArray[np.int64],
    begun: npt.NDArray[np.bool_],
    label: npt.NDArray[np.int64],
) -> None:
    n_rows, words = len(wire), component.shape[1]
    order = np.argsort(label)
    mask = np.zeros(words, np.uint64)
    begin = 0
    while begin < n_rows:
        end = begin
        mask[:] = 0
        while end < n_rows and label[order[end]] == label[order[begin]]:
            v = order[end]
            mask[v // 64] |= np.uint64(1) << np.uint64(v % 64)
            end += 1
        for i in range(begin, end):
            v = order[i]
            if begun[v]:
                carried[v] &= mask
            else:
                component[wire[v]] &= mask
        begin = end


@compiled
def _components(  # pragma: no cover - compiled
    possible: TokenSets, wire: npt.NDArray[np.int64], label: npt.NDArray[np.int64]
) -> None:
    """Strongly connected components, each labelled with its lowest node.

    Most steps have one large component and many of a single node. So those with nowhere to go are
    taken off first, again and again; then a search forward and one back from some node that is
    left find its component. On sets of bits each search costs a few passes over the rows.
    """
    n_rows, words = len(wire), possible.shape[1]
    left = np.zeros(words, np.uint64)
    for v in range(n_rows):
        _add(left, v)
        label[v] = v
    ahead, component = np.empty(words, np.uint64), np.empty(words, np.uint64)
    _take_off(possible, wire, left)
    for pivot in range(n_rows):
        if not _holds(left, pivot):
            continue
        ahead[:] = 0
        _add(ahead, pivot)
        _search_forward(possible, wire, left, ahead)
        component[:] = 0
        _add(component, pivot)
        _search_back(possible, wire, ahead, component)
        for v in range(n_rows):
            if _holds(component, v):
                label[v] = pivot
        for w in range(words):
            left[w] &= ~component[w]
        _take_off(possible, wire, left)


@compiled
def _add(tokens: npt.NDArray[np.uint64], c: int) -> None:  # pragma: no cover - compiled
    tokens[c // 64] |= np.uint64(1) << np.uint64(c % 64)


@compiled
def _holds(tokens: npt.NDArray[np.uint64], c: int) -> bool:  # pragma: no cover - compiled
    return (tokens[c // 64] >> np.uint64(c % 64)) & np.uint64(1) != 0


@compiled
def _meets(  # pragma: no cover - compiled
    one: npt.NDArray[np.uint64], other: npt.NDArray[np.uint64], but: int
) -> bool:
    """Whether two sets have a token other than ``but`` in common."""
    for w in range(len(one)):
        common = one[w] & other[w]
        if w == but // 64:
            common &= ~(np.uint64(1) << np.uint64(but % 64))
        if common:
            return True
    return False


@compiled
def _take_off(  # pragma: no cover - compiled
    possible: TokenSets, wire: npt.NDArray[np.int64], left: npt.NDArray[np.uint64]
) -> None:
    """Take nodes that point at no other one that is left out of ``left``."""
    again = True
    while again:
        again = False
        for v in range(len(wire)):
            if _holds(left, v) and not _meets(possible[wire[v]], left, v):
                left[v // 64] &= ~(np.uint64(1) << np.uint64(v % 64))
                again = True


@compiled
def _search_forward(  # pragma: no cover - compiled
    possible: TokenSets,
    wire: npt.NDArray[np.int64],
    left: npt.NDArray[np.uint64],
    ahead: npt.NDArray[np.uint64],
) -> None:
    """Add to ``ahead`` all nodes of ``left`` that can be come to from it."""
    done = np.zeros(len(left), np.uint64)
    again = True
    while again:
        again = False
        for v in range(len(wire)):
            if _holds(ahead, v) and not _holds(done, v):
                _add(done, v)
                again = True
                for w in range(len(left)):
                    ahead[w] |= possible[wire[v], w] & left[w]


@compiled
def _search_back(  # pragma: no cover - compiled
    possible: TokenSets,
    wire: npt.NDArray[np.int64],
    ahead: npt.NDArray[np.uint64],
    component: npt.NDArray[np.uint64],
) -> None:
    """Add to ``component`` all nodes of ``ahead`` from which it can be come to."""
    again = True
    while again:
        again = False
        for v in range(len(wire)):
            fresh = _holds(ahead, v) and not _holds(component, v)
            if fresh and _meets(possible[wire[v]], component, -1):
                _add(component, v)
                again = True
