"""Zones that allow some pairs only, as the checker reads them.

Whoever comes to a zone on the row of one member leaves it on the row of another only if the zone
allows the pair. A pair is of use only if tokens can also get back: allowed permutations go around
in cycles, so both members must reach each other by allowed pairs (facts.md, zones with a relation).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.model.question.mix_zones import MixZones

Matrix = npt.NDArray[np.bool_]
"""(size, size): whether who comes as one member may leave as another."""


def useful_pairs(zones: MixZones) -> dict[int, Matrix]:
    """The pairs that allowed permutations use, of each zone that does not allow all pairs."""
    if zones.relation is None:
        return {}
    sizes = zones.sizes
    return {
        zone: _within_cycles(zones.relation.matrix(zone, int(sizes[zone])))
        for zone in zones.relation.zones.tolist()
    }


def _within_cycles(allowed: Matrix) -> Matrix:
    """Drop the pairs whose second member does not get back to the first one."""
    allowed = allowed | np.eye(len(allowed), dtype=bool)
    reached = allowed
    while True:  # squares: paths of 1, 2, 4, … pairs
        further = (reached.astype(np.float32) @ reached.astype(np.float32)) > 0
        if np.array_equal(further, reached):
            return np.asarray(allowed & reached.T)
        reached = further


def passed(sets: npt.NDArray[np.uint64], pairs: Matrix) -> npt.NDArray[np.uint64]:
    """(size, words) tokens that get to each member, from those that each one has.

    ``pairs[a, b]``: whether they get from a to b.
    """
    return np.stack([np.bitwise_or.reduce(sets[pairs[:, to]], axis=0) for to in range(len(pairs))])
