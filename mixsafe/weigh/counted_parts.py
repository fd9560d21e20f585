"""Counting, group by group of users who meet, where that is little work."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mixsafe.errors import InputError
from mixsafe.model.limits import Deadline
from mixsafe.model.progress import Progress
from mixsafe.network.components import components
from mixsafe.verify.parts import Cut
from mixsafe.weigh.count.counting import counted
from mixsafe.weigh.laws import ZoneWeights
from mixsafe.weigh.possible import KnownBefore
from mixsafe.weigh.weighed import COUNTED, NOT_SETTLED, Chances, Weighed

_MOST_PASSES = 4_000
"""Zones times tokens of a group, of which each is a sweep: some seconds."""


def count_parts(
    known: KnownBefore, found: Weighed, deadline: Deadline, progress: Progress
) -> Iterator[Chances]:
    """Weigh the wires of groups that are small by counting.

    Yields
    ------
    Chances
        Of the candidates of a group.

    Raises
    ------
    InputError
        The weights forbid everything.
    """
    network, n_wires = known.core.network, known.core.network.n_wires
    label = components(network, known.core.pins)
    sizes = np.bincount(label)
    zones = np.bincount(label[network.member[network.zone_ptr[:-1]]], minlength=len(sizes))
    little = np.flatnonzero((sizes > 1) & (sizes * zones <= _MOST_PASSES))
    if not len(little):
        return
    cut = Cut.of(known.core, 0)
    for part in np.unique(cut.part[np.isin(label, little)]).tolist():
        if deadline.passed:
            return
        progress("counting", int((found.way != NOT_SETTLED).sum()), n_wires)
        wires, core = cut.core(part)
        if (found.way[wires] != NOT_SETTLED).all():
            continue
        rows = cut.rows[0][cut.rows[1][part] : cut.rows[1][part + 1]]
        posterior = counted(core, _weights_of(known, cut, part))
        if posterior is not None and not posterior.any(axis=1).all():
            raise InputError(
                "no history agrees with what is known: the law of exchanges forbids them all",
                hint="allow more permutations, or check the sightings",
            )
        if posterior is not None:
            yield _take_in(found, wires, rows, posterior)


def _weights_of(known: KnownBefore, cut: Cut, part: int) -> ZoneWeights:
    """The law, for the zones of a part."""
    weights, network = known.weights, known.core.network
    zones = cut.zones[0][cut.zones[1][part] : cut.zones[1][part + 1]]
    entries = [np.arange(network.zone_ptr[z], network.zone_ptr[z + 1]) for z in zones.tolist()]
    mine = np.concatenate([np.zeros(0, np.int64), *entries])
    return ZoneWeights(
        weights.begin[zones], weights.table, weights.stride[mine], weights.chance[zones]
    )


def _take_in(
    found: Weighed,
    wires: np.ndarray[tuple[int], np.dtype[np.int64]],
    rows: np.ndarray[tuple[int], np.dtype[np.int64]],
    posterior: np.ndarray[tuple[int, int], np.dtype[np.float64]],
) -> Chances:
    """Note what was counted, where it was not known without."""
    fresh = found.way[wires] == NOT_SETTLED
    wires, posterior = wires[fresh], posterior[fresh]
    likely = posterior.argmax(axis=1)
    best = posterior.max(axis=1)
    shares = np.where(posterior > 0, posterior, 1.0)
    entropy = -(shares * np.log2(shares)).sum(axis=1)
    found.way[wires] = COUNTED
    found.token[wires] = rows[likely]
    for share in (found.best, found.low, found.high):
        share[wires] = best
    found.error[wires] = found.variation[wires] = 0.0
    found.effective[wires] = 2.0**entropy
    found.proven[wires] = np.count_nonzero(posterior, axis=1)
    return Chances.of(wires, rows, posterior)
