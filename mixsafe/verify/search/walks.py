"""Walks through solutions: small supports, one after the other, around what is still open.

Each walk starts at the identity and has open wires of its own. Again and again it takes one of
them, draws a support from those whom the token there meets, and decides it (see ``supports``).
Walks share nothing, so their number, not the number of workers, determines what they find.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import compiled
from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.verify.core import tokens
from mixsafe.verify.core.core import Core
from mixsafe.verify.core.permutations import Permutations, permutations
from mixsafe.verify.core.timeline import Timeline, timeline
from mixsafe.verify.core.tokens import TokenSets
from mixsafe.verify.search.support_sampling import draw_support, span
from mixsafe.verify.search.supports import Scratch, explore, new_scratch, next_random

N_WALKS = 8
_SPANS = (10, 40, 150, 800)  # wires to either side that a support spans, one of these at most


class Effort(NamedTuple):
    """How much a walk tries; see :func:`walk`."""

    rounds: int
    tries: int
    reach: int


class Targets(NamedTuple):
    """Open wires, in order of time, and what one walk finds on them."""

    wires: npt.NDArray[np.int64]
    enough: npt.NDArray[np.int32]
    sought: TokenSets
    place: npt.NDArray[np.int32]  # (n_wires,): number of each wire among ``wires``, or -1
    found: TokenSets
    stop: npt.NDArray[np.bool_]  # set to end the walk


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
    workers: int = 0,
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
    workers
        Threads; 0 means one per core.
    """
    network = core.network
    in_time = np.argsort(network.start[wires], kind="stable")  # a walk has a stretch of time
    wires, enough = wires[in_time], enough[in_time]
    place = np.full(network.n_wires, -1, np.int32)
    place[wires] = np.arange(len(wires))
    found = np.repeat(proven[wires][None], N_WALKS, axis=0)
    stop = np.zeros(len(wires), np.bool_)  # one each: a single flag would be read but once
    effort = Effort(rounds, tries, reach)
    line, table, sought = timeline(core), permutations(size), possible[wires]
    share = np.linspace(0, len(wires), N_WALKS + 1).astype(np.int64)

    def walk_on(g: int) -> None:
        targets = Targets(wires, enough, sought, place, found[g], stop)
        random = np.array([_seed(seed * N_WALKS + g)], np.uint64)
        _walk(share[g], share[g + 1], effort, targets, line, table, random)

    numbers = [g for g in range(N_WALKS) if share[g] < share[g + 1]]
    # In threads of their own, so that a limit of time and Ctrl-C can stop them.
    with ThreadPoolExecutor(SolveLimits(workers=workers).workers) as threads:
        walks = [threads.submit(walk_on, g) for g in numbers]
        try:
            left = float("inf") if deadline is None else deadline.left
            wait(walks, None if left == float("inf") else left)
        finally:
            stop[:] = True
        for walked in walks:
            walked.result()
    proven[wires] = np.bitwise_or.reduce(found, axis=0)


def _seed(number: int) -> int:
    """State from which the generator of one walk starts."""
    return 88172645463325252 ^ (number * 2654435761 & (1 << 64) - 1)


@compiled
def _walk(  # pragma: no cover - compiled
    first: int,
    last: int,
    effort: Effort,
    targets: Targets,
    line: Timeline,
    table: Permutations,
    random: npt.NDArray[np.uint64],
) -> None:
    """Take up the open wires from number ``first`` up to ``last``, round after round."""
    scratch = new_scratch(table.on_path.shape[1], len(table.on_path))
    seen = np.zeros(len(line.net.zone_time) + 1, np.int32)  # the last one is the current mark
    on = line.net.row.copy()
    for _ in range(effort.rounds):
        for i in range(first, last):
            if targets.stop[i]:
                return
            _take_up(
                targets.wires[i], targets.enough[i], effort.tries, effort.reach, line.net.row,
                line, table, scratch, random, seen, on, targets.place, targets.sought[i],
                targets.found,
            )  # fmt: skip


@compiled
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
        if tokens.size(mine) >= enough:
            return
        around = min(reach, _SPANS[next_random(random, len(_SPANS))])
        begin, end = span(wire, around, row[wire], line)
        if draw_support(wire, row[wire], begin, end, on, line, s, random, seen, possible, mine):
            explore(begin, end, on, line, table, s, random, place, found)
