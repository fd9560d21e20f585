"""Lower bounds by swaps of two users (fact 7).

Two users who meet, and meet again (or need not swap back), may have each other's pseudonym in
between, unless one of them is seen there. Two sweeps treat all pairs at once: the forward sweep
keeps for each row the users that it has met since the last sighting of either, the backward sweep
those that it will meet before the next sighting of either. A user in both sets gives a swap.
"""

from __future__ import annotations

import numpy as np

from mixsafe.compiled import inner, side_by_side, tiered
from mixsafe.network.agenda import BACKWARD, FORWARD, Agenda, agenda
from mixsafe.network.core import Core
from mixsafe.network.wires import Wires, is_complete, may_swap
from mixsafe.solver.propagate.block import BLOCK, Block, new_block
from mixsafe.solver.state import tokens
from mixsafe.solver.state.tokens import TokenSets


def swapped(core: Core) -> TokenSets:
    """Tokens that one swap brings to each wire, and its own; a subset of the candidates.

    Links are taken as pins to the row's own token, which can only weaken the bound.

    Returns
    -------
    (n_wires, words) uint64.
    """
    network, pins = core.network, core.own_pins()
    first, last = network.first[:-1], network.first[1:] - 1
    back, ahead = (agenda(network, pins, way) for way in (BACKWARD, FORWARD))
    proven = np.full((network.n_wires, core.words), ~np.uint64(0))
    nothing, everything = np.uint64(0), ~np.uint64(0)

    def sweep_block(low: int) -> None:
        words = slice(low, low + BLOCK)
        shape = proven[first, words].shape
        block = new_block(
            low, np.full(shape, everything), pins
        )  # no swap back is needed at the end
        _through(proven, BACKWARD, block, network.wires, back)
        proven[first, words] &= block.current
        block = new_block(low, np.full(shape, nothing), pins)
        _through(proven, FORWARD, block, network.wires, ahead)
        proven[last, words] &= block.current

    side_by_side(sweep_block, range(0, core.words, BLOCK))
    tokens.put(proven, np.arange(network.n_wires), network.row)
    return proven


@tiered
def _through(  # pragma: no cover - compiled
    proven: TokenSets, side: int, block: Block, net: Wires, agenda: Agenda
) -> None:
    """Keep on each wire the users with whom its row can have swapped, or can still swap back.

    Leaves the sets after the last event in ``block.current``.
    """
    n_zones = len(net.zone_time)
    for event in agenda.events:
        if event < n_zones:
            _meet(event, proven, side, block, net)
        else:
            group = event - n_zones
            for p in range(agenda.group[group], agenda.group[group + 1]):
                _end_swaps(p, block, agenda)


@inner
def _meet(  # pragma: no cover - compiled
    zone: int, proven: TokenSets, side: int, block: Block, net: Wires
) -> None:
    """Let all users in a zone swap with each other."""
    current, met, low = block.current, block.gathered, block.low
    begin, end = net.zone_ptr[zone], net.zone_ptr[zone + 1]
    if not is_complete(zone, net):
        _meet_related(zone, proven, side, block, net)
        return
    for w in range(len(met)):
        met[w] = 0
    for m in range(begin, end):
        word = (net.member[m] >> 6) - low
        if 0 <= word < len(met):
            met[word] |= tokens.bit(net.member[m])
    for m in range(begin, end):
        for w in range(len(met)):
            proven[net.before[m] + side, low + w] &= current[net.member[m], w]
            current[net.member[m], w] |= met[w]


@inner
def _meet_related(  # pragma: no cover - compiled
    zone: int, proven: TokenSets, side: int, block: Block, net: Wires
) -> None:
    """As :func:`_meet`, in a zone with a relation: two swap if it allows both to leave so."""
    current, n_words, low = block.current, block.current.shape[1], block.low
    for m in range(net.zone_ptr[zone], net.zone_ptr[zone + 1]):
        row = net.member[m]
        for w in range(n_words):
            proven[net.before[m] + side, low + w] &= current[row, w]
        for other in range(net.zone_ptr[zone], net.zone_ptr[zone + 1]):
            word = (net.member[other] >> 6) - low
            if 0 <= word < n_words and may_swap(m, other, zone, net):
                current[row, word] |= tokens.bit(net.member[other])


@inner
def _end_swaps(p: int, block: Block, pins: Agenda) -> None:  # pragma: no cover - compiled
    """Keep only the swaps of a pinned token with rows that its pin allows."""
    current, allowed, kept = block.current, block.gathered, block.kept
    c, begin, end = pins.token[p], pins.ptr[p], pins.ptr[p + 1]
    for w in range(len(allowed)):
        allowed[w] = 0
    for q in range(begin, end):
        word = (pins.rows[q] >> 6) - block.low
        if 0 <= word < len(allowed):
            allowed[word] |= tokens.bit(pins.rows[q])
    for w in range(len(allowed)):
        current[c, w] &= allowed[w]
    word = (c >> 6) - block.low
    if not 0 <= word < len(allowed):
        return
    bit = tokens.bit(c)
    for q in range(begin, end):
        kept[q] = current[pins.rows[q], word] & bit
    for v in range(len(current)):
        current[v, word] &= ~bit
    for q in range(begin, end):
        current[pins.rows[q], word] |= kept[q]
