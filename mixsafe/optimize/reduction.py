"""Zones that a minimum set can do without, because another zone does all that they do.

Let all members of a zone go on to one and the same later zone that holds them all, and let neither
knowledge nor a requirement be about a member between the two. Then any exchange in the first zone
can be made in the second one instead: between the two the members meet nobody, so nothing that is
known or asked can tell the difference, and if an exchange happens in the second one as well, the
two in a row are one. Where the second zone costs no more, some minimum set does without the first.
By symmetry in time the same holds for an earlier zone. (Absorption, fact 4, needs a zone on both
sides and keeps two of three; for a minimum set, one is enough.)
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem
from mixsafe.network.absorption import without
from mixsafe.network.wires import WireNetwork


def needed_zones(problem: Problem, cost: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Zones of which some minimum set is made.

    Parameters
    ----------
    problem
        With requirements.
    cost
        (n_zones,) cost of an exchange in each zone.

    Returns
    -------
    (n_needed,) int64, ascending.
    """
    asked = problem.requirements
    row, time = problem.knowledge.row, problem.knowledge.time
    if asked is not None:
        row, time = np.concatenate([row, asked.row]), np.concatenate([time, asked.time])
    kept = np.arange(len(problem.zones))
    zones = problem.zones
    while len(kept):
        network = WireNetwork.of(zones)
        watched = np.zeros(network.n_wires, bool)
        watched[network.wire_at(row, time)] = True
        dropped = _replaced(network, watched, cost[kept], later=True)
        if not dropped.any():  # one direction at a time: two zones must not replace each other
            dropped = _replaced(network, watched, cost[kept], later=False)
        if not dropped.any():
            break
        kept, zones = kept[~dropped], without(zones, dropped)
    return kept


def _replaced(
    network: WireNetwork,
    watched: npt.NDArray[np.bool_],
    cost: npt.NDArray[np.int64],
    *,
    later: bool,
) -> npt.NDArray[np.bool_]:
    """(n_zones,) whether the next zone (or the one before) of all members can stand in."""
    zone_of_member = network.zone_of_entry
    if later:
        between = network.before + 1
        other = network.leads_to[between]
    else:
        between = network.before
        other = network.comes_from[between]
    head = network.zone_ptr[:-1]
    fits = (other >= 0) & (other == other[head][zone_of_member]) & ~watched[between]
    fits &= cost[other] <= cost[zone_of_member]
    return np.asarray(np.logical_and.reduceat(fits, head), bool)


def only(zones: MixZones, kept: npt.NDArray[np.int64]) -> MixZones:
    """These zones and no others; the users stay."""
    dropped = np.ones(len(zones), bool)
    dropped[kept] = False
    return without(zones, dropped)
