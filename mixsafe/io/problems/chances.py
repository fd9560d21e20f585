"""Exchange probabilities: ``zone_id,chance`` or ``user_id,chance``, a row each."""

from __future__ import annotations

import os
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.io.columns.names import rows_of_users
from mixsafe.io.files.tables import header_of, read_table
from mixsafe.model.question.mix_zones import MixZones

Floats = npt.NDArray[np.float64]


class ExchangeChances(NamedTuple):
    """Probabilities that exchanges happen: ``zone``, (n_zones,), and ``user``, (n_users,)."""

    zone: Floats
    user: Floats


def read_chances(path: str | os.PathLike[str], zones: MixZones) -> ExchangeChances:
    """Read exchange probabilities of zones or users; those not in the file are 1.

    Parameters
    ----------
    path
        A CSV or Parquet file with ``chance``, and with ``user_id`` or ``zone_id``: the number of
        the zone, from 0 in order of time, as ``mixsafe zones`` writes it.
    zones
        The mix zones that the file refers to.

    Raises
    ------
    InputError
        Names the line at fault: a probability outside 0..1, an unknown user or zone, or one that
        occurs twice.
    """
    found, header = ExchangeChances(np.ones(len(zones)), np.ones(zones.n_users)), header_of(path)
    name = next((one for one in ("user_id", "zone_id") if one in header), None)
    if name is None:
        raise InputError(
            "no column 'user_id' or 'zone_id' found",
            file=path,
            line=1,
            hint="use columns user_id,chance or zone_id,chance",
        )
    table = read_table(path, {name: "name" if name == "user_id" else "integer", "chance": "number"})
    row: npt.NDArray[np.integer]
    if name == "user_id":
        row, chances = rows_of_users(table, name, zones.users, zones.premises.aliases), found.user
    else:
        row, chances = table.values(name), found.zone
        wrong = (row < 0) | (row >= len(zones))
        table.check(wrong, name, f"zone {{}} is not one of the data's {len(zones)} zones")
    given = table.values("chance")
    table.check(~((given >= 0) & (given <= 1)), "chance", "the chance {} is not between 0 and 1")
    again = np.ones(len(row), bool)
    again[np.unique(row, return_index=True)[1]] = False
    table.check(again, name, "{} occurs twice")
    chances[row] = given
    return found
