"""Domains of wires with a trail: excluded tokens can be put back."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import compiled, inner
from mixsafe.model.course import MEMORY
from mixsafe.network.core import Core
from mixsafe.network.timeline import wire_at
from mixsafe.network.wires import Wires, came_from
from mixsafe.solver.state import tokens
from mixsafe.solver.state.tokens import TokenSets

Ints = npt.NDArray[np.int32]

MOST_EXCLUDED = MEMORY // 64 // 8
"""Length of the trail. When it is full, nothing more is derived."""

EXCLUDED, FOLLOWED, HELD, ALONE, FIRST_ZONE, ZONES, FAILED = range(7)
"""Counters: excluded; of these, propagated; held; alone; first zone, zones in the queue; failed."""


class Domains(NamedTuple):
    """Possible tokens of each wire, the trail of excluded ones, and queues of propagation.

    Parameters
    ----------
    possible
        (n_wires, words): possible tokens of each wire.
    size
        (n_wires,): number of these tokens.
    places
        (horizon + 1, n_rows): number of rows on which each token may be after each step.
    is_counted
        (horizon + 1,): whether the places after a step have been counted.
    excluded
        (most, 2): the trail, pairs of a wire and a token excluded from it, in order.
    held
        (n_wires,): stack of wires on which one token is left.
    alone
        (n_wires, 2): stack of pairs of a step and a token that has one place left then.
    zones, waits
        (n_zones,) each: ring buffer of zones whose wires have changed; whether a zone is in it.
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
    def of(cls, core: Core, possible: TokenSets, most_excluded: int = MOST_EXCLUDED) -> Domains:
        """Domains with an empty trail.

        Parameters
        ----------
        core
            The question.
        possible
            (n_wires, words): at least as tight as reachability. It is copied.
        most_excluded
            Length of the trail, at most.
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
            np.zeros((min(most_excluded, n_wires * n_rows + 1), 2), np.int32),
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
        """Length of the trail."""
        return int(self.counters[EXCLUDED])


@compiled
def take_back(mark: int, domains: Domains, net: Wires) -> None:  # pragma: no cover - compiled
    """Backtrack: put back the tokens on the trail from place ``mark`` on."""
    counters = domains.counters
    for i in range(counters[EXCLUDED] - 1, mark - 1, -1):
        wire, token = domains.excluded[i, 0], domains.excluded[i, 1]
        tokens.add(domains.possible[wire], token)
        domains.size[wire] += 1
        for step in range(net.start[wire], domains.end[wire] + 1):
            if domains.is_counted[step]:
                domains.places[step, token] += 1
    counters[EXCLUDED] = mark
    rest(domains)


@inner
def rest(domains: Domains) -> None:  # pragma: no cover - compiled
    """Clear the queues."""
    counters = domains.counters
    while counters[ZONES]:
        next_zone(domains)
    counters[FOLLOWED] = counters[EXCLUDED]
    counters[HELD] = counters[ALONE] = counters[FAILED] = 0


@inner
def next_zone(domains: Domains) -> int:  # pragma: no cover - compiled
    """Take the next zone from the queue."""
    counters = domains.counters
    zone = domains.zones[counters[FIRST_ZONE]]
    counters[FIRST_ZONE] = (counters[FIRST_ZONE] + 1) % len(domains.zones)
    counters[ZONES] -= 1
    domains.waits[zone] = False
    return zone


@inner
def exclude_all(  # pragma: no cover - compiled
    wire: int, word: int, bits: np.uint64, domains: Domains, net: Wires
) -> None:
    """Exclude some tokens, given as bits of one word of a set, from a wire."""
    for token in tokens.in_word(bits, word):
        exclude(wire, token, domains, net)


@inner
def keep_only(  # pragma: no cover - compiled
    wire: int, token: int, domains: Domains, net: Wires
) -> None:
    """Exclude all tokens other than ``token`` from a wire."""
    for word in range(domains.possible.shape[1]):
        bits = domains.possible[wire, word]
        if word == token >> 6:
            bits &= ~tokens.bit(token)
        exclude_all(wire, word, bits, domains, net)


@inner
def exclude(  # pragma: no cover - compiled
    wire: int, token: int, domains: Domains, net: Wires
) -> None:
    """Exclude a token from a wire, and queue what may follow from that."""
    counters = domains.counters
    if counters[EXCLUDED] == len(domains.excluded) or not tokens.holds(
        domains.possible[wire], token
    ):
        return
    tokens.remove(domains.possible[wire], token)
    domains.excluded[counters[EXCLUDED], 0], domains.excluded[counters[EXCLUDED], 1] = wire, token
    counters[EXCLUDED] += 1
    domains.size[wire] -= 1
    if domains.size[wire] == 0:
        counters[FAILED] = 1
    elif domains.size[wire] == 1 and counters[HELD] < len(domains.held):
        domains.held[counters[HELD]] = wire
        counters[HELD] += 1
    _wait(came_from(wire, net), domains)
    _wait(net.leads_to[wire], domains)
    _leave(wire, token, domains, net)


@inner
def _leave(  # pragma: no cover - compiled
    wire: int, token: int, domains: Domains, net: Wires
) -> None:
    """Update the number of places of a token that was excluded from a wire."""
    counters, was_single = domains.counters, False
    for step in range(net.start[wire], domains.end[wire] + 1):
        if domains.is_counted[step]:
            domains.places[step, token] -= 1
        else:
            _count(step, domains, net)
        left = domains.places[step, token]
        if left == 0:
            counters[FAILED] = 1
        if left == 1 and not was_single and counters[ALONE] < len(domains.alone):
            domains.alone[counters[ALONE], 0], domains.alone[counters[ALONE], 1] = step, token
            counters[ALONE] += 1
        was_single = left == 1


@inner
def _wait(zone: int, domains: Domains) -> None:  # pragma: no cover - compiled
    """Add a zone to the queue, unless it is there; -1: no zone."""
    if zone >= 0 and not domains.waits[zone]:
        counters = domains.counters
        domains.waits[zone] = True
        domains.zones[(counters[FIRST_ZONE] + counters[ZONES]) % len(domains.zones)] = zone
        counters[ZONES] += 1


@inner
def _count(step: int, domains: Domains, net: Wires) -> None:  # pragma: no cover - compiled
    """Count the rows on which each token may be after a step."""
    domains.is_counted[step] = True
    places = domains.places[step]
    places[:] = 0
    for row in range(len(net.first) - 1):
        here = domains.possible[wire_at(row, step, net)]
        for word in range(len(here)):
            for token in tokens.in_word(here[word], word):
                places[token] += 1


@inner
def only_token(wire: int, possible: TokenSets) -> int:  # pragma: no cover - compiled
    """The last token that is left on a wire."""
    word = 0
    while possible[wire, word] == 0:
        word += 1
    token = word * 64
    while not tokens.holds(possible[wire], token):
        token += 1
    return token
