"""Greatest speeds: ``user_id,max_speed``, a row each."""

from __future__ import annotations

import os

import numpy as np

from mixsafe.io.files.tables import read_table


def read_speeds(path: str | os.PathLike[str]) -> dict[str | int, float]:
    """Read the greatest speed of users, km/h; where a user has several, the greatest counts.

    Users of other data may be among them, and users who are not are not limited.

    Parameters
    ----------
    path
        A CSV or Parquet file with ``user_id`` and ``max_speed``; traces with such a column will do.

    Raises
    ------
    InputError
        Names the line of a speed that is missing or not above 0.
    """
    table = read_table(path, {"user_id": "name", "max_speed": "number"})
    speed = table.values("max_speed")
    table.check(~((speed > 0) & (speed < np.inf)), "max_speed", "the speed {} is not above 0")
    fastest: dict[str | int, float] = {}
    names = table.columns["user_id"].cast("string").to_pylist()
    for name, one in zip(names, speed.tolist(), strict=True):
        fastest[name] = max(one, fastest.get(name, 0.0))
    return fastest
