"""Lower bounds by swaps of two users (fact 7).

Two users who meet, and meet again (or need not swap back), may have each other's pseudonym in
between, unless knowledge of one of them falls there. For all pairs at once: a forward sweep keeps
for each row whom it has met since anything was last known of one of the two, a backward sweep
whom it will meet before anything is known of one of the two; both together are a swap.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit, prange

from mixsafe.compiled import compiled
from mixsafe.verify.core import tokens
from mixsafe.verify.core.core import Core
from mixsafe.verify.core.tokens import TokenSets

_BLOCK = 4


def swapped(core: Core) -> TokenSets:
    """Tokens that a wire can have by one swap, and its own; a subset of the candidates.

    Links are taken as pins to the row's own token, which only makes the bound smaller.

    Returns
    -------
    (n_wires, words) uint64.
    """
    network, pins = core.network, core.own_pins()
    proven = np.empty((network.n_wires, core.words), np.uint64)
    _sweep_blocks(
        proven,
        network.first,
        network.zone_time,
        network.zone_ptr,
        network.member,
        network.before,
        network.horizon,
        pins.first_of_step(network.horizon),
        pins.token,
        pins.ptr,
        pins.rows,
    )
    return proven | tokens.identity(network.row, core.words)


@njit(cache=True, parallel=True)
def _sweep_blocks(  # pragma: no cover - compiled
    proven: TokenSets,
    first: npt.NDArray[np.int64],
    zone_time: npt.NDArray[np.int32],
    zone_ptr: npt.NDArray[np.int64],
    member: npt.NDArray[np.int32],
    before: npt.NDArray[np.int64],
    horizon: int,
    pin_first: npt.NDArray[np.int64],
    pin_token: npt.NDArray[np.int32],
    pin_row_ptr: npt.NDArray[np.int64],
    pin_rows: npt.NDArray[np.int32],
) -> None:
    words = proven.shape[1]
    n_blocks = (words + _BLOCK - 1) // _BLOCK
    for block in prange(n_blocks):
        low = block * _BLOCK
        high = min(words, low + _BLOCK)
        _backward(
            proven, low, high, first, zone_time, zone_ptr, member, before, horizon,
            pin_first, pin_token, pin_row_ptr, pin_rows,
        )  # fmt: skip
        _forward(
            proven, low, high, first, zone_time, zone_ptr, member, before, horizon,
            pin_first, pin_token, pin_row_ptr, pin_rows,
        )  # fmt: skip


@compiled
def _meet(  # pragma: no cover - compiled
    current: npt.NDArray[np.uint64], low: int, met: npt.NDArray[np.int32]
) -> None:
    """Everybody in the zone ``met`` can swap with everybody else in it."""
    width = current.shape[1]
    all_met = np.zeros(width, np.uint64)
    for v in met:
        word = v // 64 - low
        if 0 <= word < width:
            all_met[word] |= np.uint64(1) << np.uint64(v % 64)
    for v in met:
        current[v] |= all_met


@compiled
def _end_swaps(  # pragma: no cover - compiled
    current: npt.NDArray[np.uint64],
    low: int,
    begin: int,
    end: int,
    pin_token: npt.NDArray[np.int32],
    pin_row_ptr: npt.NDArray[np.int64],
    pin_rows: npt.NDArray[np.int32],
) -> None:
    """A pinned token is swapped only with the rows that its pin allows."""
    n_rows, width = current.shape
    allowed = np.zeros(n_rows, np.bool_)
    for p in range(begin, end):
        c = pin_token[p]
        rows = pin_rows[pin_row_ptr[p] : pin_row_ptr[p + 1]]
        mask = np.zeros(width, np.uint64)
        for v in rows:
            allowed[v] = True
            if 0 <= v // 64 - low < width:
                mask[v // 64 - low] |= np.uint64(1) << np.uint64(v % 64)
        current[c] &= mask
        word = c // 64 - low
        if 0 <= word < width:
            bit = np.uint64(1) << np.uint64(c % 64)
            for v in range(n_rows):
                if not allowed[v]:
                    current[v, word] &= ~bit
        for v in rows:
            allowed[v] = False


@compiled
def _backward(  # pragma: no cover - compiled
    proven: TokenSets,
    low: int,
    high: int,
    first: npt.NDArray[np.int64],
    zone_time: npt.NDArray[np.int32],
    zone_ptr: npt.NDArray[np.int64],
    member: npt.NDArray[np.int32],
    before: npt.NDArray[np.int64],
    horizon: int,
    pin_first: npt.NDArray[np.int64],
    pin_token: npt.NDArray[np.int32],
    pin_row_ptr: npt.NDArray[np.int64],
    pin_rows: npt.NDArray[np.int32],
) -> None:
    """Write to each wire, at its start, whom its row can still swap back with, or need not."""
    n_rows = len(first) - 1
    current = np.full((n_rows, high - low), ~np.uint64(0))
    z = len(zone_time) - 1
    for t in range(horizon, -1, -1):
        _end_swaps(current, low, pin_first[t], pin_first[t + 1], pin_token, pin_row_ptr, pin_rows)
        while z >= 0 and zone_time[z] == t:
            met = member[zone_ptr[z] : zone_ptr[z + 1]]
            for m in range(zone_ptr[z], zone_ptr[z + 1]):
                proven[before[m] + 1, low:high] = current[member[m]]
            _meet(current, low, met)
            z -= 1
    for v in range(n_rows):
        proven[first[v], low:high] = current[v]


@compiled
def _forward(  # pragma: no cover - compiled
    proven: TokenSets,
    low: int,
    high: int,
    first: npt.NDArray[np.int64],
    zone_time: npt.NDArray[np.int32],
    zone_ptr: npt.NDArray[np.int64],
    member: npt.NDArray[np.int32],
    before: npt.NDArray[np.int64],
    horizon: int,
    pin_first: npt.NDArray[np.int64],
    pin_token: npt.NDArray[np.int32],
    pin_row_ptr: npt.NDArray[np.int64],
    pin_rows: npt.NDArray[np.int32],
) -> None:
    """Leave on each wire, at its end, those with whom its row has swapped before."""
    n_rows = len(first) - 1
    current = np.zeros((n_rows, high - low), np.uint64)
    z = 0
    for t in range(horizon + 1):
        while z < len(zone_time) and zone_time[z] == t:
            met = member[zone_ptr[z] : zone_ptr[z + 1]]
            for m in range(zone_ptr[z], zone_ptr[z + 1]):
                proven[before[m], low:high] &= current[member[m]]
            _meet(current, low, met)
            z += 1
        _end_swaps(current, low, pin_first[t], pin_first[t + 1], pin_token, pin_row_ptr, pin_rows)
    for v in range(n_rows):
        proven[first[v + 1] - 1, low:high] &= current[v]
