"""Draw the tokens of a neighbourhood: the one on an open wire, and tokens that it can meet.

A neighbourhood is useful if its tokens meet each other often, because each exchange must be undone
later. So the others are drawn by meetings, several for each place, and the one that shares most
meetings with the tokens so far gets the place.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import inner
from mixsafe.network.timeline import Timeline, onward, rewind, wire_at
from mixsafe.network.wires import Wires, may_leave
from mixsafe.solver.local.generator import next_random
from mixsafe.solver.local.neighbourhoods import Paths, Scratch
from mixsafe.solver.state import tokens

_TRIES = 8  # members drawn of a zone with a relation, until it allows an exchange with one of them
_CHOICE = 4  # tokens drawn for each place in a neighbourhood, of which the best gets it
_NEAR = (2, 6, 20, 60)  # wires to either side within which meetings are drawn, one of these
_MAX_SPAN_FACTOR = 3  # a neighbourhood lasts at most this many times the usual length of its wires


class Sought(NamedTuple):
    """Possible and proven tokens of one wire."""

    possible: npt.NDArray[np.uint64]
    proven: npt.NDArray[np.uint64]


@inner
def span(wire: int, reach: int, line: Timeline) -> tuple[int, int]:  # pragma: no cover - compiled
    """First and last step of the span from ``reach`` wires before ``wire`` to as many after it.

    The span ends at steps at which all tokens are at home. It is not much longer than ``reach``
    wires usually are: if a row has no meetings for days, the paths of others would be long.
    """
    net, row = line.net, line.net.row[wire]
    first, last, start = net.first[row], net.first[row + 1] - 1, np.int64(net.start[wire])
    far = reach * _MAX_SPAN_FACTOR * (1 + (len(net.first) - 1) * net.horizon // len(net.start))
    begin, end = line.cut_before[start], line.cut_after[start]
    after = net.start[wire + 1] if wire < last else end
    if wire + reach < last and net.start[wire + reach + 1] < end:
        end = net.start[wire + reach + 1]
    if after + far < end:
        end = after + far
    earliest = net.start[wire - reach if wire - reach > first else first]
    if begin < earliest:
        begin = earliest
    if begin < start - far:
        begin = start - far
    return begin, end


@inner
def _missing(  # pragma: no cover - compiled
    sought: Sought, random: npt.NDArray[np.uint64]
) -> int:
    """Draw a token that is possible but not proven; -1: there is none."""
    token, n = -1, 0
    for word in range(len(sought.proven)):
        for missing in tokens.in_word(sought.possible[word] & ~sought.proven[word], word):
            n += 1
            if next_random(random, n) == 0:
                token = missing
    return token


@inner
def _wire_of(  # pragma: no cover - compiled
    token: int, step: int, on: npt.NDArray[np.int32], line: Timeline
) -> int:
    """Wire on which ``token`` is at ``step``."""
    row = token
    if step != line.cut_before[step]:
        row = 0
        while on[wire_at(row, step, line.net)] != token:
            row += 1
    return wire_at(row, step, line.net)


@inner
def draw_neighbourhood(  # pragma: no cover - compiled
    wire: int,
    begin: int,
    end: int,
    on: npt.NDArray[np.int32],
    line: Timeline,
    s: Scratch,
    sought: Sought,
) -> bool:
    """Draw the tokens of a neighbourhood, first the one on ``wire``, then by meetings.

    With probability 1/2 the second one is a token that is still missing on ``wire``. Returns
    whether all places were filled.
    """
    paths = s.paths
    near, far = span(wire, _NEAR[next_random(s.random, len(_NEAR))], line)
    near, far = (near if near > begin else begin), (far if far < end else end)
    paths.tokens[0], paths.at[0] = on[wire], rewind(wire, on[wire], begin, on, line.net)
    drawn = 1
    if next_random(s.random, 2) == 0:
        token = _missing(sought, s.random)
        if token >= 0 and token != paths.tokens[0]:
            paths.tokens[1], paths.at[1] = token, _wire_of(token, begin, on, line)
            drawn = 2
    s.seen[-1] += 1  # a new mark for the zones of this neighbourhood
    for i in range(len(paths.tokens)):
        best = np.int64(0 if i < drawn else -1)
        for _ in range(0 if i < drawn else _CHOICE):
            via = next_random(s.random, i)
            met = meeting(paths.at[via], paths.tokens[via], near, far, on, line.net, s.random)
            if met >= 0 and _is_new(on[met], i, paths):
                place = rewind(met, on[met], begin, on, line.net)
                common = _in_common(place, on[met], end, on, line.net, s.seen, False)
                if common > best:
                    best, paths.tokens[i], paths.at[i] = common, on[met], place
        if best < 0:
            return False
        _in_common(paths.at[i], paths.tokens[i], end, on, line.net, s.seen, True)
    return True


@inner
def _is_new(token: int, n: int, paths: Paths) -> bool:  # pragma: no cover - compiled
    """Whether ``token`` is none of the first ``n`` of a neighbourhood."""
    new = True
    for i in range(n):
        new &= paths.tokens[i] != token
    return new


@inner
def _in_common(  # pragma: no cover - compiled
    wire: int,
    token: int,
    end: int,
    on: npt.NDArray[np.int32],
    net: Wires,
    seen: npt.NDArray[np.int32],
    mark: bool,
) -> int:
    """Count the marked zones on the path of ``token`` up to step ``end``; ``mark``: mark all."""
    n = 0
    while True:
        zone = net.leads_to[wire]
        if zone < 0 or net.zone_time[zone] > end:
            return n
        n += seen[zone] == seen[-1]
        if mark:
            seen[zone] = seen[-1]
        wire = onward(wire, token, on, net)


@inner
def meeting(  # pragma: no cover - compiled
    wire: int,
    token: int,
    begin: int,
    end: int,
    on: npt.NDArray[np.int32],
    net: Wires,
    random: npt.NDArray[np.uint64],
) -> int:
    """Draw a wire that leads to a zone on the path of ``token``; -1: there is no zone.

    The zone is after step ``begin``, and not after step ``end``.
    """
    zone, here, n = np.int64(-1), wire, 0
    while net.start[wire] <= end:
        ahead = net.leads_to[wire]
        if ahead < 0 or net.zone_time[ahead] > end:
            break
        if net.zone_time[ahead] > begin:
            n += 1
            if next_random(random, n) == 0:
                zone, here = ahead, wire
        wire = onward(wire, token, on, net)
    if zone < 0:
        return -1
    first, last = net.zone_ptr[zone], net.zone_ptr[zone + 1]
    m = first + next_random(random, last - first)
    for _ in range(_TRIES):
        own = net.entry[here]
        if may_leave(own, m, zone, net) or may_leave(m, own, zone, net):
            break
        m = first + next_random(random, last - first)
    return net.before[m]
