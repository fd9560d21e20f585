"""LINK on releases whose pseudonyms are never exchanged: the same evidence weighs whole tracks."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from mixsafe.contest.base.reference import Reference
from mixsafe.model.release.cells import Cells


@lru_cache(maxsize=1)
def track_scores(reference: Reference, release: Cells) -> npt.NDArray[np.float32]:
    """Sum of the evidence along each track for each user, (n_users, n_tracks).

    Kept, since both attacks on a release need it.

    Raises
    ------
    InputError
        A release of other users, or of too many different sets.
    """
    # Numba takes half a second to import, which the other attacks need not wait for.
    from mixsafe.contest.attack.paths import sums_along_tracks

    reference.check_fits(release)
    ratio = reference.evidence.of_contents(release)
    step_of_day = reference.rules.step_of_day(release.time_ids)
    return np.asarray(sums_along_tracks(ratio, step_of_day, release.code))


def disjoint_tracks(scores: npt.NDArray[np.float32]) -> npt.NDArray[np.int64]:
    """A track for each user, none twice, (n_users,).

    The surest users go first. Whoever finds her track taken waits, and in her turn chooses anew
    among the free ones.
    """
    best = scores.argmax(axis=1)
    order = np.argsort(-scores.max(axis=1), kind="stable")
    track, first = np.unique(best[order], return_index=True)
    chosen = np.full(len(scores), -1)
    chosen[order[first]] = track
    taken = np.zeros(scores.shape[1], bool)
    taken[track] = True
    # Each choice narrows the next, so there is no array form.
    for user in np.delete(order, first):
        chosen[user] = np.where(taken, -np.inf, scores[user]).argmax()
        taken[chosen[user]] = True
    return chosen
