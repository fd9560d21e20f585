"""Problems in which some users exchange pseudonyms and all others keep theirs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from mixsafe.model.csr import pointers
from mixsafe.model.question.problem import Problem
from mixsafe.network.relations import among as pairs_among


def among_users(
    problem: Problem, rows: npt.NDArray[np.int64]
) -> tuple[Problem, npt.NDArray[np.int64]]:
    """Restrict a problem to exchanges among some users.

    Parameters
    ----------
    rows
        (n,) users who exchange pseudonyms; all others keep theirs.

    Returns
    -------
    tuple
        The problem, with all users; and (n_zones,) the number in ``problem`` of each of its zones.
    """
    whole, inside = problem.zones, np.zeros(problem.zones.n_users, bool)
    inside[rows] = True
    member = inside[whole.members]
    left = np.bincount(whole.zone_of_member[member], minlength=len(whole))
    member &= (left >= 2)[whole.zone_of_member]
    kept = np.flatnonzero(left >= 2)
    ptr = pointers(left[kept])
    zones = replace(
        whole,
        time=whole.time[kept],
        ptr=ptr,
        members=whole.members[member],
        place=None if whole.place is None else whole.place[kept],
        relation=pairs_among(whole.relation, whole.ptr, ptr, np.flatnonzero(member)),
    )
    return replace(problem, zones=zones, zone_index=None), kept
