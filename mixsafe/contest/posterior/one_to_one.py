"""Who is on which track if nobody may be on two: the assignment that is believed most.

POST names for each track the user most believed to be on it, and may name a user twice. If nobody
is named twice, an assignment problem is left at each step (Jonker, Volgenant 1987).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from mixsafe.contest.posterior.whereabouts import BelievedUsers
from mixsafe.model.csr import ranges


def assigned(users: BelievedUsers) -> npt.NDArray[np.int32]:
    """A user for each track, (n_tracks,), none twice.

    The sum of what is believed of the pairs is the largest that there is; beliefs below
    ``LEAST`` count as none, so that who is left over takes what is left over, in order.
    """
    n_tracks = len(users.of_track)
    first, size = users.ptr[users.of_track], np.diff(users.ptr)[users.of_track]
    entry = ranges(first, size)
    believed = np.zeros((n_tracks, n_tracks), np.float32)
    tracks = np.arange(n_tracks)
    believed[np.repeat(tracks, size), users.user[entry]] = users.mass[entry]
    _, named = linear_sum_assignment(believed, maximize=True)
    alone = believed[tracks, named] == 0
    named[alone] = np.setdiff1d(tracks, named[~alone])
    return np.asarray(named, dtype=np.int32)
