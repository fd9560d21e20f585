"""Groups of users who meet, directly or by others: tokens do not leave them (facts.md, groups)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from mixsafe.model.question.adversary import Pins
from mixsafe.network.wires import WireNetwork

Ints = npt.NDArray[np.int64]


def components(network: WireNetwork, pins: Pins) -> Ints:
    """(n_rows,) number of the group of users who meet, or could be taken for one another."""
    lowest = np.arange(network.n_rows)
    head = network.member[network.zone_ptr[:-1]]
    _join(lowest, head, network.zone_ptr, network.member)
    _join(lowest, pins.token, pins.ptr, pins.rows)
    _, label = np.unique(_ends(lowest), return_inverse=True)
    return label.astype(np.int64)


@njit(cache=True)
def _end(lowest: Ints, row: int) -> int:  # pragma: no cover - compiled
    """Lowest row that is known to be in the group of ``row``; the way there is made shorter."""
    while lowest[row] != row:
        lowest[row] = lowest[lowest[row]]
        row = lowest[row]
    return row


@njit(cache=True)
def _join(  # pragma: no cover - compiled
    lowest: Ints,
    head: npt.NDArray[np.int32],
    ptr: Ints,
    rows: npt.NDArray[np.int32],
) -> None:
    """Put row ``head[i]`` and the rows of entry i into one group."""
    for i in range(len(head)):
        one = _end(lowest, head[i])
        for entry in range(ptr[i], ptr[i + 1]):
            other = _end(lowest, rows[entry])
            one, other = min(one, other), max(one, other)
            lowest[other] = one


@njit(cache=True)
def _ends(lowest: Ints) -> Ints:  # pragma: no cover - compiled
    """The lowest row of each row's group."""
    found = np.empty_like(lowest)
    for row in range(len(lowest)):
        found[row] = _end(lowest, row)
    return found
