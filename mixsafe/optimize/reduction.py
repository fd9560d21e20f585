"""Smaller problems without zones that a minimum set need not use.

A minimum set can do without zones that are dominated by another zone.

Let all members of a zone go on to one and the same later zone that holds them all, and let neither
knowledge nor a requirement be about a member between the two. Then any exchange in the first zone
can be made in the second one instead: between the two the members have no meeting, so no knowledge
and no requirement distinguishes the two, and exchanges in both zones combine to one in the second.
If the second zone costs no more, some minimum set does without the first. Of a group of zones that
are chosen together, a zone is dominated by another of the group; and by one of another group that
costs no more only if it is the last of its own, which some minimum set then does without.
By symmetry in time the same holds for an earlier zone. (Absorption, fact 4, needs a zone on both
sides and keeps two of three; for a minimum set, one is enough.)
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem
from mixsafe.network.compression import without
from mixsafe.network.wires import WireNetwork
from mixsafe.optimize.zone_groups import ZoneGroups


def needed_zones(problem: Problem, groups: ZoneGroups) -> npt.NDArray[np.int64]:
    """Zones of which some minimum set is made.

    Parameters
    ----------
    problem
        With requirements.
    groups
        Groups of zones, and their costs.

    Returns
    -------
    (n_needed,) int64, ascending.
    """
    return np.unique(stand_ins(problem, groups))


def stand_ins(problem: Problem, groups: ZoneGroups) -> npt.NDArray[np.int64]:
    """Zone that stands in for each: itself where it is needed.

    Parameters
    ----------
    problem, groups
        Mix zones with requirements; groups of zones, and their costs.

    Returns
    -------
    (n_zones,) int64.
    """
    asked = problem.requirements
    row, time = problem.knowledge.row, problem.knowledge.time
    if asked is not None:
        row, time = np.concatenate([row, asked.row]), np.concatenate([time, asked.time])
    kept = np.arange(len(problem.zones))
    stands_in = kept.copy()
    zones = problem.zones
    while len(kept):
        network = WireNetwork.of(zones)
        watched = np.zeros(network.n_wires, bool)
        watched[network.wire_at(row, time)] = True
        left = groups.those(kept)
        other = _replaced(network, watched, left, later=True)
        if np.all(other < 0):  # one direction at a time: two zones must not replace each other
            other = _replaced(network, watched, left, later=False)
        dropped = other >= 0
        if not dropped.any():
            break
        stands_in[kept[dropped]] = kept[other[dropped]]
        kept, zones = kept[~dropped], without(zones, dropped)
    while not np.array_equal(stands_in, stands_in[stands_in]):
        stands_in = stands_in[stands_in]
    return stands_in


def _replaced(
    network: WireNetwork,
    watched: npt.NDArray[np.bool_],
    groups: ZoneGroups,
    *,
    later: bool,
) -> npt.NDArray[np.int64]:
    """(n_zones,) the next zone (or the one before) of all members, if it can stand in; else -1."""
    zone_of_member = network.zone_of_entry
    if later:
        between = network.before + 1
        other = network.leads_to[between]
    else:
        between = network.before
        other = network.comes_from[between]
    head = network.zone_ptr[:-1]
    fits = (other >= 0) & (other == other[head][zone_of_member]) & ~watched[between]
    fits &= _cheap(groups, zone_of_member, other)
    if network.relation is not None:
        fits &= np.diff(network.relation.ptr)[other] == 0  # a complete zone does it for any other
    return np.where(np.logical_and.reduceat(fits, head), other[head], -1)


def _cheap(
    groups: ZoneGroups, zone: npt.NDArray[np.int64], other: npt.NDArray[np.signedinteger[Any]]
) -> npt.NDArray[np.bool_]:
    """(n,) whether sets with the zone ``other`` in the place of ``zone`` cost no more."""
    one, instead = groups.of[zone], groups.of[other]
    alone = np.bincount(groups.of, minlength=len(groups.cost))[one] == 1
    cheap: npt.NDArray[np.bool_] = (one == instead) | (
        alone & (groups.cost[instead] <= groups.cost[one])
    )
    return cheap


def among(problem: Problem, kept: npt.NDArray[np.int64]) -> Problem:
    """Restrict a problem to some zones.

    Parameters
    ----------
    kept
        (n,) numbers of the zones, ascending; zone i of the result is ``kept[i]``.
    """
    return replace(problem, zones=only(problem.zones, kept), zone_index=None)


def only(zones: MixZones, kept: npt.NDArray[np.int64]) -> MixZones:
    """Restrict zones to those with the numbers ``kept``, (n,); all users remain."""
    dropped = np.ones(len(zones), bool)
    dropped[kept] = False
    return without(zones, dropped)


def met_first(alone: Problem) -> npt.NDArray[np.int64]:
    """(n_users,) rows: the user of the only requirement, then others by closeness to it in time.

    Those whom the user never meets come last, by when others meet next to it.
    """
    zones, never = alone.zones, 2 * alone.zones.axis.steps
    far = np.abs(zones.time.astype(np.int64) - alone.asked.time[0])
    with_user = np.zeros(len(zones), bool)
    with_user[zones.zone_of_member[zones.members == alone.asked.row[0]]] = True
    nearest = np.full(zones.n_users, 2 * never)
    np.minimum.at(
        nearest, zones.members, (far + np.where(with_user, 0, never))[zones.zone_of_member]
    )
    nearest[alone.asked.row[0]] = -1
    return np.argsort(nearest, kind="stable")
