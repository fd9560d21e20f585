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

from mixsafe.model.limits import Deadline
from mixsafe.verify.core.core import Core
from mixsafe.verify.core.permutations import Permutations, permutations
from mixsafe.verify.core.timeline import Timeline, timeline
from mixsafe.verify.core.tokens import TokenSets
from mixsafe.verify.search.support_sampling import draw_support, span
from mixsafe.verify.search.supports import Scratch, explore, new_scratch, next_random

N_WALKS = 8
_SPANS = (10, 40, 150, 800)  # wires to either side that a support spans, one of these at most


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
    stop = np.zeros(len(wires), np.bool_)  # one each: a single flag would be read but once
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
            stop[:] = True
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
            stopped = False
            for i in range(share[g], share[g + 1]):
                if stop[i]:
                    stopped = True
                    break
                _take_up(
                    wires[i], enough[i], tries, reach, row, line, table, scratch, random, seen,
                    on, place, possible[i], found[g],
                )  # fmt: skip
            if stopped:
                break


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
        begin, end = span(wire, around, row[wire], line)
        if draw_support(wire, row[wire], begin, end, on, line, s, random, seen, possible, mine):
            explore(begin, end, on, line, table, s, random, place, found)


@njit(cache=True)
def _count(tokens: npt.NDArray[np.uint64]) -> int:  # pragma: no cover - compiled
    n = 0
    for bits in tokens:
        while bits:
            bits &= bits - np.uint64(1)
            n += 1
    return n
