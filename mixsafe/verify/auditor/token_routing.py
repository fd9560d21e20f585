"""Token routing: witnesses on request, in which a token is where it is wanted.

From a solution a token is led over a wire on which nobody has seen it yet. Whoever is in its way
takes a detour, and so do those in the way of that, as in the search for an initial solution (see
``negotiated_routes``). Where all are content at last, that is another solution, from which the next
request starts. Supports of any size come about in this way; that none is found proves nothing.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import compiled
from mixsafe.model.limits import Deadline
from mixsafe.network.core import Core
from mixsafe.solver.state.tokens import TokenSets, add, holds
from mixsafe.verify.auditor.detours import (
    Longs,
    PathSearch,
    Roads,
    Ways,
    cheapest,
    clear,
    count,
    detour,
    new_search,
    replace,
    stretch,
)
from mixsafe.verify.auditor.negotiated_routes import in_order, new_ways, roads_of

_ROUNDS = 40  # of negotiation over one request
_MOST = 60  # tokens that may be rerouted
_FACTOR = np.float32(2.0)
_SPREADS = (2, 5, 12, 1 << 40)  # wires to either side that a way to a wanted wire may change
_LASTING = np.float32(0.5)
_BARRED = np.float32(1e9)  # what a wire costs everybody but the token that is wanted there
_BETWEEN_LOOKS = 0.3  # seconds between two looks at the clock


class _Moved(NamedTuple):
    """Who has moved, and where, over one request."""

    token: Longs  # (n_tokens,): those who have moved, and those in their way
    is_in: npt.NDArray[np.bool_]  # (n_tokens,): whether a token is one of them
    path: Longs  # (n_tokens, most): the ways that they came from
    length: Longs  # (n_tokens,)
    sized: Longs  # (2,): how many they are, and how many wires have become dear
    dear: Longs  # wires that have become dear


class _Routing(NamedTuple):
    """The present solution, and what it takes to find the next one."""

    on: npt.NDArray[np.int32]  # (n_wires,): token on each wire, -1 for an anonymous one
    roads: Roads
    ways: Ways
    search: PathSearch
    moved: _Moved


class Requests:
    """Solutions, one after the other, in which tokens are where they are wanted.

    Parameters
    ----------
    core
        The question, the identity being a solution.
    possible
        (n_wires, words): a superset of what can be.
    n_known
        Tokens 0 to n_known - 1 are told apart; the others give way to anybody.
    seed
        Of tastes, and of the order in which tokens choose.
    """

    def __init__(self, core: Core, possible: TokenSets, n_known: int, seed: int) -> None:
        network = core.network
        random = np.random.default_rng(seed)
        self._number = in_order(network)
        roads = roads_of(core, possible, self._number)
        ways = new_ways(network.n_wires, np.arange(n_known), network.horizon, random)
        on = np.full(network.n_wires, -1, np.int32)
        on[self._number] = np.where(network.row < n_known, network.row, -1)
        for token in range(n_known):
            wires = self._number[network.first[token] : network.first[token + 1]]
            ways.path[token, : len(wires)] = wires
            ways.length[token] = len(wires)
            ways.users[wires] = 1
        ways.cost[:] = 1 + _FACTOR * ways.users
        moved = _Moved(
            np.empty(n_known, np.int64),
            np.zeros(n_known, np.bool_),
            np.empty(ways.path.shape, np.int64),
            np.empty(n_known, np.int64),
            np.zeros(2, np.int64),
            np.empty(network.n_wires, np.int64),
        )
        self._state = _Routing(on, roads, ways, new_search(roads, ways), moved)

    def fulfil(self, wire: Longs, token: Longs, proven: TokenSets, deadline: Deadline) -> None:
        """Lead tokens over wires, one pair after the other, and note where all tokens get to.

        Parameters
        ----------
        wire, token
            (n,) each: pairs; those that are ``proven`` by then are left out.
        proven
            (n_wires, words): is added to.
        deadline
            When to stop before all is done.
        """
        found = np.empty_like(proven)
        found[self._number] = proven
        wanted, done, at_once = self._number[wire], 0, 16
        while done < len(wanted) and not deadline.passed:
            began = time.monotonic()
            some = slice(done, done + at_once)
            _fulfil(wanted[some], token[some], found, self._state)
            done += at_once
            at_once = max(
                1, at_once * 2 if time.monotonic() - began < _BETWEEN_LOOKS else at_once // 2
            )
        proven[:] = found[self._number]


@compiled
def _fulfil(  # pragma: no cover - compiled
    wire: Longs, token: Longs, found: TokenSets, r: _Routing
) -> None:
    on, roads, ways, s, moved = r
    for i in range(len(wire)):
        c = token[i]
        if holds(found[wire[i]], c):
            continue
        moved.sized[:] = 0
        _add(c, moved, ways)
        if _lead(c, wire[i], roads, ways, s) and _agree(c, wire[i], on, roads, ways, s, moved):
            _take(on, found, ways, moved)
        else:
            _undo(ways, moved)
        for j in range(moved.sized[1]):
            ways.dear[moved.dear[j]] = 0
        for j in range(moved.sized[1]):
            count(moved.dear[j], 0, _FACTOR, ways)
        for j in range(moved.sized[0]):
            moved.is_in[moved.token[j]] = False


@compiled
def _add(i: int, moved: _Moved, ways: Ways) -> None:  # pragma: no cover - compiled
    """One more token that may be rerouted."""
    number, n = moved.sized[0], ways.length[i]
    moved.token[number], moved.length[number] = i, n
    moved.path[number, :n] = ways.path[i, :n]
    moved.is_in[i] = True
    moved.sized[0] += 1


@compiled
def _lead(  # pragma: no cover - compiled
    c: int, wire: int, roads: Roads, ways: Ways, s: PathSearch
) -> bool:
    """Lead token ``c`` over a wire, with as small a change of its way as will do."""
    n, zone = ways.length[c], roads.comes_from[wire]
    last, after = 0, n  # places before the zone, and after it
    for j in range(n):
        if roads.comes_from[ways.path[c, j]] < zone:
            last = j
        elif after == n and roads.comes_from[ways.path[c, j]] > zone:
            after = j
    for spread in _SPREADS:
        begin, end = max(0, last - spread), min(n, after + spread)
        to = cheapest(c, ways.path[c, begin], wire, roads, ways, s)
        if to < 0:
            continue
        way = s.way[:to].copy()
        target = -1 if end == n else int(ways.path[c, end])
        on = cheapest(c, wire, target, roads, ways, s)
        if on < 0:
            continue
        s.way[on : on + to] = way
        clear(c, begin, end, _FACTOR, ways)
        replace(c, begin, end, on + to, _FACTOR, ways, s)
        return True
    return False


@compiled
def _agree(  # pragma: no cover - compiled
    c: int,
    wire: int,
    on: npt.NDArray[np.int32],
    roads: Roads,
    ways: Ways,
    s: PathSearch,
    moved: _Moved,
) -> bool:
    """Let all who are in the way look again, until nobody is; ``c`` keeps ``wire``."""
    _make_dear(wire, _BARRED, ways, moved)
    _in_the_way(c, 1, ways.length[c], on, ways, moved)
    for _ in range(_ROUNDS):
        content, k = True, 0
        while k < moved.sized[0] <= _MOST:
            i = moved.token[k]
            k += 1
            begin, end = stretch(i, wire if i == c else -1, roads, ways)
            if begin >= 0:
                content = False
                found = detour(i, begin, end, _FACTOR, roads, ways, s)
                _in_the_way(i, begin + 1, begin + 1 + found, on, ways, moved)
        if moved.sized[0] > _MOST:
            return False
        if content:
            return True
        for i in moved.token[: moved.sized[0]]:
            for x in ways.path[i, : ways.length[i]]:
                if ways.users[x] > 1 and x != wire:
                    _make_dear(x, _LASTING, ways, moved)
    return False


@compiled
def _make_dear(  # pragma: no cover - compiled
    wire: int, more: np.float32, ways: Ways, moved: _Moved
) -> None:
    if ways.dear[wire] == 0 and moved.sized[1] < len(moved.dear):
        moved.dear[moved.sized[1]] = wire
        moved.sized[1] += 1
    ways.dear[wire] += more
    count(wire, 0, _FACTOR, ways)


@compiled
def _in_the_way(  # pragma: no cover - compiled
    i: int, begin: int, end: int, on: npt.NDArray[np.int32], ways: Ways, moved: _Moved
) -> None:
    """Those who were on wires that token ``i`` has taken now may have to be rerouted."""
    for x in ways.path[i, begin:end]:
        fresh = ways.users[x] > 1 and on[x] >= 0 and not moved.is_in[on[x]]
        if fresh and moved.sized[0] <= _MOST:
            _add(on[x], moved, ways)


@compiled
def _take(  # pragma: no cover - compiled
    on: npt.NDArray[np.int32], found: TokenSets, ways: Ways, moved: _Moved
) -> None:
    """Make the new solution the present one, and note who is where in it."""
    for k in range(moved.sized[0]):
        for x in moved.path[k, : moved.length[k]]:
            on[x] = -1
    for i in moved.token[: moved.sized[0]]:
        for x in ways.path[i, : ways.length[i]]:
            on[x] = i
            add(found[x], i)


@compiled
def _undo(ways: Ways, moved: _Moved) -> None:  # pragma: no cover - compiled
    """Take all back to where they were."""
    for k in range(moved.sized[0]):
        i = moved.token[k]
        for x in ways.path[i, : ways.length[i]]:
            count(x, -1, _FACTOR, ways)
        ways.length[i] = moved.length[k]
        ways.path[i, : ways.length[i]] = moved.path[k, : ways.length[i]]
        for x in ways.path[i, : ways.length[i]]:
            count(x, 1, _FACTOR, ways)
