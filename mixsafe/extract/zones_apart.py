"""Mix zones by an executor: in parallel over time, as meetings are within one step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.spill.blocks import blocks
from mixsafe.model.course import Executor, Found
from mixsafe.model.mobility.traces import stable_order

_POSITIONS = 1 << 20
"""Of the steps that a worker takes at once, if each has fewer."""


class PositionColumns(NamedTuple):
    """Positions of users: at most one place for each user and step, in order of the users.

    Parameters
    ----------
    row, step, place
        (n,) each.
    """

    row: npt.NDArray[np.int32]
    step: npt.NDArray[np.int32]
    place: npt.NDArray[np.int64]

    def only(self, chosen: slice | npt.NDArray[np.int64]) -> PositionColumns:
        """Some of them."""
        return PositionColumns(self.row[chosen], self.step[chosen], self.place[chosen])


def zones_apart(
    positions: PositionColumns, min_users: int, executor: Executor, at_once: int = _POSITIONS
) -> Iterator[Found]:
    """All groups of ``min_users`` or more users at one place in one step.

    A task has about ``at_once`` positions, or those of one step.

    Yields
    ------
    dict
        ``time``, ``size`` and ``place`` of zones, by step, then by place, and ``row``, their
        members, ascending in each: those of some steps, the earlier ones first.
    """
    counts = np.zeros(int(positions.step.max(initial=0)) + 1, np.int64)
    for part in blocks(len(positions.step)):
        counts += np.bincount(positions.step[part], minlength=len(counts))
    share = np.cumsum(counts) // at_once
    ends = np.append(np.flatnonzero(np.diff(share)) + 1, len(counts)).tolist()
    tasks = list(zip([0, *ends[:-1]], ends, strict=True))
    return executor.each(_groups_of, executor.share((positions, min_users)), tasks)


def _groups_of(context: tuple[PositionColumns, int], steps: tuple[int, int]) -> Found:
    """The zones of the steps from the first one up to before the other."""
    positions, min_users = context
    chosen = np.flatnonzero((positions.step >= steps[0]) & (positions.step < steps[1]))
    return groups(positions.only(chosen), min_users)


def groups(positions: PositionColumns, min_users: int) -> Found:
    """The zones of some steps, all positions of which are there."""
    order = stable_order(positions.step, positions.place)  # users are in order already
    row, step, place = (column[order] for column in positions)
    new = np.append(True, (step[1:] != step[:-1]) | (place[1:] != place[:-1]))[: len(row)]
    begin = np.flatnonzero(new)
    size = np.diff(np.append(begin, len(row)))
    large: npt.NDArray[Any] = size >= min_users
    return {
        "time": step[begin[large]],
        "size": size[large],
        "place": place[begin[large]],
        "row": row[np.repeat(large, size)],
    }
