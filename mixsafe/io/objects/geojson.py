"""GeoJSON: a FeatureCollection of points, with users and times as properties (RFC 7946)."""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from mixsafe.errors import InputError
from mixsafe.io.files.content import check_json, whole
from mixsafe.io.objects.frames import Frame, column_of

GEOMETRY = "geometry"


def read_features(path: str | os.PathLike[str]) -> tuple[list[dict[str, Any]], object]:
    """Read the features of a collection, and its reference system; None: degrees.

    Raises
    ------
    InputError
        The file is not JSON, or not a FeatureCollection.
    """
    content = whole(path, unpack=True)
    check_json(path, content)
    try:
        found = json.loads(content.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON: {error.msg}", file=path, line=error.lineno) from None
    except UnicodeDecodeError:
        raise InputError("not UTF-8 text", file=path, hint="save it as UTF-8") from None
    except RecursionError:
        raise InputError("brackets are nested too deeply", file=path) from None
    except ValueError:
        raise InputError("a number has thousands of digits", file=path) from None
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
    _check_no_line(features, path)
    properties = properties_of(features, path)
    names = dict.fromkeys(name for one in properties for name in one if name != GEOMETRY)
    label = os.fspath(path)
    columns = _Properties(label, features, properties)
    return Frame(label, (*names, GEOMETRY), columns, {GEOMETRY: GEOMETRY}, crs)


def _check_no_line(features: list[dict[str, Any]], path: str | os.PathLike[str]) -> None:
    """Refuse lines before columns are looked for, which would not help.

    Raises
    ------
    InputError
        A feature is a line; names the row.
    """
    for row, one in enumerate(features):
        shape = one.get("geometry")
        kind = shape.get("type") if isinstance(shape, dict) else None
        if kind in ("LineString", "MultiLineString"):
            message = f"row {row + 1}: the geometry is not a point: {kind}"
            hint = "write a feature per fix: a point, with user and time as properties"
            raise InputError(message, file=path, column=GEOMETRY, hint=hint)


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


@dataclass(frozen=True, eq=False)
class _Properties:
    """Properties of features as columns."""

    label: str
    features: list[dict[str, Any]]
    properties: list[dict[str, Any]]

    def __getitem__(self, name: str) -> pa.ChunkedArray:
        if name == GEOMETRY:
            return pa.chunked_array([self._points()])
        values = [one.get(name) for one in self.properties]
        return column_of(values, self.label, name, "property")

    def _points(self) -> pa.StructArray:
        """Coordinates; null where a feature has no geometry."""
        shapes = [one.get("geometry") for one in self.features]
        for row, shape in enumerate(shapes):
            if shape is not None and not _is_empty(shape) and not _is_point(shape):
                kind = shape.get("type") if isinstance(shape, dict) else shape
                message = f"row {row + 1}: the geometry is not a point: {str(kind)[:40]}"
                raise InputError(message, file=self.label, column=GEOMETRY)
        nowhere = [one is None or _is_empty(one) for one in shapes]
        pairs = [
            (0.0, 0.0) if one is None or none else one["coordinates"][:2]
            for one, none in zip(shapes, nowhere, strict=True)
        ]
        x, y = np.array(pairs, np.float64).reshape(-1, 2).T
        missing = pa.array(nowhere, pa.bool_())
        return pa.StructArray.from_arrays([x.copy(), y.copy()], ["x", "y"], mask=missing)


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
