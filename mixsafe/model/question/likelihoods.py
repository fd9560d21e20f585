"""How likely it is that who comes to a mix zone on one track leaves it on another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, eq=False)
class PairLikelihoods:
    """Likelihoods of the pairs of members of mix zones; that of a permutation is their product.

    Parameters
    ----------
    begin
        (n_zones,) int64: zone z with m members has ``log[begin[z]:begin[z] + m * m]``, in the order
        of the member who comes, then of the one on whose track she leaves; -1: unknown, so that all
        its pairs are alike.
    log
        (n_pairs,) logarithms, finite, up to a number for each row and each column of a zone's
        matrix, which changes no comparison of permutations. Of a pair that the zone does not allow
        they say nothing.
    learned
        Whether they are learned from the data; else ways are normally distributed.
    """

    begin: npt.NDArray[np.int64]
    log: npt.NDArray[np.float64]
    learned: bool
