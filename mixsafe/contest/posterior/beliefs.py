"""What reference traces and a release let an attacker believe, in whichever way it can be found."""

from __future__ import annotations

from functools import lru_cache

from mixsafe.contest.base.reference import Reference
from mixsafe.contest.posterior.enumerated import ENUMERATED, enumerated
from mixsafe.contest.posterior.exchanged import exchanged_belief
from mixsafe.contest.posterior.noise import Noise
from mixsafe.contest.posterior.pieces import piece_weights
from mixsafe.contest.posterior.tracks import static_belief
from mixsafe.contest.posterior.whereabouts import Belief, Floats, ratios
from mixsafe.model.release.cells import Cells


@lru_cache(maxsize=1)
def noise_in(reference: Reference, release: Cells) -> Noise:
    """The noise in a release; kept, for both answers."""
    reference.check_fits(release)
    return Noise.of_release(reference.habits, release)


@lru_cache(maxsize=1)
def _seen(reference: Reference, noise: Noise) -> Floats:
    """Ratios of regions through noise; kept, as all pseudonymizations show the same noise."""
    return noise.ratios(reference.habits)


@lru_cache(maxsize=1)
def ratios_of(reference: Reference, release: Cells) -> Floats:
    """Log-ratios of a release's contents through its noise; kept, for all answers.

    As :func:`mixsafe.contest.posterior.whereabouts.ratios`.
    """
    return ratios(reference.habits, release, _seen(reference, noise_in(reference, release)))


def belief(reference: Reference, release: Cells, exchanged: int, *, raised: bool) -> Belief:
    """What reference traces and a release let an attacker believe; kept, for both answers.

    Parameters
    ----------
    exchanged
        1: pseudonyms may be exchanged wherever users show the same cell; 0: they never are.
    raised
        Whether evidence counts more under noise. That finds more users, but it overrates what is
        known of where they are: cells that decided who a user is agree with her.

    Raises
    ------
    InputError
        A release of other users, or of too many different sets.
    """
    changed = raised and not noise_in(reference, release).none
    return _belief(reference, release, exchanged, changed)


@lru_cache(maxsize=1)
def _belief(reference: Reference, release: Cells, exchanged: int, raised: bool) -> Belief:
    """The same.

    Releases of up to ``ENUMERATED`` users are answered by all their histories, larger ones by
    passing messages.
    """
    weight = piece_weights(reference) if exchanged else reference.habits.weight
    if raised:
        weight = noise_in(reference, release).weights(weight)
    step = reference.rules.step_of_day(release.time_ids)
    ratio = ratios_of(reference, release)
    if release.n_rows <= ENUMERATED:
        return enumerated(release, ratio, weight, step, exchanged)
    make = exchanged_belief if exchanged else static_belief
    return make(release, ratio, weight, step)
