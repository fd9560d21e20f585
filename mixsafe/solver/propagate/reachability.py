"""Upper bounds by reachability (fact 5): a token needs a path to a wire, and on from it.

Two sweeps over the zones on sets of tokens. The backward sweep finds the wires from which a token
can reach all its later sightings. The forward sweep finds the tokens that reach each wire through
such wires. This is exact for each single token, but ignores that all tokens must fit together.
"""

from __future__ import annotations

import numpy as np

from mixsafe.machinery.compiled import inner, side_by_side, tiered
from mixsafe.network.core import Core
from mixsafe.network.timeline import BACKWARD, FORWARD, Agenda, agenda
from mixsafe.network.wires import Wires, is_complete, may_leave
from mixsafe.solver.propagate.block import BLOCK, Block, new_block
from mixsafe.solver.state import tokens
from mixsafe.solver.state.tokens import TokenSets


def reachable(core: Core) -> TokenSets:
    """Tokens that may be on each wire; a superset of the candidates.

    A link carries one unknown token, so a token that is impossible at one end is removed from the
    other. Of people who are different, who is seen has no token that another one has for certain.
    The sweeps are repeated until nothing changes.

    Returns
    -------
    (n_wires, words) uint64.
    """
    possible = tokens.everything(core.network.n_wires, core.network.n_rows)
    narrow(core, possible)
    return possible


def narrow(core: Core, possible: TokenSets) -> None:
    """Narrow ``possible``, (n_wires, words), in place to what its own tokens can reach."""
    _sweep(core, possible)
    while _tie(core, possible):
        _sweep(core, possible)


def _tie(core: Core, possible: TokenSets) -> bool:
    """Narrow sets by links and by different people; False: nothing has changed."""
    linked = core.link_wires
    one, other = possible[linked[:, 0]], possible[linked[:, 1]]
    known = one & other
    changed = not (np.array_equal(known, one) and np.array_equal(known, other))
    if changed:
        for end in (0, 1):  # a wire may end one link and begin the next
            np.bitwise_and.at(possible, linked[:, end], known)
    return _set_apart(core, possible) or changed


def _set_apart(core: Core, possible: TokenSets) -> bool:
    """Remove from people who are seen what another one has for certain; False: nothing is."""
    wires = core.apart_wires
    if not len(wires):
        return False
    sets = possible[wires]
    single = tokens.count(sets) == 1
    certain = np.bitwise_or.reduce(sets[single], axis=0, initial=np.uint64(0))
    others = sets & ~(certain | tokens.set_of(core.pins.token, core.words))
    possible[wires] = np.where(single[:, None], sets, others)
    return not np.array_equal(sets, possible[wires])


def _sweep(core: Core, possible: TokenSets) -> None:
    """Narrow ``possible`` in place by one backward and one forward sweep."""
    network = core.network
    first, last = network.first[:-1], network.first[1:] - 1
    back, ahead = (agenda(network, core.pins, way) for way in (BACKWARD, FORWARD))
    own = tokens.identity(np.arange(network.n_rows, dtype=np.int32), core.words)

    def sweep_block(low: int) -> None:
        words = slice(low, low + BLOCK)
        block = new_block(low, possible[last, words], core.pins)
        _through(possible, BACKWARD, block, network.wires, back)
        possible[first, words] = block.current
        block = new_block(low, possible[first, words] & own[:, words], core.pins)
        _through(possible, FORWARD, block, network.wires, ahead)
        possible[last, words] = block.current

    side_by_side(sweep_block, range(0, core.words, BLOCK))


@tiered
def _through(  # pragma: no cover - compiled
    possible: TokenSets, side: int, block: Block, net: Wires, agenda: Agenda
) -> None:
    """Sweep over all events; leaves the sets after the last one in ``block.current``."""
    n_zones = len(net.zone_time)
    for event in agenda.events:
        if event < n_zones:
            _meet(event, possible, side, block, net)
        else:
            _apply_pins(event - n_zones, block, agenda)


@inner
def _meet(  # pragma: no cover - compiled
    zone: int, possible: TokenSets, side: int, block: Block, net: Wires
) -> None:
    """Let each token that comes to a zone leave it on all wires on which it is possible."""
    current, gathered, low = block.current, block.gathered, block.low
    begin, end = net.zone_ptr[zone], net.zone_ptr[zone + 1]
    if not is_complete(zone, net):
        _meet_related(zone, possible, side, block, net)
        return
    for w in range(len(gathered)):
        gathered[w] = 0
    for m in range(begin, end):
        for w in range(len(gathered)):
            possible[net.before[m] + side, low + w] = current[net.member[m], w]
            gathered[w] |= current[net.member[m], w]
    for m in range(begin, end):
        for w in range(len(gathered)):
            onward = possible[net.before[m] + 1 - side, low + w]
            current[net.member[m], w] = gathered[w] & onward


@inner
def _meet_related(  # pragma: no cover - compiled
    zone: int, possible: TokenSets, side: int, block: Block, net: Wires
) -> None:
    """As :func:`_meet`, in a zone with a relation: tokens take allowed pairs only."""
    current, low = block.current, block.low
    n_words = current.shape[1]
    begin, end = net.zone_ptr[zone], net.zone_ptr[zone + 1]
    for m in range(begin, end):
        for w in range(n_words):
            possible[net.before[m] + side, low + w] = current[net.member[m], w]
    for m in range(begin, end):
        row = net.member[m]
        for other in range(begin, end):  # itself, too: what is there stays there
            one, two = (m, other) if side == BACKWARD else (other, m)
            if may_leave(one, two, zone, net):
                for w in range(n_words):
                    current[row, w] |= possible[net.before[other] + side, low + w]
        for w in range(n_words):
            current[row, w] &= possible[net.before[m] + 1 - side, low + w]


@inner
def _apply_pins(group: int, block: Block, pins: Agenda) -> None:  # pragma: no cover - compiled
    """Keep each pinned token only on the rows of its pins; a pin to one row fills that row."""
    current, pinned, kept = block.current, block.gathered, block.kept
    begin, end = pins.group[group], pins.group[group + 1]
    for w in range(len(pinned)):
        pinned[w] = 0
    for p in range(begin, end):
        word = (pins.token[p] >> 6) - block.low
        if 0 <= word < len(pinned):
            bit = tokens.bit(pins.token[p])
            pinned[word] |= bit
            for q in range(pins.ptr[p], pins.ptr[p + 1]):
                kept[q] = current[pins.rows[q], word] & bit
    for v in range(len(current)):
        for w in range(len(pinned)):
            current[v, w] &= ~pinned[w]
    for p in range(begin, end):  # a pin to one row excludes all other tokens there
        if pins.ptr[p + 1] - pins.ptr[p] == 1:
            for w in range(len(pinned)):
                current[pins.rows[pins.ptr[p]], w] = 0
    _put_back(begin, end, block, pins)


@inner
def _put_back(begin: int, end: int, block: Block, pins: Agenda) -> None:  # pragma: no cover
    """Restore pinned tokens on those rows of their pins where they were before."""
    for p in range(begin, end):
        word = (pins.token[p] >> 6) - block.low
        if 0 <= word < len(block.gathered):
            for q in range(pins.ptr[p], pins.ptr[p + 1]):
                block.current[pins.rows[q], word] |= block.kept[q]
