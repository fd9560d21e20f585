"""An initial solution by annealing, which needs no solution to begin with.

A history is drawn in which most tokens come to their next sightings, and annealed until all do. It
is the annealing that looks for witnesses (:mod:`mixsafe.solver.local`), around sightings of any
token on any row. Only it begins with hundreds of broken sightings instead of one or two, and no
wire is aimed at.
"""

from __future__ import annotations

import numpy as np

from mixsafe.model.limits import Deadline
from mixsafe.model.progress import Progress, no_progress
from mixsafe.network.core import Core
from mixsafe.solver.local.generator import spread_beginning
from mixsafe.solver.local.histories import (
    TOKEN,
    History,
    Ints,
    Landscape,
    copy_to,
    identity,
    landscape,
    standing,
)
from mixsafe.solver.local.moves import aim_at, anneal, new_hand, warm
from mixsafe.solver.local.passages import bring, new_frontier
from mixsafe.solver.propagate.forced import force
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.state.witness import Assignment
from mixsafe.verify.auditor.cells import doubled
from mixsafe.verify.auditor.drawn_history import draw_history
from mixsafe.verify.auditor.outlooks import LARGEST, outlooks

_TEMPERATURES = (0.11, 0.13, 0.15, 0.17)  # in broken sightings
_AT_ONCE = 20_000  # exchanges of one spell
_PASSAGES = 100  # that are looked for after each,
_FEW = 0.01  # once no larger share of all sightings is broken
_PATIENCE = 300  # spells that may mend nothing
_TRIAL = 200  # spells after which no more than a few may be broken: routes are sooner there then


def anneal_start(
    core: Core, deadline: Deadline, progress: Progress = no_progress, seed: int = 0
) -> Assignment | None:
    """Find a solution.

    Parameters
    ----------
    core
        As :func:`mixsafe.verify.auditor.whereabouts.unnamed_start` makes it.
    deadline, progress
        As for every engine.
    seed
        Of all drawing.

    Returns
    -------
    (n_wires,) token on each wire, or None: no solution was found. So it is where sightings are not
    of one row or one zone each, and where the question is too large.
    """
    posed = doubled(core)
    network = posed.core.network
    seen = _seen(posed.core)
    if seen is None or network.n_zones * network.n_rows > LARGEST:
        return None
    possible = reachable(posed.core)
    force(posed.core, possible)
    around = landscape(posed.core, possible, seen)
    history = standing(around)
    draw_history(
        network.zone_ptr.astype(np.int32),
        outlooks(network, possible, seen),
        history,
        around,
        spread_beginning(seed),
    )
    if not _annealed(posed.core, history, around, deadline, progress, seed):
        return None
    return history.wires[around.number, TOKEN][posed.wire]


def _seen(core: Core) -> Ints | None:
    """(n_wires,) token that is seen on each wire, or -1; None: not each on one wire of its own."""
    pins, network = core.pins, core.network
    if np.any(np.diff(pins.ptr) != 1):
        return None
    wire = network.wire_at(pins.rows, pins.time)
    seen = np.full(network.n_wires, -1, np.int32)
    seen[wire] = pins.token
    return seen if np.array_equal(seen[wire], pins.token) else None


def _annealed(
    core: Core,
    history: History,
    around: Landscape,
    deadline: Deadline,
    progress: Progress,
    seed: int,
) -> bool:
    """Exchange until no sighting is broken; False: that took too long, or nothing helped.

    What a spell did is kept if no more sightings are broken then than before it.
    """
    network, nobody = core.network, np.zeros(core.words, np.uint64)
    hand = new_hand(seed, network.horizon + 2, np.zeros(1, np.bool_))
    nowhere, frontier = aim_at(int(network.first[0]), nobody, around), new_frontier(around)
    random, kept = np.random.default_rng(seed), identity(around)
    spells, fruitless = 0, 0
    n_seen = int(np.count_nonzero(around.since >= 0))
    copy_to(history, kept)
    while kept.size[0] and fruitless < _PATIENCE and not deadline.passed:
        fewest = int(kept.size[0])
        if spells == _TRIAL and fewest > _FEW * n_seen:
            return False
        progress("looking for an initial solution", n_seen - fewest, n_seen)
        warm(hand, float(random.choice(_TEMPERATURES)))
        anneal(_AT_ONCE, nowhere, history, around, hand)
        if history.size[0] <= _FEW * n_seen:
            bring(_PASSAGES, nowhere, history, around, hand, frontier)
        spells += 1
        fruitless = fruitless + 1 if history.size[0] >= fewest else 0
        one, other = (history, kept) if history.size[0] <= fewest else (kept, history)
        copy_to(one, other)
    return not kept.size[0]
