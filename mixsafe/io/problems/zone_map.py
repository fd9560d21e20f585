"""Where mix zones are, as a map for QGIS, kepler.gl and the like."""

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
    """Write a polygon for each place that has a mix zone, whole or not at all.

    Its properties: ``place`` (a name, or the number of the cell; of H3, as H3 writes it),
    ``mix_zones``, ``memberships`` and ``people`` (different ones).

    Parameters
    ----------
    path
        GeoJSON or GeoParquet, by the ending of its name.
    outlines
        Of the places; None: it is not known where they are.

    Raises
    ------
    InputError
        It is not known where the places are, or the file cannot be written.
    """
    crowds = zones.crowds
    if crowds is None or outlines is None:
        hint = "coordinates are needed: regions, and zones from a file, have none"
        raise InputError("it is not known where the mix zones are", hint=hint)
    place, *counts = crowds
    numbers = zip(_COUNTS, (count.tolist() for count in counts), strict=True)
    write_places(path, outlines, place.tolist(), dict(numbers))
