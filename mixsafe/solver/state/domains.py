"""Who may be where, kept so that tokens can be struck off wires and put back again."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import compiled, inner
from mixsafe.model.limits import MEMORY
from mixsafe.network.core import Core
from mixsafe.network.timeline import wire_at
from mixsafe.network.wires import Wires, came_from
from mixsafe.solver.state import tokens
from mixsafe.solver.state.tokens import TokenSets

Ints = npt.NDArray[np.int32]

MOST_EXCLUDED = MEMORY // 64 // 8
"""Tokens that are struck off wires at a time: what else follows from them is not looked for."""

EXCLUDED, FOLLOWED, HELD, ALONE, FIRST_ZONE, ZONES, FAILED = range(7)
"""Counters: struck off; of these, what followed; told wires; told tokens; zones; impossible."""


class Domains(NamedTuple):
    """Who may be where, what was struck off, and what is to be looked at since.

    Parameters
    ----------
    possible
        (n_wires, words): who may be on each wire.
    size
        (n_wires,): how many they are.
    places
        (horizon + 1, n_rows): on how many rows each token may be after each step.
    is_counted
        (horizon + 1,): whether those places have been counted.
    struck
        (most, 2): wires and tokens that were struck off them, in order.
    held
        (n_wires,): wires on which one token is left.
    alone
        (n_wires, 2): steps and tokens that have one place left then.
    zones, waits
        (n_zones,) each: those on whose wires tokens were struck off, as a ring; whether it is one.
    end
        (n_wires,): last step of each wire.
    linked, linked_ptr
        Wires that carry the same token as a wire.
    counters
        (7,).
    """

    possible: TokenSets
    size: Ints
    places: npt.NDArray[np.int32]
    is_counted: npt.NDArray[np.bool_]
    excluded: Ints
    held: Ints
    alone: Ints
    zones: Ints
    waits: npt.NDArray[np.bool_]
    end: Ints
    linked: npt.NDArray[np.int64]
    linked_ptr: npt.NDArray[np.int64]
    counters: npt.NDArray[np.int64]

    @classmethod
    def of(cls, core: Core, possible: TokenSets) -> Domains:
        """Nothing is struck off yet.

        Parameters
        ----------
        core
            The question.
        possible
            (n_wires, words): at most what reachability leaves. It is copied.
        """
        network = core.network
        n_wires, n_rows, n_zones = network.n_wires, network.n_rows, network.n_zones
        pairs = np.concatenate([core.link_wires, core.link_wires[:, ::-1]])
        pairs = pairs[np.argsort(pairs[:, 0], kind="stable")]
        return cls(
            possible.copy(),
            tokens.count(possible),
            np.zeros((network.horizon + 1, n_rows), np.int32),
            np.zeros(network.horizon + 1, np.bool_),
            np.zeros((min(MOST_EXCLUDED, n_wires * n_rows + 1), 2), np.int32),
            np.zeros(n_wires, np.int32),
            np.zeros((n_wires, 2), np.int32),
            np.zeros(max(1, n_zones), np.int32),
            np.zeros(n_zones, np.bool_),
            network.end,
            np.ascontiguousarray(pairs[:, 1]),
            np.searchsorted(pairs[:, 0], np.arange(n_wires + 1)),
            np.zeros(7, np.int64),
        )

    @property
    def n_excluded(self) -> int:
        """How many tokens have been struck off wires."""
        return int(self.counters[EXCLUDED])


@compiled
def take_back(mark: int, may: Domains, net: Wires) -> None:  # pragma: no cover - compiled
    """Put back who was struck off since ``mark`` of them were."""
    counters = may.counters
    for i in range(counters[EXCLUDED] - 1, mark - 1, -1):
        wire, token = may.excluded[i, 0], may.excluded[i, 1]
        tokens.add(may.possible[wire], token)
        may.size[wire] += 1
        for step in range(net.start[wire], may.end[wire] + 1):
            if may.is_counted[step]:
                may.places[step, token] += 1
    counters[EXCLUDED] = mark
    rest(may)


@inner
def rest(may: Domains) -> None:  # pragma: no cover - compiled
    """Look at nothing more."""
    counters = may.counters
    while counters[ZONES]:
        next_zone(may)
    counters[FOLLOWED] = counters[EXCLUDED]
    counters[HELD] = counters[ALONE] = counters[FAILED] = 0


@inner
def next_zone(may: Domains) -> int:  # pragma: no cover - compiled
    """The zone that has waited longest."""
    counters = may.counters
    zone = may.zones[counters[FIRST_ZONE]]
    counters[FIRST_ZONE] = (counters[FIRST_ZONE] + 1) % len(may.zones)
    counters[ZONES] -= 1
    may.waits[zone] = False
    return zone


@inner
def exclude_all(  # pragma: no cover - compiled
    wire: int, word: int, bits: np.uint64, may: Domains, net: Wires
) -> None:
    """Strike some tokens of one word of a set off a wire."""
    token = word * 64
    while bits:
        if bits & np.uint64(1):
            exclude(wire, token, may, net)
        bits >>= np.uint64(1)
        token += 1


@inner
def keep_only(  # pragma: no cover - compiled
    wire: int, token: int, may: Domains, net: Wires
) -> None:
    """Strike everybody but ``token`` off a wire."""
    for word in range(may.possible.shape[1]):
        bits = may.possible[wire, word]
        if word == token >> 6:
            bits &= ~tokens.bit(token)
        exclude_all(wire, word, bits, may, net)


@inner
def exclude(  # pragma: no cover - compiled
    wire: int, token: int, may: Domains, net: Wires
) -> None:
    """Strike a token off a wire, and note what is to be looked at."""
    counters = may.counters
    if counters[EXCLUDED] == len(may.excluded) or not tokens.holds(may.possible[wire], token):
        return
    tokens.remove(may.possible[wire], token)
    may.excluded[counters[EXCLUDED], 0], may.excluded[counters[EXCLUDED], 1] = wire, token
    counters[EXCLUDED] += 1
    may.size[wire] -= 1
    if may.size[wire] == 0:
        counters[FAILED] = 1
    elif may.size[wire] == 1 and counters[HELD] < len(may.held):
        may.held[counters[HELD]] = wire
        counters[HELD] += 1
    _wait(came_from(wire, net), may)
    _wait(net.leads_to[wire], may)
    _leave(wire, token, may, net)


@inner
def _leave(  # pragma: no cover - compiled
    wire: int, token: int, may: Domains, net: Wires
) -> None:
    """Count the places of a token that was struck off a wire."""
    counters, told = may.counters, False
    for step in range(net.start[wire], may.end[wire] + 1):
        if may.is_counted[step]:
            may.places[step, token] -= 1
        else:
            _count(step, may, net)
        left = may.places[step, token]
        if left == 0:
            counters[FAILED] = 1
        if left == 1 and not told and counters[ALONE] < len(may.alone):
            may.alone[counters[ALONE], 0], may.alone[counters[ALONE], 1] = step, token
            counters[ALONE] += 1
        told = left == 1


@inner
def _wait(zone: int, may: Domains) -> None:  # pragma: no cover - compiled
    """Look at a zone, if it is one, when its turn comes."""
    if zone >= 0 and not may.waits[zone]:
        counters = may.counters
        may.waits[zone] = True
        may.zones[(counters[FIRST_ZONE] + counters[ZONES]) % len(may.zones)] = zone
        counters[ZONES] += 1


@inner
def _count(step: int, may: Domains, net: Wires) -> None:  # pragma: no cover - compiled
    """Count on how many rows each token may be after a step."""
    may.is_counted[step] = True
    places = may.places[step]
    places[:] = 0
    for row in range(len(net.first) - 1):
        here = may.possible[wire_at(row, step, net)]
        for word in range(len(here)):
            bits, token = here[word], word * 64
            while bits:
                if bits & np.uint64(1):
                    places[token] += 1
                bits >>= np.uint64(1)
                token += 1


@inner
def only_token(wire: int, possible: TokenSets) -> int:  # pragma: no cover - compiled
    """The token on a wire on which one is left."""
    word = 0
    while possible[wire, word] == 0:
        word += 1
    token = word * 64
    while not tokens.holds(possible[wire], token):
        token += 1
    return token
