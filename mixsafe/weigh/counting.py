"""Exact posteriors by counting, component by component, where few labels are tracked.

This is the sweep of engine ``dp``, forward and backward, with weights of states. The product of
both, summed over the states with a label on a row, is the total weight of the solutions with the
label there (docs/weigh.md).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.course import Course, MemoryLimits
from mixsafe.model.csr import ranges
from mixsafe.network.compression import components
from mixsafe.network.core import Core
from mixsafe.network.relations import COUNTED
from mixsafe.network.wires import NOWHERE, WireNetwork
from mixsafe.solver.dp.dynamic_programming import Sweep
from mixsafe.solver.dp.minors import Minors, steps_of_minors
from mixsafe.solver.dp.states import MOST, STATE_BITS, States, ZoneModel
from mixsafe.solver.dp.tracked import Stops, Tracked, TrackedRows, slots_of
from mixsafe.verify.parts import Cut
from mixsafe.weigh import plan
from mixsafe.weigh.exchange_models import ZoneWeights
from mixsafe.weigh.possible import KnownBefore
from mixsafe.weigh.weighed import COUNTED as BY_COUNTING
from mixsafe.weigh.weighed import NOT_SETTLED, Chances, Weighed

Floats = npt.NDArray[np.float64]


def counted(core: Core, weights: ZoneWeights) -> Floats | None:
    """Posterior of every wire, exact to rounding.

    Parameters
    ----------
    core
        The core; its zones are those of ``weights``.
    weights
        The exchange model.

    Returns
    -------
    (n_wires, n_rows) float64, the chance of each token on each wire; None: that takes too many
    steps, or states of more labels than one number holds. All zero: no solution agrees.
    """
    network = core.network
    inside = TrackedRows(core, np.arange(network.n_rows))
    found = np.zeros((network.n_wires, network.n_rows))
    everyone = range(network.n_rows)
    rounds: Iterable[list[int]] = [[token] for token in everyone]
    most = 1 + max(slots_of(inside.tracked), default=-1) + 1
    if np.any(weights.chance < 0):
        rounds, most = [list(everyone)], 0  # all are tracked: no others remain
    models = _Models(weights, network, most)
    steps_left = plan.COUNTED_STEPS - models.steps
    if steps_left < 0:
        return None
    for asked in rounds:
        tracked = _tracked(inside, asked)
        if (1 + max(slots_of(tracked))) * inside.bits > STATE_BITS:
            return None
        left = _swept(inside, tracked, models, asked, found, steps_left)
        if left is None:
            return None
        steps_left = left
    total = found.sum(axis=1, keepdims=True)
    return np.divide(found, total, out=np.zeros_like(found), where=total > 0)


def _tracked(inside: TrackedRows, asked: list[int]) -> list[Tracked]:
    """The ``asked`` tokens, tracked to the end, then all other known labels."""
    anywhere, horizon = frozenset(range(inside.network.n_rows)), inside.network.horizon
    mine = {token: {0: frozenset([token]), horizon: anywhere} for token in asked}
    others, alone = [], set()
    for label, known in zip(inside.labels, inside.tracked, strict=True):
        if label.is_named and label.row in mine:
            stops = mine[label.row]
            for step, there in label.stops:
                stops[step] = there & stops.get(step, anywhere)
            alone |= {label.row} if label.alone else set()
        else:
            others.append(known)
    first = [
        inside.track(Stops(tuple(sorted(stops.items())), token, token in alone))
        for token, stops in mine.items()
    ]
    return [*first, *others]


def _swept(
    inside: TrackedRows,
    tracked: list[Tracked],
    models: _Models,
    asked: list[int],
    found: Floats,
    most: int,
) -> int | None:
    """Record where the ``asked`` tokens are, the first of ``tracked``; returns the steps left.

    None: the steps do not suffice.
    """
    network = inside.network
    onward: dict[int, States] = {}
    steps = np.unique(network.start).tolist()
    sweep = Sweep(inside, tracked, models.of, forward=True, left=most)
    for step in steps:
        if not sweep.move_to(step):
            return None
        onward[step] = sweep.now
    sweep = Sweep(inside, tracked, partial(models.of, back=True), left=sweep.left)
    for step in reversed(steps):
        if not sweep.move_to(step):
            return None
        before, after = onward.pop(step), sweep.now
        _, i, j = np.intersect1d(before.states, after.states, True, return_indices=True)
        both = before.weights[i] * after.weights[j]
        total = both.sum()
        begun = np.flatnonzero(network.start == step)
        for label, token in enumerate(asked):
            there = np.bincount(sweep.rows_of(label)[j], both, network.n_rows)
            found[begun, token] = there[network.row[begun]] / (total if total > 0 else 1.0)
    return sweep.left


@dataclass(frozen=True, eq=False)
class _Models:
    """Exchange models of zones.

    Parameters
    ----------
    weights, network
        The weights, and the zones.
    most
        Maximum number of labels that are tracked at once.
    """

    weights: ZoneWeights
    network: WireNetwork
    most: int

    @property
    def steps(self) -> int:
        """Steps to find what the tokens that are not tracked weigh; more than there ever are."""
        begin = self.weights.pair_begin
        sizes = np.diff(self.network.zone_ptr)[np.flatnonzero(begin >= 0)]
        if self.most and sizes.max(initial=0) > COUNTED:
            return MOST
        return sum(steps_of_minors(size, min(self.most, size)) for size in sizes.tolist())

    def of(self, zone: int, *, back: bool = False) -> ZoneModel:
        """The model of one zone; ``back``: of a sweep backward in time."""
        weights = self.weights
        if not len(weights.pair_begin) or weights.pair_begin[zone] < 0:
            return _model(weights, zone, self.network)
        return self._of_pairs[zone][int(back)]

    @cached_property
    def _of_pairs(self) -> dict[int, tuple[ZoneModel, ZoneModel]]:
        """Models of zones whose pairs have weights, forward and backward."""
        zones = np.flatnonzero(self.weights.pair_begin >= 0).tolist()
        return {zone: self._both_ways(zone) for zone in zones}

    def _both_ways(self, zone: int) -> tuple[ZoneModel, ZoneModel]:
        """The model of a zone whose pairs have weights, forward and backward."""
        weights, relation = self.weights, self.network.relation
        head, end = self.network.zone_ptr[zone : zone + 2].tolist()
        size, begin = end - head, weights.pair_begin[zone]
        pairs = np.exp(weights.log_pairs[begin : begin + size * size]).reshape(size, size)
        if relation is not None:
            pairs = np.where(relation.matrix(zone, size), pairs, 0.0)
        stride, chance = weights.stride[head:end], float(weights.chance[zone])
        table, still = np.zeros(0), (1.0 - chance) * float(np.diag(pairs).prod())
        placed = np.zeros(size + 1)
        if chance < 0:
            table, still = _table_of(weights, zone, stride), -1.0
        else:
            placed[:] = math.exp(weights.table[weights.begin[zone] + int(stride.sum())])
        model = ZoneModel(placed, still, table, stride, pairs)
        minors = [Minors.none()] * 2
        if self.most:
            minors = [Minors.of(one, min(self.most, size)) for one in (pairs, pairs.T)]
        return (
            model._replace(minors=minors[0]),
            model._replace(pairs=np.ascontiguousarray(pairs.T), minors=minors[1]),
        )


def _table_of(weights: ZoneWeights, zone: int, stride: npt.NDArray[np.int64]) -> Floats:
    """Weights of a zone by who moves, up to a factor."""
    table = weights.table[weights.begin[zone] :][: 1 + int(stride.sum())]
    found: Floats = np.exp(table - table.max())
    return found


def _model(weights: ZoneWeights, zone: int, network: WireNetwork) -> ZoneModel:
    """Exchange model of one zone, whose pairs have no weights of their own."""
    stride = weights.stride[network.zone_ptr[zone] : network.zone_ptr[zone + 1]]
    chance, size = float(weights.chance[zone]), len(stride)
    relation = network.relation
    if chance < 0:
        return ZoneModel(np.zeros(size + 1), -1.0, _table_of(weights, zone, stride), stride)
    if relation is not None and relation.ptr[zone] < relation.ptr[zone + 1]:
        allowed = math.exp(weights.table[weights.begin[zone] + int(stride.sum())])
        return ZoneModel(np.full(size + 1, allowed), 1.0 - chance, np.zeros(0), stride)
    paths = np.cumprod(np.append(1.0, np.arange(size, 0, -1)))
    return ZoneModel(chance / paths, 1.0 - chance, np.zeros(0), stride)


def count_parts(known: KnownBefore, found: Weighed, course: Course) -> Iterator[Chances]:
    """Infer the posteriors of small components by counting.

    Yields
    ------
    Chances
        Posteriors of the candidates of a component.

    Raises
    ------
    InputError
        The exchange model forbids every assignment.
    """
    network, n_wires = known.core.network, known.core.network.n_wires
    label = components(network, known.core.pins)
    sizes = np.bincount(label)
    zones = np.bincount(label[network.member[network.zone_ptr[:-1]]], minlength=len(sizes))
    little = np.flatnonzero((sizes > 1) & (sizes * zones <= plan.COUNTED_ZONES))
    if not len(little):
        return
    cut = Cut.of(known.core, MemoryLimits(part_bytes=0))
    for part in np.unique(cut.part[np.isin(label, little)]).tolist():
        if course.passed:
            return
        course.progress("counting", int((found.method != NOT_SETTLED).sum()), n_wires)
        wires = cut.wires(part)
        if (found.method[wires] != NOT_SETTLED).all():
            continue
        posterior = counted(cut.core(part), _weights_of(known, wires))
        if posterior is not None and not posterior.any(axis=1).all():
            raise InputError(
                "no assignment agrees with the knowledge: the exchange model forbids them all",
                hint="allow more permutations, or check the sightings",
            )
        if posterior is not None:
            yield _take_in(found, wires, cut.rows(part), posterior)


def _weights_of(known: KnownBefore, wires: npt.NDArray[np.int64]) -> ZoneWeights:
    """The exchange model of the zones that wires of a component lead to."""
    weights, network = known.weights, known.core.network
    zones = np.unique(network.leads_to[wires])
    zones = zones[zones != NOWHERE]
    mine = ranges(network.zone_ptr[zones], np.diff(network.zone_ptr)[zones])
    return weights.those(zones, mine)


def _take_in(
    found: Weighed,
    wires: npt.NDArray[np.int64],
    rows: npt.NDArray[np.int64],
    posterior: Floats,
) -> Chances:
    """Record counted posteriors of wires that were not settled yet."""
    fresh = found.method[wires] == NOT_SETTLED
    wires, posterior = wires[fresh], posterior[fresh]
    shares = np.where(posterior > 0, posterior, 1.0)
    entropy = -(shares * np.log2(shares)).sum(axis=1)
    likeliest = rows[posterior.argmax(axis=1)]
    found.note_exact(wires, BY_COUNTING, likeliest, posterior.max(axis=1), 2.0**entropy)
    found.proven[wires] = np.count_nonzero(posterior, axis=1)
    return Chances.of(wires, rows, posterior)
