"""Walks through solutions: small supports, one after the other, around what is still open.

Each walk starts at the identity and has open wires of its own. Again and again it takes one of
them, draws a support from those whom the token there meets, and decides it (see ``supports``).
Walks share nothing, so their number, not the number of workers, determines what they find.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial

import numpy as np
import numpy.typing as npt
from numba import njit, prange

from mixsafe.verify.answers import Deadline
from mixsafe.verify.core import Core
from mixsafe.verify.supports import (
    Permutations,
    Scratch,
    Timeline,
    explore,
    new_scratch,
    next_random,
    onward,
    permutations,
    rewind,
    timeline,
)
from mixsafe.verify.tokens import TokenSets

N_WALKS = 8
_CHOICE = 4  # drawn for each place in a support; who meets the others most often gets it
_SPANS = (10, 40, 150, 800)  # wires to either side that a support spans, one of these at most
_PATIENT = 3  # times the usual length of so many wires that a support lasts at most
_NEAR = (2, 6, 20, 60)  # wires to either side within which meetings are drawn, one of these


def walk(
    core: Core,
    wires: npt.NDArray[np.int64],
    enough: npt.NDArray[np.int32],
    possible: TokenSets,
    proven: TokenSets,
    *,
    size: int,
    rounds: int,
    tries: int,
    reach: int,
    seed: int = 0,
    deadline: Deadline | None = None,
) -> None:
    """Add to ``proven`` candidates of open wires.

    Parameters
    ----------
    core
        The question.
    wires, enough
        (n,) each: open wires, ascending, and the number of candidates that settles each.
    possible, proven
        (n_wires, words) each: bounds; ``proven`` is changed on ``wires`` only.
    size
        Tokens in a support, 2 to 5.
    rounds, tries
        Times that every open wire is taken up, and supports drawn each time.
    reach
        Wires of the row to either side of an open one that a support spans at most.
    seed
        Of the drawing.
    deadline
        When to stop before all is done; what was found by then is kept.
    """
    network = core.network
    in_time = np.argsort(network.start[wires], kind="stable")  # a walk has a stretch of time
    wires, enough = wires[in_time], enough[in_time]
    place = np.full(network.n_wires, -1, np.int32)
    place[wires] = np.arange(len(wires))
    found = np.repeat(proven[wires][None], N_WALKS, axis=0)
    stop = np.zeros(1, np.bool_)
    walking = partial(
        _walks,
        wires,
        enough,
        np.linspace(0, len(wires), N_WALKS + 1).astype(np.int64),
        place,
        network.row,
        rounds,
        tries,
        reach,
        seed,
        timeline(core),
        permutations(size),
        possible[wires],
        found,
        stop,
    )
    # In a thread of its own, so that a limit of time and Ctrl-C can stop it.
    with ThreadPoolExecutor(1) as thread:
        walked = thread.submit(walking)
        try:
            left = float("inf") if deadline is None else deadline.left
            wait([walked], None if left == float("inf") else left)
        finally:
            stop[0] = True
        walked.result()
    proven[wires] = np.bitwise_or.reduce(found, axis=0)


@njit(cache=True, parallel=True, nogil=True)
def _walks(  # pragma: no cover - compiled
    wires: npt.NDArray[np.int64],
    enough: npt.NDArray[np.int32],
    share: npt.NDArray[np.int64],
    place: npt.NDArray[np.int32],
    row: npt.NDArray[np.int32],
    rounds: int,
    tries: int,
    reach: int,
    seed: int,
    line: Timeline,
    table: Permutations,
    possible: TokenSets,
    found: npt.NDArray[np.uint64],
    stop: npt.NDArray[np.bool_],
) -> None:
    """Walk; the g-th walk takes up its share of the wires and notes all it finds in found[g]."""
    for g in prange(len(share) - 1):
        if share[g] == share[g + 1]:
            continue
        n_permutations, size = table.on_path.shape
        scratch = new_scratch(size, n_permutations)
        seen = np.zeros(len(line.zone_time) + 1, np.int32)  # the last one is the current mark
        on = row.copy()
        random = np.empty(1, np.uint64)
        random[0] = np.uint64(88172645463325252) ^ np.uint64((seed * N_WALKS + g) * 2654435761)
        for _ in range(rounds):
            for i in range(share[g], share[g + 1]):
                if stop[0]:
                    break
                _take_up(
                    wires[i], enough[i], tries, reach, row, line, table, scratch, random, seen,
                    on, place, possible[i], found[g],
                )  # fmt: skip


@njit(cache=True)
def _take_up(  # pragma: no cover - compiled
    wire: int,
    enough: int,
    tries: int,
    reach: int,
    row: npt.NDArray[np.int32],
    line: Timeline,
    table: Permutations,
    s: Scratch,
    random: npt.NDArray[np.uint64],
    seen: npt.NDArray[np.int32],
    on: npt.NDArray[np.int32],
    place: npt.NDArray[np.int32],
    possible: npt.NDArray[np.uint64],
    found: TokenSets,
) -> None:
    """Try supports around a wire, as long as it has not enough candidates."""
    mine = found[place[wire]]
    for _ in range(tries):
        if _count(mine) >= enough:
            return
        around = min(reach, _SPANS[next_random(random, len(_SPANS))])
        begin, end = _span(wire, around, row[wire], line)
        if _draw_support(wire, row[wire], begin, end, on, line, s, random, seen, possible, mine):
            explore(begin, end, on, line, table, s, random, place, found)


@njit(cache=True)
def _span(  # pragma: no cover - compiled
    wire: int, reach: int, row: int, line: Timeline
) -> tuple[int, int]:
    """Steps at which the wires that lie ``reach`` before and after ``wire`` begin and end.

    Not beyond a step at which everybody is at home, and not much farther than ``reach`` wires of
    others: where a row meets nobody for days, their paths would be long to follow.
    """
    first, last = line.first[row], line.first[row + 1] - 1
    far = reach * _PATIENT * line.usual
    begin = max(line.start[max(first, wire - reach)], line.cut_before[line.start[wire]])
    end = line.cut_after[line.start[wire]]
    after = line.start[wire + 1] if wire < last else end
    if wire + reach < last:
        end = min(end, line.start[wire + reach + 1])
    return int(max(begin, line.start[wire] - far)), int(min(end, after + far))


@njit(cache=True)
def _count(tokens: npt.NDArray[np.uint64]) -> int:  # pragma: no cover - compiled
    n = 0
    for bits in tokens:
        while bits:
            bits &= bits - np.uint64(1)
            n += 1
    return n


@njit(cache=True)
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


@njit(cache=True)
def _place(  # pragma: no cover - compiled
    token: int, step: int, on: npt.NDArray[np.int32], line: Timeline
) -> int:
    """Wire on which ``token`` is at ``step``."""
    if step == line.cut_before[step]:
        return _wire_at(token, step, line)
    for v in range(len(line.first) - 1):
        wire = _wire_at(v, step, line)
        if on[wire] == token:
            return wire
    return -1


@njit(cache=True)
def _wire_at(row: int, step: int, line: Timeline) -> int:  # pragma: no cover - compiled
    low, high = line.first[row], line.first[row + 1]
    while high - low > 1:
        middle = (low + high) // 2
        if line.start[middle] <= step:
            low = middle
        else:
            high = middle
    return low


@njit(cache=True)
def _draw_support(  # pragma: no cover - compiled
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
    s.at[0] = rewind(wire, on[wire], begin, on, line)
    around = _NEAR[next_random(random, len(_NEAR))]
    near, far = _span(wire, around, row, line)
    near, far = max(near, begin), min(far, end)
    drawn = 1
    if next_random(random, 2) == 0:
        token = _missing(possible, proven, random)
        if token >= 0 and token != s.tokens[0]:
            s.tokens[1], s.at[1] = token, _place(token, begin, on, line)
            drawn = 2
    seen[-1] += 1  # a new mark for the zones of this support
    for i in range(drawn):
        _visit(s.at[i], s.tokens[i], end, on, line, seen)
    for i in range(drawn, len(s.tokens)):
        best = -1
        for _ in range(_CHOICE):
            via = next_random(random, i)
            met = _meeting(s.at[via], s.tokens[via], near, far, on, line, random)
            if met < 0 or on[met] in s.tokens[:i]:
                continue
            place = rewind(met, on[met], begin, on, line)
            common = _in_common(place, on[met], end, on, line, seen)
            if common > best:
                best, s.tokens[i], s.at[i] = common, on[met], place
        if best < 0:
            return False
        _visit(s.at[i], s.tokens[i], end, on, line, seen)
    return True


@njit(cache=True)
def _visit(  # pragma: no cover - compiled
    wire: int,
    token: int,
    end: int,
    on: npt.NDArray[np.int32],
    line: Timeline,
    seen: npt.NDArray[np.int32],
) -> None:
    """Mark the zones on the path of ``token`` up to step ``end``."""
    while True:
        zone = line.leads_to[wire]
        if zone >= len(line.zone_time) or line.zone_time[zone] > end:
            return
        seen[zone] = seen[-1]
        wire = onward(wire, token, on, line)


@njit(cache=True)
def _in_common(  # pragma: no cover - compiled
    wire: int,
    token: int,
    end: int,
    on: npt.NDArray[np.int32],
    line: Timeline,
    seen: npt.NDArray[np.int32],
) -> int:
    """Number of marked zones on the path of ``token`` up to step ``end``."""
    n = 0
    while True:
        zone = line.leads_to[wire]
        if zone >= len(line.zone_time) or line.zone_time[zone] > end:
            return n
        n += seen[zone] == seen[-1]
        wire = onward(wire, token, on, line)


@njit(cache=True)
def _meeting(  # pragma: no cover - compiled
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
    while line.start[wire] <= end:
        ahead = line.leads_to[wire]
        if ahead >= len(line.zone_time) or line.zone_time[ahead] > end:
            break
        if line.zone_time[ahead] > begin:
            n += 1
            if next_random(random, n) == 0:
                zone = ahead
        wire = onward(wire, token, on, line)
    if zone < 0:
        return -1
    size = line.zone_ptr[zone + 1] - line.zone_ptr[zone]
    return line.before[line.zone_ptr[zone] + next_random(random, size)]
