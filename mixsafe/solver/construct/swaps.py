"""Lower bounds by swaps of two users (fact 7).

Two users who meet, and meet again (or need not swap back), may have each other's pseudonym in
between, unless one of them is seen there. Two sweeps treat all pairs at once: the forward sweep
keeps for each row the users that it has met since the last sighting of either, the backward sweep
those that it will meet before the next sighting of either. A user in both sets gives a swap.
Where witnesses are wanted, the zones of the swap are looked up.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import inner, side_by_side, tiered
from mixsafe.model.csr import grouped, pointers
from mixsafe.network.core import Core
from mixsafe.network.timeline import BACKWARD, FORWARD, Agenda, agenda
from mixsafe.network.wires import NOWHERE, Wires, came_from, first_from, is_complete, may_swap
from mixsafe.solver.propagate.reachability import BLOCK, Block, new_block
from mixsafe.solver.state import tokens
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.solver.state.witness import WitnessExchanges

Ints = npt.NDArray[np.int64]
Small = npt.NDArray[np.int32]


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


def swap_witnesses(core: Core, wires: Ints, token: Small) -> WitnessExchanges:
    """The exchanges of a swap that brings each token to its wire, as long as it can last.

    Parameters
    ----------
    core
        The question; links are taken as pins to the row's own token.
    wires, token
        (n,) each: a wire, and a token other than its row's.

    Returns
    -------
    Exchanges
        A witness for each pair; without exchanges, where :func:`swapped` does not have it.
    """
    network, pins = core.network, core.own_pins()
    order, of_token = grouped(pins.token, network.n_rows)
    mine = pins.those(order)
    held = _Held(of_token, mine.time, mine.ptr, mine.rows)
    zones = np.full((len(wires), 2), NOWHERE, np.int64)
    _find_swaps(wires, token, held, network.wires, zones)
    made = zones >= 0
    pair = np.nonzero(made)[0]
    step = network.zone_time[zones[made]]
    return WitnessExchanges(pointers(made.sum(axis=1)), step, network.row[wires[pair]], token[pair])


class _Held(NamedTuple):
    """Pins, ordered by token: (n_rows + 1,) where those of each begin; their steps and rows."""

    of_token: Ints
    time: Small
    ptr: Ints
    rows: Small


@tiered
def _find_swaps(  # pragma: no cover - compiled
    wires: Ints, token: Small, held: _Held, net: Wires, zones: Ints
) -> None:
    """Write for each pair the first zone and the last in which row and token can swap.

    NOWHERE as the last one: they need not swap back. NOWHERE twice: there is no swap.
    """
    for i in range(len(wires)):
        wire, row = wires[i], net.row[wires[i]]
        low, high = _stretch(wire, row, token[i], held, net)
        begin, at = NOWHERE, wire
        while low >= 0 and net.start[at] > low:
            zone = came_from(at, net)
            if _can_swap(net.entry[at - 1], token[i], zone, net):
                begin = zone
            at -= 1
        if begin == NOWHERE:
            continue
        zones[i, 0], at = begin, wire
        if high > net.horizon:
            continue
        while net.leads_to[at] >= 0 and net.zone_time[net.leads_to[at]] <= high:
            if _can_swap(net.entry[at], token[i], net.leads_to[at], net):
                zones[i, 1] = net.leads_to[at]
            at += 1
        if zones[i, 1] == NOWHERE:
            zones[i, 0] = NOWHERE


@inner
def _stretch(  # pragma: no cover - compiled
    wire: int, row: int, token: int, held: _Held, net: Wires
) -> tuple[int, int]:
    """Last sighting before a wire, and first one after it, of a row's token or of another one.

    Those do not count that the two meet on each other's rows as well. -1: one is on the wire.
    """
    ends, low, high = net.horizon, 0, net.horizon + 1
    if net.leads_to[wire] >= 0:
        ends = net.zone_time[net.leads_to[wire]] - 1
    for one, other in ((row, token), (token, row)):
        for p in range(held.of_token[one], held.of_token[one + 1]):
            step = held.time[p]
            if _allows(held, p, other):
                continue
            if step > ends:
                high = min(high, step)
            elif step < net.start[wire]:
                low = max(low, step)
            else:
                low = -1
                return low, high
    return low, high


@inner
def _allows(held: _Held, p: int, row: int) -> bool:  # pragma: no cover - compiled
    """Whether a pin allows a row."""
    at = first_from(row, held.ptr[p], held.ptr[p + 1], held.rows)
    return bool(at < held.ptr[p + 1] and held.rows[at] == row)


@inner
def _can_swap(mine: int, token: int, zone: int, net: Wires) -> bool:  # pragma: no cover - compiled
    """Whether a member of a zone and the row of a token can swap there."""
    end = net.zone_ptr[zone + 1]
    other = first_from(token, net.zone_ptr[zone], end, net.member)
    return bool(other < end and net.member[other] == token and may_swap(mine, other, zone, net))
