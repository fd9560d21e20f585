"""Blocks of words of all rows' token sets, the unit of work of a sweep's threads."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.model.question.adversary import Pins
from mixsafe.solver.state.tokens import TokenSets

BLOCK = 4
"""Words in a block, so few that the rows' current sets stay in a core's cache."""


class Block(NamedTuple):
    """A sweep's view of a few words, and its working memory."""

    low: int  # the first of the words
    current: TokenSets  # (n_rows, width): each row's set at the current step
    gathered: npt.NDArray[np.uint64]  # (width,)
    kept: npt.NDArray[np.uint64]  # (n_entries,): for each row of a pin


def new_block(low: int, current: TokenSets, pins: Pins) -> Block:
    """Block whose sweep begins with the sets ``current``."""
    width = current.shape[1]
    current = np.ascontiguousarray(current)
    return Block(low, current, np.zeros(width, np.uint64), np.zeros(len(pins.rows), np.uint64))
