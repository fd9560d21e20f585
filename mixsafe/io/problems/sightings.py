"""Sightings of an adversary: ``user_id,time_id``, a row each."""

from __future__ import annotations

from collections.abc import Mapping

from mixsafe.io.columns.labels import TableSource, read_references
from mixsafe.io.files.tables import NoRowError
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Names
from mixsafe.model.question.adversary import Knowledge


def read_sightings(
    source: TableSource,
    users: Names,
    axis: TimeAxis,
    *,
    maybe_none: bool = False,
    aliases: Mapping[str, str] | None = None,
) -> Knowledge:
    """Read sightings of users from a file or a table in memory; duplicates are merged.

    They are an adversary's, to whom different people are different.

    Parameters
    ----------
    users, axis
        Users and time axis of the data. If the axis has timestamps, the file may have ``time``
        (ISO 8601 or Unix seconds) instead of ``time_id``.
    maybe_none
        True: a header without rows means no sightings and is not an error.
    aliases
        Further names of users: sightings under any of her names are a person's.

    Raises
    ------
    InputError
        Names the line at fault: a value is missing or has another type, the user is not in the
        data, or the time is out of range.
    """
    try:
        _, row, step = read_references(source, users, axis, aliases=aliases)
    except NoRowError:
        if not maybe_none:
            raise
        return Knowledge.from_pairs([], distinct=True)
    return Knowledge.of(row, step, distinct=True)
