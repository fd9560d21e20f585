"""Adaptive choice of zones: more moves where chains mix slowly."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.weigh.draw.convergence import PILOT, Estimates
from mixsafe.weigh.draw.pair_moves import OftenDrawn
from mixsafe.weigh.draw.solution import Instance, Ints

_FEWEST = 400.0
"""Effective draws of a wire required to compare chains."""

_ERROR = 0.01  # that is to be reached where it is more work than that


def often_drawn(found: Estimates, draws: int, instance: Instance, most: int) -> OftenDrawn:
    """Frequencies of moves by membership, from the draws so far.

    Parameters
    ----------
    found
        Of all wires.
    draws
        Of all chains together.
    instance
        What moves go over.
    most
        Maximum ratio of the frequencies of two zones.
    """
    effective = np.where(found.draws > 0, found.draws, draws * (1 - PILOT))
    needed = np.maximum(found.mean * (1 - found.mean) / _ERROR**2, _FEWEST)
    work = needed * draws * (1 - PILOT) / effective
    sides = (instance.before + 1, instance.before)
    return OftenDrawn(*(_as_often(work[wires], instance, most) for wires in sides))


def _as_often(work: npt.NDArray[np.float64], instance: Instance, most: int) -> Ints:
    """Memberships, those of zones with more work several times."""
    n_zones = len(instance.zone_time)
    of_zone = np.bincount(instance.zone_of, work, n_zones) / np.diff(instance.zone_ptr)
    usual = np.median(of_zone)
    times = np.clip(of_zone / max(usual, 1e-9), 1, most).astype(np.int64)
    return np.repeat(np.arange(len(instance.before)), times[instance.zone_of])
