"""Upper bounds by reachability (fact 5): a token needs a path to a wire, and on from it.

Two sweeps over the zones on sets of tokens. The backward sweep finds the wires from which a token
can reach all its later sightings. The forward sweep finds the tokens that reach each wire through
such wires. This is exact for each single token, but ignores that all tokens must fit together.
Threads share the words of all rows' sets in blocks. For a single token there is a breadth-first
search of the wires that it can reach over free ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import inner, side_by_side, tiered
from mixsafe.model.question.adversary import Pins
from mixsafe.network.core import Core
from mixsafe.network.timeline import BACKWARD, FORWARD, Agenda, agenda
from mixsafe.network.wires import (
    NOWHERE,
    Ints,
    WireNetwork,
    Wires,
    came_from,
    is_complete,
    may_leave,
)
from mixsafe.solver.state import tokens
from mixsafe.solver.state.tokens import TokenSets

BLOCK = 4
"""Words in a block, so few that the rows' current sets stay in a core's cache."""

BEFORE, AFTER = 0, 1
"""Side of a zone on which a wire is; direction in time in which tokens are followed."""

FAR = 1 << 40
"""A distance greater than any other."""


class Block(NamedTuple):
    """A sweep's view of a few words, and its working memory."""

    low: int  # the first of the words
    current: TokenSets  # (n_rows, width): each row's set at the current step
    gathered: npt.NDArray[np.uint64]  # (width,)
    kept: npt.NDArray[np.uint64]  # (n_entries,): for each row of a pin


def new_block(low: int, current: TokenSets, pins: Pins) -> Block:
    """Block whose sweep begins with the sets ``current``."""
    width = current.shape[1]
    current = np.ascontiguousarray(current)
    return Block(low, current, np.zeros(width, np.uint64), np.zeros(len(pins.rows), np.uint64))


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


class ReachedWires(NamedTuple):
    """Wires that were reached.

    Parameters
    ----------
    wire
        (n,) int64, the nearest first.
    depth
        (n,) int64: distance of each, in zones.
    by
        (n_wires,) int64: predecessor of each wire; its own number at the beginning; -1: not
        reached.
    """

    wire: Ints
    depth: Ints
    by: Ints

    def path(self, to: int) -> list[int]:
        """The wires of a shortest path to a reached wire, the last one first."""
        found = [to]
        while (before := int(self.by[found[-1]])) != found[-1]:
            found.append(before)
        return found


def spread(
    network: WireNetwork,
    side: int,
    begin: Ints,
    taken: npt.NDArray[np.bool_] | None = None,
    *,
    shut: int = -1,
    most: int = FAR,
    span: tuple[int, int] = (0, FAR),
) -> ReachedWires:
    """Find the wires that are reachable over wires that are not taken; taken ones end paths.

    Parameters
    ----------
    network
        All wires.
    side
        :data:`AFTER` or :data:`BEFORE`: forward or backward in time.
    begin
        (n,) int64: wires to begin from, taken or not; the i-th one starts at distance i.
    taken
        (n_wires,); None: no wire is taken.
    shut
        A wire that must not be entered.
    most
        Maximum distance.
    span
        Only zones after the first step and up to the second one are passed.
    """
    taken = np.zeros(network.n_wires, np.bool_) if taken is None else taken
    wire, depth = np.empty(network.n_wires, np.int64), np.empty(network.n_wires, np.int64)
    found = ReachedWires(wire, depth, np.full(network.n_wires, -1, np.int64))
    closed = np.zeros(network.n_zones, np.bool_)
    n = _spread(network.wires, side, begin, taken, (shut, most, *span), closed, found)
    return ReachedWires(wire[:n], depth[:n], found.by)


@tiered
def _spread(  # pragma: no cover - compiled
    net: Wires,
    side: int,
    begin: Ints,
    taken: npt.NDArray[np.bool_],
    within: tuple[int, int, int, int],
    closed: npt.NDArray[np.bool_],
    found: ReachedWires,
) -> int:
    """Write the reached wires, the nearest first; their number."""
    wire, depth, by = found.wire, found.depth, found.by
    shut, most, low, high = within
    n = now = level = 0
    while level < most and (level < len(begin) or now < n):
        if level < len(begin) and by[begin[level]] < 0:
            by[begin[level]] = begin[level]
            wire[n], depth[n] = begin[level], level
            n += 1
        while now < n and depth[now] == level:
            here = wire[now]
            now += 1
            zone = net.leads_to[here] if side == AFTER else came_from(here, net)
            if zone == NOWHERE or closed[zone] or (taken[here] and by[here] != here):
                continue
            if net.zone_time[zone] <= low or net.zone_time[zone] > high:
                continue
            complete = is_complete(zone, net)
            closed[zone] = complete
            for m in range(net.zone_ptr[zone], net.zone_ptr[zone + 1]):
                there = net.before[m] + side
                passes = complete or _passes(here, m, side, zone, net)
                if passes and by[there] < 0 and there != shut:
                    by[there] = here
                    wire[n], depth[n] = there, level + 1
                    n += 1
        level += 1
    return n


@inner
def _passes(  # pragma: no cover - compiled
    here: int, m: int, side: int, zone: int, net: Wires
) -> bool:
    """Whether a zone lets a token pass between a wire and a member's wire on its other side."""
    if side == AFTER:
        return may_leave(net.entry[here], m, zone, net)
    return may_leave(m, net.entry[here - 1], zone, net)
