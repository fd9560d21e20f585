"""Connected components of the meeting graph, which tokens do not leave (facts.md, groups)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.spill.blocks import blocks, spread
from mixsafe.model.question.adversary import Pins
from mixsafe.network.wires import WireNetwork


def components(network: WireNetwork, pins: Pins | None = None) -> npt.NDArray[np.int64]:
    """(n_rows,) number of the group of each row, connected by meetings or pins.

    Parameters
    ----------
    network
        The meetings.
    pins
        Also connect each token with the rows of its pins; None: only meetings connect.
    """
    label = np.arange(network.n_rows)
    head = network.member[network.zone_ptr[:-1]]
    for part in blocks(
        len(network.member)
    ):  # in blocks: all edges of a city's graph need much memory
        one, other = label[spread(head, network.zone_ptr, part)], label[network.member[part]]
        label = connected(int(label.max()) + 1, one, other)[label]
    if pins is not None:
        one = np.repeat(pins.token, np.diff(pins.ptr))
        label = connected(int(label.max()) + 1, label[one], label[pins.rows])[label]
    return label


def connected(
    n_rows: int, one: npt.NDArray[np.integer], other: npt.NDArray[np.integer]
) -> npt.NDArray[np.int64]:
    """(n_rows,) number of the group of each row, from 0 in order of the groups' lowest rows.

    Parameters
    ----------
    n_rows
        Number of rows.
    one, other
        (n_pairs,) each: rows that are in one group.
    """
    # Imported here: few runs need it, and the import takes a tenth of a second.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    apart = one != other
    pairs = (one[apart], other[apart])
    graph = coo_array((np.ones(len(pairs[0]), bool), pairs), (n_rows, n_rows))
    return connected_components(graph, directed=False)[1].astype(np.int64)
