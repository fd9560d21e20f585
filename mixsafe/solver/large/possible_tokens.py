"""Upper bounds on some wires: the number of single tokens that can be there (facts 5 and 14).

A token can be on a wire if the wire is reachable from its last sighting, and its next sighting from
the wire. So questions, not tokens, are carried along the rows, one bit each: backward to the
sightings from which their wires are reachable, and forward to those that are reachable from the
wires. A row is counted if both come to consecutive sightings of its token.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import compiled, inner, side_by_side
from mixsafe.model.question.adversary import Pins
from mixsafe.network.timeline import BACKWARD, FORWARD, Agenda, agenda
from mixsafe.network.wires import Ints, Small, Wires, is_complete, may_leave, row_of
from mixsafe.solver.state.tokens import in_word

QUESTIONS = 512
"""Wires per sweep: eight words for each row."""

Bits = npt.NDArray[np.uint64]


class Carried(NamedTuple):
    """Carried questions, one bit each."""

    here: Bits  # (n_rows, words): at the present moment
    found: Bits  # (n_rows, words): those that came to a sighting of the row's own token
    passed: Bits  # (n_rows, words): those that had left when it was last seen
    left: Bits  # (words,): those that are on their way
    gathered: Bits  # (words,)
    beyond: Bits  # (most members, words): of each member beyond a zone with a relation
    full: Small  # (n_rows,): how many questions had begun when the row was found to have them all


class Begins(NamedTuple):
    """Starting points of questions, in the order of a sweep."""

    zone: Ints  # (n,): the zone in which their wire ends, or begins; -1: none
    row: Ints  # (n,)
    number: Ints  # (n,): of each question


def count_possible(net: Wires, pins: Pins, wires: Ints, workers: int = 0) -> Small:
    """Count the single tokens that can be on each of some wires: upper bounds on the candidates.

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
        most_members = int(np.diff(net.zone_ptr).max(initial=0)) if len(net.pairs) else 0
        come, leave = np.zeros((2, n_rows, words), np.uint64)
        for found, events, side in ((come, back, BACKWARD), (leave, ahead, FORWARD)):
            here, passed = np.zeros((2, n_rows, words), np.uint64)
            left, gathered = np.zeros((2, words), np.uint64)
            full = np.zeros(n_rows, np.int32)
            beyond = np.zeros((most_members, words), np.uint64)
            carried = Carried(here, found, passed, left, gathered, beyond, full)
            _carry(side, carried, _begins(some, side, net), events, net)
        _count(come, leave, most[begin : begin + QUESTIONS])

    side_by_side(ask, range(0, len(wires), QUESTIONS), workers)
    return most


def _begins(wires: Ints, side: int, net: Wires) -> Begins:
    """Starting points of the questions about some wires."""
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
    """Carry questions through all events to the end of the sweep."""
    n_zones = len(net.zone_time)
    begun = _begin(0, -1, carried, begins)
    for event in events.events:
        if event < n_zones:
            if not _all_full(event, begun, carried, net):
                if is_complete(event, net):
                    _meet(event, begun, carried, net)
                else:
                    _meet_related(event, side, begun, carried, net)
            begun = _begin(begun, event, carried, begins)
        else:
            for p in range(events.group[event - n_zones], events.group[event - n_zones + 1]):
                _see(events.token[p], carried)
    _end(side, carried)


@inner
def _begin(  # pragma: no cover - compiled
    begun: int, zone: int, carried: Carried, begins: Begins
) -> int:
    """Start the questions whose wires are next to a zone; the number of started questions."""
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
    """Whether all members have all started questions, as in most zones of a city."""
    for m in range(net.zone_ptr[zone], net.zone_ptr[zone + 1]):
        if carried.full[net.member[m]] != begun:
            return False
    return True


@inner
def _meet(  # pragma: no cover - compiled
    zone: int, begun: int, carried: Carried, net: Wires
) -> None:
    """Copy the questions of each member of a zone to all members."""
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
def _meet_related(  # pragma: no cover - compiled
    zone: int, side: int, begun: int, carried: Carried, net: Wires
) -> None:
    """As :func:`_meet`, in a zone with a relation: questions go by allowed pairs only."""
    here, beyond, words = carried.here, carried.beyond, len(carried.left)
    begin, end = net.zone_ptr[zone], net.zone_ptr[zone + 1]
    for m in range(begin, end):
        for word in range(words):
            beyond[m - begin, word] = 0
        for other in range(begin, end):
            come, leave = (other, m) if side == FORWARD else (m, other)
            if may_leave(come, leave, zone, net):
                for word in range(words):
                    beyond[m - begin, word] |= here[net.member[other], word]
    for m in range(begin, end):
        full = True
        for word in range(words):
            here[net.member[m], word] = beyond[m - begin, word]
            full &= beyond[m - begin, word] == carried.left[word]
        carried.full[net.member[m]] = begun if full else -1


@inner
def _see(row: int, carried: Carried) -> None:  # pragma: no cover - compiled
    """Record the questions that come to a sighting of a row's own token, and end them there."""
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
    """Count the rows to which each question came in both directions."""
    for row in range(len(come)):
        for word in range(come.shape[1]):
            for number in in_word(come[row, word] & leave[row, word], word):
                most[number] += 1
