"""Sightings that an assumption adds to a history, for as long as it lasts.

Where only one token is left on a wire (:mod:`mixsafe.solver.propagate.assumptions`), it is as
good as seen there. So annealing brings it there as it brings others to where they are seen, and
does not look for ways of those who have none.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import compiled, inner
from mixsafe.solver.local.histories import (
    AHEAD,
    BEHIND,
    ENDING,
    SEEN,
    TOKEN,
    History,
    Ints,
    Landscape,
    redirect,
    rename,
    review,
    touch,
)
from mixsafe.solver.state.possibilities import STRUCK, Possibilities, only_token


class AssumedSightings(NamedTuple):
    """Those that were added, and what is needed to add more.

    Parameters
    ----------
    wire, token
        (n_wires,) each: the first ``size[0]`` of them were added; wires of the landscape.
    latest
        (n_rows,): last sighting of each token.
    start
        (n_wires,): step at which each wire of the landscape begins.
    size
        (1,).
    """

    wire: Ints
    token: Ints
    latest: Ints
    start: Ints
    size: npt.NDArray[np.int64]


def no_sightings(around: Landscape, start: Ints) -> AssumedSightings:
    """None was added.

    Parameters
    ----------
    around
        The landscape.
    start
        (n_wires,): step at which each wire of the network begins.
    """
    seen = np.flatnonzero(around.wires[:, SEEN] >= 0)
    begins = start[around.wire]
    seen = seen[np.argsort(begins[seen], kind="stable")]
    latest = np.full(int(around.wires[:, SEEN].max()) + 1, -1, np.int32)
    latest[around.wires[seen, SEEN]] = seen
    n = len(around.wire)
    return AssumedSightings(
        np.zeros(n, np.int32), np.zeros(n, np.int32), latest, begins, np.zeros(1, np.int64)
    )


@compiled
def see_told(  # pragma: no cover - compiled
    may: Possibilities, but: int, history: History, around: Landscape, added: AssumedSightings
) -> bool:
    """See tokens that are the only ones left on wires off which others were struck.

    False: somebody was struck off a wire where she is seen, as she may be elsewhere in truth;
    nothing was added, and annealing cannot look for such a history.

    Parameters
    ----------
    may
        What is possible, and what was struck off.
    but
        Wire of the network on which it does not matter who is seen.
    history, around, added
        What the sightings are added to. ``since`` of the landscape changes.
    """
    for i in range(may.counters[STRUCK]):
        if history.wires[around.number[may.struck[i, 0]], SEEN] == may.struck[i, 1]:
            return False
    for i in range(may.counters[STRUCK]):
        here = may.struck[i, 0]
        wire = around.number[here]
        if may.size[here] == 1 and here != but and history.wires[wire, SEEN] < 0:
            _see(wire, only_token(here, may.possible), history, around, added)
    return True


@inner
def _see(  # pragma: no cover - compiled
    wire: int, token: int, history: History, around: Landscape, added: AssumedSightings
) -> None:
    """Add one sighting."""
    added.wire[added.size[0]], added.token[added.size[0]] = wire, token
    added.size[0] += 1
    after, before = _around_it(wire, token, around, added)
    around.since[wire] = before
    if after >= 0:
        around.since[after] = wire
    else:
        added.latest[token] = wire
    wires, ending = history.wires, history.wires[wire, ENDING]
    redirect(wires[wire, BEHIND], wire, history)
    wires[wire, SEEN], wires[wire, TOKEN] = token, token
    touch(wire, history)
    rename(wires[wire, AHEAD], token, history)
    review(wire, history)
    review(ending, history)


@inner
def _around_it(  # pragma: no cover - compiled
    wire: int, token: int, around: Landscape, added: AssumedSightings
) -> tuple[int, int]:
    """The sightings of a token after and before a wire; -1: there is none after it."""
    after, before = -1, added.latest[token]
    while added.start[before] > added.start[wire]:
        after, before = before, around.since[before]
    return after, before


@compiled
def forget(  # pragma: no cover - compiled
    history: History, around: Landscape, added: AssumedSightings
) -> None:
    """Take off all that were added.

    Where one of them is broken, who comes there is still taken for who was to be seen there: such a
    history is of no use any more, but for beginning anew.
    """
    wires = history.wires
    while added.size[0]:
        added.size[0] -= 1
        wire, token = added.wire[added.size[0]], added.token[added.size[0]]
        after, before = -1, added.latest[token]
        while before != wire:
            after, before = before, around.since[before]
        if after >= 0:
            around.since[after] = around.since[wire]
        else:
            added.latest[token] = around.since[wire]
        around.since[wire] = -1
        wires[wire, SEEN] = -1
        redirect(wires[wire, BEHIND], wires[wire, ENDING], history)
