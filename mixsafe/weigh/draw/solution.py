"""Current solution of a chain, which may violate constraints between draws.

A solution says on which wire each token that comes to a zone leaves. All kernels of the sampler
change it by exchanges: two tokens leave on each other's wires, up to where they change back, or for
ever. Solutions that count violate nothing (docs/develop/facts.md, weights).

In zones with a relation, pairs that the zone does not allow count as violations, too.

Annealing has a state of its own (:mod:`mixsafe.solver.local.solutions`): it knows where each path
ends without following it, and lists the violated constraints, so that it can repair them. Neither
is possible with pins of several rows and links; this state only counts their violations. Annealing
keeps no weights.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import inner
from mixsafe.model.csr import pointers, ranges
from mixsafe.network.core import Core
from mixsafe.network.wires import is_complete, may_leave
from mixsafe.solver.local.generator import State, uniform
from mixsafe.solver.state.witness import Assignment
from mixsafe.weigh.exchange_models import ZoneWeights

Ints = npt.NDArray[np.int64]
Small = npt.NDArray[np.int32]


class Instance(NamedTuple):
    """Constant data of a core and an exchange model."""

    leads_to: Ints  # (n_wires,): zone at the end of each wire, or -1
    start: Small  # (n_wires,)
    row: Small  # (n_wires,)
    first: Ints  # (n_rows + 1,): wires of each row
    zone_time: Small
    zone_ptr: Ints
    before: Ints  # (n_memberships,): wire on which each member comes
    zone_of: Ints  # (n_memberships,)
    entry: Ints  # (n_wires,): membership at the end of each wire, or -1
    pin_ptr: Ints  # pins of token c are pin_ptr[c] to pin_ptr[c + 1] - 1, in order of time
    pin_time: Small
    pin_row_ptr: Ints
    pin_rows: Small
    link_ptr: Ints  # (n_wires + 1,): links of each wire
    link_wire: Ints  # (2 n_links,): the other wire of each
    link: Ints  # (2 n_links,): number of each
    apart: npt.NDArray[np.bool_]  # (n_wires,): a user who is apart is seen there; (0,): nobody is
    begin: Ints  # weights, as in ZoneWeights
    table: npt.NDArray[np.float64]
    stride: Ints  # (n_wires,): of the member who comes on each wire
    uniform: bool  # all exchanges happen, so that who moves does not matter
    likely_begin: Ints  # weights of pairs, as in ZoneWeights; both are empty without them
    likely: npt.NDArray[np.float64]
    pair_ptr: Ints  # the relation of zones, as in Wires; both are empty without one
    pairs: npt.NDArray[np.uint64]


class DrawnSolution(NamedTuple):
    """Token on each wire, and what is violated; pairs and who is apart are counted only."""

    token: Small  # (n_wires,)
    ahead: Small  # (n_wires,): wire on which the token of a wire goes on, or -1
    behind: Small  # (n_wires,): wire on which it came, or -1
    moved: (
        Ints  # (n_zones,): index of who moves, as in ZoneWeights; 0 if permutations weigh the same
    )
    pin_violated: npt.NDArray[np.int8]
    link_violated: npt.NDArray[np.int8]
    holders: Ints  # (n_rows,): users seen with each token, one if it is pinned; (0,): not counted
    violated: Ints  # (1,): pins and links, pairs that are not allowed, holders of a token but one


def instance_of(core: Core, weights: ZoneWeights) -> Instance:
    """Instance of a core and an exchange model."""
    network, pins = core.network, core.pins
    n, member_zone = network.n_wires, network.zone_of_entry
    entry = np.full(n, -1, np.int64)
    entry[network.before] = np.arange(len(network.before))
    order = np.lexsort((pins.time, pins.token))
    sizes = np.diff(pins.ptr)[order]
    row_ptr, where = pointers(sizes), ranges(pins.ptr[:-1][order], sizes)
    ends = core.link_wires
    wire, other = ends.ravel(), ends[:, ::-1].ravel()
    by_wire = np.argsort(wire, kind="stable")
    stride = np.zeros(n, np.int64)
    stride[network.before] = weights.stride
    apart = np.zeros(n if len(core.apart) else 0, np.bool_)
    apart[core.apart_wires] = True
    return Instance(
        network.leads_to.astype(np.int64),
        network.start,
        network.row,
        network.first,
        network.zone_time,
        network.zone_ptr,
        network.before,
        member_zone,
        entry,
        np.searchsorted(pins.token[order], np.arange(network.n_rows + 1)),
        np.ascontiguousarray(pins.time[order]),
        row_ptr,
        np.ascontiguousarray(pins.rows[where]),
        np.searchsorted(wire[by_wire], np.arange(n + 1)),
        np.ascontiguousarray(other[by_wire]),
        np.repeat(np.arange(len(ends)), 2)[by_wire],
        apart,
        weights.begin,
        weights.table,
        stride,
        bool(np.all(weights.chance == 1)),
        weights.pair_begin,
        weights.log_pairs,
        network.wires.pair_ptr,
        network.wires.pairs,
    )


def solution_of(core: Core, instance: Instance, assignment: Assignment) -> DrawnSolution:
    """A feasible solution from an assignment.

    Parameters
    ----------
    core, instance
        The question.
    assignment
        (n_wires,) token on each wire.
    """
    network = core.network
    ahead, behind = np.full((2, network.n_wires), -1, np.int32)
    zone = network.zone_of_entry
    came = np.lexsort((assignment[network.before], zone))
    left = np.lexsort((assignment[network.before + 1], zone))
    ahead[network.before[came]] = network.before[left] + 1
    behind[network.before[left] + 1] = network.before[came]
    moved = np.zeros(network.n_zones, np.int64)
    if not instance.uniform:
        moves = ahead[network.before] != network.before + 1
        np.add.at(moved, zone, moves * instance.stride[network.before])
    holders = np.zeros(network.n_rows if len(instance.apart) else 0, np.int64)
    if len(holders):
        holders += np.bincount(assignment[instance.apart], minlength=network.n_rows)
        holders[core.pins.token] += 1
    return DrawnSolution(
        assignment.astype(np.int32).copy(),
        ahead,
        behind,
        moved,
        np.zeros(len(instance.pin_time), np.int8),
        np.zeros(len(core.link_wires), np.int8),
        holders,
        np.array([np.maximum(holders - 1, 0).sum()]),
    )


@inner
def exchange(  # pragma: no cover - compiled
    one: int, other: int, until: tuple[int, int], instance: Instance, solution: DrawnSolution
) -> None:
    """Exchange the tokens that come to a zone on two wires, and their further paths.

    ``until``: wires on which they come to the zone where they change back, each on its own way as
    it was; -1: they never do. Pins and links that it violates are not looked at.
    """
    a, b = solution.token[one], solution.token[other]
    after, beyond = solution.ahead[one], solution.ahead[other]
    _pass_on(one, other, instance, solution)
    if len(instance.apart):
        _hand_over(after, until[0], b, instance, solution)
        _hand_over(beyond, until[1], a, instance, solution)
    rename(after, until[0], b, solution.ahead, solution.token)
    rename(beyond, until[1], a, solution.ahead, solution.token)
    if until[0] >= 0:
        _pass_on(until[0], until[1], instance, solution)


@inner
def exchange_for_ever(  # pragma: no cover - compiled
    one: int, other: int, instance: Instance, solution: DrawnSolution
) -> None:
    """Exchange the paths of two tokens from a zone on, and note all that it violates."""
    _pass_on(one, other, instance, solution)
    began = instance.zone_time[instance.leads_to[one]]
    _carry(solution.ahead[one], solution.token[one], began, instance, solution)
    _carry(solution.ahead[other], solution.token[other], began, instance, solution)


@inner
def _pass_on(  # pragma: no cover - compiled
    one: int, other: int, instance: Instance, solution: DrawnSolution
) -> None:
    """Let the paths of two wires go on as each other's do, and note what it forbids."""
    solution.violated[0] += forbidden(one, other, instance, solution)
    if not instance.uniform:
        solution.moved[instance.leads_to[one]] += _shift(one, other, instance, solution)
    cross(one, other, solution.ahead, solution.behind)


