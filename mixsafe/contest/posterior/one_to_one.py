"""Who is on which track if nobody may be on two: the assignment that is believed most.

POST names for each track the user most believed to be on it, and may name a user twice. If nobody
is named twice, an assignment problem is left at each step (Jonker, Volgenant 1987). Few users are
believed to be on a track, so it is solved over these alone.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

from mixsafe.contest.posterior.whereabouts import BelievedUsers
from mixsafe.model.csr import ranges


def assigned(users: BelievedUsers) -> npt.NDArray[np.int32]:
    """A user for each track, (n_tracks,), none twice.

    The sum of what is believed of the pairs is the largest that there is; beliefs below
    ``LEAST`` count as none, so that who is left over takes what is left over, in order.
    """
    tracks = np.arange(len(users.of_track))
    first, size = users.ptr[users.of_track], np.diff(users.ptr)[users.of_track]
    entry = ranges(first, size)
    # Each track may also stay alone, which is worth nothing; 1 more for all, as a stored 0 is none.
    track = np.concatenate([np.repeat(tracks, size), tracks])
    user = np.concatenate([users.user[entry], tracks + len(tracks)])
    worth = np.concatenate([users.mass[entry], np.zeros(len(tracks), np.float32)]) + np.float64(1)
    pairs = sparse.csr_array((worth, (track, user)), (len(tracks), 2 * len(tracks)))
    _, named = min_weight_full_bipartite_matching(pairs, maximize=True)
    alone = named >= len(tracks)
    named[alone] = np.setdiff1d(tracks, named[~alone])
    return np.asarray(named, dtype=np.int32)
