"""What reference traces and a release let an attacker believe, in whichever way it can be found."""

from __future__ import annotations

from functools import lru_cache

from mixsafe.contest.base.reference import Reference
from mixsafe.contest.posterior.enumerated import ENUMERATED, enumerated
from mixsafe.contest.posterior.exchanged import exchanged_belief
from mixsafe.contest.posterior.shown import shown_share
from mixsafe.contest.posterior.tracks import static_belief
from mixsafe.contest.posterior.whereabouts import Belief, ratios
from mixsafe.model.release.cells import Cells


@lru_cache(maxsize=1)
def belief(reference: Reference, release: Cells, exchanged: int) -> tuple[Belief, float]:
    """What reference traces and a release let an attacker believe; kept, for both answers.

    Releases of up to ``ENUMERATED`` users are answered by all their histories, larger ones by
    passing messages.

    Parameters
    ----------
    exchanged
        1: pseudonyms may be exchanged wherever users show the same cell; 0: they never are.

    Returns
    -------
    Belief, float
        And what part of it is kept of what users show (:mod:`mixsafe.contest.posterior.shown`).

    Raises
    ------
    InputError
        A release of other users, or of too many different sets.
    """
    reference.check_fits(release)
    habits = reference.habits
    ratio = ratios(habits, release)
    step = reference.rules.step_of_day(release.time_ids)
    if release.n_rows <= ENUMERATED:
        found = enumerated(release, ratio, habits.weight, step, exchanged)
    else:
        make = exchanged_belief if exchanged else static_belief
        found = make(release, ratio, habits.weight, step)
    return found, shown_share(habits, release, ratio, found.places)
