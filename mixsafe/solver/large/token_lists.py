"""Exact lists of the single tokens that can be on each wire, 512 stretches per sweep (fact 5).

A stretch is the time of a token between two of its sightings. It starts at the zone at the end of
the wire of the first sighting, may use all wires without a sighting, and must come to the zone
before the wire of the next sighting. Stretches are bits of words. A forward sweep finds the zones
that they reach, a backward sweep the zones from which they reach their ends, and the intersection
is counted on each wire. So memory is zones times bits; lists of tokens are kept if they are short.
With frequent sightings, stretches and sweeps are short.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import compiled, inner, side_by_side
from mixsafe.model.course import MEMORY, SolveLimits
from mixsafe.network.timeline import NEVER, Timeline
from mixsafe.network.wires import Ints, Small, Wires, row_of, wires_at
from mixsafe.solver.state.tokens import in_word

AT_ONCE = 512
"""Stretches in one sweep: eight words for each zone."""

Closed = npt.NDArray[np.bool_]

Bits = npt.NDArray[np.uint64]


class Stretches(NamedTuple):
    """Stretches, in order of their beginning."""

    row: Ints  # (n,): whose token it is
    begin: Ints  # (n,): zone at which the token may leave its row
    end: Ints  # (n,): zone at which it is back; the number of zones: it need not be
    until: Small  # (n,): step of the next sighting, or NEVER


def stretches(whole: Timeline) -> tuple[Stretches, Closed]:
    """All stretches in which a token can leave its row, and the wires with their own token only.

    Parameters
    ----------
    whole
        The wires, and when tokens are on their own rows for certain.
    """
    net, seen = whole.net, whole.seen
    n_rows = len(net.first) - 1
    row = np.repeat(np.arange(n_rows), np.diff(seen.ptr))
    wire = wires_at(net, row, seen.time)
    closed = np.zeros(len(net.start), np.bool_)
    closed[net.first[:-1]] = closed[wire] = True  # tokens begin on their own rows
    wires = np.flatnonzero(closed)
    owner = row_of(wires, net)
    following = np.append(wires[1:], 0)
    last = np.append(owner[1:] != owner[:-1], True)
    until = np.full(len(wires), NEVER, np.int32)
    # The token must be back at the first sighting on a wire.
    step = np.full(len(net.start), NEVER, np.int32)
    np.minimum.at(step, wire, seen.time)
    until[~last] = step[following[~last]]
    end = np.where(last, len(net.zone_time), net.leads_to[np.where(last, 0, following - 1)])
    leaves = np.where(last, net.leads_to[wires] >= 0, following > wires + 1)
    some = np.flatnonzero(leaves)
    begin = net.leads_to[wires[some]].astype(np.int64)
    order = np.lexsort((begin, last[some]))
    some = some[order]
    found = Stretches(owner[some], begin[order], end[some].astype(np.int64), until[some])
    return found, closed


def sweeps_needed(asked: Stretches, net: Wires) -> float:
    """Cost of the sweeps over all stretches, in sweeps over the whole network."""
    passed = (zones_of(part, net) for part in batches(asked))
    come_to = sum(int(net.zone_ptr[high] - net.zone_ptr[low]) for low, high in passed)
    return come_to / max(1, len(net.member))


def batches(asked: Stretches, at_once: int = AT_ONCE) -> list[Stretches]:
    """Batches of at most ``at_once`` stretches; those without an end are in separate batches."""
    fixed = int(np.count_nonzero(asked.until < NEVER))
    cuts = [*range(0, fixed, at_once), *range(fixed, len(asked.row), at_once), len(asked.row)]
    parts = [slice(i, j) for i, j in itertools.pairwise(cuts) if j > i]
    return [
        Stretches(asked.row[one], asked.begin[one], asked.end[one], asked.until[one])
        for one in parts
    ]


def zones_of(part: Stretches, net: Wires) -> tuple[int, int]:
    """Range of the zones that the stretches of a batch may visit."""
    return int(part.begin.min()), min(int(part.end.max()) + 1, len(net.zone_time))


class ListLimits(NamedTuple):
    """Tokens on all lists, at least, and for each wire: longer lists than allowed are not kept."""

    entries: int = MEMORY // 4 // 4
    for_each: int = 32


LIST_LIMITS = ListLimits()
"""Lists of 0.5 GB, or of 32 tokens for each wire."""


class TokenLists(NamedTuple):
    """Tokens that can be on wires."""

    size: Small  # (n_wires,): how many they are
    begin: Ints  # (n_wires,): of the list; -1: it is not kept, or has the row's own token alone
    tokens: Small


class Swept(NamedTuple):
    """What one batch of stretches comes to, from zone ``low`` on."""

    low: int
    come: Bits  # (zones, words)
    leave: Bits  # (zones, words)
    alive: Bits  # (horizon + 2, words): those that are not seen before a step
    free: Bits  # (words,): those that need not be back


def list_tokens(
    whole: Timeline,
    asked: Stretches,
    closed: Closed,
    workers: int = 0,
    at_once: int = AT_ONCE,
    limits: ListLimits = LIST_LIMITS,
) -> TokenLists:
    """How many tokens can be on each wire, and which where they are few.

    Parameters
    ----------
    whole, asked, closed
        The wires, and all :func:`stretches`.
    workers
        Threads; 0 means one per core.
    at_once
        Stretches in one sweep.
    limits
        How many tokens are listed.
    """
    net, threads = whole.net, SolveLimits(workers=workers).workers
    parts = batches(asked, at_once)
    groups = [parts[i::threads] for i in range(min(threads, len(parts)))]
    counts = [np.zeros(len(net.start), np.int32) for _ in groups]

    def count(number: int) -> None:
        for part in groups[number]:
            _count(counts[number], closed, _swept(part, closed, net), net)

    side_by_side(count, range(len(groups)), workers)
    size = sum(counts, np.zeros(len(net.start), np.int32))
    size[closed] = 1
    kept, begin = _places(size, limits)
    lists = TokenLists(size, begin, np.zeros(kept, np.int32))
    places = [begin.copy() for _ in groups]
    for place, earlier, counted in zip(places[1:], places, counts, strict=False):
        place[:] = np.where(begin >= 0, earlier + counted, -1)

    def fill(number: int) -> None:
        for part in groups[number]:
            swept = _swept(part, closed, net)
            _fill(places[number], lists.tokens, part.row, closed, swept, net)

    side_by_side(fill, range(len(groups)), workers)
    return lists


def _places(size: Small, limits: ListLimits) -> tuple[int, Ints]:
    """How many tokens are kept, and where each list begins."""
    several = size > 1
    often = np.bincount(np.minimum(size[several], 1 << 16))
    total = np.cumsum(often * np.arange(len(often)))
    fits = np.flatnonzero(total <= max(limits.entries, limits.for_each * len(size)))
    longest = min(int(fits[-1]) if len(fits) else 0, (1 << 16) - 1)
    kept = several & (size <= longest)
    begin = np.full(len(size), -1, np.int64)
    ends = np.cumsum(size[kept], dtype=np.int64)
    begin[kept] = ends - size[kept]
    return int(ends[-1]) if len(ends) else 0, begin


def _swept(part: Stretches, closed: Closed, net: Wires) -> Swept:
    """Carry some stretches in time and against it."""
    low, high = zones_of(part, net)
    words = (len(part.row) + 63) // 64
    come, leave = np.zeros((2, high - low, words), np.uint64)
    alive = np.zeros((net.horizon + 2, words), np.uint64)
    free = np.zeros(words, np.uint64)
    swept = Swept(low, come, leave, alive, free)
    back = np.argsort(part.end, kind="stable")
    _sweep(part, back, closed, swept, net)
    return swept


@compiled
def _sweep(  # pragma: no cover - compiled
    part: Stretches, back: Ints, closed: Closed, swept: Swept, net: Wires
) -> None:
    """To which zones stretches come, and from which they get on to where they end."""
    for i in range(len(part.row)):
        if part.until[i] == NEVER:
            swept.free[i >> 6] |= _bit(i)
        for t in range(min(part.until[i], len(swept.alive) - 1) + 1):
            swept.alive[t, i >> 6] |= _bit(i)
    begun, low, until = 0, swept.low, swept.low + len(swept.come)
    for zone in range(low, until):
        _come(zone, closed, swept, net)
        while begun < len(part.row) and part.begin[begun] == zone:
            swept.come[zone - low, begun >> 6] |= _bit(begun)
            begun += 1
    ended = len(part.row) - 1
    while ended >= 0 and part.end[back[ended]] >= until:
        ended -= 1
    for zone in range(until - 1, low - 1, -1):
        _leave(zone, closed, swept, net)
        while ended >= 0 and part.end[back[ended]] == zone:
            swept.leave[zone - low, back[ended] >> 6] |= _bit(back[ended])
            ended -= 1


@inner
def _bit(number: int) -> np.uint64:  # pragma: no cover - compiled
    """A stretch in its word."""
    return np.uint64(1) << np.uint64(number & 63)


@inner
def _come(  # pragma: no cover - compiled
    zone: int, closed: Closed, swept: Swept, net: Wires
) -> None:
    """Which stretches come to a zone on its members' wires."""
    come, t = swept.come, net.zone_time[zone]
    for m in range(net.zone_ptr[zone], net.zone_ptr[zone + 1]):
        wire = net.before[m]
        if not closed[wire] and net.leads_to[wire - 1] >= swept.low:
            before = net.leads_to[wire - 1] - swept.low
            for word in range(come.shape[1]):
                come[zone - swept.low, word] |= come[before, word] & swept.alive[t, word]


