"""Lower bounds by pairs that meet through others: supports of three and four rows (fact 8).

Two who meet once can exchange, and need to exchange a second time. They do so through others: one
of them, or both, change places with a partner whom they meet again, and these two meet in between.
(Changing places, exchanging, and changing back is an exchange of those who changed places.) So for
a wire after a meeting: one who was there, a partner of the row that meets it twice after the wire,
a partner of the other one that meets that one twice, and a meeting of the partners in between. For
a wire before a meeting all that comes before the wire.
"""

from __future__ import annotations

import numpy as np

from mixsafe.compiled import compiled, inner, side_by_side
from mixsafe.verify.meetings.meeting_again import (
    NEAR,
    Partners,
    Spans,
    meet,
    nearby,
    new_partners,
    new_spans,
    place,
)
from mixsafe.verify.meetings.open_wires import OpenLists, is_known, learn
from mixsafe.verify.meetings.strands import (
    Ints,
    Strands,
    Whole,
    last_seen,
    next_seen,
    wire_from,
)

_AT_ONCE = 64
_MOST_WIRES = 1024
"""Of a row, to one side, that are looked at."""


def meet_through_others(whole: Whole, known: OpenLists, near: int = NEAR, workers: int = 0) -> None:
    """Add tokens to the lists of open wires.

    Parameters
    ----------
    whole
        The wires, and all that is known, taken as sightings of tokens on their own rows.
    known
        Changed in place.
    near
        Members to either side with whom a row is paired in each zone, >= 1.
    workers
        Threads; 0 means one per core.
    """
    net = whole.net
    most = min(_MOST_WIRES, int(np.diff(net.first).max(initial=1)))
    size = 1 << (2 * min(len(net.first), most * (2 * near + 1))).bit_length()

    def work(begin: int) -> None:
        some = np.arange(begin, min(begin + _AT_ONCE, len(known.wires)))
        none = new_spans(0, 0)
        tables = new_partners(size), new_partners(size)
        _look(some, known, near, *tables, none, whole)

    blocks = range(0, len(known.wires), _AT_ONCE)
    side_by_side(work, blocks, workers, steps=len(known.wires) * most * most * near)


@compiled
def _look(  # pragma: no cover - compiled
    numbers: Ints,
    known: OpenLists,
    near: int,
    ours: Partners,
    theirs: Partners,
    none: Spans,
    whole: Whole,
) -> None:
    net = whole.net
    for number in numbers:
        wire = known.wires[number]
        u = net.member[net.entry[wire if net.zone[wire] >= 0 else wire - 1]]
        for after in range(2):
            # The meeting at the beginning of the wire and all that follows, or the other way round.
            real = wire - 1 if after else wire
            if real < net.first[u] or net.zone[real] < 0:
                continue
            if known.size[number] + 1 >= known.enough[number]:
                break
            begin, end = _within(u, real, after, whole)
            meet(u, begin, end, near, ours, none, whole)
            t = net.zone_time[net.zone[real]]
            low, high = nearby(net.entry[real], net.zone[real], near, net)
            for m in range(low, high):
                v = net.member[m]
                if v == u or is_known(v, number, known):
                    continue
                if known.size[number] + 1 >= known.enough[number]:
                    break
                begin, end = _within(v, wire_from(v, t, net) - 1, after, whole)
                meet(v, begin, end, near, theirs, none, whole)
                if _find(u, v, (begin, end), near, ours, theirs, net):
                    learn(number, v, known)


@inner
def _within(  # pragma: no cover - compiled
    row: int, real: int, after: int, whole: Whole
) -> tuple[int, int]:
    """Wires of a row whose ends lie after, or before, the zone at the end of wire ``real``.

    None beyond the next sighting of the row.
    """
    net, seen = whole.net, whole.seen
    t = net.zone_time[net.zone[real]]
    if after:
        begin, end = real + 1, net.first[row + 1] - 1
        limit = next_seen(row, t, seen)
        if limit < net.horizon:
            end = min(end, wire_from(row, limit + 1, net) - 1)
        return begin, max(begin, min(end, begin + _MOST_WIRES))
    begin = wire_from(row, last_seen(row, t, seen) + 1, net) - 1
    return max(begin, net.first[row], real - _MOST_WIRES), real


@inner
def _find(  # pragma: no cover - compiled
    u: int,
    v: int,
    within: tuple[int, int],
    near: int,
    ours: Partners,
    theirs: Partners,
    net: Strands,
) -> bool:
    """Whether ``u`` and ``v`` meet through a partner of ``u``, or one of each.

    ``v`` may exchange at the ends of its wires from the first one of ``within`` up to the other.
    """
    for i in range(ours.taken[0]):
        at = ours.used[i]
        x = ours.partner[at]
        if x == v or ours.until[at] <= ours.since[at]:
            continue
        begin = net.zone_time[net.zone[net.first[u] + ours.since[at]]]
        end = net.zone_time[net.zone[net.first[u] + ours.until[at]]]
        wire = wire_from(x, begin, net)
        while net.zone[wire] >= 0 and net.zone_time[net.zone[wire]] <= end:
            t = net.zone_time[net.zone[wire]]
            low, high = nearby(net.entry[wire], net.zone[wire], near, net)
            for m in range(low, high):
                z = net.member[m]
                if z == v and within[0] <= wire_from(v, t, net) - 1 < within[1]:
                    return True
                if z != v and z != x and z != u and _lasts(z, v, t, theirs, net):
                    return True
            wire += 1
    return False


@inner
def _lasts(  # pragma: no cover - compiled
    partner: int, row: int, t: int, table: Partners, net: Strands
) -> bool:
    """Whether a partner of a row can have changed places with it at step ``t``."""
    at = place(partner, table)
    if table.mark[at] != table.stamp[0]:
        return False
    begin = net.zone_time[net.zone[net.first[row] + table.since[at]]]
    end = net.zone_time[net.zone[net.first[row] + table.until[at]]]
    return begin <= t <= end and begin < end
