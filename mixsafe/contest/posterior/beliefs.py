"""What reference traces and a release let an attacker believe, in whichever way it can be found."""

from __future__ import annotations

from functools import lru_cache

from mixsafe.contest.base.reference import Reference
from mixsafe.contest.posterior.enumerated import ENUMERATED, enumerated
from mixsafe.contest.posterior.exchanged import exchanged_belief
from mixsafe.contest.posterior.noise import Noise
from mixsafe.contest.posterior.pieces import piece_weights
from mixsafe.contest.posterior.shown import shown_share
from mixsafe.contest.posterior.tracks import static_belief
from mixsafe.contest.posterior.whereabouts import Belief, ratios
from mixsafe.model.release.cells import Cells


@lru_cache(maxsize=1)
def noise_in(reference: Reference, release: Cells) -> Noise:
    """The noise in a release; kept, for both answers."""
    reference.check_fits(release)
    return Noise.of_release(reference.habits, release)


def belief(
    reference: Reference, release: Cells, exchanged: int, *, raised: bool
) -> tuple[Belief, float]:
    """What reference traces and a release let an attacker believe; kept, for both answers.

    Parameters
    ----------
    exchanged
        1: pseudonyms may be exchanged wherever users show the same cell; 0: they never are.
    raised
        Whether evidence counts more under noise. That finds more users, but it overrates what is
        known of where they are: cells that decided who a user is agree with her.

    Returns
    -------
    Belief, float
        And what part of it is kept of what users show (:mod:`mixsafe.contest.posterior.shown`).

    Raises
    ------
    InputError
        A release of other users, or of too many different sets.
    """
    changed = raised and not noise_in(reference, release).none
    return _belief(reference, release, exchanged, changed)


@lru_cache(maxsize=1)
def _belief(
    reference: Reference, release: Cells, exchanged: int, raised: bool
) -> tuple[Belief, float]:
    """The same.

    Releases of up to ``ENUMERATED`` users are answered by all their histories, larger ones by
    passing messages.
    """
    habits = reference.habits
    noise = noise_in(reference, release)
    ratio = ratios(habits, release, noise.ratios(habits))
    weight = piece_weights(reference) if exchanged else habits.weight
    if raised:
        weight = noise.weights(weight)
    step = reference.rules.step_of_day(release.time_ids)
    if release.n_rows <= ENUMERATED:
        found = enumerated(release, ratio, weight, step, exchanged)
    else:
        make = exchanged_belief if exchanged else static_belief
        found = make(release, ratio, weight, step)
    return found, shown_share(habits, release, ratio, found.places)
