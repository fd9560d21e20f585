"""Groups of users who meet, directly or by others: tokens do not leave them (facts.md, groups)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.model.question.adversary import Pins
from mixsafe.network.wires import WireNetwork
from mixsafe.spill.blocks import blocks, spread


def components(network: WireNetwork, pins: Pins | None = None) -> npt.NDArray[np.int64]:
    """(n_rows,) number of the group of users who meet, or could be taken for one another.

    Parameters
    ----------
    network
        Who meets whom.
    pins
        A token and the rows that it may be on are in one group, too; None: meetings count alone.
    """
    label = np.arange(network.n_rows)
    head = network.member[network.zone_ptr[:-1]]
    for part in blocks(len(network.member)):  # the edges of a city's graph, all at once, are large
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
    # Loaded here: only what is decided in parts needs it, and loading it takes a tenth of a second.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    apart = one != other
    pairs = (one[apart], other[apart])
    graph = coo_array((np.ones(len(pairs[0]), bool), pairs), (n_rows, n_rows))
    return connected_components(graph, directed=False)[1].astype(np.int64)
