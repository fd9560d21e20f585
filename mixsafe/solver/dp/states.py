"""States of tracked labels, and the transitions of a zone between the states on its two sides.

A state is the row of each tracked label, packed into one 64-bit number. Zones move rows, so labels
tracked on one row are the same token and stay together. With weights, a zone multiplies and sums
them; without weights, only the set of possible states is computed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import compiled, inner, tiered
from mixsafe.network.relations import COUNTED, Matching, is_set, match_all, number_of_ways
from mixsafe.solver.dp.minors import Minors

Floats = npt.NDArray[np.float64]

STATE_BITS = 63
"""Bits of a state."""

MOST = 1 << 62
"""Maximum number of steps of a sweep: what takes as many is given up at once."""

_SCATTER = np.uint64(0x9E3779B97F4A7C15)  # Fibonacci hashing: 2**64 / golden ratio


class States(NamedTuple):
    """Distinct states and their weights.

    Parameters
    ----------
    states
        (n,): packed rows of the labels.
    weights
        (n,) >= 0; or (0,): they are not weighed.
    """

    states: npt.NDArray[np.uint64]
    weights: Floats

    @classmethod
    def empty_state(cls, *, weighed: bool) -> States:
        """The only state while no label is tracked."""
        return cls(np.zeros(1, np.uint64), np.ones(int(weighed)))

    @classmethod
    def merged(cls, states: npt.NDArray[np.uint64], weights: Floats) -> States:
        """Each different state once, with the sum of its weights.

        Parameters
        ----------
        states
            (n,) packed states, in any order, some several times.
        weights
            (n,) weight of each; (0,): states are not weighed.
        """
        if not len(weights):
            return cls(np.unique(states), weights)
        different, which = np.unique(states, return_inverse=True)
        total = np.bincount(which, weights, len(different)).astype(np.float64, copy=False)
        return cls(different, total)

    def those(self, chosen: npt.NDArray[np.bool_]) -> States:
        """Some of them."""
        weights = self.weights[chosen] if len(self.weights) else self.weights
        return States(self.states[chosen], weights)


class Packing(NamedTuple):
    """Where a state has the row of each tracked label: ``(state >> shift) & mask``.

    ``shifts``, (n_tracked,); ``mask``, the bits of a row.
    """

    shifts: npt.NDArray[np.uint64]
    mask: np.uint64


class TrackedZone(NamedTuple):
    """A zone, and the rows on which each tracked label may be beyond it.

    Parameters
    ----------
    place
        (n_rows,) index of each row among the ``members``, -1 for the other rows.
    members
        (size,) rows that meet.
    allowed
        (n_tracked, size): whether the label may be on the member's row beyond the zone.
    pairs
        (n_words,) on which members' rows each may go on, as in a
        :class:`~mixsafe.model.question.mix_zones.Relation`; empty: on all.
    """

    place: npt.NDArray[np.int64]
    members: npt.NDArray[np.int32]
    allowed: npt.NDArray[np.bool_]
    pairs: npt.NDArray[np.uint64]


class ZoneModel(NamedTuple):
    """Weights of the permutations of one zone, in the direction of the sweep.

    Each has the weight of its inverse, except where pairs have weights of their own: a permutation
    then has the product of those of its pairs, times what it has without.

    Labels that are not tracked fill the other rows in any order, so that under a mixture of a
    uniform exchange and none the tracked ones are on any rows, all different, with equal chances.
    An exchange model that depends on which members move needs all labels tracked. In a zone with a
    relation the ways in which the others fill the rows are counted.

    Parameters
    ----------
    placed
        (size + 1,): chance of each way to place 0, 1, … tracked labels by the exchange; in a zone
        with a relation, of each allowed permutation.
    still
        Probability that no exchange takes place, 0 to 1; -1: use ``table``.
    table, stride
        Weights by the set of moving members, and (size,) the index step of each member.
    pairs
        (size, size) >= 0, C-contiguous: weight of coming as one member and leaving as another; 0:
        not allowed. (0, 0): all allowed pairs weigh the same.
    minors
        Where pairs have weights: sums over what the labels that are not tracked do.
    """

    placed: Floats
    still: float
    table: Floats
    stride: npt.NDArray[np.int64]
    pairs: Floats = np.zeros((0, 0))
    minors: Minors = Minors.none()


ANY_EXCHANGE = ZoneModel(np.zeros(0), 0.0, np.zeros(0), np.zeros(0, np.int64))
"""All permutations are possible, and states have no weights."""


@tiered
def pass_zone(  # pragma: no cover - compiled
    given: States,
    packing: Packing,
    zone: TrackedZone,
    model: ZoneModel,
    most: int,
    nodes: Matching,
) -> tuple[States, int]:
    """States beyond a zone, and the number of steps taken; may contain duplicates (see ``model``).

    Parameters
    ----------
    given
        States before the zone, in the direction of the sweep.
    packing, zone
        Layout of states, and the rows that labels may go to.
    model
        Weights of exchanges; states may be found twice unless ``still`` is 0.
    most
        Maximum number of steps; with more, the result is incomplete.
    nodes
        Working memory for zones with a relation.
    """
    weighed = len(given.weights) > 0
    states, weights = given
    if model.still >= 0 and not len(zone.pairs) and not len(model.pairs):
        states, weights = _one_of_each(given, packing, zone)
    shifts, members = packing.shifts, zone.members
    found = np.empty(len(given.states) + 16, np.uint64)
    found_weights = np.empty(len(found) if weighed else 0)
    label, chosen = np.empty(len(shifts), np.int64), np.empty(len(members) + 1, np.int64)
    came = np.empty(len(members) + 1, np.int64)
    n_found = steps = 0
    for i in range(len(states)):
        steps += 1
        n_labels, elsewhere = _labels_here(states[i], packing, zone.place, label)
        _where_from(states[i], packing, zone.place, label, came)
        depth = 0
        chosen[0] = -1
        while depth >= 0:  # all choices of different members for the labels, in turn
            steps += 1
            if steps > most:
                return States(found[:n_found], found_weights[:n_found]), steps
            if depth == n_labels:
                counted = weighed and not len(model.pairs)
                steps += _steps_to_count(len(members) - n_labels, counted, zone)
                ways = _ways_of_others(came, chosen, n_labels, counted, zone, nodes)
                if ways == 0:
                    depth -= 1
                    continue
                if n_found == len(found):
                    found = np.concatenate((found, np.empty_like(found)))
                    found_weights = np.concatenate((found_weights, np.empty_like(found_weights)))
                found[n_found] = _put(elsewhere, shifts, label, members, chosen)
                if weighed:
                    chance = _chance(came, chosen, n_labels, model)
                    found_weights[n_found] = weights[i] * ways * chance
                n_found += 1
                depth -= 1
                continue
            chosen[depth] = _next_member(chosen, depth, label, came, zone)
            if chosen[depth] < len(members):
                depth += 1
                chosen[depth] = -1
            else:
                depth -= 1
    moved = States(found[:n_found].copy(), found_weights[:n_found].copy())
    return (_and_still(moved, given, packing, zone, model) if weighed else moved), steps


@compiled
def _and_still(  # pragma: no cover - compiled
    moved: States, given: States, packing: Packing, zone: TrackedZone, model: ZoneModel
) -> States:
    """States after an exchange, and those without an exchange."""
    if model.still <= 0:
        return moved
    n = len(moved.states)
    found = np.concatenate((moved.states, given.states))
    weights = np.concatenate((moved.weights, given.weights))
    for i in range(len(given.states)):
        if _may_stay(given.states[i], packing, zone):
            found[n], weights[n] = given.states[i], model.still * given.weights[i]
            n += 1
    return States(found[:n], weights[:n])


@compiled
def _one_of_each(  # pragma: no cover - compiled
    given: States, packing: Packing, zone: TrackedZone
) -> tuple[npt.NDArray[np.uint64], Floats]:
    """One of the states that differ only in how a zone's labels lie on its members, for all.

    Uniform exchanges lead from each of them to the same states, so these are found once.
    """
    n_slots = 16
    while n_slots < 2 * len(given.states):
        n_slots *= 2
    states, weights = np.empty_like(given.states), np.zeros_like(given.weights)
    number = np.full(n_slots, -1, np.int32)  # a hash table
    label, in_order = np.empty(len(packing.shifts), np.int64), np.arange(len(zone.members))
    n_found = 0
    for i in range(len(given.states)):
        _, elsewhere = _labels_here(given.states[i], packing, zone.place, label)
        state = _put(elsewhere, packing.shifts, label, zone.members, in_order)
        slot = np.int64((state * _SCATTER) >> np.uint64(20)) & (n_slots - 1)
        while number[slot] >= 0 and states[number[slot]] != state:
            slot = (slot + 1) & (n_slots - 1)
        if number[slot] < 0:
            number[slot] = n_found
            states[n_found] = state
            n_found += 1
        if len(weights):
            weights[number[slot]] += given.weights[i]
    return states[:n_found].copy(), weights[:n_found].copy()


@inner
def _labels_here(  # pragma: no cover - compiled
    state: np.uint64,
    packing: Packing,
    place: npt.NDArray[np.int64],
    label: npt.NDArray[np.int64],
) -> tuple[int, np.uint64]:
    """Number the labels in the zone in order of their places, -1 for those that are elsewhere.

    Returns how many there are, and the state without them. Those on one row are one label.
    """
    shifts, mask = packing
    n_labels = 0
    elsewhere = state
    for p in range(len(shifts)):
        row = (state >> shifts[p]) & mask
        label[p] = -1
        if place[row] < 0:
            continue
        elsewhere &= ~(mask << shifts[p])
        for q in range(p):
            if (state >> shifts[q]) & mask == row:
                label[p] = label[q]
        if label[p] < 0:
            label[p] = n_labels
            n_labels += 1
    return n_labels, elsewhere


@inner
def _put(  # pragma: no cover - compiled
    elsewhere: np.uint64,
    shifts: npt.NDArray[np.uint64],
    label: npt.NDArray[np.int64],
    members: npt.NDArray[np.int32],
    chosen: npt.NDArray[np.int64],
) -> np.uint64:
    """State with each of the zone's labels on the member that is chosen for it."""
    for p in range(len(shifts)):
        if label[p] >= 0:
            elsewhere |= np.uint64(members[chosen[label[p]]]) << shifts[p]
    return elsewhere


