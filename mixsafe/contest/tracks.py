"""LINK on releases whose pseudonyms are never exchanged: the same evidence weighs whole tracks."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from mixsafe.contest.reference import Reference
from mixsafe.model.cells import Cells

BATCH = 64
"""Users who choose side by side, as they do where paths are searched."""


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
    from mixsafe.contest.paths import sums_along_tracks

    reference.check_fits(release)
    ratio = reference.evidence.of_contents(release)
    step_of_day = reference.rules.step_of_day(release.time_ids)
    return np.asarray(sums_along_tracks(ratio, step_of_day, release.code))


def disjoint_tracks(scores: npt.NDArray[np.float32]) -> npt.NDArray[np.int64]:
    """A track for each user, none twice, (n_users,).

    The user who is surest of her track goes first; whoever finds it taken chooses anew among the
    free ones.
    """
    taken = np.zeros(scores.shape[1], bool)
    chosen = np.full(len(scores), -1)
    batch, later = np.argsort(-scores.max(axis=1), kind="stable"), np.empty(0, np.int64)
    while len(batch):
        wanted = np.where(taken, -np.inf, scores[batch]).argmax(axis=1)
        # Of those who want the same track, the first one gets it.
        track, winner = np.unique(wanted, return_index=True)
        chosen[batch[winner]] = track
        taken[track] = True
        waiting = np.concatenate([np.delete(batch, winner), later])
        batch, later = waiting[:BATCH], waiting[BATCH:]
    return chosen
