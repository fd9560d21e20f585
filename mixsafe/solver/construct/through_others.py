"""Lower bounds by exchanges through third parties, among three to five rows (fact 8).

Two users who meet can exchange directly. They can also exchange *through others*: one or both swap
with a partner whom they meet again later, and the swapped users meet in between (for all others
nothing changes). A token that can exchange with a row before a wire, and again after it, is a
candidate on the wire. If neither of the two is seen later, one exchange is enough. Where witnesses
are wanted, the exchanges that bring a token to an open wire are recorded as they are found.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mixsafe.machinery.compiled import inner, side_by_side, tiered
from mixsafe.model.course import SolveLimits
from mixsafe.model.csr import pointers
from mixsafe.network.timeline import NEVER, Timeline, next_seen
from mixsafe.network.wires import Ints, Small, Wires
from mixsafe.solver.construct.meeting_again import (
    NEAR,
    Spans,
    meet,
    nearby_freely,
    new_spans,
    place,
)
from mixsafe.solver.construct.open_wires import OpenLists, learn
from mixsafe.solver.construct.sides import (
    MOST_WIRES,
    Side,
    Spot,
    change_places,
    is_met_first,
    may_be_away,
    new_side,
    note,
    note_met,
    partner_met,
    while_away,
    within,
)
from mixsafe.solver.state.ledger import ShownTokens
from mixsafe.solver.state.witness import WitnessExchanges

_FEWEST_AT_ONCE, _BLOCKS = 64, 16
"""Open wires that share working memory, at least; and blocks of them for each thread."""


def shown_by(known: OpenLists) -> ShownTokens:
    """All recorded exchanges, in order of time for each candidate."""
    on, slot = np.nonzero(known.exchanges[:, :, 0, 0] >= 0)
    recorded = known.exchanges[on, slot]
    there = recorded[:, :, 0] >= 0
    late = np.where(there, recorded[:, :, 0], np.iinfo(np.int32).max)
    order = np.argsort(late, axis=1, kind="stable")
    recorded = np.take_along_axis(recorded, order[:, :, None], axis=1)[
        np.sort(there, axis=1)[:, ::-1]
    ]
    ptr = pointers(there.sum(axis=1))
    step, one, other = (np.ascontiguousarray(column) for column in recorded.T)
    return ShownTokens(
        known.wires[on], known.tokens[on, slot], WitnessExchanges(ptr, step, one, other)
    )


@inner
def record(  # pragma: no cover - compiled
    asked: Spot, slot: int, i: int, step: int, one: int, other: int, known: OpenLists
) -> int:
    """Record the i-th exchange of a candidate, if that is wanted; the next number."""
    if 0 <= slot < known.exchanges.shape[1]:
        recorded = known.exchanges[asked.number, slot, i]
        recorded[0], recorded[1], recorded[2] = step, one, other
    return i + 1


@inner
def record_through(  # pragma: no cover - compiled
    asked: Spot, slot: int, i: int, exchange: tuple[int, int], how: Small, known: OpenLists
) -> int:
    """Record an ``exchange`` (step, token) with the asked row, direct or through a partner.

    ``how``: the partner, and the steps from and to which it has swapped with the row; -1: direct.
    """
    step, token = exchange
    if how[0] < 0:
        return record(asked, slot, i, step, asked.row, token, known)
    i = record(asked, slot, i, how[1], asked.row, how[0], known)
    i = record(asked, slot, i, step, how[0], token, known)
    return record(asked, slot, i, how[2], asked.row, how[0], known)


@inner
def record_side(  # pragma: no cover - compiled
    asked: Spot, slot: int, i: int, token: int, side: Side, known: OpenLists
) -> int:
    """Record the exchange of a token on one side that keeps it away as long as possible."""
    step = side.final[token] if side.after else side.first[token]
    return record_through(asked, slot, i, (step, token), side.how[token], known)


@inner
def learn_from(  # pragma: no cover - compiled
    asked: Spot, token: int, one: Side, other: Side, known: OpenLists
) -> None:
    """Add a token to the wire's list, because it can exchange on both sides of it."""
    slot = learn(asked.number, token, known)
    i = record_side(asked, slot, 0, token, one, known)
    record_side(asked, slot, i, token, other, known)


