"""Contest traces that are written as they are made, so that they need not fit into memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import csv

from mixsafe.io.files.atomic import atomic_path

RegionArray = npt.NDArray[np.int32]


@contextmanager
def trace_stream(
    path: str | os.PathLike[str], first_time: int = 1
) -> Iterator[Callable[[RegionArray], None]]:
    """Write ``user_id,time_id,reg_id``, block after block of users, whole or not at all.

    Parameters
    ----------
    first_time
        time_id of the first column of every block.

    Yields
    ------
    callable
        Takes the next users' regions from 0, (n_users, n_steps) int32.

    Raises
    ------
    InputError
        The file cannot be written.
    """
    users = 0
    style = csv.WriteOptions(include_header=False)
    with atomic_path(path) as draft, draft.open("wb") as file:
        file.write(b"user_id,time_id,reg_id\n")

        def add(region: RegionArray) -> None:
            nonlocal users
            n_users, n_steps = region.shape
            columns = {
                "user_id": np.repeat(np.arange(users + 1, users + n_users + 1), n_steps),
                "time_id": np.tile(np.arange(first_time, first_time + n_steps), n_users),
                "reg_id": region.reshape(-1) + 1,
            }
            csv.write_csv(pa.table(columns), file, style)
            users += n_users

        yield add
