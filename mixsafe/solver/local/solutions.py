"""State of annealing: solutions that may violate sightings, and exchanges between them.

The state says for every zone on which wire each arriving token leaves. Paths are cut at sightings:
from the wire of a sighting on, the token that was seen is on the path, whichever token arrives. If
another token arrives, the sighting is *violated*. A state without violated sightings is a solution
(docs/develop/facts.md). So an exchange at a zone changes two paths, and only up to their next
sightings; its cost follows from the two tokens and the ends of their paths, without following them.

The sampler has another state (:mod:`mixsafe.weigh.draw.solution`), which also expresses tokens that
may be on several rows, links, and two tokens that change back later. Here each sighting is of one
token on one wire. That allows paths to be cut at sightings and their ends to be stored: an exchange
costs the length between two sightings, not the rest of a path.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import compiled, inner
from mixsafe.network.core import Core
from mixsafe.network.relations import is_set
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.local.generator import State, drawn
from mixsafe.solver.state.tokens import TokenSets

Ints = npt.NDArray[np.int32]


TOKEN, SEEN, ENDING, AHEAD, BEHIND, FIRST, LAST, TOUCHED = range(8)
"""Columns of the state of a wire, side by side, because most of them are read together:

token on it; token that is seen on it, or -1; wire of the next sighting on its path, or, without
one, ``~wire`` of the last wire; wires after and before it on the path, or -1; first wire to the
zone that it leads to, and the one after the last of them, or -1; whether the wire has changed from
the identity.
"""


class SearchInstance(NamedTuple):
    """The constant part: where wires lead, sightings, and possible tokens.

    Wires are renumbered: those that lead to one zone are consecutive, and those that lead to the
    horizon come last.
    """

    wire: Ints  # (n_wires,): number in the network of each wire here
    number: Ints  # (n_wires,): number here of each wire of the network
    wires: Ints  # (n_wires, 8): the identity
    since: Ints  # (n_wires,): wire of the previous sighting of the token seen on a wire, or -1
    possible: TokenSets  # (n_wires, words), by numbers of the network
    pairs: TokenSets  # (n_words,): the relation of zones; empty: all are complete
    pair_at: npt.NDArray[np.int64]  # (n_wires,): first word of the zone it leads to; -1: complete


class Solution(NamedTuple):
    """The token on each wire, how paths continue and end, and the violated sightings."""

    wires: Ints  # (n_wires, 8)
    violated: Ints  # (n_wires,): wires of violated sightings, the first size[0] of them
    place: Ints  # (n_wires,): where a wire is in `violated`, or -1
    touched: Ints  # (n_wires,): wires that may differ from the identity, the first size[1]
    size: Ints  # (2,)


class Cycle(NamedTuple):
    """Working memory: wires to a zone, and by which other one a search came to each."""

    wire: Ints  # (members + 2,)
    by: Ints  # (members + 2,)


def new_cycle(instance: SearchInstance) -> Cycle:
    """Room for the members of any zone with a relation."""
    size = instance.wires[:, LAST] - instance.wires[:, FIRST]
    most = int(np.max(size, where=instance.pair_at >= 0, initial=0)) + 2
    return Cycle(np.zeros(most, np.int32), np.zeros(most, np.int32))


def instance_of(core: Core, possible: TokenSets) -> SearchInstance:
    """Instance of a question: every pin and link is a sighting of a token on its own row.

    Parameters
    ----------
    core
        The question.
    possible
        (n_wires, words): possible tokens on each wire.
    """
    network = core.network
    n, wires = network.n_wires, np.arange(network.n_wires)
    final = network.first[1:] - 1
    wire = np.concatenate([network.before, final])
    number = np.empty(n, np.int64)
    number[wire] = wires
    seen = _sightings_at_home(core)
    seen[network.first[:-1]] = np.arange(network.n_rows)
    goes, came = network.leads_to >= 0, network.comes_from >= 0
    known = np.maximum.accumulate(np.where(seen >= 0, wires, 0))
    later = np.append(np.where(seen >= 0, wires, n)[1:], n)
    later = np.minimum.accumulate(later[::-1])[::-1]
    last = final[network.row]
    columns = np.empty((n, 8), np.int32)
    columns[:, TOKEN] = seen[known]
    columns[:, SEEN] = seen
    columns[:, ENDING] = np.where(later <= last, number[np.minimum(later, n - 1)], ~number[last])
    columns[:, AHEAD] = np.where(goes, number[np.minimum(wires + 1, n - 1)], -1)
    columns[:, BEHIND] = np.where(came, number[wires - 1], -1)
    columns[:, FIRST] = np.where(goes, network.zone_ptr[network.leads_to], -1)
    columns[:, LAST] = np.where(goes, network.zone_ptr[network.leads_to + 1], -1)
    columns[:, TOUCHED] = 0
    return SearchInstance(
        wire.astype(np.int32),
        number.astype(np.int32),
        np.ascontiguousarray(columns[wire]),
        _last_seen(network, seen, number)[wire],
        possible,
        network.wires.pairs,
        _pair_at(network)[wire],
    )


def _pair_at(network: WireNetwork) -> npt.NDArray[np.int64]:
    """(n_wires,) first word of the relation of the zone that each wire leads to; -1: complete."""
    at = np.full(network.n_wires, -1, np.int64)
    if network.relation is not None:
        zone, ptr = network.leads_to, network.relation.ptr
        restricted = np.flatnonzero((zone >= 0) & (np.diff(ptr)[zone] > 0))
        at[restricted] = ptr[zone[restricted]]
    return at


def _sightings_at_home(core: Core) -> Ints:
    """(n_wires,) token that is seen on each wire of its own row, or -1."""
    pins, seen = core.own_pins(), np.full(core.network.n_wires, -1, np.int32)
    seen[core.network.wire_at(pins.token, pins.time)] = pins.token
    return seen


def _last_seen(network: WireNetwork, seen: Ints, number: npt.NDArray[np.int64]) -> Ints:
    """(n_wires,) wire of the previous sighting of the token that is seen on a wire, or -1."""
    there = np.flatnonzero(seen >= 0)
    there = there[np.lexsort((network.start[there], seen[there]))]
    before, after = there[:-1], there[1:]
    same = seen[before] == seen[after]
    since = np.full(network.n_wires, -1, np.int32)
    since[after[same]] = number[before[same]]
    return since


def near(wires: npt.NDArray[np.int64], network: WireNetwork, instance: SearchInstance) -> Ints:
    """Wires that lead to zones between the sightings before and after some of ``wires``.

    Parameters
    ----------
    wires
        Numbers of the network. Numbers of the instance are returned.
    """
    n = network.n_wires
    seen, every = instance.wires[instance.number, SEEN] >= 0, np.arange(n)
    since = np.maximum.accumulate(np.where(seen, every, 0))[wires]
    following = np.append(np.minimum.accumulate(np.where(seen, every, n)[::-1])[::-1], n)
    then = following[wires + 1]
    last = network.first[1:][network.row[wires]]
    end = np.where(then < last, network.start[np.minimum(then, n - 1)], network.horizon)
    change = np.zeros(network.horizon + 2, np.int64)
    np.add.at(change, network.start[since], 1)
    np.add.at(change, end + 1, -1)
    is_near = np.cumsum(change) > 0
    leads = np.flatnonzero(instance.wires[:, FIRST] >= 0)
    zone = network.leads_to[instance.wire[leads]]
    return leads[is_near[network.zone_time[zone]]].astype(np.int32)


def length_between_sightings(instance: SearchInstance) -> float:
    """Mean number of wires from one sighting to the next, which an exchange rewrites."""
    return len(instance.wire) / np.count_nonzero(instance.wires[:, SEEN] >= 0)


def identity(instance: SearchInstance) -> Solution:
    """The solution in which every token stays on its own row."""
    n = len(instance.wire)
    return Solution(
        instance.wires.copy(),
        np.zeros(n, np.int32),
        np.full(n, -1, np.int32),
        np.zeros(n, np.int32),
        np.zeros(2, np.int32),
    )


def copy_to(solution: Solution, kept: Solution) -> None:
    """Copy ``solution`` to ``kept``."""
    for mine, theirs in zip(solution, kept, strict=True):
        np.copyto(theirs, mine)


@inner
def is_violated(token: int, ending: int, wires: Ints) -> int:  # pragma: no cover - compiled
    """1 if the path of ``token`` ends at a sighting of another token, 0 if not."""
    return 1 if ending >= 0 and wires[ending, SEEN] != token else 0


@inner
def cost_of(one: int, other: int, wires: Ints) -> int:  # pragma: no cover - compiled
    """Sightings that an exchange on two wires to a zone violates, less those that it repairs."""
    a, b = wires[one, TOKEN], wires[other, TOKEN]
    x, y = wires[one, ENDING], wires[other, ENDING]
    violated = is_violated(a, y, wires) + is_violated(b, x, wires)
    return violated - is_violated(a, x, wires) - is_violated(b, y, wires)


@inner
def can_exchange(  # pragma: no cover - compiled
    one: int, other: int, wires: Ints, instance: SearchInstance
) -> bool:
    """Whether a zone allows the tokens on two wires to it to leave on each other's wires."""
    if len(instance.pairs) == 0 or instance.pair_at[one] < 0:
        return True
    return _may_leave(one, wires[other, AHEAD], wires, instance) and _may_leave(
        other, wires[one, AHEAD], wires, instance
    )


