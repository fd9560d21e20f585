"""Hall sets that show unsafe claims: values removed by matching (fact 6), as proof steps.

At a step there is an arc from token to row wherever the token may be on the row; a row and the
token that some assignment has there (in the identity, its own) are one node. A strongly connected
component without outgoing arcs is a Hall set: its tokens are on its rows only, so no other token is
there. After its removal another component has no outgoing arcs, and so on. Components without
incoming arcs exclude nothing and are omitted.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from mixsafe.check.reached import Reached
from mixsafe.model.answer.certificate import HallSet
from mixsafe.model.course import Deadline

Home = Callable[[int], npt.NDArray[np.int64]]
"""(n_rows,) tokens on all rows at a step."""


def closed(
    reached: Reached,
    who: npt.NDArray[np.integer],
    step: npt.NDArray[np.integer],
    enough: npt.NDArray[np.integer],
    deadline: Deadline,
    home: Home | None = None,
) -> list[HallSet]:
    """Hall sets that leave claims as few candidates as possible; they narrow ``reached``.

    Parameters
    ----------
    reached
        Where single tokens can be.
    who, step, enough
        (n,) each: what unsafe claims are about, and what would be too much to be left to them.
    deadline
        When to give up.
    home
        Tokens on all rows at a step in some assignment; None: each is on her own row.
    """
    found: list[HallSet] = []
    while not deadline.passed:
        left = np.flatnonzero(reached.n_left(who, step) >= enough)
        more: list[HallSet] = []
        for one in _steps(reached, who[left], step[left]).tolist():
            if not deadline.passed:
                more += _at(reached, one, np.arange(reached.n_rows) if home is None else home(one))
        if not more:
            break
        reached.close(more)
        reached.follow()
        found += more
    return found


def _steps(
    reached: Reached, who: npt.NDArray[np.integer], step: npt.NDArray[np.integer]
) -> npt.NDArray[np.integer]:
    """Steps at which Hall sets may help claims: both ends of the wires that they are about."""
    if reached.pins is not None:
        return np.unique(step)
    wires = reached.wire_at(who, step)
    return np.unique(np.concatenate([reached.start[wires], reached.end[wires]]))


def _at(reached: Reached, step: int, home: npt.NDArray[np.int64]) -> list[HallSet]:
    """Hall sets of a step, each with the domains left by those before it."""
    # Loaded here: most certificates need no Hall sets, and loading it takes a tenth of a second.
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    sets = reached.sets[reached.wires_at(step)]
    bits = np.unpackbits(sets.astype("<u8").view(np.uint8), axis=1, bitorder="little")
    row, token = np.nonzero(bits[:, : reached.n_rows])
    comes = np.argsort(home)[token]
    graph = csr_array((np.ones(len(row), bool), (comes, row)), (reached.n_rows, reached.n_rows))
    n, part = connected_components(graph, directed=True, connection="strong")
    leaves = part[comes] != part[row]
    if not leaves.any():
        return []
    arcs = np.unique(np.stack([part[comes[leaves]], part[row[leaves]]], axis=1), axis=0)
    order = _sinks_first(n, arcs)
    excluded = np.isin(np.arange(n), arcs[:, 1])
    names = np.argsort(part, kind="stable")
    begins = np.searchsorted(part[names], np.arange(n + 1))
    members = [names[begins[one] : begins[one + 1]] for one in order.tolist() if excluded[one]]
    return [HallSet(step, some, np.sort(home[some])) for some in members]


def _sinks_first(n: int, arcs: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    """Components in an order in which every arc leads to an earlier one."""
    depth = np.zeros(n, np.int64)
    while True:  # longest path from each
        longer = depth.copy()
        np.maximum.at(longer, arcs[:, 0], depth[arcs[:, 1]] + 1)
        if np.array_equal(longer, depth):
            return np.argsort(depth, kind="stable")
        depth = longer
