"""A set of zones to begin with: companions who swap with the user before and back after."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.model.adversary import Knowledge
from mixsafe.model.mix_zones import MixZones
from mixsafe.model.problem import Problem


def swapping_zones(problem: Problem) -> npt.NDArray[np.bool_]:
    """Zones that let pairs swap (DESIGN, fact 7), for each requirement that this is enough for.

    Who meets the user of a requirement before its step and once more after it, while nobody knows
    anything of the two, is a candidate by these two meetings alone; k - 1 such companions meet the
    requirement, whatever happens elsewhere.

    Returns
    -------
    (n_zones,) bool: those zones; all zones where a requirement needs more than swaps.
    """
    asked, zones = problem.requirements, problem.zones
    chosen = np.zeros(len(zones), bool)
    if asked is None:
        return chosen
    for row, step, k in zip(asked.row.tolist(), asked.time.tolist(), asked.k.tolist(), strict=True):
        out, back = _meetings(zones, problem.knowledge, row, step)
        companions = np.flatnonzero((out >= 0) & (back >= 0))
        if len(companions) < k - 1:
            chosen[:] = True
            break
        # Companions who share a meeting cost one zone together.
        order = np.lexsort((back[companions], out[companions]))
        taken = companions[order][: k - 1]
        chosen[out[taken]] = True
        chosen[back[taken]] = True
    return chosen


def _meetings(
    zones: MixZones, knowledge: Knowledge, row: int, step: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """(n_users,) each: a zone in which the user meets the row up to ``step``, and one after it.

    Both lie between the sightings of the two around the step; -1: there is none. Sightings at the
    step itself leave no meeting after it.
    """
    last = np.full(zones.n_users, -1, np.int32)
    due = np.full(zones.n_users, zones.axis.steps, np.int32)
    before = knowledge.time < step
    np.maximum.at(last, knowledge.row[before], knowledge.time[before])
    np.minimum.at(due, knowledge.row[~before], knowledge.time[~before])
    with_row = np.zeros(len(zones), bool)
    with_row[zones.zone_of_member[zones.members == row]] = True
    member = np.repeat(with_row, zones.sizes) & (zones.members != row)
    zone, other = zones.zone_of_member[member], zones.members[member]
    time = zones.time[zone]
    out = np.full(zones.n_users, -1, np.int64)
    back = np.full(zones.n_users, -1, np.int64)
    early = (time <= step) & (time > np.maximum(last[other], last[row]))
    late = (time > step) & (time <= np.minimum(due[other], due[row]))
    out[other[early]] = zone[early]
    back[other[late]] = zone[late]
    return out, back
