"""Strands, along which tokens of a block go: how they are followed, and room to note it.

:mod:`mixsafe.weigh.draw.block_moves` says what they are for.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.network.core import Core
from mixsafe.solver.dp.permutations import permutations
from mixsafe.weigh.draw.ground import Ground, Ints, Small

SIZE = 4
"""Tokens of a block, at most."""

EVENTS = 1 << 12  # zones in which strands meet: a block with more of them is left as it is
KNOWN = -1  # key of a wire on which it is known who is there
ENDED = (1 << 31) - 1  # key of a wire at the end of the data


class StrandTables(NamedTuple):
    """What no history changes: how strands are followed, and the states of a block.

    Parameters
    ----------
    key
        (2, n_wires): zone at the end of each wire, and at its beginning, in the order in which they
        are come to; or that who is there is known, or that the data ends.
    on_strand
        (n_states, SIZE): token on each strand.
    own
        (n_states,): strands that carry their own token, as bits.
    alike
        (2^SIZE, n_states): states that differ on these strands alone have one number.
    """

    key: Small
    on_strand: npt.NDArray[np.int8]
    own: npt.NDArray[np.int8]
    alike: npt.NDArray[np.int16]


class BlockMemory(NamedTuple):
    """Working memory of one chain."""

    start: Ints  # (SIZE,): first wire of each strand after the zone
    now: Ints  # (SIZE,)
    token: Ints  # (SIZE,)
    meet: npt.NDArray[np.int8]  # (events,): strands that meet, as bits
    held: npt.NDArray[np.int8]  # (events,): strands that must carry their own token afterwards
    come: Ints  # (events, SIZE): wire on which each comes
    chance: npt.NDArray[np.float64]  # (events, n_states): of what follows, but for a factor
    sums: npt.NDArray[np.float64]  # (n_states,)
    state: Small  # (events,)


def strands_of(core: Core, ground: Ground) -> StrandTables | None:
    """How strands are followed; None: links, pins to several rows, or weights are in the way."""
    network, (_, wire) = core.network, core.pin_wires
    if not ground.uniform or len(core.link_wires) or np.any(np.diff(core.pins.ptr) != 1):
        return None
    key = np.stack([network.leads_to, network.n_zones - 1 - network.comes_from]).astype(np.int32)
    key[0, network.leads_to < 0] = ENDED
    key[1, network.comes_from < 0] = KNOWN
    key[:, wire] = KNOWN
    on_strand = permutations(SIZE).on_path
    places = np.arange(SIZE)
    own = ((on_strand == places) << places).sum(axis=1).astype(np.int8)
    alike = np.zeros((1 << SIZE, len(on_strand)), np.int16)
    for bits, numbers in enumerate(alike):
        rest = on_strand * (bits >> places & 1 == 0) - (bits >> places & 1)
        numbers[:] = np.unique(rest, axis=0, return_inverse=True)[1].ravel()
    return StrandTables(key, on_strand, own, alike)


def new_block() -> BlockMemory:
    """Working memory."""
    n_states = math.factorial(SIZE)
    start, now, token = np.zeros((3, SIZE), np.int64)
    meet, held = np.zeros((2, EVENTS), np.int8)
    chance = np.zeros((EVENTS, n_states))
    come, state = np.zeros((EVENTS, SIZE), np.int64), np.zeros(EVENTS, np.int32)
    return BlockMemory(start, now, token, meet, held, come, chance, np.zeros(n_states), state)
