"""What a refutation needs to be proven again."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt


class Refutation(NamedTuple):
    """No history has another token than the proven ones on a wire, or none has a certain token.

    Proof: the clauses about the ``tracked`` tokens from step ``begin`` to step ``end``, on all
    rows, contradict that none of the proven ones is on the wire, or that this token is.

    Parameters
    ----------
    wire
        Which one.
    tracked
        (n,) int64: tokens that are told apart, those of the claim among them.
    begin, end
        Steps between which they are followed.
    token
        The token that is not there; -1: any but the proven ones.
    """

    wire: int
    tracked: npt.NDArray[np.int64]
    begin: int
    end: int
    token: int = -1
