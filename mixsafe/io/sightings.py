"""What an adversary has seen: ``user_id,time_id``, a row per sighting."""

from __future__ import annotations

import os

from mixsafe.io.labels import read_references
from mixsafe.model.adversary import Knowledge
from mixsafe.model.time_axis import TimeAxis
from mixsafe.model.traces import Names


def read_sightings(path: str | os.PathLike[str], users: Names, axis: TimeAxis) -> Knowledge:
    """Sightings of users, repeated ones merged.

    Parameters
    ----------
    users, axis
        The data that the sightings are about. Where they know times, the file may have ``time``
        (ISO 8601 or Unix seconds) in place of ``time_id``.

    Raises
    ------
    InputError
        Names the line at fault: a value is missing or of another type, the user is not in the
        data, the time is outside them.
    """
    _, row, step = read_references(path, users, axis)
    return Knowledge.of(row, step)
