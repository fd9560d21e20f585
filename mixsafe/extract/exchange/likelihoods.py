"""Likelihoods of the pairs of members of mix zones, by how people move, as weights.

No pair counts less than ``LEAST`` times the likeliest one of the same track: a model that is
learned from some thousands of ways cannot say more, and a fix may be wrong.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.extract.exchange.believable import MOST_MEMBERS, zone_pairs
from mixsafe.extract.exchange.continuations import Continuations
from mixsafe.model.csr import pointers
from mixsafe.model.question.likelihoods import PairLikelihoods
from mixsafe.model.question.mix_zones import MixZones

LEAST = 1e-12
"""Least likelihood of a pair, by that of the likeliest pair of who comes on the same track."""

MOST_PAIRS = 1 << 27
"""Pairs of members of all zones: their likelihoods take 1 GiB."""


def pair_likelihoods(zones: MixZones, model: Continuations) -> PairLikelihoods:
    """Likelihoods of all pairs in zones with up to ``MOST_MEMBERS`` members.

    Parameters
    ----------
    zones
        Mix zones, and what they allow.
    model
        How likely pairs are.

    Raises
    ------
    InputError
        Too many pairs of members.
    """
    squares = np.where(zones.sizes <= MOST_MEMBERS, zones.sizes**2, 0).astype(np.int64)
    if int(squares.sum()) > MOST_PAIRS:
        raise InputError(
            f"{int(squares.sum()):,} pairs of users who meet are too many to be weighed by"
            f" movement: more than {MOST_PAIRS:,}",
            hint="use smaller cells or fewer users, or leave out --movement",
        )
    ptr = pointers(squares)
    log = np.zeros(ptr[-1])
    filled = 0
    for pairs in zone_pairs(zones, model, least=LEAST):
        log[filled : filled + len(pairs.excess)] = _log_weights(pairs.excess)
        filled += len(pairs.excess)
    begin = np.where(squares > 0, ptr[:-1], -1).astype(np.int64)
    return PairLikelihoods(begin, log, model.learned)


def _log_weights(excess: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Logarithms of which the likeliest permutation has the sum 0; 0 of pairs not allowed."""
    return np.where(np.isinf(excess), 0.0, -excess)