@inner
def record_by_way_of(  # pragma: no cover - compiled
    asked: Spot, slot: int, met: tuple[int, int, int], side: Side, other: Side, known: OpenLists
) -> None:
    """Record the exchanges of a token that meets ``via``, which swaps with the row.

    ``met``: step of that meeting, token, and ``via``.
    """
    row, i = asked.row, 0
    t, token, via = met
    if side.after:
        i = record(asked, slot, i, other.first[via], row, via, known)
        i = record(asked, slot, i, other.final[token], row, token, known)
        i = record(asked, slot, i, side.first[via], row, via, known)
        record(asked, slot, i, t, via, token, known)
    else:
        i = record(asked, slot, i, t, via, token, known)
        i = record(asked, slot, i, side.final[via], row, via, known)
        i = record(asked, slot, i, other.first[token], row, token, known)
        record(asked, slot, i, other.final[via], row, via, known)


@inner
def record_partner(  # pragma: no cover - compiled
    asked: Spot,
    slot: int,
    token: int,
    through: tuple[int, int, int],
    side: Side,
    net: Wires,
    known: OpenLists,
) -> int:
    """Record the at most five exchanges of a token whose partner has its place for some time.

    In between, the partner meets the row, or another one that has swapped with the row.
    """
    partner, since, until = through
    met = side.met
    step, by = met.last[partner], met.by_last[partner]
    if is_met_first(since, until, partner, token, met):
        step, by = met.first[partner], met.by[partner]
    side.by[0] = -1
    if by != asked.row:
        change_places(place(by, side.partners), asked.row, side, net)
    i = record(asked, slot, 0, since, token, partner, known)
    i = record_through(asked, slot, i, (step, partner), side.by, known)
    return record(asked, slot, i, until, token, partner, known)


class Sides(NamedTuple):
    """Working memory of a thread."""

    before: Side
    after: Side
    none: Spans


