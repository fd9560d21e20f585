"""Who is on which track if nobody may be on two: the assignment that is believed most.

POST names for each track the user most believed to be on it, and may name a user twice. If nobody
is named twice, an assignment problem is left at each step. Few users are believed to be on a track,
and beliefs are known to a few digits only, so an auction solves it (Bertsekas 1979): each track in
turn bids for the user that is worth most to it, and may lose that user to a later bid.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.contest.posterior.whereabouts import LEAST, BelievedUsers, Floats
from mixsafe.machinery.compiled import compiled

STEP = LEAST / 64
"""What a bid raises a price by at least.

The sum of beliefs is at most so much for each track below the largest that there is. On the
preliminary data, exchanged, sums of 46 to 275 at a step are 0.002 below it at most.
"""


def assigned(users: BelievedUsers) -> npt.NDArray[np.int32]:
    """A user for each track, (n_tracks,), none twice.

    The sum of what is believed of the pairs is the largest that there is, but for ``STEP`` for each
    track; beliefs below ``LEAST`` count as none, so that who is left over takes what is left over,
    in order.
    """
    named = np.full(len(users.of_track), -1, np.int32)
    _auction(users.of_track, users.ptr, users.user, users.mass, np.float32(STEP), named)
    alone = named < 0
    named[alone] = np.setdiff1d(np.arange(len(named)), named[~alone])
    return named


@compiled
def _auction(
    of_track: npt.NDArray[np.int64],
    ptr: npt.NDArray[np.int64],
    user: npt.NDArray[np.int32],
    mass: Floats,
    step: float,
    named: npt.NDArray[np.int32],
) -> None:
    """Let tracks bid for users until nobody does better with another one.

    Parameters
    ----------
    of_track, ptr, user, mass
        Ways of tracks, and the users believed to be on each way with their masses.
    step
        The least bid.
    named
        (n_tracks,) filled: the user of each track; stays -1 where all users cost too much.
    """
    price = np.zeros(len(named), np.float32)
    holder = np.full(len(named), -1)
    for first in range(len(named)):
        track = first
        while track >= 0:
            best, second, wanted = np.float32(0), np.float32(0), -1
            for entry in range(ptr[of_track[track]], ptr[of_track[track] + 1]):
                worth = mass[entry] - price[user[entry]]
                if worth > best:
                    best, second, wanted = worth, best, user[entry]
                elif worth > second:
                    second = worth
            if wanted < 0:
                break
            price[wanted] += best - second + step
            # Whoever is outbid bids next, until somebody takes a free user or stays alone.
            track, holder[wanted] = holder[wanted], track
    for one in range(len(holder)):
        if holder[one] >= 0:
            named[holder[one]] = one
