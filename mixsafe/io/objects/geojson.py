"""GeoJSON: points with users and times as properties, in a FeatureCollection (RFC 7946) or by line.

Or one of lines. The times of their positions are a list in a property (``coordTimes`` or
``coordinateProperties.times`` of togeojson, ``datetimes`` of OGC Moving Features, ``times``), or
the fourth coordinate (kepler.gl). A third coordinate is an elevation.
"""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np
import pyarrow as pa

from mixsafe.errors import InputError
from mixsafe.io.files.json_values import json_values
from mixsafe.io.objects.frames import Frame, column_of

GEOMETRY = "geometry"

LINES = ("LineString", "MultiLineString")

TIMES = (
    "coordTimes",
    "coordinateProperties",
    "times",
    "timestamps",
    "datetimes",
    "time",
    "timestamp",
)
"""Properties with times of the positions of a line."""

EACH = "give each position of a line its time"


def read_features(path: str | os.PathLike[str]) -> tuple[list[dict[str, Any]], object]:
    """Read the features of a collection, and its reference system; None: degrees.

    Raises
    ------
    InputError
        The file is not JSON, or not a FeatureCollection.
    """
    values = [one.value for one in json_values(path)]
    found: Any = values[0] if len(values) == 1 else None
    if all(isinstance(one, dict) and one.get("type") == "Feature" for one in values):
        found = {"features": values}
    features = found.get("features") if isinstance(found, dict) else None
    if not isinstance(features, list) or not all(isinstance(one, dict) for one in features):
        raise InputError("not a GeoJSON FeatureCollection", file=path)
    return features, _crs(found.get("crs"))


def features_frame(path: str | os.PathLike[str]) -> Frame:
    """Read the features as a table: their properties, and a column of points.

    Raises
    ------
    InputError
        As :func:`read_features`.
    """
    features, crs = read_features(path)
    properties = properties_of(features, path)
    names = dict.fromkeys(name for one in properties for name in one if name != GEOMETRY)
    label = os.fspath(path)
    said = {GEOMETRY: GEOMETRY}
    are_lines = _are_lines(features, path)
    if are_lines:
        lists = (name for one in properties for name in TIMES if _is_listed(one.get(name)))
        said["time"] = next(lists, GEOMETRY)

    def column(name: str) -> pa.ChunkedArray:
        shapes = [one.get("geometry") for one in features]
        if name == GEOMETRY and are_lines:
            lines = [_line(row, shape, label) for row, shape in enumerate(shapes)]
            return _lists(lines, label, name, pa.list_(pa.list_(pa.float64())))
        if name == GEOMETRY:
            return pa.chunked_array([_points(shapes, label)])
        if name == said.get("time"):
            pairs = zip(properties, shapes, strict=True)
            times = [_times(row, *pair, label, name) for row, pair in enumerate(pairs)]
            return _lists(times, label, name, None)
        return column_of([one.get(name) for one in properties], label, name, "property")

    return Frame(label, (*names, GEOMETRY), column, said, crs)


def _are_lines(features: list[dict[str, Any]], path: str | os.PathLike[str]) -> bool:
    """True if features are lines, not points, as far as they have a geometry.

    Raises
    ------
    InputError
        Some are lines and some are points; names the row of the first line.
    """
    shapes = [one.get("geometry") for one in features]
    kinds = [one.get("type") if isinstance(one, dict) else None for one in shapes]
    lines = [row for row, kind in enumerate(kinds) if kind in LINES]
    if lines and "Point" in kinds:
        message = f"row {lines[0] + 1}: the geometry is not a point: {kinds[lines[0]]}"
        hint = "write a feature per fix, or points and lines into a file each, and give both"
        raise InputError(message, file=path, column=GEOMETRY, hint=hint)
    return bool(lines)


def _is_listed(value: object) -> bool:
    """True if a property has a list of times."""
    return isinstance(_listed(value), list)


def _listed(value: object) -> object:
    """The times of a property: itself, or ``times`` in it."""
    return value.get("times") if isinstance(value, dict) else value


def properties_of(
    features: list[dict[str, Any]], path: str | os.PathLike[str]
) -> list[dict[str, Any]]:
    """Properties of each feature.

    Raises
    ------
    InputError
        Properties are not an object; names the row.
    """
    properties = [one.get("properties") for one in features]
    for row, one in enumerate(properties):
        if one is not None and not isinstance(one, dict):
            raise InputError(f"row {row + 1}: the properties are not an object", file=path)
    return [one or {} for one in properties]