@inner
def cross(one: int, other: int, ahead: Small, behind: Small) -> None:  # pragma: no cover - compiled
    """Let the paths of two wires go on as each other's do; with both arrays swapped, come so."""
    after, beyond = ahead[one], ahead[other]
    ahead[one], ahead[other] = beyond, after
    behind[beyond], behind[after] = one, other


@inner
def rename(  # pragma: no cover - compiled
    wire: int, last: int, name: int, ahead: Small, token: Small
) -> None:
    """Put a token on a path from ``wire`` to ``last``, or to its end."""
    while wire >= 0:
        token[wire] = name
        if wire == last:
            return
        wire = ahead[wire]


@inner
def _hand_over(  # pragma: no cover - compiled
    wire: int, last: int, name: int, instance: Instance, solution: DrawnSolution
) -> None:
    """Count who is seen with a token, before it is put on a path as :func:`rename` does."""
    while wire >= 0:
        _count_holders(wire, name, instance, solution)
        if wire == last:
            return
        wire = solution.ahead[wire]


@inner
def _count_holders(  # pragma: no cover - compiled
    wire: int, name: int, instance: Instance, solution: DrawnSolution
) -> None:
    """Count who is seen with a token, before it is put on a wire."""
    if instance.apart[wire]:
        old = solution.token[wire]
        solution.holders[old] -= 1
        solution.violated[0] -= solution.holders[old] > 0
        solution.violated[0] += solution.holders[name] > 0
        solution.holders[name] += 1


