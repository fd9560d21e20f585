"""What an adversary has seen, or what is required, as tables in memory."""

from __future__ import annotations

from os import PathLike

import numpy as np

from mixsafe.errors import InputError
from mixsafe.io.columns.labels import references
from mixsafe.io.objects.frames import Frame, frame_of
from mixsafe.io.problems.sightings import read_sightings
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Names
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.requirement import NO_K, Requirements, outside_k


def sightings_of(given: object, users: Names, axis: TimeAxis) -> Knowledge:
    """Sightings from a table in memory, from a file, or as they are.

    Columns are those of :func:`mixsafe.io.problems.sightings.read_sightings`.

    Raises
    ------
    InputError
        Names the row at fault; or it is neither table nor file.
    """
    if isinstance(given, Knowledge):
        return given
    if isinstance(given, str | PathLike):
        return read_sightings(given, users, axis)
    frame = frame_of(given)
    if frame is None:
        hint = "give a table or a file with columns user_id and time (or time_id)"
        raise InputError(f"knowledge cannot be a {type(given).__name__}", hint=hint)
    _, row, step = references(frame.header, frame.table, users, axis)
    return Knowledge.of(row, step)


def requirements_of(frame: Frame, users: Names, axis: TimeAxis) -> Requirements:
    """Requirements from a table in memory: a user, a time and a k each.

    Raises
    ------
    InputError
        Names the row at fault.
    """
    table, row, step = references(frame.header, frame.table, users, axis, {"k": "integer"})
    k = table.values("k")
    table.check(outside_k(k), "k", f"k = {{}} {NO_K}")
    return Requirements(row, step, k.astype(np.int32))
