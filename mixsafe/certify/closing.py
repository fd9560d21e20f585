"""Closures that show unsafe claims: what matching (fact 6) strikes off, as steps of a proof.

At a step there is an arc from token to row wherever the token may be on the row, and row and token
of one name are one node. A strongly connected component from which no arc leads out is closed: its
tokens are on its rows only, so that nobody else is there. Without it another one is closed, and so
on. Those into which no arc leads strike nothing, and are left out.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.check.reached import Reached
from mixsafe.model.answer.proof import Closure
from mixsafe.model.limits import Deadline


def closed(
    reached: Reached,
    wires: npt.NDArray[np.int64],
    enough: npt.NDArray[np.integer],
    deadline: Deadline,
) -> list[Closure]:
    """Closures that leave wires as few tokens as they can; ``reached`` are narrowed by them.

    Parameters
    ----------
    reached
        Where single tokens can be.
    wires, enough
        (n,) each: wires of unsafe claims, and the number of tokens that would be too many.
    deadline
        When to give up.
    """
    found: list[Closure] = []
    while not deadline.passed:
        left = np.bitwise_count(reached.sets[wires]).sum(axis=1) >= enough
        steps = np.unique(np.concatenate([reached.start[wires[left]], reached.end[wires[left]]]))
        more: list[Closure] = []
        for step in steps.tolist():
            if not deadline.passed:
                more += _at(reached, step)
        if not more:
            break
        reached.close(more)
        found += more
    return found


def _at(reached: Reached, step: int) -> list[Closure]:
    """Closures of a step, each closed once those before it have struck."""
    # Loaded here: most certificates need no closures, and loading it takes a tenth of a second.
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    sets = reached.sets[reached.wires_at(step)]
    bits = np.unpackbits(sets.astype("<u8").view(np.uint8), axis=1, bitorder="little")
    row, token = np.nonzero(bits[:, : reached.n_rows])
    graph = csr_array((np.ones(len(row), bool), (token, row)), (reached.n_rows, reached.n_rows))
    n, part = connected_components(graph, directed=True, connection="strong")
    leaves = part[token] != part[row]
    if not leaves.any():
        return []
    arcs = np.unique(np.stack([part[token[leaves]], part[row[leaves]]], axis=1), axis=0)
    order = _sinks_first(n, arcs)
    struck = np.isin(np.arange(n), arcs[:, 1])
    names = np.argsort(part, kind="stable")
    begins = np.searchsorted(part[names], np.arange(n + 1))
    members = [names[begins[one] : begins[one + 1]] for one in order.tolist() if struck[one]]
    return [Closure(step, some, some) for some in members]


def _sinks_first(n: int, arcs: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    """Components in an order in which every arc leads to an earlier one."""
    depth = np.zeros(n, np.int64)
    while True:  # the longest way on from each
        longer = depth.copy()
        np.maximum.at(longer, arcs[:, 0], depth[arcs[:, 1]] + 1)
        if np.array_equal(longer, depth):
            return np.argsort(depth, kind="stable")
        depth = longer
