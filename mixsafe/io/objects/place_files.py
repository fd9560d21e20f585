"""Places with outlines from GeoJSON or a GeoPackage: polygons, or points with a radius."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.geometry.grid import EARTH_RADIUS
from mixsafe.io.columns.points import in_degrees, to_degrees
from mixsafe.io.files.content import SQLITE, head_of
from mixsafe.io.objects.geojson import properties_of, read_features
from mixsafe.io.objects.vector_files import layer_of
from mixsafe.model.mobility.places import PlaceShapes

NAMES = ("name", "title", "station", "place", "region", "id", "reg_id")
"""Properties that may contain a place's name, in order of precedence."""

RADIUS = "radius"
"""Property of points: radius, metres."""

SENSITIVE = "sensitive"
"""Property of places at which it says much about people to be, such as hospitals."""

YES, NO = (True, 1, "1", "yes", "true"), (False, 0, "0", "no", "false", None, "")
"""Values of this property."""

CORNERS = 32
"""Number of corners of the polygon that approximates a circle."""

Shapes = npt.NDArray[Any]


def read_place_shapes(path: str | os.PathLike[str], *, elsewhere: bool = False) -> PlaceShapes:
    """Read the places of a file, in file order.

    Parameters
    ----------
    elsewhere
        True: people also mix outside the places, in the cells of a grid.

    Raises
    ------
    InputError
        The file cannot be read, Shapely is not installed, or a place is neither a polygon nor a
        point with a radius, or is marked as sensitive by something else than yes or no; names its
        row.
    """
    try:
        import shapely
    except ModuleNotFoundError:
        raise InputError(
            "places with outlines need Shapely", file=path, hint="pip install shapely"
        ) from None
    try:
        if head_of(path).startswith(SQLITE):
            shapes, properties, crs = _of_geopackage(path)
        else:
            shapes, properties, crs = _of_geojson(path)
    except shapely.errors.ShapelyError as error:
        reason = str(error).partition("\n")[0].lower()
        raise InputError(f"a geometry is damaged: {reason}", file=path) from None
    if not len(shapes):
        raise InputError("the file contains no places", file=path)
    if not in_degrees(crs):
        shapes = shapely.transform(shapes, lambda at: _turned(at, crs, os.fspath(path)))
    properties = [{str(key).lower(): one[key] for key in one} for one in properties]
    _check_corners(shapes, path)
    shapes = _with_circles(shapes, properties, path)
    wrong = ~np.isin(shapely.get_type_id(shapes), (3, 6)) | shapely.is_empty(shapes)
    if wrong.any():
        row = int(wrong.argmax())
        message = f"row {row + 1}: the place is neither a polygon nor a point with a radius"
        raise InputError(message, file=path, hint="give points a property 'radius' in metres")
    names = tuple(_name(one, row) for row, one in enumerate(properties))
    marked = _marked(properties, path)
    return PlaceShapes(names, shapely.make_valid(shapes), elsewhere, marked)


def _check_corners(shapes: Shapes, path: str | os.PathLike[str]) -> None:
    """Refuse outlines and points that are not on the Earth.

    Raises
    ------
    InputError
        Names the row of the first.
    """
    import shapely

    west, south, east, north = shapely.bounds(shapes).T
    outside = (south < -90) | (north > 90) | (west < -360) | (east > 360)
    if outside.any():
        row = int(outside.argmax())
        message = f"row {row + 1}: the place has a corner beyond latitude 90 or longitude 360"
        raise InputError(message, file=path, hint="are latitude and longitude interchanged?")


def _of_geojson(path: str | os.PathLike[str]) -> tuple[Shapes, list[dict[str, Any]], object]:
    """Read geometries and properties of GeoJSON."""
    import shapely

    features, crs = read_features(path)
    texts = [json.dumps(one.get("geometry")) for one in features]
    missing = [number for number, text in enumerate(texts) if text == "null"]
    if missing:
        raise InputError(f"row {missing[0] + 1}: the place has no geometry", file=path)
    properties = properties_of(features, path)
    return np.array(shapely.from_geojson(texts), object).reshape(-1), properties, crs


def _of_geopackage(path: str | os.PathLike[str]) -> tuple[Shapes, list[dict[str, Any]], object]:
    """Read geometries and columns of a GeoPackage."""
    import shapely

    layer = layer_of(path)
    blobs = layer.shapes()
    if None in blobs:
        raise InputError(f"row {blobs.index(None) + 1}: the place has no geometry", file=path)
    wanted = [name for name in layer.header if name.lower() in (*NAMES, RADIUS, SENSITIVE)]
    columns = [layer.column(name) for name in wanted]
    properties = [dict(zip(wanted, row, strict=True)) for row in zip(*columns, strict=True)]
    shapes = np.array(shapely.from_wkb(blobs), object).reshape(-1)
    return shapes, properties or [{}] * len(shapes), layer.crs


def _turned(at: npt.NDArray[np.float64], crs: object, file: str) -> npt.NDArray[np.float64]:
    """Convert coordinates of outlines to degrees."""
    lat, lon = to_degrees(at[:, 0], at[:, 1], crs, file, "geometry")
    return np.stack([lon, lat], axis=1)


def _with_circles(
    shapes: Shapes, properties: list[dict[str, Any]], path: str | os.PathLike[str]
) -> Shapes:
    """Replace points that have a radius by polygons around them."""
    import shapely

    points = np.flatnonzero(shapely.get_type_id(shapes) == 0)
    if not len(points):
        return shapes
    radius = np.array([_radius(properties[row], row, path) for row in points.tolist()])
    x, y = shapely.get_x(shapes[points]), shapely.get_y(shapes[points])
    turn = np.linspace(0, 2 * np.pi, CORNERS, endpoint=False)
    # The corners lie outside and the sides inside the circle, so that both areas are equal.
    step = 2 * np.pi / CORNERS
    size = np.degrees(radius / EARTH_RADIUS) * np.sqrt(step / np.sin(step))
    east = x[:, None] + (size / np.cos(np.radians(y)))[:, None] * np.cos(turn)
    north = y[:, None] + size[:, None] * np.sin(turn)
    made = shapes.copy()
    made[points] = shapely.polygons(np.stack([east, north], axis=2))
    return made


def _radius(properties: dict[str, Any], row: int, path: str | os.PathLike[str]) -> float:
    """The radius of a point, metres."""
    given = properties.get(RADIUS)
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given < 1e6:
        message = f"row {row + 1}: the point has no radius"
        raise InputError(message, file=path, column=RADIUS, hint="give it in metres")
    return float(given)


def _marked(
    properties: list[dict[str, Any]], path: str | os.PathLike[str]
) -> npt.NDArray[np.bool_] | None:
    """(n_places,) which places are marked as sensitive; None: none has the property."""
    if not any(SENSITIVE in one for one in properties):
        return None
    marked = np.zeros(len(properties), bool)
    for row, one in enumerate(properties):
        value = one.get(SENSITIVE)
        said = value.strip().lower() if isinstance(value, str) else value
        if said not in YES and said not in NO:
            raise InputError(
                f"row {row + 1}: '{value}' does not say whether the place is sensitive",
                file=path,
                column=SENSITIVE,
                hint="write yes or no, or 1 or 0",
            )
        marked[row] = said in YES
    return marked


def _name(properties: dict[str, Any], row: int) -> str:
    """Name of a place; its number if it has no name."""
    there = (properties[name] for name in NAMES if properties.get(name) not in (None, ""))
    return str(next(there, f"place {row + 1}"))
