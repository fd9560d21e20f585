"""Small problems as cores, and the truth about their wires."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
from hypothesis import strategies as st

from mixsafe.model.question.adversary import Apart, Knowledge, Links, Pins
from mixsafe.model.question.problem import Problem
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.state import tokens
from mixsafe.solver.state.tokens import TokenSets
from tests.support.oracles import Pin, domains_of, knowledge_of, zones_of
from tests.support.strategies import mix_zones, problem, zone_lists

Candidates = list[set[int]]
"""Tokens of each wire."""


def core_of(asked: Problem) -> Core:
    """The core question of a problem, nothing absorbed."""
    return Core.of(WireNetwork.of(asked.zones), asked.knowledge)


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
        distinct=asked.knowledge.distinct,
    )


def scattered(core: Core, rows: Sequence[int], n_rows: int) -> Core:
    """The same core among many rows that meet nobody: row v is row ``rows[v]``, ascending."""
    network, pins, links = core.network, core.pins, core.links
    now = np.array(rows, np.int32)
    members = np.split(now[network.member], network.zone_ptr[1:-1])
    zones = [(int(t), met.tolist()) for t, met in zip(network.zone_time, members, strict=False)]
    return Core(
        WireNetwork.of(
            replace(mix_zones(n_rows, network.horizon, zones), relation=network.relation)
        ),
        Pins(now[pins.token], pins.time, pins.ptr, now[pins.rows]),
        Links(now[links.row], links.start, links.end),
        Apart(now[core.apart.row], core.apart.time),
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
        distinct=asked.knowledge.distinct,
    )


MANY = 600
"""Users: more than fit into the words that one thread sweeps at once."""

FAR_APART = (63, 64, 215, 279, 471)
"""Rows on both sides of a word's end, and others with one place in their words: some of these words
are the last of what a thread sweeps at once, one is the first of the next."""


@st.composite
def pinned_cores(draw):
    """A core as audits have it, tokens pinned to sets of rows; its zones and pins as plain pairs.

    Every pin holds the token's own row, so that the identity satisfies all of them.
    """
    n_users, horizon = draw(st.integers(2, 5)), draw(st.integers(1, 6))
    zones = draw(zone_lists(n_users, horizon, max_zones=6, max_assignments=600))
    user = st.integers(0, n_users - 1)
    pin = st.tuples(user, st.integers(1, horizon), st.sets(user, max_size=3))
    drawn = draw(st.lists(pin, max_size=2 * n_users, unique_by=lambda p: p[:2]))
    pins: list[Pin] = sorted((c, t, sorted({c, *rows})) for c, t, rows in drawn)
    pins.sort(key=lambda p: p[1])
    rows = [row for _, _, rows in pins for row in rows]
    return (
        Core(
            WireNetwork.of(mix_zones(n_users, horizon, zones)),
            Pins(
                np.array([c for c, _, _ in pins], np.int32),
                np.array([t for _, t, _ in pins], np.int32),
                np.cumsum([0, *(len(rows) for _, _, rows in pins)]).astype(np.int64),
                np.array(rows, np.int32),
            ),
            Links.none(),
        ),
        zones,
        pins,
    )


MEETINGS = {
    "a partner of the row": (1, [(0, 1), (0, 2), (1, 2), (0, 2)]),
    "a partner of the other": (1, [(0, 1), (1, 2), (0, 2), (1, 2)]),
    "a partner of each": (1, [(0, 1), (0, 2), (1, 3), (2, 3), (1, 3), (0, 2)]),
    "a partner of the other, who goes before the wire": (
        3, [(0, 1), (1, 2), (0, 3), (0, 2), (1, 2)],
    ),
}  # fmt: skip
"""A step of user 0 at which user 1 can be there, and who meets, step by step from 1 on."""


def known_at_the_start(asked):
    """The same problem, everybody being seen at step 0, too."""
    everybody = [(user, 0) for user in range(asked.zones.n_users)]
    return replace(asked, knowledge=Knowledge.from_pairs(knowledge_of(asked) + everybody))


def relay(n):
    """Token 0 comes to row 1 in one step; then all others move on by one row, and back in a ring.

    Each pair of neighbours meets once on the way out; on the way home everybody meets the next
    but one, so that no few tokens come home by themselves.
    """
    out = [(1 + i, [i, i + 1]) for i in range(n - 1)]
    home = [(n + i, sorted([i, (i + 2) % n])) for i in range(n)]
    again = [(2 * n + i, sorted([i, (i + 2) % n])) for i in range(n)]
    last = 3 * n + 1
    return problem(n, last, out + home + again, [(u, t) for u in range(n) for t in (0, last)])


@cache
def truth_of_relay(n):
    """Its candidates: brute force takes seconds."""
    return truth_of(relay(n))
