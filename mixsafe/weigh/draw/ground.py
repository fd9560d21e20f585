"""What a sampler walks over, and the history it is at.

A history says on which wire each token that comes to a zone leaves. The histories that the sampler
walks through may break what is known; those that count do not (docs/develop/facts.md, weights).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.network.core import Core
from mixsafe.solver.local.generator import State, spread_beginning
from mixsafe.solver.state.witness import Assignment
from mixsafe.weigh.laws import ZoneWeights

Ints = npt.NDArray[np.int64]
Small = npt.NDArray[np.int32]


class Ground(NamedTuple):
    """What no history changes."""

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
    begin: Ints  # weights, as in ZoneWeights
    table: npt.NDArray[np.float64]
    stride: Ints  # (n_wires,): of the member who comes on each wire
    uniform: bool


class Walker(NamedTuple):
    """A history, what it breaks, and the random numbers that lead on from it."""

    token: Small  # (n_wires,)
    ahead: Small  # (n_wires,): wire on which the token of a wire goes on, or -1
    behind: Small  # (n_wires,): wire on which it came, or -1
    moved: Ints  # (n_zones,): index of who moves, as in ZoneWeights
    pin_broken: npt.NDArray[np.int8]
    link_broken: npt.NDArray[np.int8]
    broken: Ints  # (1,): pins and links that are broken
    random: State
    made: Ints  # exchanges of an excursion, to be unmade
    near: Ints  # memberships of a neighbourhood


def ground_of(core: Core, weights: ZoneWeights) -> Ground:
    """The ground of a question and of a law."""
    network, pins = core.network, core.pins
    n, member_zone = network.n_wires, network.zone_of_entry
    entry = np.full(n, -1, np.int64)
    entry[network.before] = np.arange(len(network.before))
    order = np.lexsort((pins.time, pins.token))
    sizes = np.diff(pins.ptr)[order]
    row_ptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    where = np.arange(row_ptr[-1]) + np.repeat(pins.ptr[:-1][order] - row_ptr[:-1], sizes)
    ends = core.link_wires
    wire, other = ends.ravel(), ends[:, ::-1].ravel()
    by_wire = np.argsort(wire, kind="stable")
    stride = np.zeros(n, np.int64)
    stride[network.before] = weights.stride
    return Ground(
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
        weights.begin,
        weights.table,
        stride,
        bool(np.all(weights.chance == 1)),
    )


def walker_at(core: Core, ground: Ground, assignment: Assignment, seed: int) -> Walker:
    """A walker at a history that breaks nothing.

    Parameters
    ----------
    core, ground
        The question.
    assignment
        (n_wires,) token on each wire.
    seed
        Of its random numbers, >= 0.
    """
    network = core.network
    ahead, behind = np.full((2, network.n_wires), -1, np.int32)
    zone = network.zone_of_entry
    came = np.lexsort((assignment[network.before], zone))
    left = np.lexsort((assignment[network.before + 1], zone))
    ahead[network.before[came]] = network.before[left] + 1
    behind[network.before[left] + 1] = network.before[came]
    moves = ahead[network.before] != network.before + 1
    moved = np.zeros(network.n_zones, np.int64)
    np.add.at(moved, zone, moves * ground.stride[network.before])
    return Walker(
        assignment.astype(np.int32).copy(),
        ahead,
        behind,
        moved,
        np.zeros(len(ground.pin_time), np.int8),
        np.zeros(len(core.link_wires), np.int8),
        np.zeros(1, np.int64),
        spread_beginning(seed + 1),
        np.zeros(2 * LONGEST, np.int64),
        np.zeros(len(network.before), np.int64),
    )


LONGEST = 1 << 12
"""Exchanges of an excursion, at most."""
