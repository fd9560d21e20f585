"""The secret table of a release: which pseudonym is whose, always or at each time.

====================================================  ==========================================
pseudonyms                                            columns
====================================================  ==========================================
never change                                          ``pse_id,user_id``
are exchanged                                         ``pse_id,time_id,user_id``
====================================================  ==========================================

``pseudonym`` may stand for ``pse_id``, ``time`` for ``time_id``; users and times may have the other
names that those of traces may have (:mod:`mixsafe.io.columns.dialects`).
"""

from __future__ import annotations

import os
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.io.columns.dialects import reference_columns, tells_times, user_column
from mixsafe.io.columns.names import numbers_of
from mixsafe.io.columns.stays import kinds_of_times
from mixsafe.io.files.arrays import numbers
from mixsafe.io.files.checked_table import CheckedTable
from mixsafe.io.files.csv_records import Kind
from mixsafe.io.files.tables import header_of, read_table
from mixsafe.io.problems.side_tables import steps_and_moments
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Names
from mixsafe.model.release import TrueTracks

PSEUDONYMS = ("pse_id", "pseudonym")
"""Column names of pseudonyms."""

Ints = npt.NDArray[np.int64]


class _Columns(NamedTuple):
    """Names of the columns of pseudonyms and of users."""

    track: str
    user: str


def read_true_tracks(
    path: str | os.PathLike[str],
    users: Names,
    tracks: Names,
    axis: TimeAxis,
    *,
    of_part: bool = False,
) -> TrueTracks:
    """Read the true tracks of known users; what the table tells of others does not count.

    Where several rows of a user, or of a pseudonym, fall into one step, the last moment counts, as
    in traces.

    Parameters
    ----------
    users, tracks
        Names of the known users, and of the tracks of the release.
    axis
        Time steps of the release.
    of_part
        Whether these are the tracks of a part of the release: other pseudonyms are track -1.

    Raises
    ------
    InputError
        Names the line at fault: a pseudonym that is not in the release, a time outside of it, a
        user with two pseudonyms at one time, or a pseudonym of two users; or a known user of whom
        the table tells nothing, or columns that are missing or of one value.
    """
    table, columns, step, moment = _read(path, axis)
    track = numbers_of(table, columns.track, tracks).astype(np.int64)
    if not of_part:
        table.check(track < 0, columns.track, "pseudonym {} is not in the release", _OTHER)
    person, pseudonym = (
        numbers(table.columns[one].unify_dictionaries().combine_chunks().indices).astype(np.int64)
        for one in (columns.user, columns.track)
    )
    _check_one_to_one(table, columns, (person, pseudonym, step, moment))
    counts = _last_of(person, step, moment) & _last_of(pseudonym, step, moment)
    user = numbers_of(table, columns.user, users).astype(np.int64)
    untold = np.flatnonzero(~np.isin(np.arange(len(users)), user))
    if len(untold):
        more = f", nor those of {len(untold) - 1:,} others" if len(untold) > 1 else ""
        raise InputError(
            f"user {users[untold[0]]} was seen, but the table does not tell the user's"
            f" pseudonym{more}",
            file=path,
            column=columns.user,
            hint="name users as in the sightings, and list all who were seen",
        )
    kept = np.flatnonzero(counts & (user >= 0))
    when = None if step is None else step[kept]
    return TrueTracks(user[kept], track[kept], when)


_OTHER = "is it the table of this release?"


def _read(
    path: str | os.PathLike[str], axis: TimeAxis
) -> tuple[CheckedTable, _Columns, Ints | None, Ints]:
    """The table, its columns, and steps (None: always) and moments of its rows.

    Raises
    ------
    InputError
        A column is missing, or a cell cannot be read.
    """
    header = header_of(path)
    name = next((one for one in PSEUDONYMS if one in header), None)
    if name is None:
        raise InputError(
            "no column 'pse_id' or 'pseudonym' found",
            file=path,
            line=1,
            hint="use columns pse_id,user_id; of exchanged pseudonyms pse_id,time_id,user_id",
        )
    others = tuple(one for one in header if one != name)
    if not tells_times(path, others):
        user = user_column(path, others, {})
        if user is None:
            raise InputError(
                "no column 'user_id' found", file=path, line=1, hint="whose are the pseudonyms?"
            )
        table = read_table(path, {name: "name", user: "name"})
        return table, _Columns(name, user), None, np.zeros(len(table), np.int64)
    layout = reference_columns(path, others, timed=axis.timed)
    kinds: dict[str, Kind] = {name: "name", layout.user: "name", **kinds_of_times(layout)}
    table, step, moment = steps_and_moments(read_table(path, kinds), layout, axis)
    first = axis.label(1)
    table.check(step < 1, layout.time, f"time {{}} is before the release's first, {first}")
    return table, _Columns(name, layout.user), step.astype(np.int64), moment


def _check_one_to_one(
    table: CheckedTable, columns: _Columns, rows: tuple[Ints, Ints, Ints | None, Ints]
) -> None:
    """Refuse users with two pseudonyms, and pseudonyms of two users, at one moment.

    Parameters
    ----------
    rows
        (n_rows,) each: user, track, step (None: always) and moment.

    Raises
    ------
    InputError
        Names the line of the second.
    """
    user, track, step, moment = rows
    second = _differ(user, track, step, moment), _differ(track, user, step, moment)
    if second[0].any() and len(np.unique(user)) == 1:
        named = table.columns[columns.user][0].as_py()
        raise InputError(
            f"all pseudonyms are of one user, '{named}'",
            file=table.file,
            column=columns.user,
            hint="name the column user_id that tells users apart",
        )
    each = "give each user one pseudonym at each time"
    table.check(second[0], columns.user, "user {} already has another pseudonym", each)
    table.check(second[1], columns.track, "pseudonym {} is already another user's", each)


def _differ(one: Ints, other: Ints, step: Ints | None, moment: Ints) -> npt.NDArray[np.bool_]:
    """(n_rows,) whether the first row of the same one, step and moment has another other."""
    when = np.zeros(len(one), np.int64) if step is None else step
    order = np.lexsort((moment, when, one))
    new = np.ones(len(order), bool)
    new[1:] = np.any([np.diff(key[order]) != 0 for key in (one, when, moment)], axis=0)
    first = order[np.maximum.accumulate(np.where(new, np.arange(len(order)), 0))]
    differs = np.zeros(len(order), bool)
    differs[order] = other[order] != other[first]
    return differs


def _last_of(one: Ints, step: Ints | None, moment: Ints) -> npt.NDArray[np.bool_]:
    """(n_rows,) whether a row is the last of its user, or pseudonym, in its step."""
    when = np.zeros(len(one), np.int64) if step is None else step
    order = np.lexsort((moment, when, one))
    last = np.ones(len(order), bool)
    last[:-1] = (np.diff(one[order]) != 0) | (np.diff(when[order]) != 0)
    found = np.zeros(len(order), bool)
    found[order] = last
    return found
