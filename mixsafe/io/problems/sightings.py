"""What an adversary has seen: ``user_id,time_id``, a row per sighting."""

from __future__ import annotations

from mixsafe.io.columns.labels import TableSource, read_references
from mixsafe.io.files.tables import NoRowError
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Names
from mixsafe.model.question.adversary import Knowledge


def read_sightings(
    source: TableSource, users: Names, axis: TimeAxis, *, maybe_none: bool = False
) -> Knowledge:
    """Sightings of users from a file, or a table in memory; repeated ones merged.

    Parameters
    ----------
    users, axis
        The data that the sightings are about. Where they know times, the file may have ``time``
        (ISO 8601 or Unix seconds) in place of ``time_id``.
    maybe_none
        A header alone is no error: it says that there are none.

    Raises
    ------
    InputError
        Names the line at fault: a value is missing or of another type, the user is not in the
        data, the time is outside them.
    """
    try:
        _, row, step = read_references(source, users, axis)
    except NoRowError:
        if not maybe_none:
            raise
        return Knowledge.from_pairs([])
    return Knowledge.of(row, step)
