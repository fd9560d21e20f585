"""The part of a witness that is needed: what can stay at home, stays there.

The wires that a witness moves fall into parts that have nothing to do with each other. Two of them
are in one part if they follow each other on a row or on a token's way, if one holds the token of
the other's row at that time, or if a link says that they hold the same token. Each part alone, with
everybody else at home, is a witness (docs/develop/facts.md, parts of a witness).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.certify.witnesses.differences import Differences
from mixsafe.compiled import as_python, compiled, inner
from mixsafe.network.core import Core
from mixsafe.network.timeline import wire_at
from mixsafe.network.wires import Wires
from mixsafe.solver.state.witness import Assignment

Ints = npt.NDArray[np.int64]


def needed_parts(core: Core, assignment: Assignment, wires: Ints) -> Differences:
    """The parts of a witness that move some wires, as one witness.

    Parameters
    ----------
    core
        The question.
    assignment
        (n_wires,) a witness.
    wires
        (n,) wires whose tokens are to stay what they are.
    """
    network = core.network
    parent = np.arange(network.n_wires)
    moved = np.flatnonzero(assignment != network.row)
    with as_python(20 * len(network.before) + 40 * len(moved)):
        _join(parent, moved, assignment, core.link_wires, network.wires)
        label = _labels(parent, moved)
    wanted = np.unique(
        label[np.searchsorted(moved, wires[assignment[wires] != network.row[wires]])]
    )
    kept = moved[np.isin(label, wanted)]
    return Differences(np.array([0, len(kept)]), kept, assignment[kept])


@compiled
def _join(  # pragma: no cover - compiled
    parent: Ints, moved: Ints, on: Assignment, linked: Ints, net: Wires
) -> None:
    """Join the wires that belong to one part."""
    for w in moved:
        _unite(parent, w, wire_at(on[w], net.start[w], net))
        if net.leads_to[w] >= 0 and on[w + 1] != net.row[w]:
            _unite(parent, w, w + 1)
    came_on = np.full(len(net.first) - 1, -1, np.int64)
    for z in range(len(net.zone_time)):
        for m in range(net.zone_ptr[z], net.zone_ptr[z + 1]):
            came_on[on[net.before[m]]] = net.before[m]
        for m in range(net.zone_ptr[z], net.zone_ptr[z + 1]):
            after = net.before[m] + 1
            came = came_on[on[after]]
            if on[after] != net.row[after] and on[came] != net.row[came]:
                _unite(parent, after, came)
    for i in range(len(linked)):
        if on[linked[i, 0]] != net.row[linked[i, 0]]:
            _unite(parent, linked[i, 0], linked[i, 1])


@compiled
def _labels(parent: Ints, moved: Ints) -> Ints:  # pragma: no cover - compiled
    """The first wire of the part of each moved wire."""
    label = np.empty(len(moved), np.int64)
    for i in range(len(moved)):
        label[i] = _root(parent, moved[i])
    return label


@inner
def _root(parent: Ints, w: int) -> int:  # pragma: no cover - compiled
    while parent[w] != w:
        parent[w] = parent[parent[w]]
        w = parent[w]
    return w


@inner
def _unite(parent: Ints, one: int, other: int) -> None:  # pragma: no cover - compiled
    one, other = _root(parent, one), _root(parent, other)
    parent[max(one, other)] = min(one, other)