@inner
def _next_member(  # pragma: no cover - compiled
    chosen: npt.NDArray[np.int64],
    depth: int,
    label: npt.NDArray[np.int64],
    came: npt.NDArray[np.int64],
    zone: TrackedZone,
) -> int:
    """Next member for a label, of those that earlier labels left; the zone's size: none."""
    allowed = zone.allowed
    size = allowed.shape[1]
    for member in range(chosen[depth] + 1, size):
        fits = len(zone.pairs) == 0 or is_set(zone.pairs, 0, size, came[depth], member)
        for earlier in range(depth):
            fits &= chosen[earlier] != member
        for p in range(len(label)):
            fits &= label[p] != depth or allowed[p, member]
        if fits:
            return member
    return size


@inner
def _steps_to_count(  # pragma: no cover - compiled
    others: int, counted: bool, zone: TrackedZone
) -> int:
    """Steps to count the ways in which others go on; more than there ever are: they are many."""
    if len(zone.pairs) == 0 or not counted:
        return 0
    return others << others if others <= COUNTED else MOST


@inner
def _ways_of_others(  # pragma: no cover - compiled
    came: npt.NDArray[np.int64],
    chosen: npt.NDArray[np.int64],
    n_labels: int,
    counted: bool,
    zone: TrackedZone,
    nodes: Matching,
) -> float:
    """In how many ways the other members go on, by allowed pairs, around the labels.

    1 for any number if it is not ``counted``; 0 if they are too many to count.
    """
    size = len(zone.members)
    if len(zone.pairs) == 0:
        return 1.0
    if counted and size - n_labels > COUNTED:
        return 0.0
    for i in range(size):
        nodes.waits[i] = nodes.free[i] = True
    for label in range(n_labels):
        nodes.waits[came[label]] = nodes.free[chosen[label]] = False
    if counted:
        return number_of_ways(size, zone.pairs, 0, nodes)
    return 1.0 if match_all(size, zone.pairs, 0, nodes) else 0.0


