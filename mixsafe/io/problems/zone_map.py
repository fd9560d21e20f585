"""Where mix zones are, as GeoJSON (RFC 7946): for QGIS, kepler.gl and other maps."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.geometry import Grid
from mixsafe.io.files.atomic import write_text
from mixsafe.model.mobility.place_shapes import PlaceShapes
from mixsafe.model.question.mix_zones import MixZones

_COUNTS = ("mix_zones", "memberships", "people")
_DIGITS = 7  # of a degree: a centimetre


def write_zone_map(
    path: str | os.PathLike[str],
    zones: MixZones,
    grid: Grid | None,
    shapes: PlaceShapes | None = None,
) -> None:
    """Write a polygon for each place that has a mix zone, whole or not at all.

    Its properties: ``place`` (a name, or the number of the cell), ``mix_zones``, ``memberships``
    and ``people`` (different ones).

    Parameters
    ----------
    grid
        Of the cells that places are; None: there is none.
    shapes
        Places with outlines, beside or instead of cells.

    Raises
    ------
    InputError
        It is not known where the places are, or the file cannot be written.
    """
    crowds = zones.crowds
    if crowds is None or grid is None:
        hint = "coordinates are needed: regions, and zones from a file, have none"
        raise InputError("it is not known where the mix zones are", hint=hint)
    rings = _rings(grid, crowds.place)
    columns = (column.tolist() for column in crowds)
    features = []
    for one, *numbers, ring in zip(*columns, rings, strict=True):
        number = PlaceShapes.number(one)
        if shapes is None or number is None:
            name, outline = one, {"type": "Polygon", "coordinates": [ring]}
        else:
            name, outline = shapes.names[number], _outline(shapes, number)
        told = {"place": name, **dict(zip(_COUNTS, numbers, strict=True))}
        features.append({"type": "Feature", "geometry": outline, "properties": told})
    whole = {"type": "FeatureCollection", "features": features}
    write_text(path, json.dumps(whole, ensure_ascii=False))


def _rings(grid: Grid, cell: npt.NDArray[np.int64]) -> list[list[list[float]]]:
    """Corners of cells, longitude first, counterclockwise, the first one again at the end."""
    lat, lon = grid.cell_center(cell)
    north, east = (size / 2 for size in grid.cell_degrees)
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)]) * (east, north)
    rings: list[list[list[float]]] = np.round(
        np.stack([lon, lat], axis=1)[:, None, :] + corners, _DIGITS
    ).tolist()
    return rings


def _outline(shapes: PlaceShapes, number: int) -> dict[str, Any]:
    """The outline of a place with a name."""
    import shapely

    found: dict[str, Any] = json.loads(shapely.to_geojson(shapes.outlines[number]))
    return found