@inner
def may_replace(  # pragma: no cover - compiled
    one: int, other: int, wires: Ints, instance: SearchInstance
) -> bool:
    """Whether a zone allows the token on wire ``one`` to leave in place of that on ``other``."""
    if len(instance.pairs) == 0 or instance.pair_at[one] < 0:
        return True
    return _may_leave(one, wires[other, AHEAD], wires, instance)


@inner
def find_cycle(  # pragma: no cover - compiled
    one: int, other: int, cycle: Cycle, wires: Ints, instance: SearchInstance, random: State
) -> int:
    """Find wires to a zone on which each token can leave in place of the next one; their number.

    The first is ``one``, the second ``other``, which it may replace. These two alone where they can
    exchange; else the others are a shortest alternating path back (Berge 1957), drawn at random.
    0: there is none, which is only where the zone is several components of its relation.
    """
    cycle.wire[0], cycle.wire[1] = one, other
    if can_exchange(one, other, wires, instance):
        return 2
    first, size = wires[one, FIRST], wires[one, LAST] - wires[one, FIRST]
    by, queue = cycle.by, cycle.wire
    for i in range(size):
        by[i] = -1
    by[one - first] = by[other - first] = one
    queue[0] = other
    shift, n, at = drawn(random, size), 1, 0
    while at < n and not may_replace(queue[at], one, wires, instance):
        for i in range(size):
            wire = first + (i + shift) % size
            if by[wire - first] < 0 and may_replace(queue[at], wire, wires, instance):
                by[wire - first] = queue[at]
                queue[n] = wire
                n += 1
        at += 1
    return _write_back(one, queue[at], first, cycle) if at < n else 0


