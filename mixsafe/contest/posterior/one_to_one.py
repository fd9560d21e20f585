"""Who is on which track if nobody may be on two: the assignment that is believed most.

POST names for each track the user most believed to be on it, and may name a user twice. If nobody
is named twice, an assignment problem is left at each step. Only pairs that are believed at all take
part in it, a few dozen for each track, so that it stays small (Jonker, Volgenant 1987, sparse).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

from mixsafe.contest.posterior.whereabouts import BelievedUsers


def assigned(users: BelievedUsers) -> npt.NDArray[np.int32]:
    """A user for each track, (n_tracks,), none twice.

    The sum of what is believed of the pairs is the largest that there is; beliefs below
    ``LEAST`` count as none, so that who is left over takes what is left over, in order.
    """
    n_tracks = len(users.of_track)
    first, size = users.ptr[users.of_track], np.diff(users.ptr)[users.of_track]
    total = np.concatenate([[0], np.cumsum(size)])
    entry = np.arange(total[-1]) + np.repeat(first - total[:-1], size)
    # Each track may stay alone, which is worth nothing. Costs must not be 0, which is no pair.
    tracks = np.arange(n_tracks)
    track = np.concatenate([np.repeat(tracks, size), tracks])
    user = np.concatenate([users.user[entry], n_tracks + tracks])
    cost = np.concatenate([2 - users.mass[entry].astype(np.float64), np.full(n_tracks, 2.0)])
    pairs = sparse.csr_array((cost, (track, user)), (n_tracks, 2 * n_tracks))
    _, named = min_weight_full_bipartite_matching(pairs)
    alone = named >= n_tracks
    named[alone] = np.setdiff1d(tracks, named[~alone])
    return np.asarray(named, dtype=np.int32)
