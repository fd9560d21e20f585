"""Where a token may be when nothing is known of anybody else: a pass over the zones.

Forward or backward in time; a row that has been reached stays reached, so one number per row, the
step from which on it is reached, says it all.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import compiled
from mixsafe.model.question.mix_zones import MixZones

NEVER = np.iinfo(np.int32).max
"""The step of a row that is not reached forward; backward it is -1."""


def forward(zones: MixZones, row: int, after: int, until: int) -> npt.NDArray[np.int32]:
    """(n_rows,) the first step, up to ``until``, after which a token is on each row.

    It is on ``row`` after step ``after``.
    """
    step = np.full(zones.n_users, NEVER, np.int32)
    step[row] = after
    _forward(zones.time, zones.ptr, zones.members, after, until, step)
    return step


def backward(zones: MixZones, row: int, at: int, since: int) -> npt.NDArray[np.int32]:
    """(n_rows,) the last step, from ``since`` on, after which a token is on each row.

    It is on ``row`` after step ``at``.
    """
    step = np.full(zones.n_users, -1, np.int32)
    step[row] = at
    _backward(zones.time, zones.ptr, zones.members, since, at, step)
    return step


@compiled
def _forward(  # pragma: no cover - compiled
    time: npt.NDArray[np.int32],
    ptr: npt.NDArray[np.int64],
    members: npt.NDArray[np.int32],
    after: int,
    until: int,
    step: npt.NDArray[np.int32],
) -> None:
    for z in range(np.searchsorted(time, after, side="right"), len(time)):
        if time[z] > until:
            break
        reached = False
        for m in range(ptr[z], ptr[z + 1]):
            reached |= step[members[m]] != NEVER
        for m in range(ptr[z], ptr[z + 1] if reached else ptr[z]):
            if step[members[m]] == NEVER:
                step[members[m]] = time[z]


@compiled
def _backward(  # pragma: no cover - compiled
    time: npt.NDArray[np.int32],
    ptr: npt.NDArray[np.int64],
    members: npt.NDArray[np.int32],
    since: int,
    at: int,
    step: npt.NDArray[np.int32],
) -> None:
    for z in range(np.searchsorted(time, at, side="right") - 1, -1, -1):
        if time[z] <= since:
            break
        reached = False
        for m in range(ptr[z], ptr[z + 1]):
            reached |= step[members[m]] >= 0
        for m in range(ptr[z], ptr[z + 1] if reached else ptr[z]):
            if step[members[m]] < 0:
                step[members[m]] = time[z] - 1
