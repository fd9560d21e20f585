"""Walks through solutions: small supports, one after the other, around what is still open.

Each walk starts at the identity and has open wires of its own. Again and again it takes one of
them, draws a support from those whom the token there meets, and decides it (see ``supports``).
Walks share nothing, so their number, not the number of workers, determines what they find.
"""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import as_python, compiled, inner
from mixsafe.model.limits import Deadline
from mixsafe.network.core import Core
from mixsafe.network.timeline import Timeline, timeline
from mixsafe.solver.local.generator import next_random, spread_beginning
from mixsafe.solver.local.scratch import Scratch, Shown, new_scratch
from mixsafe.solver.local.support_sampling import Sought, draw_support, span
from mixsafe.solver.local.supports import explore
from mixsafe.solver.state import tokens
from mixsafe.solver.state.questions import Targets
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.solver.workers import until

N_WALKS = 8
_SPANS = (10, 40, 150, 800)  # wires to either side that a support spans, one of these at most


class Effort(NamedTuple):
    """How much a walk tries.

    Parameters
    ----------
    size
        Tokens in a support, 2 to 5.
    rounds, tries
        Times that every open wire is taken up, and supports drawn each time.
    reach
        Wires of the row to either side of an open one that a support spans at most.
    """

    size: int
    rounds: int
    tries: int
    reach: int

    def steps(self, wires: int) -> int:
        """Steps of inner loops that a walk around so many ``wires`` takes at most, about."""
        return wires * self.rounds * self.tries * (1000 + 40 * math.factorial(self.size))


class OpenWires(NamedTuple):
    """Open wires, in order of time, and what one walk finds on them."""

    wires: npt.NDArray[np.int64]
    enough: npt.NDArray[np.int32]
    sought: TokenSets
    shown: Shown
    stop: npt.NDArray[np.bool_]  # set to end the walk


def walk(
    core: Core,
    targets: Targets,
    proven: TokenSets,
    effort: Effort,
    *,
    seed: int = 0,
    deadline: Deadline | None = None,
    workers: int = 0,
) -> None:
    """Add to ``proven`` candidates of open wires.

    Parameters
    ----------
    core
        The question.
    targets
        What is looked for.
    proven
        (n_wires, words): what is known; changed on the wires of ``targets`` only.
    effort
        How much is tried.
    seed
        Of the drawing.
    deadline
        When to stop before all is done; what was found by then is kept.
    workers
        Threads; 0 means one per core.
    """
    network = core.network
    in_time = np.argsort(network.start[targets.wires], kind="stable")  # a walk has a stretch of it
    wires, enough = targets.wires[in_time], targets.enough[in_time]
    place = np.full(network.n_wires, -1, np.int32)
    place[wires] = np.arange(len(wires))
    found = np.repeat(proven[wires][None], N_WALKS, axis=0)
    stop = np.zeros(len(wires), np.bool_)  # one each: a single flag would be read but once
    line, sought = timeline(core), targets.sought[wires]
    share = np.linspace(0, len(wires), N_WALKS + 1).astype(np.int64)

    def walk_on(g: int) -> None:
        around = OpenWires(wires, enough, sought, Shown(place, found[g]), stop)
        random = spread_beginning(seed * N_WALKS + g)
        scratch = new_scratch(effort.size, network.n_zones, random)
        _walk(share[g], share[g + 1], network.row.copy(), effort, around, line, scratch)

    numbers = [g for g in range(N_WALKS) if share[g] < share[g + 1]]
    with as_python(effort.steps(len(wires))):
        until(deadline, [partial(walk_on, g) for g in numbers], stop, workers)
    proven[wires] = np.bitwise_or.reduce(found, axis=0)


@compiled
def _walk(  # pragma: no cover - compiled
    first: int,
    last: int,
    on: npt.NDArray[np.int32],
    effort: Effort,
    around: OpenWires,
    line: Timeline,
    s: Scratch,
) -> None:
    """Take up the open wires from number ``first`` up to ``last``, round after round."""
    for _ in range(effort.rounds):
        for i in range(first, last):
            if around.stop[i]:
                return
            _take_up(i, on, effort, around, line, s)


@inner
def _take_up(  # pragma: no cover - compiled
    i: int,
    on: npt.NDArray[np.int32],
    effort: Effort,
    around: OpenWires,
    line: Timeline,
    s: Scratch,
) -> None:
    """Try supports around an open wire, as long as it has not enough candidates."""
    wire, shown = around.wires[i], around.shown
    sought = Sought(around.sought[i], shown.found[shown.place[wire]])
    for _ in range(effort.tries):
        if tokens.size(sought.proven) >= around.enough[i]:
            return
        reach = _SPANS[next_random(s.random, len(_SPANS))]
        begin, end = span(wire, reach if reach < effort.reach else effort.reach, line)
        if draw_support(wire, begin, end, on, line, s, sought):
            explore(begin, end, on, line, s, shown)