@inner
def _write_back(  # pragma: no cover - compiled
    one: int, last: int, first: int, cycle: Cycle
) -> int:
    """Write the wires of the path from ``one`` to ``last``; their number."""
    length, wire = 1, last
    while wire != one:
        wire = cycle.by[wire - first]
        length += 1
    wire = last
    for i in range(length - 1, -1, -1):
        cycle.wire[i] = wire
        wire = cycle.by[wire - first]
    return length


@inner
def exchange_cycle(  # pragma: no cover - compiled
    length: int, cycle: Cycle, solution: Solution
) -> None:
    """Let each token of a cycle leave in place of the next one's."""
    for i in range(1, length):
        exchange(cycle.wire[i - 1], cycle.wire[i], solution)


@inner
def undo_cycle(length: int, cycle: Cycle, solution: Solution) -> None:  # pragma: no cover
    """Undo that."""
    for i in range(length - 1, 0, -1):
        exchange(cycle.wire[i - 1], cycle.wire[i], solution)


@inner
def _may_leave(  # pragma: no cover - compiled
    one: int, after: int, wires: Ints, instance: SearchInstance
) -> bool:
    """Whether who comes to a zone on wire ``one`` may leave it on wire ``after``."""
    first, member = wires[one, FIRST], instance.number[instance.wire[after] - 1]
    size = wires[one, LAST] - first
    return is_set(instance.pairs, instance.pair_at[one], size, one - first, member - first)