def _points(shapes: list[Any], label: str) -> pa.StructArray:
    """Coordinates; null where a feature has no geometry.

    Raises
    ------
    InputError
        Names the row of the first geometry that is no point.
    """
    nowhere = [one is None or _is_empty(one) for one in shapes]
    for row, shape in enumerate(shapes):
        if not nowhere[row] and not _is_point(shape):
            kind = shape.get("type") if isinstance(shape, dict) else shape
            message = f"row {row + 1}: the geometry is not a point: {str(kind)[:40]}"
            raise InputError(message, file=label, column=GEOMETRY)
    pairs = [
        (0.0, 0.0) if none else one["coordinates"][:2]
        for one, none in zip(shapes, nowhere, strict=True)
    ]
    x, y = np.array(pairs, np.float64).reshape(-1, 2).T
    missing = pa.array(nowhere, pa.bool_())
    return pa.StructArray.from_arrays([x.copy(), y.copy()], ["x", "y"], mask=missing)


def _lists(
    values: list[list[Any] | None], label: str, name: str, kind: pa.DataType | None
) -> pa.ChunkedArray:
    """A column of lists, of positions or of times.

    Raises
    ------
    InputError
        Names the row of the first list that has something else.
    """
    try:
        return pa.chunked_array([pa.array(values, kind)])
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        pass
    for row, value in enumerate(values):
        try:
            pa.array([value], kind)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            what = "positions" if name == GEOMETRY else "times"
            message = f"row {row + 1}: these are no {what}: {str(value)[:40]}"
            raise InputError(message, file=label, column=name) from None
    raise InputError("the property contains values of several types", file=label, column=name)


def _line(row: int, shape: Any, label: str) -> list[Any] | None:  # noqa: ANN401 -- of JSON
    """Positions of a feature; None: it has no geometry."""
    if shape is None:
        return None
    kind = shape.get("type") if isinstance(shape, dict) else shape
    if kind not in LINES:
        message = f"row {row + 1}: the geometry is no line: {str(kind)[:40]}"
        raise InputError(message, file=label, column=GEOMETRY)
    return _joined(shape.get("coordinates"), several=kind == LINES[1])


def _times(
    row: int,
    properties: dict[str, Any],
    shape: Any,  # noqa: ANN401 -- of JSON
    label: str,
    column: str,
) -> list[Any] | None:
    """Times of the positions of a feature.

    Raises
    ------
    InputError
        A part of a line of several has not as many times as positions.
    """
    values = [_listed(properties.get(name)) for name in TIMES]
    times = next((one for one in values if isinstance(one, list)), [])
    nested = any(isinstance(one, list) for one in times)
    several = nested and isinstance(shape, dict) and shape.get("type") == LINES[1]
    parts = shape.get("coordinates") if several else None
    for some, part in zip(times, parts if isinstance(parts, list) else [], strict=False):
        if isinstance(some, list) and isinstance(part, list) and len(some) != len(part):
            message = f"row {row + 1}: {len(some):,} times for {len(part):,} positions"
            raise InputError(message, file=label, column=column, hint=EACH)
    return _joined(times, several=nested)


def _joined(value: Any, *, several: bool) -> list[Any] | None:  # noqa: ANN401 -- of JSON
    """A list, or the lists of a list one after another; else the value, which is no list."""
    if several and isinstance(value, list) and all(isinstance(one, list) for one in value):
        return [one for part in value for one in part]
    found: list[Any] | None = value
    return found


def _is_empty(shape: object) -> bool:
    """True if a geometry is a point without coordinates, or with one that is null."""
    if not isinstance(shape, dict) or shape.get("type") != "Point":
        return False
    place = shape.get("coordinates")
    if not isinstance(place, list):
        return place is None
    numbers = [one for one in place[:2] if isinstance(one, float)]
    return not place or None in place[:2] or not all(map(math.isfinite, numbers))


def _is_point(shape: object) -> bool:
    """True if a geometry is a point with at least two coordinates."""
    if not isinstance(shape, dict) or shape.get("type") != "Point":
        return False
    place = shape.get("coordinates")
    return (
        isinstance(place, list)
        and len(place) >= 2
        and all(isinstance(one, int | float) and abs(one) < 1e300 for one in place[:2])
    )


def _crs(stated: object) -> object:
    """Reference system in the form of older files: a name such as urn:ogc:def:crs:EPSG::2443."""
    if not isinstance(stated, dict) or not isinstance(stated.get("properties"), dict):
        return None
    name = stated["properties"].get("name")
    return name if isinstance(name, str) else None
