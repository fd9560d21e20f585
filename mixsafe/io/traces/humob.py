"""Tables of the Human Mobility Prediction Challenge (HuMob, YJMob100K): ``uid,d,t,x,y``.

Yabe et al., "YJMob100K: City-scale and longitudinal dataset of anonymized human mobility
trajectories", Scientific Data 11, 397 (2024): ``d`` is a day from 0, ``t`` the half hour of the
day, 0 to 47, and ``x``, ``y`` a cell of a grid of 200 by 200, each 1 to 200. Places that teams had
to predict are -999, -999; rows with them are refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from mixsafe.io.columns.fixes import Fixes
from mixsafe.io.columns.names import Places
from mixsafe.io.columns.reading import Reading
from mixsafe.io.files.csv_records import Kind
from mixsafe.io.files.sniffing import Sniffed
from mixsafe.io.files.tables import read_parts

COLUMNS = ("uid", "d", "t", "x", "y")
"""The header, in this order."""

STEPS_PER_DAY = 48
"""Half hours of a day."""

SIDE = 200
"""Cells of the grid in each direction."""

_LIMITS = {"d": (0, 10**6), "t": (0, STEPS_PER_DAY - 1), "x": (1, SIDE), "y": (1, SIDE)}
_HINT = (
    "in a table uid,d,t,x,y, d is a day, t a half hour, and x and y a cell, 1 to 200: remove rows"
    " with -999; rename the columns of other tables"
)
_NOTE = (
    "columns uid,d,t,x,y are read as those of HuMob: step d * 48 + t + 1, region y * 200 + x"
    " (--steps-per-day 48 where days matter)"
)


def is_humob(sniffed: Sniffed) -> bool:
    """True if the columns are those of HuMob, in their order."""
    return sniffed.header == COLUMNS


def humob_fixes(
    path: str | os.PathLike[str], reading: Reading, rows: int | None = None
) -> Iterator[Fixes]:
    """Yield the fixes of a table, in order.

    Parameters
    ----------
    reading
        Not used: nothing can be said of it.
    rows
        Rows of a batch, about; None: whole files.

    Raises
    ------
    InputError
        Names the line and column of a value outside of its range.
    """
    kinds: dict[str, Kind] = {"uid": "name"}
    kinds |= dict.fromkeys(_LIMITS, "integer")
    for table in read_parts(path, kinds, rows):
        values = {name: table.values(name) for name in _LIMITS}
        for name, (least, most) in _LIMITS.items():
            wrong = (values[name] < least) | (values[name] > most)
            table.check(wrong, name, f"{{}} is not within {least} to {most}", _HINT)
        yield Fixes(
            tables=(table,),
            user="uid",
            time=values["d"] * STEPS_PER_DAY + values["t"] + 1,
            clock="time_id",
            places=Places(values["y"] * SIDE + values["x"]),
            notes=(_NOTE,),
        )
