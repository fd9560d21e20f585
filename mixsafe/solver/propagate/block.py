"""Some words of all rows' sets of tokens: what one thread sweeps at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.model.question.adversary import Pins
from mixsafe.solver.state.tokens import TokenSets

BLOCK = 4
"""Words in a block: the rows' current sets stay in a core's cache."""


class Block(NamedTuple):
    """A sweep's view of a few words, and its working memory."""

    low: int  # the first of the words
    current: TokenSets  # (n_rows, width): each row's set at the present moment
    gathered: npt.NDArray[np.uint64]  # (width,)
    kept: npt.NDArray[np.uint64]  # (n_entries,): for each row of a pin


def new_block(low: int, current: TokenSets, pins: Pins) -> Block:
    """Block that begins with what is ``current``."""
    width = current.shape[1]
    current = np.ascontiguousarray(current)
    return Block(low, current, np.zeros(width, np.uint64), np.zeros(len(pins.rows), np.uint64))
