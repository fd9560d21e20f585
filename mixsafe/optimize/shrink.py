"""Leave out of a set of zones what it can spare."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from mixsafe.verify.answers import Deadline


def shrink(
    active: npt.NDArray[np.bool_],
    cost: npt.NDArray[np.int64],
    value: npt.NDArray[np.float64],
    enough: Callable[[npt.NDArray[np.bool_]], bool],
    deadline: Deadline,
) -> npt.NDArray[np.bool_]:
    """Zones that are still enough, none of which can be left out, unless the time is up.

    Large parts are tried first; zones of little value for their cost go before others.

    Parameters
    ----------
    active
        (n_zones,) zones that are enough.
    cost, value
        (n_zones,) what a zone costs, and how much is thought of it.
    enough
        Whether zones are proven to be enough; more zones never are less.
    deadline
        When to stop.
    """
    kept = active.copy()
    zones = np.flatnonzero(active)
    zones = zones[np.argsort(value[zones] / cost[zones], kind="stable")]
    size = max(1, len(zones) // 2)
    while True:
        for begin in range(0, len(zones), size):
            if deadline.passed:
                return kept
            fewer = kept.copy()
            fewer[zones[begin : begin + size]] = False
            if enough(fewer):
                kept = fewer
        if size == 1:
            return kept
        zones = zones[kept[zones]]
        size = max(1, min(size // 2, len(zones) // 2))