@inner
def _leave(  # pragma: no cover - compiled
    zone: int, closed: Closed, swept: Swept, net: Wires
) -> None:
    """Which stretches get on from a zone on its members' wires."""
    leave = swept.leave
    for m in range(net.zone_ptr[zone], net.zone_ptr[zone + 1]):
        wire = net.before[m] + 1
        after = net.leads_to[wire] - swept.low
        if closed[wire] or after >= len(leave):
            continue
        for word in range(leave.shape[1]):
            on = swept.free[word] if net.leads_to[wire] < 0 else leave[after, word]
            leave[zone - swept.low, word] |= on


@inner
def _on(  # pragma: no cover - compiled
    wire: int, word: int, swept: Swept, net: Wires
) -> np.uint64:
    """Which stretches of a word can lead over a wire."""
    before = net.leads_to[wire - 1] - swept.low
    if before < 0 or before >= len(swept.come):
        return np.uint64(0)
    if net.leads_to[wire] < 0:
        return swept.come[before, word] & swept.free[word]
    after = net.leads_to[wire] - swept.low
    if after >= len(swept.come):
        return np.uint64(0)
    alive = swept.alive[net.zone_time[net.leads_to[wire]], word]
    return swept.come[before, word] & swept.leave[after, word] & alive


@compiled
def _count(  # pragma: no cover - compiled
    size: Small, closed: Closed, swept: Swept, net: Wires
) -> None:
    """Add how many stretches can lead over each wire out of a zone."""
    for zone in range(swept.low, swept.low + len(swept.come)):
        for m in range(net.zone_ptr[zone], net.zone_ptr[zone + 1]):
            wire = net.before[m] + 1
            if not closed[wire]:
                for word in range(swept.come.shape[1]):
                    bits = _on(wire, word, swept, net)
                    while bits:
                        size[wire] += 1
                        bits &= bits - np.uint64(1)


@compiled
def _fill(  # pragma: no cover - compiled
    place: Ints, tokens: Small, row: Ints, closed: Closed, swept: Swept, net: Wires
) -> None:
    """Write down the tokens of stretches that can lead over wires with lists."""
    for zone in range(swept.low, swept.low + len(swept.come)):
        for m in range(net.zone_ptr[zone], net.zone_ptr[zone + 1]):
            wire = net.before[m] + 1
            if closed[wire] or place[wire] < 0:
                continue
            for word in range(swept.come.shape[1]):
                for number in in_word(_on(wire, word, swept, net), word):
                    tokens[place[wire]] = row[number]
                    place[wire] += 1
