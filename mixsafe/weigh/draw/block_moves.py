"""Block moves: up to four tokens of a zone redraw all their exchanges with each other.

A move follows the paths of some tokens from a zone on. Where two or more of these paths come to one
zone, their tokens may be permuted; where a path comes to a wire on which its token is known to be,
it must carry that token again. The token on each path is drawn from its exact conditional
distribution: probabilities are summed backward from the end, then states are drawn forward from the
beginning. Paths that begin at the same wires cover the same wires afterwards, and meet in the same
zones: this is blocked Gibbs sampling. Backward in time it is the same. In a zone with a relation
the tokens take allowed pairs only; where pairs have weights, an exchange has the product of those
of its pairs. All other tokens keep theirs.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import compiled, inner
from mixsafe.network.core import Core
from mixsafe.network.wires import is_complete
from mixsafe.solver.dp.permutations import permutations
from mixsafe.solver.local.generator import State, drawn, uniform
from mixsafe.weigh.draw.pair_moves import OftenDrawn
from mixsafe.weigh.draw.solution import (
    DrawnSolution,
    Instance,
    Ints,
    Small,
    cross,
    has_likely_pairs,
    log_pair,
    may_pass,
    rename,
)

SIZE = 4
"""Maximum number of tokens in a block."""

EVENTS = 1 << 12  # maximum number of zones in which paths meet; larger blocks are skipped
KNOWN = -1  # key of a wire on which the token is known
AT_END = (1 << 31) - 1  # key of a wire at the end of the data


class PathTables(NamedTuple):
    """Constant tables: how to follow paths, and the states of a block.

    Parameters
    ----------
    key
        (2, n_wires): zone at the end of each wire, and at its beginning, numbered in the order of
        visits; or :data:`KNOWN`, or :data:`AT_END`.
    on_path
        (n_states, SIZE): token on each path.
    moved
        (2, n_states, n_states): as in :class:`~mixsafe.solver.dp.permutations.Permutations`.
    own
        (n_states,): paths that carry their own token, as bits.
    alike
        (2^SIZE, n_states): states that differ only on these paths have the same number.
    """

    key: Small
    on_path: npt.NDArray[np.int8]
    moved: npt.NDArray[np.int16]
    own: npt.NDArray[np.int8]
    alike: npt.NDArray[np.int16]


class BlockMemory(NamedTuple):
    """Working memory of one chain."""

    start: Ints  # (SIZE,): first wire of each path after the zone
    now: Ints  # (SIZE,)
    token: Ints  # (SIZE,)
    meet: npt.NDArray[np.int8]  # (events,): paths that meet, as bits
    held: npt.NDArray[np.int8]  # (events,): paths that must carry their own token afterwards
    come: Ints  # (events, SIZE): wire on which each path comes
    onto: Ints  # (SIZE,): paths onto which the token of each may go, as bits
    likely: npt.NDArray[np.float64]  # (SIZE, SIZE): log weights of these pairs of paths
    ways: Ints  # (events,): how many exchanges are listed; 0: all are possible, and weigh the same
    way: npt.NDArray[np.int16]  # (events, n_states): these exchanges, as states that they lead to
    weight: npt.NDArray[np.float64]  # (events, n_states): of each of them; the greatest is 1
    chance: npt.NDArray[np.float64]  # (events, n_states): of what follows, up to a factor
    sums: npt.NDArray[np.float64]  # (n_states,)
    state: Small  # (events,)


def paths_of(core: Core, instance: Instance) -> PathTables | None:
    """Path tables; None: links, users apart, pins to several rows, or chances are not supported."""
    network, (_, wire) = core.network, core.pin_wires
    if len(core.link_wires) or len(core.apart) or np.any(np.diff(core.pins.ptr) != 1):
        return None
    if not instance.uniform:
        return None
    key = np.stack([network.leads_to, network.n_zones - 1 - network.comes_from]).astype(np.int32)
    key[0, network.leads_to < 0] = AT_END
    key[1, network.comes_from < 0] = KNOWN
    key[:, wire] = KNOWN
    on_path, _, moved = permutations(SIZE)
    places = np.arange(SIZE)
    own = ((on_path == places) << places).sum(axis=1).astype(np.int8)
    alike = np.zeros((1 << SIZE, len(on_path)), np.int16)
    for bits, numbers in enumerate(alike):
        rest = on_path * (bits >> places & 1 == 0) - (bits >> places & 1)
        numbers[:] = np.unique(rest, axis=0, return_inverse=True)[1].ravel()
    return PathTables(key, on_path, moved, own, alike)


def new_block() -> BlockMemory:
    """Allocate working memory."""
    n_states = math.factorial(SIZE)
    start, now, token, onto = np.zeros((4, SIZE), np.int64)
    meet, held = np.zeros((2, EVENTS), np.int8)
    chance, weight = np.zeros((2, EVENTS, n_states))
    way = np.zeros((EVENTS, n_states), np.int16)
    come, state = np.zeros((EVENTS, SIZE), np.int64), np.zeros(EVENTS, np.int32)
    ways, sums = np.zeros(EVENTS, np.int64), np.zeros(n_states)
    return BlockMemory(
        start,
        now,
        token,
        meet,
        held,
        come,
        onto,
        np.zeros((SIZE, SIZE)),
        ways,
        way,
        weight,
        chance,
        sums,
        state,
    )


@compiled
def draw_blocks(  # pragma: no cover - compiled
    moves: int,
    often: OftenDrawn,
    paths: PathTables,
    instance: Instance,
    solution: DrawnSolution,
    random: State,
    block: BlockMemory,
) -> int:
    """Redraw ``moves`` blocks; returns how many changed.

    Half of the blocks are followed forward, the others backward in time.
    """
    changed, are_alike = 0, len(instance.pairs) == 0 and len(instance.likely) == 0
    for _ in range(moves):
        back = drawn(random, 2)
        among = often.back if back else often.onward
        m = among[drawn(random, len(among))]
        n = _choose(m, 1 - back, instance, random, block)
        ahead, behind = solution.ahead, solution.behind
        if back:
            ahead, behind = behind, ahead
        last = _follow(n, paths.key[back], ahead, behind, solution.token, block)
        if last < 0:
            continue
        if not are_alike:  # else no exchanges have ever been listed
            for e in range(last + 1):
                _list_ways(e, back, ahead, paths, instance, block)
        _add_up(last, paths, block)
        if _draw_states(last, paths, random, block):
            _put((last, n), paths.on_path, ahead, behind, solution.token, block)
            changed += 1
    return changed


@inner
def _choose(  # pragma: no cover - compiled
    m: int, after: int, instance: Instance, random: State, block: BlockMemory
) -> int:
    """Start paths at a membership of a zone and some others of it; returns their number."""
    zone = instance.zone_of[m]
    first, size = instance.zone_ptr[zone], instance.zone_ptr[zone + 1] - instance.zone_ptr[zone]
    n = min(size, SIZE)
    block.start[0] = instance.before[m] + after
    for i in range(1, n):
        again = True
        while again:
            block.start[i] = instance.before[first + drawn(random, size)] + after
            again = False
            for j in range(i):
                again |= block.start[j] == block.start[i]
    return n


@inner
def _follow(  # pragma: no cover - compiled
    n: int, key: Small, ahead: Small, behind: Small, token: Small, block: BlockMemory
) -> int:
    """Record where paths meet, and where they must carry their own tokens; the last event.

    -1: no exchange is possible, or there are too many events.
    """
    for i in range(n):
        block.now[i] = block.start[i]
        block.token[i] = token[block.start[i]]
        block.come[0, i] = behind[block.start[i]]
    alive, held, e = (1 << n) - 1, ((1 << SIZE) - 1) ^ ((1 << n) - 1), 0
    block.meet[0] = alive
    while True:
        group, known = _next_zone(n, alive, key, block)
        alive ^= known
        held |= known
        few = alive & (alive - 1) == 0
        if few or group == 0:
            block.held[e] = held
            return -1 if few and e == 0 else e
        if group & (group - 1):
            block.held[e] = held
            e, held = e + 1, 0
            if e == EVENTS:
                return -1
            block.meet[e] = group
        for i in range(n):
            if group & (group - 1):
                block.come[e, i] = block.now[i]
            if group >> i & 1:
                block.now[i] = ahead[block.now[i]]


@inner
def _next_zone(
    n: int, alive: int, key: Small, block: BlockMemory
) -> tuple[int, int]:  # pragma: no cover - compiled
    """Paths that come to the next zone, and paths whose token is known; as bits, 0 for none."""
    first, group, known = AT_END, 0, 0
    for i in range(n):
        if alive >> i & 1:
            there = key[block.now[i]]
            if there == KNOWN:
                known |= 1 << i
            elif there < first:
                first, group = there, 1 << i
            elif there == first and there != AT_END:
                group |= 1 << i
    return group, known


@inner
def _list_ways(  # pragma: no cover - compiled
    e: int, back: int, ahead: Small, paths: PathTables, instance: Instance, block: BlockMemory
) -> None:
    """List the exchanges of the paths of an event that the zone allows, unless all are alike."""
    block.ways[e] = 0
    if _are_alike(e, back, ahead, instance, block):
        return
    for p in range(len(paths.own)):
        fits = True
        for b in range(SIZE):
            a = paths.on_path[p, b]
            fits &= a == b or block.onto[a] >> b & 1 == 1
        if fits:
            block.way[e, block.ways[e]] = p
            block.weight[e, block.ways[e]] = 1.0
            block.ways[e] += 1
    if len(instance.likely):
        _weigh_ways(e, paths, block)


@inner
def _weigh_ways(  # pragma: no cover - compiled
    e: int, paths: PathTables, block: BlockMemory
) -> None:
    """Weights of the listed exchanges of an event, by those of their pairs."""
    group, most = block.meet[e], -np.inf
    for i in range(block.ways[e]):
        total = 0.0
        for b in range(SIZE):
            if group >> b & 1:
                total += block.likely[paths.on_path[block.way[e, i], b], b]
        block.weight[e, i] = total
        most = max(most, total)
    for i in range(block.ways[e]):
        block.weight[e, i] = math.exp(block.weight[e, i] - most)


@inner
def _are_alike(  # pragma: no cover - compiled
    e: int, back: int, ahead: Small, instance: Instance, block: BlockMemory
) -> bool:
    """Whether the zone of an event allows all exchanges, and all weigh the same.

    If not, ``block.onto`` says which pairs it allows, ``block.likely`` what they weigh.
    """
    group, come = block.meet[e], block.come[e]
    block.onto[:] = 0
    for i in range(SIZE):
        for j in range(SIZE):
            if group >> i & group >> j & 1:
                one, other = come[i], ahead[come[j]]
                if back:
                    one, other = other, one
                zone = instance.leads_to[one]
                weighed = has_likely_pairs(zone, instance)
                if is_complete(zone, instance) and not weighed:
                    return True
                block.onto[i] |= may_pass(one, other, instance) << j
                block.likely[i, j] = log_pair(one, other, instance) if weighed else 0.0
    return False


@inner
def _add_up(
    last: int, paths: PathTables, block: BlockMemory
) -> None:  # pragma: no cover - compiled
    """Probability of the future of each event, backward from the end."""
    n_states = len(paths.own)
    for s in range(n_states):
        block.chance[last, s] = 1.0
    for e in range(last, -1, -1):
        held = block.held[e]
        for s in range(n_states):
            if paths.own[s] & held != held:
                block.chance[e, s] = 0.0
        if e == 0:
            return
        most = 0.0
        if block.ways[e] == 0:
            _sum_alike(e, paths, block)
        else:
            _sum_listed(e, paths, block)
        for s in range(n_states):
            most = max(most, block.chance[e - 1, s])
        for s in range(n_states):
            block.chance[e - 1, s] /= most


@inner
def _sum_alike(  # pragma: no cover - compiled
    e: int, paths: PathTables, block: BlockMemory
) -> None:
    """Probability before an event of all exchanges: of all states that it leads to."""
    alike = paths.alike[block.meet[e]]
    block.sums[:] = 0.0
    for s in range(len(alike)):
        block.sums[alike[s]] += block.chance[e, s]
    for s in range(len(alike)):
        block.chance[e - 1, s] = block.sums[alike[s]]


@inner
def _sum_listed(  # pragma: no cover - compiled
    e: int, paths: PathTables, block: BlockMemory
) -> None:
    """As :func:`_sum_alike`, where exchanges are listed."""
    for s in range(len(paths.own)):
        total = 0.0
        for i in range(block.ways[e]):
            s_after = paths.moved[0, s, block.way[e, i]]
            total += block.weight[e, i] * block.chance[e, s_after]
        block.chance[e - 1, s] = total


@inner
def _draw_states(
    last: int, paths: PathTables, random: State, block: BlockMemory
) -> bool:  # pragma: no cover - compiled
    """Draw the token on each path after each event, forward; whether any token moves."""
    before, moves = 0, False
    for e in range(last + 1):
        alike = paths.alike[block.meet[e]]
        leads, total = alike[before] if block.ways[e] == 0 else -1, 0.0
        for s in range(len(alike)):
            block.sums[s] = block.chance[e, s] if alike[s] == leads else 0.0
        for i in range(block.ways[e]):
            s = paths.moved[0, before, block.way[e, i]]
            block.sums[s] = block.weight[e, i] * block.chance[e, s]
        for s in range(len(alike)):
            total += block.sums[s]
        left, after = total * uniform(random), before
        for s in range(len(alike)):
            if block.sums[s] > 0:
                left -= block.sums[s]
                after = s
                if left < 0:
                    break
        block.state[e] = before = after
        moves |= after != 0
    return moves


@inner
def _put(  # pragma: no cover - compiled
    events: tuple[int, int],
    on_path: npt.NDArray[np.int8],
    ahead: Small,
    behind: Small,
    token: Small,
    block: BlockMemory,
) -> None:
    """Exchange tokens so that they follow the drawn paths.

    ``events``: the last event, and the number of paths.
    """
    last, n = events
    before = on_path[0]
    for e in range(last + 1):
        after, group = on_path[block.state[e]], block.meet[e]
        for i in range(n):
            if e and group >> i & 1:
                if before[i] != i:
                    rename(block.start[i], block.come[e, i], block.token[before[i]], ahead, token)
                block.start[i] = ahead[block.come[e, i]]
        _exchange((e, n), before, after, ahead, behind, block)
        before = after
    for i in range(n):
        if before[i] != i:
            rename(block.start[i], -1, block.token[before[i]], ahead, token)


@inner
def _exchange(  # pragma: no cover - compiled
    event: tuple[int, int],
    before: npt.NDArray[np.int8],
    after: npt.NDArray[np.int8],
    ahead: Small,
    behind: Small,
    block: BlockMemory,
) -> None:
    """Exchange the paths on which tokens leave a zone."""
    e, n = event
    group = block.meet[e]
    for i in range(n):
        for j in range(n):
            if group >> i & group >> j & 1 and before[i] == after[j]:
                one, other = block.come[e, i], behind[block.start[j]]
                if one != other:
                    cross(one, other, ahead, behind)
