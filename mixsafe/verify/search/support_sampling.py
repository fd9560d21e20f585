"""Whom a support is made of: the token on an open wire, and those whom it can exchange with.

A support works when its tokens meet each other often, since what is exchanged must be undone. So
the others are drawn by meetings, several for each place, and who meets the others most often in
the support's span gets it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import compiled
from mixsafe.verify.core.timeline import Timeline, onward, rewind, wire_at
from mixsafe.verify.search.supports import Scratch, next_random

_CHOICE = 4  # drawn for each place in a support; who meets the others most often gets it
_NEAR = (2, 6, 20, 60)  # wires to either side within which meetings are drawn, one of these
_PATIENT = 3  # times the usual length of so many wires that a support lasts at most


@compiled
def span(  # pragma: no cover - compiled
    wire: int, reach: int, row: int, line: Timeline
) -> tuple[int, int]:
    """Steps at which the wires that lie ``reach`` before and after ``wire`` begin and end.

    Not beyond a step at which everybody is at home, and not much farther than ``reach`` wires of
    others: where a row meets nobody for days, their paths would be long to follow.
    """
    first, last = line.net.first[row], line.net.first[row + 1] - 1
    far = reach * _PATIENT * line.usual
    begin = max(line.net.start[max(first, wire - reach)], line.cut_before[line.net.start[wire]])
    end = line.cut_after[line.net.start[wire]]
    after = line.net.start[wire + 1] if wire < last else end
    if wire + reach < last:
        end = min(end, line.net.start[wire + reach + 1])
    return int(max(begin, line.net.start[wire] - far)), int(min(end, after + far))


@compiled
def _missing(  # pragma: no cover - compiled
    possible: npt.NDArray[np.uint64],
    proven: npt.NDArray[np.uint64],
    random: npt.NDArray[np.uint64],
) -> int:
    """Some token that is possible but not proven; -1: there is none."""
    token, n = -1, 0
    for word in range(len(proven)):
        bits = possible[word] & ~proven[word]
        c = word * 64
        while bits:
            if bits & np.uint64(1):
                n += 1
                if next_random(random, n) == 0:
                    token = c
            bits >>= np.uint64(1)
            c += 1
    return token


@compiled
def _place(  # pragma: no cover - compiled
    token: int, step: int, on: npt.NDArray[np.int32], line: Timeline
) -> int:
    """Wire on which ``token`` is at ``step``."""
    if step == line.cut_before[step]:
        return wire_at(token, step, line.net)
    for v in range(len(line.net.first) - 1):
        wire = wire_at(v, step, line.net)
        if on[wire] == token:
            return wire
    return -1


@compiled
def draw_support(  # pragma: no cover - compiled
    wire: int,
    row: int,
    begin: int,
    end: int,
    on: npt.NDArray[np.int32],
    line: Timeline,
    s: Scratch,
    random: npt.NDArray[np.uint64],
    seen: npt.NDArray[np.int32],
    possible: npt.NDArray[np.uint64],
    proven: npt.NDArray[np.uint64],
) -> bool:
    """Draw tokens by meetings with those drawn before, the first the one on ``wire``.

    Every second time the second one is a token that is still missing there.
    """
    s.tokens[0] = on[wire]
    s.at[0] = rewind(wire, on[wire], begin, on, line.net)
    around = _NEAR[next_random(random, len(_NEAR))]
    near, far = span(wire, around, row, line)
    near, far = max(near, begin), min(far, end)
    drawn = 1
    if next_random(random, 2) == 0:
        token = _missing(possible, proven, random)
        if token >= 0 and token != s.tokens[0]:
            s.tokens[1], s.at[1] = token, _place(token, begin, on, line)
            drawn = 2
    seen[-1] += 1  # a new mark for the zones of this support
    for i in range(drawn):
        _in_common(s.at[i], s.tokens[i], end, on, line, seen, True)
    for i in range(drawn, len(s.tokens)):
        best = -1
        for _ in range(_CHOICE):
            via = next_random(random, i)
            met = meeting(s.at[via], s.tokens[via], near, far, on, line, random)
            if met < 0 or on[met] in s.tokens[:i]:
                continue
            place = rewind(met, on[met], begin, on, line.net)
            common = _in_common(place, on[met], end, on, line, seen, False)
            if common > best:
                best, s.tokens[i], s.at[i] = common, on[met], place
        if best < 0:
            return False
        _in_common(s.at[i], s.tokens[i], end, on, line, seen, True)
    return True


@compiled
def _in_common(  # pragma: no cover - compiled
    wire: int,
    token: int,
    end: int,
    on: npt.NDArray[np.int32],
    line: Timeline,
    seen: npt.NDArray[np.int32],
    mark: bool,
) -> int:
    """Number of marked zones on the path of ``token`` up to step ``end``; ``mark``: mark all."""
    n = 0
    while True:
        zone = line.net.leads_to[wire]
        if zone < 0 or line.net.zone_time[zone] > end:
            return n
        n += seen[zone] == seen[-1]
        if mark:
            seen[zone] = seen[-1]
        wire = onward(wire, token, on, line.net)


@compiled
def meeting(  # pragma: no cover - compiled
    wire: int,
    token: int,
    begin: int,
    end: int,
    on: npt.NDArray[np.int32],
    line: Timeline,
    random: npt.NDArray[np.uint64],
) -> int:
    """Wire on which somebody comes to a zone of the path of ``token``; -1: there is no zone.

    The zone is later than step ``begin``, and not later than step ``end``.
    """
    zone, n = np.int64(-1), 0
    while line.net.start[wire] <= end:
        ahead = line.net.leads_to[wire]
        if ahead < 0 or line.net.zone_time[ahead] > end:
            break
        if line.net.zone_time[ahead] > begin:
            n += 1
            if next_random(random, n) == 0:
                zone = ahead
        wire = onward(wire, token, on, line.net)
    if zone < 0:
        return -1
    size = line.net.zone_ptr[zone + 1] - line.net.zone_ptr[zone]
    return line.net.before[line.net.zone_ptr[zone] + next_random(random, size)]
