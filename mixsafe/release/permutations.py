"""Random permutations that mix zones allow.

In a complete zone all permutations are equally likely. Where a zone allows some pairs only, to
draw one with equal chances is as hard as to count them (Valiant 1979). So there a Markov chain goes
through them: a member gives up the place to which she leaves, takes another one that is allowed,
whose owner looks for another one in turn, until somebody takes the place that was given up (Broder
1986; Jerrum and Sinclair 1989). Each such move is a step around a random cycle. A move is as likely
as the move back, and every allowed permutation can be reached, so they all come equally often in
the long run; after a limited number of moves nearly so.
"""

from __future__ import annotations

import secrets
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import tiered
from mixsafe.model.csr import pointers
from mixsafe.model.question.mix_zones import MixZones, Relation
from mixsafe.network.compression import cut_zones

Ints = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint64]

_MOVES = 16
"""Moves around a cycle for each member of a zone."""

_MOST_STEPS = 1 << 26
"""Steps of all moves in one zone, at most."""

_KEYS_AT_ONCE = 1 << 16


def random_keys(count: int, random: np.random.Generator | None) -> Keys:
    """Uniform 64-bit keys; two are equal with a probability that no release will ever meet.

    Parameters
    ----------
    random
        None: the system's cryptographic source.
    """
    if random is None:
        return np.frombuffer(secrets.token_bytes(8 * count), np.uint64)
    return random.integers(0, 2**64, count, dtype=np.uint64)


class Exchanges(NamedTuple):
    """Who gets whose pseudonym, in order of time.

    Parameters
    ----------
    time
        (n,) step of each.
    member, giver
        (n,) rows: the member carries on with the pseudonym with which the giver came.
    """

    time: npt.NDArray[np.int32]
    member: npt.NDArray[np.int32]
    giver: npt.NDArray[np.int32]


def drawn_exchanges(zones: MixZones, random: np.random.Generator | None = None) -> Exchanges:
    """A random permutation of the members of each zone that the zone allows.

    Parameters
    ----------
    random
        Source of randomness; None: the system's cryptographic source, as a publication needs.
    """
    parts = cut_zones(zones)
    owner = parts.zone_of_member
    # Sorting a zone's members by uniform keys permutes them uniformly.
    drawn = np.lexsort((random_keys(len(owner), random), owner))
    if parts.relation is not None:
        for zone in parts.relation.zones.tolist():
            place = slice(parts.ptr[zone], parts.ptr[zone + 1])
            drawn[place] = place.start + _drawn(parts.relation, zone, parts.sizes[zone], random)
    return Exchanges(parts.time[owner], parts.members, parts.members[drawn])


def _drawn(relation: Relation, zone: int, size: int, random: np.random.Generator | None) -> Ints:
    """(size,) who comes on whose track each member leaves, in a zone with a relation."""
    come, leave = np.nonzero(relation.matrix(zone, size))
    ptr = pointers(np.bincount(come, minlength=size))
    state = _State(np.arange(size), np.arange(size), np.array([-1, -1, 0]))
    left, giver, most = _MOST_STEPS, np.arange(size), int(np.diff(ptr).max())
    moves = _MOVES * size
    while state.hole[2] < moves and left > 0:
        keys = random_keys(min(left, _KEYS_AT_ONCE, moves * (most + 1)), random)
        _walk(keys, moves, most, ptr, leave, state, giver)
        left -= len(keys)
    return giver


class _State(NamedTuple):
    """A permutation, or one that lacks a pair.

    Parameters
    ----------
    leaves, comes
        (size,) place to which each member leaves, and member who leaves to each place.
    hole
        The member without a place and the place without a member, -1: none lacks; and the number
        of moves that are done.
    """

    leaves: Ints
    comes: Ints
    hole: Ints


@tiered
def _walk(  # pragma: no cover - compiled
    keys: Keys, moves: int, most: int, ptr: Ints, leave: Ints, state: _State, giver: Ints
) -> None:
    """Go on with the chain, a step for each key; ``giver`` is its last whole permutation.

    ``ptr``, ``leave``: the places that each member may take, ``most`` of them at most. Steps that
    draw a place beyond a member's own are left out, so that both directions are equally likely.
    """
    size, hole = len(ptr) - 1, state.hole
    for key in keys:
        if hole[2] == moves:
            return
        if hole[0] < 0:
            member = np.int64(key % np.uint64(size))
            hole[0], hole[1] = member, state.leaves[member]
            continue
        member = hole[0]
        drawn = ptr[member] + np.int64(key % np.uint64(most))
        if drawn >= ptr[member + 1]:
            continue
        place = leave[drawn]
        if place == hole[1]:
            hole[0] = hole[1] = -1
            hole[2] += 1
        else:
            hole[0] = state.comes[place]
        state.leaves[member], state.comes[place] = place, member
        if hole[0] < 0:
            giver[:] = state.comes
