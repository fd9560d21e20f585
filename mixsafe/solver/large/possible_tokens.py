"""Upper bounds on some wires: exactly which single tokens can be there (facts 5 and 14).

A token can be on a wire when the wire can be reached from where the token was seen last, and the
place where it is seen next from the wire. So questions are carried along the rows, a bit each,
instead of tokens: back in time to the sightings from which their wires can be reached, and on to
those that can be reached from them. A row at whose sightings both meet is counted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import compiled, inner, side_by_side
from mixsafe.model.question.adversary import Pins
from mixsafe.network.agenda import BACKWARD, FORWARD, Agenda, agenda
from mixsafe.network.wires import Ints, Small, Wires, row_of

QUESTIONS = 512
"""Wires that are asked about at once: eight words for each row."""

Bits = npt.NDArray[np.uint64]


class Carried(NamedTuple):
    """Questions on their way, a bit each in some words."""

    here: Bits  # (n_rows, words): at the present moment
    found: Bits  # (n_rows, words): those that came to a sighting of the row's own token
    passed: Bits  # (n_rows, words): those that had left when it was last seen
    left: Bits  # (words,): those that are on their way
    gathered: Bits  # (words,)
    full: Small  # (n_rows,): how many questions had begun when the row was found to have them all


class Begins(NamedTuple):
    """Where questions begin, in the order in which a sweep comes there."""

    zone: Ints  # (n,): the zone in which their wire ends, or begins; -1: none
    row: Ints  # (n,)
    number: Ints  # (n,): of each question


def count_possible(net: Wires, pins: Pins, wires: Ints, workers: int = 0) -> Small:
    """How many single tokens can be on each of some wires: an upper bound on the candidates.

    Parameters
    ----------
    net
        All wires.
    pins
        SeenSteps of tokens on their own rows; what else is known only makes the bound larger.
    wires
        Those asked about.
    workers
        Threads; 0 means one per core.

    Returns
    -------
    (n,) int32.
    """
    back, ahead = (agenda(net, pins, way) for way in (BACKWARD, FORWARD))
    most = np.zeros(len(wires), np.int32)

    def ask(begin: int) -> None:
        some = wires[begin : begin + QUESTIONS]
        words = (len(some) + 63) // 64
        n_rows = len(net.first) - 1
        come, leave = np.zeros((2, n_rows, words), np.uint64)
        for found, events, side in ((come, back, BACKWARD), (leave, ahead, FORWARD)):
            here, passed = np.zeros((2, n_rows, words), np.uint64)
            left, gathered = np.zeros((2, words), np.uint64)
            full = np.zeros(n_rows, np.int32)
            carried = Carried(here, found, passed, left, gathered, full)
            _carry(side, carried, _begins(some, side, net), events, net)
        _count(come, leave, most[begin : begin + QUESTIONS])

    side_by_side(ask, range(0, len(wires), QUESTIONS), workers)
    return most


def _begins(wires: Ints, side: int, net: Wires) -> Begins:
    """Where the questions about some wires begin."""
    row = row_of(wires, net)
    zone = net.leads_to[wires].astype(np.int64)
    if side == FORWARD:
        zone = np.where(wires > net.first[row], net.leads_to[wires - 1], -1).astype(np.int64)
    in_time = np.where(zone < 0, -1, zone if side == FORWARD else len(net.zone_time) - zone)
    order = np.argsort(in_time, kind="stable")
    return Begins(zone[order], row[order], order)


@compiled
def _carry(  # pragma: no cover - compiled
    side: int, carried: Carried, begins: Begins, events: Agenda, net: Wires
) -> None:
    """Carry questions through all events, and on to where nothing follows."""
    n_zones = len(net.zone_time)
    begun = _begin(0, -1, carried, begins)
    for event in events.events:
        if event < n_zones:
            if not _all_full(event, begun, carried, net):
                _meet(event, begun, carried, net)
            begun = _begin(begun, event, carried, begins)
        else:
            for p in range(events.group[event - n_zones], events.group[event - n_zones + 1]):
                _see(events.token[p], carried)
    _end(side, carried)


@inner
def _begin(  # pragma: no cover - compiled
    begun: int, zone: int, carried: Carried, begins: Begins
) -> int:
    """Let the questions begin whose wires are next to a zone; how many have begun."""
    while begun < len(begins.zone) and begins.zone[begun] == zone:
        word = begins.number[begun] >> 6
        bit = np.uint64(1) << np.uint64(begins.number[begun] & 63)
        carried.here[begins.row[begun], word] |= bit
        carried.left[word] |= bit
        begun += 1
    return begun


@inner
def _all_full(  # pragma: no cover - compiled
    zone: int, begun: int, carried: Carried, net: Wires
) -> bool:
    """Whether all members have all questions that have begun; so it is in most zones of a city."""
    for m in range(net.zone_ptr[zone], net.zone_ptr[zone + 1]):
        if carried.full[net.member[m]] != begun:
            return False
    return True


@inner
def _meet(  # pragma: no cover - compiled
    zone: int, begun: int, carried: Carried, net: Wires
) -> None:
    """What is on any row of a zone goes on on all of them."""
    here, gathered = carried.here, carried.gathered
    begin, end = net.zone_ptr[zone], net.zone_ptr[zone + 1]
    for word in range(len(gathered)):
        gathered[word] = 0
    for m in range(begin, end):
        for word in range(len(gathered)):
            gathered[word] |= here[net.member[m], word]
    full = True
    for word in range(len(gathered)):
        full &= gathered[word] == carried.left[word]
    for m in range(begin, end):
        for word in range(len(gathered)):
            here[net.member[m], word] = gathered[word]
        carried.full[net.member[m]] = begun if full else -1


@inner
def _see(row: int, carried: Carried) -> None:  # pragma: no cover - compiled
    """A row's own token is seen on it: what comes there asks about this token, and ends."""
    for word in range(len(carried.left)):
        carried.found[row, word] |= carried.here[row, word] & ~carried.passed[row, word]
        carried.passed[row, word] |= carried.left[word]
        carried.here[row, word] = 0
    carried.full[row] = -1


@inner
def _end(side: int, carried: Carried) -> None:  # pragma: no cover - compiled
    """Tokens begin on their own rows at step 0, and may end anywhere."""
    gathered = carried.gathered
    for word in range(len(gathered)):
        gathered[word] = 0
    for row in range(len(carried.here)):
        for word in range(len(gathered)):
            gathered[word] |= carried.here[row, word]
    for row in range(len(carried.here)):
        for word in range(len(gathered)):
            bits = gathered[word] if side == FORWARD else carried.here[row, word]
            carried.found[row, word] |= bits & ~carried.passed[row, word]


@compiled
def _count(come: Bits, leave: Bits, most: Small) -> None:  # pragma: no cover - compiled
    """How many rows each question came to both ways."""
    for row in range(len(come)):
        for word in range(come.shape[1]):
            bits = come[row, word] & leave[row, word]
            number = word * 64
            while bits:
                if bits & np.uint64(1):
                    most[number] += 1
                bits >>= np.uint64(1)
                number += 1
