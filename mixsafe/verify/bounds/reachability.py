"""Upper bounds by reachability (fact 5): a token must get to a wire, and on from it.

Two sweeps over the zones on sets of tokens. Backward: from which wires a token can still get to
where knowledge wants it. Forward: which tokens get there through wires that the backward sweep
left them. What a single token can do is decided exactly; that all must fit together is not.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit, prange

from mixsafe.compiled import compiled
from mixsafe.verify.core import tokens
from mixsafe.verify.core.core import Core
from mixsafe.verify.core.tokens import TokenSets

_BLOCK = 4  # words that a thread sweeps at once: the rows' current sets stay in its cache


def reachable(core: Core) -> TokenSets:
    """Tokens that may be on each wire; a superset of the candidates.

    Links carry one unknown token from end to end, so what cannot be at one end is removed from
    the other, and the sweeps are repeated until nothing changes.

    Returns
    -------
    (n_wires, words) uint64.
    """
    possible = tokens.everything(core.network.n_wires, core.network.n_rows)
    narrow(core, possible)
    return possible


def narrow(core: Core, possible: TokenSets) -> None:
    """Narrow ``possible``, (n_wires, words), in place to what its own tokens can reach."""
    linked = core.link_wires()
    _sweep(core, possible)
    while len(linked):
        known = possible[linked[:, 0]] & possible[linked[:, 1]]
        if np.array_equal(known, possible[linked[:, 0]]) and np.array_equal(
            known, possible[linked[:, 1]]
        ):
            break
        for end in (0, 1):  # a wire may end one link and begin the next
            np.bitwise_and.at(possible, linked[:, end], known)
        _sweep(core, possible)


def can_return(core: Core, allowed: TokenSets) -> TokenSets:
    """Which tokens can get from each wire to where knowledge wants them, over ``allowed`` ones."""
    sets = allowed.copy()
    _sweep(core, sets, forward=False)
    return sets


def can_come(core: Core, allowed: TokenSets) -> TokenSets:
    """Which tokens can get from where they start to each wire, over ``allowed`` ones."""
    sets = allowed.copy()
    _sweep(core, sets, backward=False)
    return sets


def _sweep(core: Core, possible: TokenSets, *, backward: bool = True, forward: bool = True) -> None:
    """Narrow ``possible`` in place by one backward and one forward sweep."""
    network, pins = core.network, core.pins
    _sweep_blocks(
        possible,
        backward,
        forward,
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


@njit(cache=True, parallel=True)
def _sweep_blocks(  # pragma: no cover - compiled
    possible: TokenSets,
    backward: bool,
    forward: bool,
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
    words = possible.shape[1]
    n_blocks = (words + _BLOCK - 1) // _BLOCK
    for block in prange(n_blocks):
        low = block * _BLOCK
        high = min(words, low + _BLOCK)
        if backward:
            _backward(
                possible, low, high, first, zone_time, zone_ptr, member, before, horizon,
                pin_first, pin_token, pin_row_ptr, pin_rows,
            )  # fmt: skip
        if forward:
            _forward(
                possible, low, high, first, zone_time, zone_ptr, member, before, horizon,
                pin_first, pin_token, pin_row_ptr, pin_rows,
            )  # fmt: skip


@compiled
def _apply_pins(  # pragma: no cover - compiled
    current: npt.NDArray[np.uint64],
    low: int,
    begin: int,
    end: int,
    pin_token: npt.NDArray[np.int32],
    pin_row_ptr: npt.NDArray[np.int64],
    pin_rows: npt.NDArray[np.int32],
) -> None:
    """Leave each pinned token on the rows of its pins only; a pin to one row fills that row."""
    n_rows, width = current.shape
    if begin == end:
        return
    kept = np.zeros(pin_row_ptr[end] - pin_row_ptr[begin], np.bool_)
    pinned = np.zeros(width, np.uint64)
    for p in range(begin, end):
        word = pin_token[p] // 64 - low
        if 0 <= word < width:
            bit = np.uint64(1) << np.uint64(pin_token[p] % 64)
            pinned[word] |= bit
            for q in range(pin_row_ptr[p], pin_row_ptr[p + 1]):
                kept[q - pin_row_ptr[begin]] = (current[pin_rows[q], word] & bit) != 0
    for v in range(n_rows):
        for w in range(width):
            current[v, w] &= ~pinned[w]
    for p in range(begin, end):  # a pin to one row leaves nobody else there
        if pin_row_ptr[p + 1] - pin_row_ptr[p] == 1:
            current[pin_rows[pin_row_ptr[p]], :] = np.uint64(0)
    _put_back(current, low, begin, end, kept, pin_token, pin_row_ptr, pin_rows)


@compiled
def _put_back(  # pragma: no cover - compiled
    current: npt.NDArray[np.uint64],
    low: int,
    begin: int,
    end: int,
    kept: npt.NDArray[np.bool_],
    pin_token: npt.NDArray[np.int32],
    pin_row_ptr: npt.NDArray[np.int64],
    pin_rows: npt.NDArray[np.int32],
) -> None:
    """Put pinned tokens back on those rows of their pins where they were."""
    for p in range(begin, end):
        word = pin_token[p] // 64 - low
        bit = np.uint64(1) << np.uint64(pin_token[p] % 64)
        for q in range(pin_row_ptr[p], pin_row_ptr[p + 1]):
            if kept[q - pin_row_ptr[begin]]:
                current[pin_rows[q], word] |= bit


@compiled
def _backward(  # pragma: no cover - compiled
    possible: TokenSets,
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
    n_rows = len(first) - 1
    current = np.empty((n_rows, high - low), np.uint64)
    for v in range(n_rows):
        current[v] = possible[first[v + 1] - 1, low:high]
    gathered = np.empty(high - low, np.uint64)
    z = len(zone_time) - 1
    for t in range(horizon, -1, -1):
        _apply_pins(current, low, pin_first[t], pin_first[t + 1], pin_token, pin_row_ptr, pin_rows)
        while z >= 0 and zone_time[z] == t:
            gathered[:] = 0
            for m in range(zone_ptr[z], zone_ptr[z + 1]):
                possible[before[m] + 1, low:high] = current[member[m]]
                gathered |= current[member[m]]
            for m in range(zone_ptr[z], zone_ptr[z + 1]):
                current[member[m]] = gathered & possible[before[m], low:high]
            z -= 1
    for v in range(n_rows):
        possible[first[v], low:high] = current[v]


@compiled
def _forward(  # pragma: no cover - compiled
    possible: TokenSets,
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
    n_rows = len(first) - 1
    current = np.zeros((n_rows, high - low), np.uint64)
    for v in range(n_rows):
        word = v // 64 - low
        if 0 <= word < high - low:
            bit = np.uint64(1) << np.uint64(v % 64)
            current[v, word] = bit & possible[first[v], v // 64]
    gathered = np.empty(high - low, np.uint64)
    z = 0
    for t in range(horizon + 1):
        while z < len(zone_time) and zone_time[z] == t:
            gathered[:] = 0
            for m in range(zone_ptr[z], zone_ptr[z + 1]):
                possible[before[m], low:high] = current[member[m]]
                gathered |= current[member[m]]
            for m in range(zone_ptr[z], zone_ptr[z + 1]):
                current[member[m]] = gathered & possible[before[m] + 1, low:high]
            z += 1
        _apply_pins(current, low, pin_first[t], pin_first[t + 1], pin_token, pin_row_ptr, pin_rows)
    for v in range(n_rows):
        possible[first[v + 1] - 1, low:high] = current[v]
