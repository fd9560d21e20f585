"""Upper bounds by matching (DESIGN, fact 6): at any moment the tokens are a bijection.

The identity is one perfect matching of tokens to rows. A token may be on a row in some perfect
matching only if the two lie on one cycle of the digraph "row v may hold token c", that is in one
strongly connected component, where row and token of one name are one node.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit, prange

from mixsafe.verify.core import Core
from mixsafe.verify.tokens import TokenSets

_CHUNKS = 64  # stretches of time that threads take up one by one


def match(core: Core, possible: TokenSets) -> bool:
    """Narrow ``possible`` in place to what perfect matchings of every step allow.

    Parameters
    ----------
    core
        The question.
    possible
        (n_wires, words): a superset of the candidates that holds every wire's own token.

    Returns
    -------
    Whether anything was removed.
    """
    network = core.network
    n_chunks = min(_CHUNKS, network.horizon + 1)
    steps = np.linspace(0, network.horizon + 1, n_chunks + 1).astype(np.int64)
    component = np.full_like(possible, ~np.uint64(0))
    carried = np.full((n_chunks, network.n_rows, core.words), ~np.uint64(0))
    _match_chunks(
        possible,
        component,
        carried,
        steps,
        network.first,
        network.start,
        network.zone_time,
        network.zone_ptr,
        network.member,
        network.before,
    )
    rows = np.arange(network.n_rows)
    for chunk, step in enumerate(steps[:-1]):
        component[network.wire_at(rows, np.full_like(rows, step))] &= carried[chunk]
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
    first: npt.NDArray[np.int64],
    start: npt.NDArray[np.int32],
    zone_time: npt.NDArray[np.int32],
    zone_ptr: npt.NDArray[np.int64],
    member: npt.NDArray[np.int32],
    before: npt.NDArray[np.int64],
) -> None:
    """Narrow ``component`` over stretches of time, a thread each.

    Wires that a stretch finds begun belong to an earlier one; what this one says of them goes to
    ``carried``, (stretches, n_rows, words), so that no two threads write to one place.
    """
    n_rows = len(first) - 1
    for chunk in prange(len(steps) - 1):
        wire = np.empty(n_rows, np.int64)
        begun = np.ones(n_rows, np.bool_)
        for v in range(n_rows):
            wire[v] = (
                first[v]
                + np.searchsorted(start[first[v] : first[v + 1]], steps[chunk], side="right")
                - 1
            )
        z = np.searchsorted(zone_time, steps[chunk], side="right")
        label = np.empty(n_rows, np.int64)
        for t in range(steps[chunk], steps[chunk + 1]):
            moved = t == steps[chunk]
            while z < len(zone_time) and zone_time[z] == t:
                moved = True
                for m in range(zone_ptr[z], zone_ptr[z + 1]):
                    wire[member[m]] = before[m] + 1
                    begun[member[m]] = False
                z += 1
            if moved:
                _components(possible, wire, label)
                _keep_components(component, carried[chunk], wire, begun, label)


@njit(cache=True)
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


@njit(cache=True)
def _components(  # pragma: no cover - compiled
    possible: TokenSets, wire: npt.NDArray[np.int64], label: npt.NDArray[np.int64]
) -> None:
    """Strongly connected components by Tarjan's algorithm, unvisited nodes as bits."""
    n_rows, words = len(wire), possible.shape[1]
    fresh = np.full(words, ~np.uint64(0))  # nodes not visited yet
    index = np.full(n_rows, -1, np.int64)
    low = np.zeros(n_rows, np.int64)
    on_stack = np.zeros(words, np.uint64)
    stack = np.empty(n_rows, np.int64)
    path = np.empty(n_rows, np.int64)
    height = depth = counter = 0
    one = np.uint64(1)
    for root in range(n_rows):
        if index[root] >= 0:
            continue
        path[0] = root
        depth = 1
        while depth:
            v = path[depth - 1]
            if index[v] < 0:
                index[v] = low[v] = counter
                counter += 1
                stack[height] = v
                height += 1
                fresh[v // 64] &= ~(one << np.uint64(v % 64))
                on_stack[v // 64] |= one << np.uint64(v % 64)
            child = _lowest_common(possible[wire[v]], fresh)
            if child >= 0:
                path[depth] = child
                depth += 1
                continue
            # all nodes it points at were visited: those still on the stack are its component's
            for w in range(words):
                bits = possible[wire[v], w] & on_stack[w]
                while bits:
                    c = w * 64 + _lowest(bits)
                    bits &= bits - one
                    low[v] = min(low[v], low[c])
            if low[v] == index[v]:
                height = _pop(v, height, stack, on_stack, label)
            depth -= 1


@njit(cache=True)
def _pop(  # pragma: no cover - compiled
    v: int,
    height: int,
    stack: npt.NDArray[np.int64],
    on_stack: npt.NDArray[np.uint64],
    label: npt.NDArray[np.int64],
) -> int:
    """Take the component of ``v`` off the stack and label it; the height that is left."""
    while True:
        height -= 1
        c = stack[height]
        on_stack[c // 64] &= ~(np.uint64(1) << np.uint64(c % 64))
        label[c] = v
        if c == v:
            return height


@njit(cache=True)
def _lowest_common(  # pragma: no cover - compiled
    one: npt.NDArray[np.uint64], other: npt.NDArray[np.uint64]
) -> int:
    """Lowest token of both sets; -1: there is none."""
    for w in range(len(one)):
        bits = one[w] & other[w]
        if bits:
            return w * 64 + _lowest(bits)
    return -1


@njit(cache=True)
def _lowest(bits: np.uint64) -> int:  # pragma: no cover - compiled
    """Number of the lowest bit that is set."""
    n = 0
    if bits & np.uint64(0xFFFFFFFF) == 0:
        bits >>= np.uint64(32)
        n += 32
    if bits & np.uint64(0xFFFF) == 0:
        bits >>= np.uint64(16)
        n += 16
    if bits & np.uint64(0xFF) == 0:
        bits >>= np.uint64(8)
        n += 8
    while bits & np.uint64(1) == 0:
        bits >>= np.uint64(1)
        n += 1
    return n
