"""Assignment of pseudonyms: one shuffle, or exchanges at mix zones and at scheduled times.

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
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.extract.exchange.rules import ExchangeRules, with_rules
from mixsafe.extract.zones import mix_zones
from mixsafe.machinery.compiled import tiered
from mixsafe.model.csr import pointers
from mixsafe.model.mobility.complete_traces import Regions
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Positions, Traces
from mixsafe.model.question.mix_zones import EVERYWHERE, MixZones, Relation
from mixsafe.model.release import Cells, IdTable
from mixsafe.network.compression import cut_zones

Ints = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint64]

_MOVES = 16
"""Moves around a cycle for each member of a zone."""

_MOST_STEPS = 1 << 26
"""Steps of all moves in one zone, at most."""

_KEYS_AT_ONCE = 1 << 16

ZonesOf = Callable[[Cells], MixZones]
"""Where pseudonyms are exchanged, of released cells."""


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


def shown_positions(cells: Cells) -> Positions:
    """Places of rows in released cells: deleted cells have none.

    The same set of regions counts as the same place. Column ``c`` of the cells is step ``c + 1``.
    """
    row, column = np.nonzero(cells.code != cells.deleted)
    return Positions(
        users=np.arange(1, cells.n_rows + 1),
        axis=TimeAxis(steps=cells.n_steps, first=cells.first_time),
        row=row.astype(np.int32),
        step=(column + 1).astype(np.int32),
        place=cells.code[row, column].astype(np.int64),
    )


def visible_zones(cells: Cells) -> MixZones:
    """Mix zones that everybody sees in released cells: rows that show the same in one step."""
    return mix_zones(shown_positions(cells), min_users=2)


def shown_traces(cells: Cells) -> Traces:
    """Fixes of rows in released cells: those that show a single region, of the contest's.

    A deleted cell and a set of regions say less, and are left out: that allows more exchanges.

    Raises
    ------
    InputError
        There are other regions than the contest's, and nobody knows how far they are apart.
    """
    if cells.n_regions != Regions.of_contest().count:
        raise InputError(
            f"nobody knows how far {cells.n_regions} regions are apart that are not the contest's",
            hint="leave out --max-step",
        )
    row, column = np.nonzero(cells.code < cells.n_regions)
    return Traces(
        np.arange(1, cells.n_rows + 1),
        row.astype(np.int32),
        column.astype(np.int64) + cells.first_time,
        "time_id",
        region=cells.code[row, column].astype(np.int64) + 1,
        window=(cells.first_time, cells.first_time + cells.n_steps),
    )


def fixes_for(rules: ExchangeRules, cells: Cells) -> Traces | None:
    """The fixes of :func:`shown_traces` if what is possible depends on them; else None."""
    return shown_traces(cells) if rules.need_fixes else None


def exchange_zones(cells: Cells, rules: ExchangeRules, steps_per_day: int = 20) -> MixZones:
    """Where pseudonyms are exchanged by some rules, and what is allowed there.

    Users whose own way through a mix zone is impossible keep their pseudonyms in it: those who see
    the release would exclude the truth otherwise.

    Parameters
    ----------
    cells
        The released cells of users.
    steps_per_day
        Length of a day, for rotations, >= 1.

    Raises
    ------
    InputError
        Rules that do not fit the cells.
    """
    fixes = fixes_for(rules, cells)
    found = with_rules(visible_zones(cells), rules, fixes, steps_per_day, jumpers_stay=True)
    return found.zones


def shuffle_pseudonyms(
    n_users: int, random: np.random.Generator | None = None
) -> npt.NDArray[np.int32]:
    """Static pseudonyms as in the contest: (n_users, 1), a uniform permutation.

    Parameters
    ----------
    random
        None: the system's cryptographic source; use it for public releases. The seed of a seeded
        generator reveals the pseudonyms.
    """
    order = np.argsort(random_keys(n_users, random), kind="stable")
    return order.astype(np.int32)[:, None]


def exchange_at_mix_zones(
    cells: Cells, zones: MixZones, random: np.random.Generator | None = None
) -> npt.NDArray[np.int32]:
    """Pseudonyms that their carriers exchange at mix zones (CSP paper, the ``same`` constraint).

    In each zone the pseudonyms of the members before the step are permuted among them, uniformly
    over all permutations, including the identity: a rule that always swaps a pair could be undone
    by anyone who knows it. The pseudonyms at the start are a uniform permutation. Where a zone
    allows some pairs only, permutations of these are drawn, nearly uniformly
    (:mod:`mixsafe.release.exchange`).

    Parameters
    ----------
    cells
        The released cells of users.
    zones
        Where pseudonyms are exchanged: :func:`visible_zones` of ``cells``, or some of them, or
        :func:`exchange_zones`.
    random
        Source of randomness; None: the system's cryptographic source, as a publication needs.

    Returns
    -------
    (n_users, n_steps) int32
        Pseudonym from 0 that each user carries at each time, after that step's exchanges.

    Raises
    ------
    InputError
        Zones of other users or times, or of members who do not show the same cell, except in a
        rotation: exchanging there would break tracks in a way that everybody sees.
    """
    _check_visible(cells, zones)
    time, member, giver = drawn_exchanges(zones, random)
    pseudonym = np.empty((cells.n_rows, cells.n_steps), np.int32)
    current = shuffle_pseudonyms(cells.n_rows, random)[:, 0]
    begin = np.searchsorted(time, np.arange(1, cells.n_steps + 2))
    for column in range(cells.n_steps):
        now = slice(begin[column], begin[column + 1])
        current[member[now]] = current[giver[now]]
        pseudonym[:, column] = current
    return pseudonym


def shuffled_table(cells: Cells, random: np.random.Generator | None = None) -> IdTable:
    """One shuffle of pseudonyms, as the organizers of the contest do it.

    Parameters
    ----------
    cells, random
        The released cells of users; source of randomness, None: the system's cryptographic source.
    """
    return IdTable.of_pseudonyms(shuffle_pseudonyms(cells.n_rows, random), cells.first_time)


def exchanged_table(
    cells: Cells, random: np.random.Generator | None = None, zones: MixZones | None = None
) -> IdTable:
    """Pseudonyms at each time, after exchanges at mix zones.

    Parameters
    ----------
    cells
        The released cells of users.
    random
        Source of randomness; None: the system's cryptographic source, as a publication needs.
    zones
        Where pseudonyms are exchanged; None: wherever users are visibly together.

    Raises
    ------
    InputError
        Zones that do not fit the cells.
    """
    zones = visible_zones(cells) if zones is None else zones
    return IdTable.of_pseudonyms(exchange_at_mix_zones(cells, zones, random), cells.first_time)


def _check_visible(cells: Cells, zones: MixZones) -> None:
    """Refuse zones that do not fit the cells."""
    if zones.n_users != cells.n_rows or zones.axis.steps != cells.n_steps:
        raise InputError(
            f"mix zones of {zones.n_users} users and {zones.axis.steps} steps do not fit"
            f" {cells.n_rows} users and {cells.n_steps} steps"
        )
    owner = zones.zone_of_member
    shown = cells.code[zones.members, zones.time[owner] - 1]
    differs = (shown != shown[zones.ptr[:-1]][owner]) | (shown == cells.deleted)
    if zones.place is not None:
        differs &= zones.place[owner] != EVERYWHERE
    if differs.any():
        step = int(zones.time[owner[int(differs.argmax())]])
        raise InputError(
            f"the members of a mix zone at time {zones.axis.label(step)} do not show the same cell"
        )
