"""How much a shown cell tells of where its user was: as much as it agrees with her habits and home.

Obfuscation is not announced. Where cells are as they were, those of a user are as her habits and
home have them, in steps whose cells say nothing of who she is as well; where they are noise, they
are no more hers than anybody's. The share of cells that are hers is estimated, and is what is kept:
no threshold is set. On the preliminary data it is 0.98 of unchanged cells exchanged, 0.56 of
A4(4,1), 0.20 of A3(6), and 0.67 of KM(100), whose cells do not look like noise.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.contest.base.habits import VisitHabits
from mixsafe.contest.posterior.loops import agreements, common_share
from mixsafe.contest.posterior.whereabouts import BelievedPlaces, Floats
from mixsafe.model.release import Cells

ROUNDS = 30
"""Of expectation and maximization."""


def shown_share(
    habits: VisitHabits, release: Cells, ratio: Floats, places: BelievedPlaces
) -> float:
    """What part of what is believed of a cell is to be kept, 0 to 1; the rest goes by habit.

    Parameters
    ----------
    ratio
        (steps_per_day, n_contents, n_users) log-ratios of the release's contents.
    places
        Where each user is believed to be.
    """
    step = habits.rules.step_of_day(release.time_ids)
    # Cells that decided who a user is agree with her anyway.
    columns = np.flatnonzero(habits.weight[step] <= habits.weight.mean())
    shown = np.stack([np.bincount(one, minlength=release.n_contents) for one in release.code.T])
    usual = _usual(habits, release)[step] / (np.maximum(shown, 1) / release.n_rows)
    usual[:, release.deleted] = -1
    hers = np.empty(len(places.content), np.float32)
    masses = np.empty_like(hers)
    believed = places.ptr, places.content, places.mass
    count = agreements(believed, (columns, step), ratio, usual, hers, masses)
    if not count:
        return 0.0
    return float(common_share(hers[:count], masses[:count], ROUNDS))


def _usual(habits: VisitHabits, release: Cells) -> npt.NDArray[np.float64]:
    """(steps_per_day, n_contents) everybody's probability of each content."""
    background = habits.background
    usual = np.zeros((len(background), release.n_contents))
    usual[:, : release.n_regions] = background
    if len(release.ptr) > 1:
        of_members = background[:, release.member]
        usual[:, release.n_regions + 1 :] = np.add.reduceat(of_members, release.ptr[:-1], axis=1)
    return usual
