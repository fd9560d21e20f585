"""Cores without search: a user without any of her zones has no second candidate."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from mixsafe.model.question.adversary import pins_and_links
from mixsafe.model.question.problem import Problem


def own_zones(problem: Problem) -> Iterator[tuple[int, npt.NDArray[np.int32]]]:
    """Cores of the requirements of a problem that reachability alone shows.

    Until she is in a zone, a user carries her own pseudonym; and so she does from her last zone
    before a sighting on at which it is known to be hers. So each requirement needs one of her zones
    between the sighting before it (or step 0) and its step, and one between its step and the next
    sighting.

    Yields
    ------
    tuple
        Number of a requirement, and the zones, ascending.
    """
    zones, asked = problem.zones, problem.asked
    pins, _ = pins_and_links(problem.knowledge)
    order = np.argsort(zones.members, kind="stable")
    zone = zones.zone_of_member[order]
    first = np.searchsorted(zones.members[order], np.arange(zones.n_users + 1))
    by_row = np.lexsort((pins.time, pins.token))
    known = pins.time[by_row]
    first_known = np.searchsorted(pins.token[by_row], np.arange(zones.n_users + 1))
    for number, (row, step, k) in enumerate(zip(asked.row, asked.time, asked.k, strict=True)):
        if k < 2:
            continue
        mine = zone[first[row] : first[row + 1]]
        times = zones.time[mine]
        seen = known[first_known[row] : first_known[row + 1]]
        before, after = seen[seen <= step], seen[seen > step]
        since = before[-1] if len(before) else 0
        yield number, mine[(times > since) & (times <= step)].astype(np.int32)
        if len(after):
            yield number, mine[(times > step) & (times <= after[0])].astype(np.int32)
