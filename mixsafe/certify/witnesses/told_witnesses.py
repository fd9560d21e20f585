"""Witnesses that the engine's exchanges through others tell: what is told is not searched.

The exchanges of three to five rows that show a token on a wire show tokens on all wires of these
rows in between. So some of the wires that lack witnesses are asked about, then some of those that
still lack some, and so on: most are shown by what was told of others.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.certify.witnesses.differences import Differences, joined
from mixsafe.certify.witnesses.wanted import Wanted, lacks, note_new
from mixsafe.compiled import as_python, compiled, inner
from mixsafe.model.limits import Deadline
from mixsafe.network.core import Core
from mixsafe.network.strands import Strands, Whole, sightings, strands, wire_from
from mixsafe.solver.construct.open_wires import MOST_EXCHANGES, OpenLists
from mixsafe.solver.construct.through_others import meet_through_others
from mixsafe.solver.state import tokens
from mixsafe.solver.strategy import DEFAULT

Ints = npt.NDArray[np.int64]
Small = npt.NDArray[np.int32]

_EVERY = (8, 4, 2, 1)  # of the wires that are left and were not asked about yet
_STRETCHES = 3 * MOST_EXCHANGES  # two rows end one at each exchange, and each one in the end
_LAST = np.iinfo(np.int32).max


def told_witnesses(core: Core, wanted: Wanted, number: int, deadline: Deadline) -> Differences:
    """Witnesses of what is wanted, as far as few rows that exchange through others show it.

    Parameters
    ----------
    core
        The question; links are taken as pins to the row's own token.
    wanted
        Is changed.
    number
        Of the first witness that is found.
    deadline
        When to stop; what was found by then is kept.
    """
    network = core.network
    whole = Whole(strands(network), sightings(core.own_pins(), network.n_rows))
    enough = tokens.count(wanted.have) + wanted.missing
    asked = enough > DEFAULT.third_parties
    found = [joined([])]
    for every in _EVERY:
        left = np.flatnonzero((wanted.missing > 0) & ~asked)[::every]
        if deadline.passed or not len(left):
            continue
        asked[left] = True
        found.append(_taken(wanted, _listed(wanted, left, network.row, whole), number, whole.net))
        number += len(found[-1])
    return joined(found)


def _listed(wanted: Wanted, places: Ints, row: Small, whole: Whole) -> OpenLists:
    """What exchanges through others tell of some wires that lack witnesses."""
    wires, have = wanted.wires[places], wanted.have[places]
    known = OpenLists.of(wires, tokens.count(have) + wanted.missing[places], tells=True)
    on, shown = tokens.pairs(have & ~tokens.identity(row[wires], have.shape[1]))
    known.add(wires[on], shown.astype(np.int32))
    meet_through_others(whole, known)
    return known


def _taken(wanted: Wanted, known: OpenLists, number: int, net: Strands) -> Differences:
    """Note what is told, as far as it is wanted; returns the witnesses that show something."""
    on, slot = np.nonzero(known.told[:, :, 0, 0] >= 0)
    told = known.told[on, slot]
    step = np.where(told[:, :, 0] < 0, _LAST, told[:, :, 0])
    order = np.argsort(step, axis=1, kind="stable")
    told = np.take_along_axis(told, order[:, :, None], axis=1)
    stretches = np.full((len(told), _STRETCHES, 3), -1, np.int32)
    place = wanted.place[known.wires[on]]
    with as_python(len(told) * 1000):
        _take(told, place, known.tokens[on, slot], wanted, number, net, stretches)
    used = stretches[:, 0, 0] >= 0
    begin, end, token = np.moveaxis(stretches[used], 2, 0)
    sizes = (end - begin).astype(np.int64)
    ptr = np.concatenate([[0], np.cumsum(sizes.sum(axis=1))])
    sizes = sizes.ravel()
    ends = np.cumsum(sizes)
    wire = np.arange(sizes.sum()) + np.repeat(begin.ravel() - ends + sizes, sizes)
    return Differences(ptr, wire, np.repeat(token.ravel(), sizes))


@compiled
def _take(  # pragma: no cover - compiled
    told: Small, place: Small, token: Small, wanted: Wanted, number: int, net: Strands,
    stretches: Small,
) -> None:  # fmt: skip
    """Note what witnesses show, those first that nothing before them shows.

    Of each that is used the wires that it moves are written to ``stretches``: first one, end, and
    token.
    """
    held = np.zeros((2 * MOST_EXCHANGES, 3), np.int32)
    for i in range(len(told)):
        if not lacks(place[i], token[i], wanted):
            continue
        n = _follow(told[i], held, net, stretches[i])
        for j in range(n):
            moved = stretches[i, j, 2]
            for wire in range(stretches[i, j, 0], stretches[i, j, 1]):
                at = wanted.place[wire]
                if at >= 0 and lacks(at, moved, wanted):
                    note_new(at, moved, number, wanted)
        number += n > 0


@inner
def _follow(  # pragma: no cover - compiled
    told: Small, held: Small, net: Strands, stretches: Small
) -> int:
    """Write the stretches of wires down that hold other tokens than their rows'; how many.

    ``held``: rows that exchange, the token of each, and its first wire with that.
    """
    rows, n = 0, 0
    for i in range(len(told)):
        if told[i, 0] < 0:
            break
        one, rows = _held_by(told[i, 1], held, rows)
        other, rows = _held_by(told[i, 2], held, rows)
        for at in (one, other):
            n = _end(wire_from(held[at, 0], told[i, 0], net), held[at], stretches, n)
        held[one, 1], held[other, 1] = held[other, 1], held[one, 1]
    for at in range(rows):
        n = _end(net.first[held[at, 0] + 1], held[at], stretches, n)
    return n


@inner
def _held_by(row: int, held: Small, rows: int) -> tuple[int, int]:  # pragma: no cover - compiled
    """Where a row is among those that exchange, and how many these are then."""
    for at in range(rows):
        if held[at, 0] == row:
            return at, rows
    held[rows, 0] = held[rows, 1] = row
    held[rows, 2] = 0
    return rows, rows + 1


@inner
def _end(wire: int, one: Small, stretches: Small, n: int) -> int:  # pragma: no cover - compiled
    """End a row's stretch before ``wire``; how many there are then."""
    if one[1] != one[0] and one[2] < wire:
        stretches[n, 0], stretches[n, 1], stretches[n, 2] = one[2], wire, one[1]
        n += 1
    one[2] = wire
    return n
