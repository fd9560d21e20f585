"""What a refutation needs to be proven again."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt


class Refutation(NamedTuple):
    """No history has another token than the proven ones on a wire.

    Proof: the clauses about the ``tracked`` tokens from step ``begin`` to step ``end``, on all
    rows, contradict that none of the proven ones is on the wire.

    Parameters
    ----------
    wire
        Which one.
    tracked
        (n,) int64: tokens that are told apart, the proven ones of the wire among them.
    begin, end
        Steps between which they are followed.
    """

    wire: int
    tracked: npt.NDArray[np.int64]
    begin: int
    end: int
