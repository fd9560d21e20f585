"""Ways of single tokens, step by step: what reachability and free carriers are meant to find."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from mixsafe.model.question.problem import Problem
from mixsafe.network.core import Core
from tests.support.cores import Candidates
from tests.support.oracles import Pairs, Pin, Zone, allowed_pairs
from tests.support.relations import moves

Rows = list[set[int]]
"""For each step the rows on which a token may be after it."""


class World(NamedTuple):
    """A core as plain pairs and triples."""

    n_rows: int
    horizon: int
    zones: Sequence[Zone]
    pins: Sequence[Pin]
    links: Sequence[tuple[int, int, int]]  # row, and the two steps
    pairs: Sequence[Pairs | None]  # what each zone allows; None: everything


def world_of(core: Core) -> World:
    """What a core says."""
    network, pins, links = core.network, core.pins, core.links
    ptr = network.zone_ptr
    return World(
        network.n_rows,
        network.horizon,
        [
            (int(t), network.member[ptr[z] : ptr[z + 1]].tolist())
            for z, t in enumerate(network.zone_time)
        ],
        [
            (int(c), int(t), pins.rows[pins.ptr[p] : pins.ptr[p + 1]].tolist())
            for p, (c, t) in enumerate(zip(pins.token, pins.time, strict=True))
        ],
        list(zip(links.row.tolist(), links.start.tolist(), links.end.tolist(), strict=True)),
        allowed_pairs(ptr, network.member, network.relation),
    )


def places(core: Core, sets: Candidates) -> list[list[set[int]]]:
    """``[row][step]`` of what holds of wires."""
    steps = np.arange(core.network.horizon + 1)
    wires = [
        core.network.wire_at(np.full_like(steps, v), steps) for v in range(core.network.n_rows)
    ]
    return [[sets[wire] for wire in those] for those in wires]


def after(world: World, row: int, step: int) -> set[int]:
    """Rows on which a token may be after ``step`` that was on ``row`` before it."""
    for (t, met), pairs in zip(world.zones, world.pairs, strict=True):
        if t == step and row in met:
            return {to for to in met if to == row or pairs is None or (row, to) in pairs}
    return {row}


def may_be(world: World, token: int, row: int, step: int) -> bool:
    """Whether the pins of a step let a token be on a row.

    A pin to one row keeps off it who has no pin in this step; two pinned ones are left to matching.
    """
    told = {c: set(rows) for c, t, rows in world.pins if t == step}
    return row in told[token] if token in told else {row} not in told.values()


def there(world: World, token: int, allowed: list[list[set[int]]]) -> Rows:
    """Rows to which a token can come from its own, over places where it is allowed."""
    found: Rows = []
    for step in range(world.horizon + 1):
        before = {token} if step == 0 else set().union(*(after(world, v, step) for v in found[-1]))
        found.append(
            {v for v in before if token in allowed[v][step] and may_be(world, token, v, step)}
        )
    return found


def back(world: World, token: int, allowed: list[list[set[int]]]) -> Rows:
    """Rows from which a token can go on to the end, over places where it is allowed."""
    found: Rows = []
    for step in range(world.horizon, -1, -1):
        found.append(
            {
                v
                for v in range(world.n_rows)
                if token in allowed[v][step]
                and may_be(world, token, v, step)
                and (step == world.horizon or after(world, v, step + 1) & found[-1])
            }
        )
    return found[::-1]


def at_ends(core: Core, paths: Sequence[Rows]) -> Candidates:
    """Tokens whose ways lead over the last step of each wire."""
    steps = core.network.end
    return [
        {c for c, way in enumerate(paths) if row in way[step]}
        for row, step in zip(core.network.row.tolist(), steps.tolist(), strict=True)
    ]


def on_a_way(core: Core, allowed: Candidates | None = None) -> Candidates:
    """Tokens of each wire with a way from their own row to the end through it.

    The two ends of a link take away from each other what the other one has not, and people who
    are apart what is pinned, and what another one has for certain, until nothing changes.
    """
    world, network = world_of(core), core.network
    found = [set(range(world.n_rows))] * network.n_wires if allowed is None else allowed
    while True:
        place = places(core, found)
        come = at_ends(core, [there(world, c, place) for c in range(world.n_rows)])
        go = at_ends(core, [back(world, c, place) for c in range(world.n_rows)])
        found = [one & other for one, other in zip(come, go, strict=True)]
        before = [set(one) for one in found]
        for row, start, end in world.links:
            one, other = network.wire_at([row, row], [start, end])
            found[one] &= found[other]
            found[other] &= found[one]
        wires, taken = core.apart_wires.tolist(), set(core.pins.token.tolist())
        certain = {wire: found[wire] for wire in wires if len(found[wire]) == 1}
        for wire in wires:
            others = (tokens for at, tokens in certain.items() if at != wire)
            found[wire] = found[wire] - taken.union(*others)
        if found == before:
            return found


def paths(asked: Problem, row: int) -> Iterator[list[int]]:
    """All ways through the zones from a row: the row after each step, from step 0 on."""
    ways, zones = [[row]], list(zip(asked.zones.time.tolist(), moves(asked), strict=True))
    for step in range(1, asked.zones.axis.steps + 1):
        longer = []
        for way in ways:
            met = [to for t, pairs in zones if t == step for a, to in pairs if a == way[-1]]
            longer += [[*way, after] for after in met or [way[-1]]]
        ways = longer
    yield from ways
