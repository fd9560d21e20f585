"""Upper bounds on all wires by capped sets, repeated while links make the sets smaller.

Linked wires hold the same token, so it is in all of their sets. If only the row's own token is,
the links are sightings of that token.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mixsafe.machinery.compiled import compiled, inner, side_by_side
from mixsafe.model.question.adversary import Pins
from mixsafe.network.core import Core
from mixsafe.network.timeline import certain, sightings
from mixsafe.network.wires import Ints, Small, Wires, row_of
from mixsafe.solver.large.capped.capped_sets import (
    Capped,
    Room,
    capped_sets,
    gather,
    most_tokens,
    new_room,
)
from mixsafe.solver.large.capped.linked_wires import (
    NO_LIST,
    LargeProblem,
    LinkedWires,
    linked_wires,
)
from mixsafe.solver.strategy import DEFAULT

_WIRES_AT_ONCE = 1 << 14


class SetBounds(NamedTuple):
    """Bounds by capped sets."""

    upper: (
        Small  # (n_wires,): upper bounds; the number of rows if there are more tokens than the cap
    )
    pins: Pins  # sightings of single tokens, including those that follow from links


def set_bounds(
    core: Core,
    net: Wires,
    cap: int,
    workers: int = 0,
    share: float = DEFAULT.large_share,
    at_once: int = _WIRES_AT_ONCE,
) -> SetBounds:
    """Upper bounds on all wires.

    Parameters
    ----------
    core
        The question. Pins to several rows are ignored, which can only weaken the bounds; a
        publisher's question has none.
    net
        Its wires.
    cap
        Tokens of a set, >= 1.
    workers
        Threads; 0 means one per core.
    share
        Repeat while the lists of more than this share of groups become shorter.
    """
    n_rows, pins, linked = core.network.n_rows, certain(core.pins), linked_wires(core, cap)
    while True:
        problem = LargeProblem(net, sightings(pins, n_rows), linked)
        capped = capped_sets(problem, cap, workers)
        linked = _in_common(capped, cap, workers, at_once)
        changed = linked.size != problem.linked.size
        if np.count_nonzero(changed) <= share * len(changed):
            break
        alone = np.flatnonzero((changed & (linked.size == 1))[linked.group])
        pins = pins.joined(_sightings_of(alone, problem))
    capped = capped._replace(problem=problem._replace(linked=linked))
    return SetBounds(most_tokens(capped, cap, workers), pins)


def _sightings_of(entries: Ints, problem: LargeProblem) -> Pins:
    """Sightings of rows' own tokens on some of the linked wires."""
    wires = problem.linked.wire[entries]
    return Pins.own(row_of(wires, problem.net).astype(np.int32), problem.net.start[wires])


def _in_common(capped: Capped, cap: int, workers: int, at_once: int) -> LinkedWires:
    """The groups with lists of the tokens that all their wires can hold."""
    linked, n_rows = capped.problem.linked, len(capped.problem.net.first) - 1
    found = linked._replace(size=linked.size.copy(), tokens=linked.tokens.copy())
    cuts = np.searchsorted(linked.first, np.arange(0, len(linked.wire), at_once), "right")

    def narrow(part: slice) -> None:
        _narrow(part.start, part.stop, found, new_room(cap), new_room(cap), capped)

    parts = map(slice, cuts - 1, [*(cuts[1:] - 1), n_rows])
    side_by_side(narrow, parts, workers)
    return found


@compiled
def _narrow(  # pragma: no cover - compiled
    begin: int, end: int, found: LinkedWires, room: Room, other: Room, capped: Capped
) -> None:
    """Restrict the lists of some rows' groups to the tokens that all their wires can hold."""
    for row in range(begin, end):
        for entry in range(found.first[row], found.first[row + 1]):
            if gather(found.wire[entry], row, room, other, capped):
                _keep(found.group[entry], room, found)


@inner
def _keep(group: int, room: Room, found: LinkedWires) -> None:  # pragma: no cover - compiled
    """Intersect a list with the tokens in ``room``; if there was none, these become the list."""
    if found.size[group] == NO_LIST:
        found.size[group] = room.number[0]
        for i in range(room.number[0]):
            found.tokens[group, i] = room.tokens[i]
        return
    n = 0
    for i in range(found.size[group]):
        token = found.tokens[group, i]
        for j in range(room.number[0]):
            if room.tokens[j] == token:
                found.tokens[group, n] = token
                n += 1
    found.size[group] = n