def meet_through_others(
    whole: Timeline, known: OpenLists, near: int = NEAR, workers: int = 0
) -> None:
    """Add tokens to the lists of open wires.

    Parameters
    ----------
    whole
        The wires and the knowledge, as sightings of tokens on their own rows.
    known
        Changed in place; with the exchanges of added tokens, if these are recorded.
    near
        Members to either side with which a row is paired in each zone, >= 1.
    workers
        Threads; 0 means one per core.
    """
    net = whole.net
    most = min(MOST_WIRES, int(np.diff(net.first).max(initial=1)))
    size = 1 << (2 * min(len(net.first), most * (2 * near + 1))).bit_length()
    n_blocks = _BLOCKS * SolveLimits(workers=workers).workers
    at_once = max(_FEWEST_AT_ONCE, -(-len(known.wires) // n_blocks))

    def work(begin: int) -> None:
        some = np.arange(begin, min(begin + at_once, len(known.wires)))
        before, after = (new_side(bool(side), size, len(net.first) - 1) for side in range(2))
        sides = Sides(before, after, new_spans(0, 0))
        _look(some, known, near, sides, whole)

    blocks = range(0, len(known.wires), at_once)
    side_by_side(work, blocks, workers)


@tiered
def _look(  # pragma: no cover - compiled
    numbers: Ints, known: OpenLists, near: int, sides: Sides, whole: Timeline
) -> None:
    net, before, after = whole.net, sides.before, sides.after
    for number in numbers:
        wire = known.wires[number]
        row = np.searchsorted(net.first, wire, side="right") - 1
        asked = Spot(number, row, net.start[wire])
        for side in (before, after):
            side.stamp[0] += 1
            side.met.stamp[0] += 1
            side.number[0] = side.number[1] = 0
            side.by[0] = -1
        _directly(asked, near, before, after, known, whole)
        _directly(asked, near, after, before, known, whole)
        _by_way_of(asked, near, before, after, known, whole)
        _by_way_of(asked, near, after, before, known, whole)
        _through(asked, near, before, after, known, sides.none, whole)
        _without_return(asked, before, known, whole)
        _through(asked, near, after, before, known, sides.none, whole)
        _through_both(asked, near, after, before, known, whole)
        _through_both(asked, near, before, after, known, whole)


@inner
def _is_full(asked: Spot, known: OpenLists) -> bool:  # pragma: no cover - compiled
    """Whether no more candidates are needed."""
    return bool(known.size[asked.number] + 1 >= known.enough[asked.number])


@inner
def _directly(  # pragma: no cover - compiled
    asked: Spot, near: int, side: Side, other: Side, known: OpenLists, whole: Timeline
) -> None:
    """Find the tokens that the row meets."""
    net = whole.net
    begin, end = within(asked.row, asked.step, side.after, whole)
    for wire in range(begin, end):
        t = net.zone_time[net.leads_to[wire]]
        low, high = nearby_freely(net.entry[wire], net.leads_to[wire], near, net)
        for m in range(low, high):
            token = net.member[m]
            if token != asked.row:
                note_met(token, asked.row, t, side.met)
            if note(token, t, asked, side, whole):
                if other.mark[token] == other.stamp[0]:
                    learn_from(asked, token, side, other, known)
            elif side.mark[token] == side.stamp[0] and may_be_away(
                token, t, asked.step, side.after, whole
            ):
                side.final[token] = t
    side.number[0] = side.number[1]


@inner
def _by_way_of(  # pragma: no cover - compiled
    asked: Spot, near: int, side: Side, other: Side, known: OpenLists, whole: Timeline
) -> None:
    """Find the tokens that meet, on this ``side``, a token ``via`` that swaps with the row.

    Before the wire the token exchanges with ``via``, and ``via`` with the row; after the wire both
    exchange with the row in the same order. For the side after the wire, backward in time.
    """
    net = whole.net
    for i in range(side.number[0]):
        via = side.token[i]
        if _is_full(asked, known):
            return
        if other.mark[via] != other.stamp[0]:
            continue
        begin, end = within(via, asked.step, side.after, whole)
        for wire in range(begin, end):
            t = net.zone_time[net.leads_to[wire]]
            if (t < side.first[via]) if side.after else (t > side.final[via]):
                continue
            low, high = nearby_freely(net.entry[wire], net.leads_to[wire], near, net)
            for m in range(low, high):
                token = net.member[m]
                if other.mark[token] != other.stamp[0] or token == via or token == asked.row:
                    continue
                if side.after:
                    is_in_turn = other.final[token] >= other.first[via]
                else:
                    is_in_turn = other.first[token] <= other.final[via]
                if is_in_turn and may_be_away(token, t, asked.step, side.after, whole):
                    slot = learn(asked.number, token, known)
                    record_by_way_of(asked, slot, (t, token, via), side, other, known)


@inner
def _through(  # pragma: no cover - compiled
    asked: Spot, near: int, side: Side, other: Side, known: OpenLists, none: Spans, whole: Timeline
) -> None:
    """Find the tokens that a partner of the row meets while it has swapped with the row."""
    if _is_full(asked, known):
        return
    net, partners = whole.net, side.partners
    begin, end = within(asked.row, asked.step, side.after, whole)
    meet(asked.row, begin, end, near, partners, none, True, whole)
    for i in range(partners.taken[0]):
        if _is_full(asked, known):
            return
        at = partners.used[i]
        wire, last = while_away(at, asked.row, partners, net)
        change_places(at, asked.row, side, net)
        while wire < last:
            t = net.zone_time[net.leads_to[wire]]
            low, high = nearby_freely(net.entry[wire], net.leads_to[wire], near, net)
            for m in range(low, high):
                token = net.member[m]
                if token == partners.partner[at] or token == asked.row:
                    continue
                note_met(token, partners.partner[at], t, side.met)
                if note(token, t, asked, side, whole) and other.mark[token] == other.stamp[0]:
                    learn_from(asked, token, side, other, known)
            wire += 1


@inner
def _without_return(asked: Spot, before: Side, known: OpenLists, whole: Timeline) -> None:
    """Add tokens that need not return: neither they nor the row's own token are seen later."""
    if next_seen(asked.row, asked.step, whole.seen) < NEVER:
        return
    for i in range(before.number[1]):
        if _is_full(asked, known):
            return
        if next_seen(before.token[i], asked.step, whole.seen) == NEVER:
            slot = learn(asked.number, before.token[i], known)
            record_side(asked, slot, 0, before.token[i], before, known)


@inner
def _through_both(  # pragma: no cover - compiled
    asked: Spot, near: int, side: Side, other: Side, known: OpenLists, whole: Timeline
) -> None:
    """Find the tokens that meet the row on the ``other`` side, and exchange here by a partner.

    The row may use a partner, too. The token swaps with its partner from that meeting on, or up
    to it.
    """
    for i in range(other.number[0]):
        if _is_full(asked, known):
            return
        token = other.token[i]
        if side.mark[token] != side.stamp[0]:
            step = other.first[token] if side.after else other.final[token]
            wires = within(token, step, side.after, whole)
            through = partner_met(token, wires, near, side.met, whole)
            if through[0] >= 0:
                slot = learn(asked.number, token, known)
                n = record_partner(asked, slot, token, through, side, whole.net, known)
                record_side(asked, slot, n, token, other, known)
