"""Writers of the files of PWS Cup 2019, byte for byte as the organizers' programs."""

from __future__ import annotations

import os

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.atomic import write_text
from mixsafe.machinery.modes import secret
from mixsafe.model.mobility.trace_matrix import TraceMatrix
from mixsafe.model.release.cells import Cells
from mixsafe.model.release.id_table import IdTable

Path = str | os.PathLike[str]
Strings = npt.NDArray[np.object_]


def write_traces(path: Path, traces: TraceMatrix) -> None:
    """Write reference or original traces: ``user_id,time_id,reg_id``."""
    users, times = _names(1, traces.n_users), _names(traces.first_time, traces.n_steps)
    regions = _names(1, int(traces.region.max()) + 1)[traces.region]
    write_text(path, "user_id,time_id,reg_id\n" + _rows(users[:, None], times, regions))


@secret()
def write_anonymized(path: Path, cells: Cells) -> None:
    """Write released cells of users: one column ``reg_id``; secret, as its order says whose."""
    write_text(path, "reg_id\n" + _rows(_contents(cells)[cells.code]))


def write_public(path: Path, release: Cells) -> None:
    """Write a release: ``pse_id,time_id,reg_id``."""
    pseudonyms = _names(release.n_rows + 1, release.n_rows)[:, None]
    times = _names(release.first_time, release.n_steps)
    rows = _rows(pseudonyms, times, _contents(release)[release.code])
    write_text(path, "pse_id,time_id,reg_id\n" + rows)


@secret()
def write_id_table(path: Path, table: IdTable) -> None:
    """Write an ID table, which is secret: ``pse_id,user_id``, or by time if the table is."""
    users = _names(1, len(table.user))[table.user]
    if table.user.shape[1] == 1:
        pseudonyms = _names(len(users) + 1, len(users))[:, None]
        write_text(path, "pse_id,user_id\n" + _rows(pseudonyms, users))
    else:
        _write_by_time(path, users, table.first_time)


def write_inferred_ids(path: Path, answer: npt.NDArray[np.int32], first_time: int = 1) -> None:
    """Write an attacker's users: one column ``user_id``; if by time, ``pse_id,time_id,user_id``.

    Parameters
    ----------
    answer
        (n,) or (n, n_steps) users from 0.
    first_time
        time_id of the first column.
    """
    users = _names(1, int(answer.max()) + 1)[answer]
    if answer.ndim == 1:
        write_text(path, "user_id\n" + _rows(users))
    else:
        _write_by_time(path, users, first_time)


def _write_by_time(path: Path, users: Strings, first_time: int) -> None:
    """Write the user of each pseudonym at each time."""
    pseudonyms = _names(len(users) + 1, len(users))[:, None]
    times = _names(first_time, users.shape[1])
    write_text(path, "pse_id,time_id,user_id\n" + _rows(pseudonyms, times, users))


def write_inferred_traces(path: Path, answer: npt.NDArray[np.int32]) -> None:
    """Write an attacker's regions: one column ``reg_id``, by user and time."""
    write_text(path, "reg_id\n" + _rows(_names(1, int(answer.max()) + 1)[answer]))


def _names(first: int, count: int) -> Strings:
    """``count`` numbers from ``first`` on, as texts."""
    return np.array([str(number) for number in range(first, first + count)], object)


def _contents(cells: Cells) -> Strings:
    """Text of each distinct cell."""
    ids = _names(1, cells.n_regions).tolist()
    sets = [
        " ".join(str(region + 1) for region in cells.member[start:end])
        for start, end in zip(cells.ptr[:-1], cells.ptr[1:], strict=True)
    ]
    return np.array([*ids, "*", *sets], object)


def _rows(*columns: Strings) -> str:
    """CSV lines of columns, broadcast to one shape."""
    shape = np.broadcast_shapes(*(column.shape for column in columns))
    fields = np.empty((*shape, 2 * len(columns)), object)
    for number, column in enumerate(columns):
        fields[..., 2 * number] = column
        fields[..., 2 * number + 1] = ","
    fields[..., -1] = "\n"
    return "".join(fields.reshape(-1).tolist())
