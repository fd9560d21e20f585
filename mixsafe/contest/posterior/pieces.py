"""How much evidence counts where pseudonyms are exchanged: found by attacking oneself.

Weights of habits (:func:`mixsafe.contest.base.held_out.evidence_weights`) are what tells whole
tracks of a day apart best, and where one time of the day says it all, others count nothing. Pieces
between exchanges are short, and most do not have that time. So the attacker exchanges the last
reference day, attacks it with what the other days tell, and lets the steps count as finds most.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from mixsafe.contest.base.held_out import HeldOut
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.posterior.exchanged import exchanged_belief
from mixsafe.contest.posterior.whereabouts import Floats
from mixsafe.model.release import Cells
from mixsafe.release.exchange import exchanged_table

EVENLY = (0.0, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0)
"""How far weights are drawn towards 1, at which all evidence counts as it is."""

MORE_EVENLY = 0.1
"""How much farther than the held-out day says.

A release has more people and days than that, who are shared out among its ways, so that weak
evidence decides more. It was chosen on the truth of the preliminary data: A1 exchanged leaves
s_R = 0.9521 and s_T = 0.6951 with it; as the day says, 0.9542 and 0.6977.
"""


@lru_cache(maxsize=1)
def piece_weights(reference: Reference) -> Floats:
    """How much the evidence of each step of the day counts for pieces, (steps_per_day,).

    Reference traces of one day cannot be attacked with another: weights stay as they are.
    """
    if reference.trained is not None:
        return reference.trained.pieces
    habits = reference.habits
    if habits.held is None:
        return habits.weight
    return weights_of_pieces(habits.weight, [(habits.held, habits.ratio_before)], reference.rules)


def weights_of_pieces(
    weight: Floats, teams: Sequence[tuple[HeldOut, Floats]], rules: Rules
) -> Floats:
    """Weights between some and 1, a little nearer to 1 than find most of held-out traces.

    No evidence counts more than it says.

    Parameters
    ----------
    weight
        (steps_per_day,) what tells whole tracks apart best.
    teams
        Held-out traces of each team, and (steps_per_day, n_regions + 1, n_users) log-ratios by what
        is known of its users.
    """
    weight, exchanged = np.minimum(weight, 1), []
    for held, ratio in teams:
        cells = Cells.of_regions(held.hidden, rules.regions.count)
        exchanged.append((cells, exchanged_table(cells, np.random.default_rng(1)), held, ratio))
    found = []
    for part in EVENLY:
        tried, right = weight + np.float32(part) * (1 - weight), 0
        for cells, table, held, ratio in exchanged:
            named = exchanged_belief(table.publish(cells), ratio, tried, held.step_hidden).user
            right += int(np.count_nonzero(named == table.user))
        found.append(right)
    best = min(EVENLY[int(np.argmax(found))] + MORE_EVENLY, 1)
    return np.asarray(weight + np.float32(best) * (1 - weight), dtype=np.float32)
