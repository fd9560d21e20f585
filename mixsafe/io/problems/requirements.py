"""Requirements: ``user_id,time_id,k``, a row each."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mixsafe.io.columns.labels import TableSource, read_references
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Names
from mixsafe.model.question.requirement import NO_K, Requirements, outside_k


def read_requirements(
    source: TableSource,
    users: Names,
    axis: TimeAxis,
    aliases: Mapping[str, str] | None = None,
) -> Requirements:
    """Read requirements in the order of a file or a table in memory.

    Parameters
    ----------
    users, axis
        Users and time axis of the data. If the axis has timestamps, the file may have ``time``
        (ISO 8601 or Unix seconds) instead of ``time_id``.
    aliases
        Further names of users.

    Raises
    ------
    InputError
        Names the line at fault: a value is missing or has another type, the user is not in the
        data, the time is out of range, or k is below 2.
    """
    table, row, step = read_references(source, users, axis, {"k": "integer"}, aliases)
    k = table.values("k")
    table.check(outside_k(k), "k", f"k = {{}} {NO_K}")
    return Requirements(row, step, k.astype(np.int32))