@inner
def exchange(one: int, other: int, solution: Solution) -> None:  # pragma: no cover - compiled
    """Let the tokens that come on two wires to a zone leave on each other's wires."""
    wires = solution.wires
    x, y = wires[one, ENDING], wires[other, ENDING]
    after, beyond = wires[one, AHEAD], wires[other, AHEAD]
    wires[one, AHEAD], wires[other, AHEAD] = beyond, after
    wires[after, BEHIND], wires[beyond, BEHIND] = other, one
    rename(after, wires[other, TOKEN], solution)
    rename(beyond, wires[one, TOKEN], solution)
    redirect(one, y, solution)
    redirect(other, x, solution)
    review(x, solution)
    review(y, solution)


@inner
def rename(wire: int, token: int, solution: Solution) -> None:  # pragma: no cover - compiled
    """Put ``token`` on a path from ``wire`` on, up to the next sighting."""
    while wire >= 0 and solution.wires[wire, SEEN] < 0:
        solution.wires[wire, TOKEN] = token
        touch(wire, solution)
        wire = solution.wires[wire, AHEAD]


@inner
def redirect(wire: int, ending: int, solution: Solution) -> None:  # pragma: no cover - compiled
    """Store the new end of a path on ``wire`` and back to the sighting before it."""
    while True:
        solution.wires[wire, ENDING] = ending
        touch(wire, solution)
        if solution.wires[wire, SEEN] >= 0:
            return
        wire = solution.wires[wire, BEHIND]


@inner
def touch(wire: int, solution: Solution) -> None:  # pragma: no cover - compiled
    """Mark a wire as changed from the identity."""
    if solution.wires[wire, TOUCHED] == 0:
        solution.wires[wire, TOUCHED] = 1
        solution.touched[solution.size[1]] = wire
        solution.size[1] += 1


@inner
def review(ending: int, solution: Solution) -> None:  # pragma: no cover - compiled
    """Add the sighting at the end of a path to the violated ones, or remove it."""
    if ending < 0:
        return
    wires, place, size = solution.wires, solution.place[ending], solution.size
    wrong = wires[wires[ending, BEHIND], TOKEN] != wires[ending, SEEN]
    if wrong and place < 0:
        solution.place[ending] = size[0]
        solution.violated[size[0]] = ending
        size[0] += 1
    elif place >= 0 and not wrong:
        size[0] -= 1
        last = solution.violated[size[0]]
        solution.violated[place] = last
        solution.place[last] = place
        solution.place[ending] = -1


@compiled
def reset(solution: Solution, instance: SearchInstance) -> None:  # pragma: no cover - compiled
    """Set a solution to the identity."""
    now, then = solution.wires, instance.wires
    for i in range(solution.size[0]):
        solution.place[solution.violated[i]] = -1
    for i in range(solution.size[1]):
        wire = solution.touched[i]
        ahead, behind = then[wire, AHEAD], then[wire, BEHIND]
        now[wire, TOUCHED] = 0
        now[wire, TOKEN], now[wire, ENDING] = then[wire, TOKEN], then[wire, ENDING]
        now[wire, SEEN] = then[wire, SEEN]
        now[wire, AHEAD], now[wire, BEHIND] = ahead, behind
        if ahead >= 0:
            now[ahead, BEHIND] = wire
        if behind >= 0:
            now[behind, AHEAD] = wire
    solution.size[0] = solution.size[1] = 0
