"""Map of mix zones, for QGIS, kepler.gl and similar programs."""

from __future__ import annotations

import os

from mixsafe.errors import InputError
from mixsafe.geometry.outlines import Outlines
from mixsafe.io.problems.feature_map import write_places
from mixsafe.model.question.mix_zones import MixZones

_COUNTS = ("mix_zones", "memberships", "people")


def write_zone_map(
    path: str | os.PathLike[str],
    zones: MixZones,
    outlines: Outlines | None,
) -> None:
    """Write a polygon for each place that has a mix zone, atomically.

    Properties: ``place`` (a name, the number of a grid cell, or an H3 index), ``mix_zones``,
    ``memberships`` and ``people`` (distinct users).

    Parameters
    ----------
    path
        GeoJSON or GeoParquet file, by its ending.
    outlines
        Outlines of the places; None: unknown.

    Raises
    ------
    InputError
        The locations of the places are unknown, or the file cannot be written.
    """
    crowds = zones.crowds
    if crowds is None or outlines is None:
        hint = "use traces with coordinates; regions, and zones from a file, have none"
        raise InputError("the locations of the mix zones are unknown", hint=hint)
    place, *counts = crowds
    numbers = zip(_COUNTS, (count.tolist() for count in counts), strict=True)
    write_places(path, outlines, place.tolist(), dict(numbers))
