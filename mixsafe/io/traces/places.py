"""Places of interest: a table with ``lat`` (or ``y``), ``lon`` (or ``x``), maybe ``category``."""

from __future__ import annotations

import os

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.io.files.csv_records import Kind
from mixsafe.io.files.tables import header_of, read_table

Floats = npt.NDArray[np.float64]

NAMES = (("lat", "lon"), ("latitude", "longitude"), ("y", "x"))
"""Column names of latitude and longitude."""


def read_places(path: str | os.PathLike[str], category: str | None = None) -> tuple[Floats, Floats]:
    """Read latitude and longitude of places, degrees.

    Parameters
    ----------
    category
        Select places with this ``category``, or with this part of it before the first ``/``; case
        is ignored.

    Raises
    ------
    InputError
        Names the column at fault, or lists the categories.
    """
    header = header_of(path)
    pairs = [pair for pair in NAMES if set(pair) <= set(header)]
    if not pairs:
        raise InputError(
            "the places have no coordinates", file=path, line=1, hint="name columns lat and lon"
        )
    lat, lon = pairs[0]
    kinds: dict[str, Kind] = {lat: "number", lon: "number"}
    if category:
        kinds["category"] = "name"
    table = read_table(path, kinds)
    chosen = np.ones(len(table.values(lat)), bool)
    if category:
        text = table.columns["category"].combine_chunks().to_pylist()
        known = [str(word).casefold() for word in text]
        wanted = category.casefold()
        chosen = np.array([wanted in (word, word.partition("/")[0]) for word in known], bool)
        if not chosen.any():
            heads = sorted({word.partition("/")[0] for word in known})
            raise InputError(
                f"no place has category '{category}'",
                file=path,
                column="category",
                hint=f"use one of {', '.join(heads[:10])}",
            )
    for name, most in ((lat, 90), (lon, 180)):
        table.check(np.abs(table.values(name)) > most, name, "{} is not a coordinate in degrees")
    return table.values(lat)[chosen], table.values(lon)[chosen]
