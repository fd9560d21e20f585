"""Small problems as cores, and the truth about their wires."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mixsafe.model.question.adversary import Links, Pins, pins_and_links
from mixsafe.model.question.problem import Problem
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.state import tokens
from mixsafe.solver.state.tokens import TokenSets
from tests.support.oracles import domains_of, knowledge_of, zones_of
from tests.support.strategies import mix_zones, problem

Candidates = list[set[int]]
"""Tokens of each wire."""


def core_of(asked: Problem) -> Core:
    """The core question of a problem, nothing absorbed."""
    return Core(WireNetwork.of(asked.zones), *pins_and_links(asked.knowledge))


def listed(sets: TokenSets) -> Candidates:
    """Bits as sets."""
    return [set(tokens.members(one).tolist()) for one in sets]


def at_wires(network: WireNetwork, found: dict[tuple[int, int], set[int]]) -> Candidates:
    """D(u, t) at the first step of each wire."""
    return [found[row, t] for row, t in zip(network.row.tolist(), network.start, strict=True)]


def truth_of(asked: Problem) -> Candidates:
    """Candidates of each wire of a problem, by brute force."""
    return at_wires(WireNetwork.of(asked.zones), domains_of(asked))


def within(smaller: Candidates, larger: Candidates) -> bool:
    """Whether each wire's set is part of the other one."""
    return all(one <= other for one, other in zip(smaller, larger, strict=True))


def spread(asked: Problem, rows: Sequence[int], n_users: int) -> Problem:
    """The same problem among many who meet nobody: user u is in row ``rows[u]``."""
    return problem(
        n_users,
        asked.zones.axis.steps,
        [(t, [rows[user] for user in members]) for t, members in zones_of(asked)],
        [(rows[user], t) for user, t in knowledge_of(asked)],
    )


def scattered(core: Core, rows: Sequence[int], n_rows: int) -> Core:
    """The same core among many rows that meet nobody: row v is row ``rows[v]``, ascending."""
    network, pins, links = core.network, core.pins, core.links
    now = np.array(rows, np.int32)
    members = np.split(now[network.member], network.zone_ptr[1:-1])
    zones = [(int(t), met.tolist()) for t, met in zip(network.zone_time, members, strict=False)]
    return Core(
        WireNetwork.of(mix_zones(n_rows, network.horizon, zones)),
        Pins(now[pins.token], pins.time, pins.ptr, now[pins.rows]),
        Links(now[links.row], links.start, links.end),
    )


def gathered(core: Core, sets: TokenSets, rows: Sequence[int]) -> Candidates:
    """What a spread problem's sets say in the terms of the problem that was spread."""
    user = {row: number for number, row in enumerate(rows)}
    first = core.network.first
    wires = np.concatenate([np.arange(first[row], first[row + 1]) for row in rows])
    return [{user.get(token, -1) for token in one} for one in listed(sets[wires])]


def stretched(asked: Problem, factor: int) -> Problem:
    """The same problem with many steps between, in which nothing happens."""
    return problem(
        asked.zones.n_users,
        asked.zones.axis.steps * factor,
        [(t * factor, members) for t, members in zones_of(asked)],
        [(user, t * factor) for user, t in knowledge_of(asked)],
    )


MANY = 600
"""Users: more than fit into the words that one thread sweeps at once."""

FAR_APART = (63, 64, 215, 279, 471)
"""Rows on both sides of a word's end, and others with one place in their words: some of these words
are the last of what a thread sweeps at once, one is the first of the next."""
