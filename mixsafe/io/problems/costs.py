"""Costs of places: ``place,cost``, a row each."""

from __future__ import annotations

import os

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.io.columns.labels import TableSource
from mixsafe.io.files.csv_records import Kind
from mixsafe.io.files.tables import read_table
from mixsafe.model.question.places import MOST_COST, ZonePlaces


def read_costs(source: TableSource, places: ZonePlaces) -> npt.NDArray[np.int64]:
    """Read what each of some places costs.

    Parameters
    ----------
    source
        A CSV or Parquet file, or a table in memory, with ``place`` and ``cost``, in any order.
    places
        Their names as answers have them.

    Returns
    -------
    (n_places,) int64, each 0 to ``MOST_COST``.

    Raises
    ------
    InputError
        Names the line of a place without a mix zone, one that is listed twice, or a cost that is no
        whole number or out of range; or a place that is not listed.
    """
    kinds: dict[str, Kind] = {"place": "name", "cost": "integer"}
    if isinstance(source, str | os.PathLike):
        table = read_table(source, kinds)
    else:
        table = source.table(kinds)
    cost = table.values("cost")
    table.check(
        (cost < 0) | (cost > MOST_COST), "cost", f"the cost {{}} is not from 0 to {MOST_COST:,}"
    )
    number = {str(name): n for n, name in enumerate(places.names)}
    found = np.full(len(places), -1, np.int64)
    for row, name in enumerate(table.columns["place"].cast("string").to_pylist()):
        if name not in number:
            hint = "the answer's places, and those of 'mixsafe zones --map', have these names"
            raise table.error(f"no mix zone is at place {name}", row, "place", hint)
        if found[number[name]] >= 0:
            raise table.error(f"place {name} is listed twice", row, "place", "list each place once")
        found[number[name]] = cost[row]
    missing = np.flatnonzero(found < 0)
    if len(missing):
        more = f" ({len(missing):,} places have none)" if len(missing) > 1 else ""
        raise InputError(
            f"place {places.names[missing[0]]} has no cost{more}", file=table.file, column="cost",
            hint="list each place that has a mix zone; a cost of 0 is free",
        )  # fmt: skip
    return found