@inner
def _weight_of_pairs(  # pragma: no cover - compiled
    came: npt.NDArray[np.int64], chosen: npt.NDArray[np.int64], n_labels: int, model: ZoneModel
) -> float:
    """Product of the weights of the labels' pairs, times what the other members weigh together.

    0 where all tokens are tracked and two of them are on one row, which cannot be.
    """
    weight, rows, columns = 1.0, 0, 0
    for label in range(n_labels):
        weight *= model.pairs[came[label], chosen[label]]
        rows |= 1 << came[label]
        columns |= 1 << chosen[label]
    if n_labels == len(model.pairs):
        return weight
    minors = model.minors
    if not len(minors.table):
        return 0.0
    place = minors.rank[rows] * minors.n_sets[n_labels] + minors.rank[columns]
    return weight * float(minors.table[minors.first[n_labels] + place])


@inner
def _may_stay(  # pragma: no cover - compiled
    state: np.uint64, packing: Packing, zone: TrackedZone
) -> bool:
    """Whether all labels may be beyond the zone on the rows on which they are."""
    for p in range(len(packing.shifts)):
        member = zone.place[(state >> packing.shifts[p]) & packing.mask]
        if member >= 0 and not zone.allowed[p, member]:
            return False
    return True


@inner
def _where_from(  # pragma: no cover - compiled
    state: np.uint64,
    packing: Packing,
    place: npt.NDArray[np.int64],
    label: npt.NDArray[np.int64],
    came: npt.NDArray[np.int64],
) -> None:
    """Write the member on whose row each tracked label of the zone came."""
    for p in range(len(label)):
        if label[p] >= 0:
            came[label[p]] = place[(state >> packing.shifts[p]) & packing.mask]


@inner
def _chance(  # pragma: no cover - compiled
    came: npt.NDArray[np.int64], chosen: npt.NDArray[np.int64], n_labels: int, model: ZoneModel
) -> float:
    """Weight of placing the labels on the members that are chosen for them."""
    weight = 1.0
    if len(model.pairs):
        weight = _weight_of_pairs(came, chosen, n_labels, model)
    if model.still >= 0:
        return weight * model.placed[n_labels]
    index = 0
    for label in range(n_labels):
        if came[label] != chosen[label]:
            index += model.stride[came[label]]
    return weight * model.table[index]
