"""How much evidence counts where pseudonyms are exchanged: found by attacking oneself.

Weights of habits (:func:`mixsafe.contest.base.held_out.step_weights`) are what tells whole tracks
of a day apart best, and where one time of the day says it all, others count nothing. Pieces between
exchanges are short, and most do not have that time. So the attacker exchanges the last reference
day, attacks it with what the other days tell, and lets the steps count as finds most.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from mixsafe.contest.base.reference import Reference
from mixsafe.contest.posterior.exchanged import exchanged_belief
from mixsafe.contest.posterior.whereabouts import Floats
from mixsafe.model.release.cells import Cells
from mixsafe.release.exchange import exchanged_table

EVENLY = (0.0, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0)
"""How far weights are drawn towards 1, at which all evidence counts as it is."""


@lru_cache(maxsize=1)
def piece_weights(reference: Reference) -> Floats:
    """How much the evidence of each step of the day counts for pieces, (steps_per_day,).

    Reference traces of one day cannot be attacked with another: weights stay as they are.
    """
    habits, weight, held = reference.habits, reference.habits.weight, reference.habits.held
    if held is None:
        return weight
    cells = Cells.of_regions(held.last, reference.rules.regions.count)
    table = exchanged_table(cells, np.random.default_rng(1))
    release = table.publish(cells)
    found = []
    for part in EVENLY:
        tried = weight + np.float32(part) * (1 - weight)
        named = exchanged_belief(release, habits.ratio_before, tried, held.step_last).user
        found.append(np.count_nonzero(named == table.user))
    best = EVENLY[int(np.argmax(found))]
    return np.asarray(weight + np.float32(best) * (1 - weight), dtype=np.float32)