@inner
def _carry(  # pragma: no cover - compiled
    wire: int, name: int, began: int, instance: Instance, solution: DrawnSolution
) -> None:
    """Put a token on a path from ``wire`` to its end, and note what is violated there.

    A link is looked at from both of its ends, so that what counts is seen from the later one.

    ``began``: the step from which the token is on this path.
    """
    i, last = next_pin(name, began, instance), instance.pin_ptr[name + 1]
    while wire >= 0:
        if len(instance.apart):
            _count_holders(wire, name, instance, solution)
        solution.token[wire] = name
        if len(instance.link_wire):
            _review_links(wire, instance, solution)
        onward = solution.ahead[wire]
        while i < last and (onward < 0 or instance.pin_time[i] < instance.start[onward]):
            violated = 0 if holds_on(i, wire, instance) else 1
            solution.violated[0] += violated - solution.pin_violated[i]
            solution.pin_violated[i] = violated
            i += 1
        wire = onward


@inner
def _review_links(  # pragma: no cover - compiled
    wire: int, instance: Instance, solution: DrawnSolution
) -> None:
    """Note which links of a wire are violated."""
    for e in range(instance.link_ptr[wire], instance.link_ptr[wire + 1]):
        other = solution.token[instance.link_wire[e]]
        violated = 1 if other != solution.token[wire] else 0
        solution.violated[0] += violated - solution.link_violated[instance.link[e]]
        solution.link_violated[instance.link[e]] = violated


@inner
def forbidden(  # pragma: no cover - compiled
    one: int, other: int, instance: Instance, solution: DrawnSolution
) -> int:
    """How many more pairs the zone does not allow, after the tokens of two wires are exchanged."""
    if is_complete(instance.leads_to[one], instance):
        return 0
    after, beyond = solution.ahead[one], solution.ahead[other]
    gained = may_pass(one, after, instance) + may_pass(other, beyond, instance)
    return gained - may_pass(one, beyond, instance) - may_pass(other, after, instance)


@inner
def may_pass(come: int, leave: int, instance: Instance) -> int:  # pragma: no cover - compiled
    """1 if a zone allows to come on a wire and leave on another; else 0."""
    one, other = instance.entry[come], instance.entry[leave - 1]
    return 1 if may_leave(one, other, instance.leads_to[come], instance) else 0


@inner
def log_odds(  # pragma: no cover - compiled
    one: int, other: int, instance: Instance, solution: DrawnSolution
) -> float:
    """Log odds of exchanging the tokens that come to a zone on two wires."""
    zone, odds = instance.leads_to[one], 0.0
    if not instance.uniform:
        begin = instance.begin[zone] + solution.moved[zone]
        gained = instance.table[begin + _shift(one, other, instance, solution)]
        odds += gained - instance.table[begin]
    if has_likely_pairs(zone, instance):
        after, beyond = solution.ahead[one], solution.ahead[other]
        odds += log_pair(one, beyond, instance) - log_pair(one, after, instance)
        odds += log_pair(other, after, instance) - log_pair(other, beyond, instance)
    return odds


@inner
def weighs(instance: Instance) -> bool:  # pragma: no cover - compiled
    """Whether permutations of some zone weigh differently."""
    return not instance.uniform or len(instance.likely) > 0


@inner
def has_likely_pairs(zone: int, instance: Instance) -> bool:  # pragma: no cover - compiled
    """Whether pairs of members of a zone have weights of their own."""
    return len(instance.likely) > 0 and instance.likely_begin[zone] >= 0


@inner
def log_pair(come: int, leave: int, instance: Instance) -> float:  # pragma: no cover - compiled
    """Log weight of coming to a zone on a wire, and leaving it on another; the zone has such."""
    zone = instance.leads_to[come]
    head = instance.zone_ptr[zone]
    size = instance.zone_ptr[zone + 1] - head
    one, other = instance.entry[come] - head, instance.entry[leave - 1] - head
    return instance.likely[instance.likely_begin[zone] + one * size + other]


@inner
def _shift(  # pragma: no cover - compiled
    one: int, other: int, instance: Instance, solution: DrawnSolution
) -> int:
    """What the index of who moves gains by an exchange."""
    p, q = solution.ahead[one], solution.ahead[other]
    gained = ((q != one + 1) - (p != one + 1)) * instance.stride[one]
    return gained + ((p != other + 1) - (q != other + 1)) * instance.stride[other]


@inner
def next_pin(token: int, time: int, instance: Instance) -> int:  # pragma: no cover - compiled
    """First pin of a token at a step or later."""
    i = instance.pin_ptr[token]
    while i < instance.pin_ptr[token + 1] and instance.pin_time[i] < time:
        i += 1
    return i


@inner
def holds_on(pin: int, wire: int, instance: Instance) -> bool:  # pragma: no cover - compiled
    """Whether a pin holds if its token is on a wire of that time."""
    for e in range(instance.pin_row_ptr[pin], instance.pin_row_ptr[pin + 1]):
        if instance.pin_rows[e] == instance.row[wire]:
            return True
    return False


@inner
def accepts(odds: float, random: State) -> bool:  # pragma: no cover - compiled
    """Whether a move with these log odds is accepted."""
    return odds >= 0 or uniform(random) < np.exp(odds)
