"""Writers of maps, for QGIS, kepler.gl and others: GeoJSON (RFC 7946) or GeoParquet (1.1)."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from mixsafe.errors import InputError
from mixsafe.geometry.grid import Outlines, Ring
from mixsafe.io.files.writing import arrow_file
from mixsafe.machinery.files import atomic_path, write_text
from mixsafe.model.question.mix_zones import MixZones

ENDINGS = (".geojson", ".parquet")

_DIGITS = 7  # of a degree: a centimetre

Outline = list[list[Ring]]
"""One or more polygons, each a list of rings, the outer ring first."""


def write_features(
    path: str | os.PathLike[str], outlines: Sequence[Outline], columns: Mapping[str, Sequence[Any]]
) -> None:
    """Write a feature for each place atomically, in the format given by the file's ending.

    Parameters
    ----------
    outlines
        Outlines of the places, degrees (OGC:CRS84).
    columns
        Properties by name, each with one value per place.

    Raises
    ------
    InputError
        The file ending is unknown, or the file cannot be written.
    """
    rounded = [[[_rounded(ring) for ring in part] for part in outline] for outline in outlines]
    ending = Path(path).suffix.lower()
    if ending == ".geojson":
        write_text(path, json.dumps(_collection(rounded, columns), ensure_ascii=False))
    elif ending == ".parquet":
        with atomic_path(path) as draft, arrow_file(draft) as sink:
            parquet.write_table(_table(rounded, columns), sink)
    else:
        raise InputError("unknown map format", file=path, hint=f"use {' or '.join(ENDINGS)}")


def write_places(
    path: str | os.PathLike[str],
    outlines: Outlines,
    place: Sequence[int],
    columns: Mapping[str, Sequence[Any]],
) -> None:
    """Write a feature for each given place, with its label as ``place``; as `write_features`."""
    labels = {"place": list(map(outlines.label, place))}
    write_features(path, list(map(outlines.polygons, place)), {**labels, **columns})


def _rounded(ring: Ring) -> Ring:
    return [(round(lon, _DIGITS), round(lat, _DIGITS)) for lon, lat in ring]


def _collection(outlines: list[Outline], columns: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """GeoJSON FeatureCollection of all places."""
    features = [
        {
            "type": "Feature",
            "geometry": {
                "type": "Polygon" if len(outline) == 1 else "MultiPolygon",
                "coordinates": outline[0] if len(outline) == 1 else outline,
            },
            "properties": dict(zip(columns, values, strict=True)),
        }
        for outline, *values in zip(outlines, *columns.values(), strict=True)
    ]
    return {"type": "FeatureCollection", "features": features}


def _table(outlines: list[Outline], columns: Mapping[str, Sequence[Any]]) -> pa.Table:
    """GeoParquet table of all places, with its metadata."""
    kinds = sorted({"Polygon" if len(outline) == 1 else "MultiPolygon" for outline in outlines})
    column: dict[str, Any] = {"encoding": "WKB", "geometry_types": kinds}
    corners = [at for outline in outlines for part in outline for ring in part for at in ring]
    if corners:
        lon, lat = zip(*corners, strict=True)
        column["bbox"] = [min(lon), min(lat), max(lon), max(lat)]
    about = {"version": "1.1.0", "primary_column": "geometry", "columns": {"geometry": column}}
    shapes = pa.array([b"".join(_wkb(outline)) for outline in outlines], pa.binary())
    table = pa.table(
        {**{name: list(values) for name, values in columns.items()}, "geometry": shapes}
    )
    return table.replace_schema_metadata({"geo": json.dumps(about)})


def _wkb(outline: Outline) -> Iterator[bytes]:
    """WKB of a polygon or multipolygon (OGC 06-103r4, little endian)."""
    if len(outline) > 1:
        yield struct.pack("<BII", 1, 6, len(outline))
    for part in outline:
        yield struct.pack("<BII", 1, 3, len(part))
        for ring in part:
            yield struct.pack("<I", len(ring))
            yield from (struct.pack("<dd", *at) for at in ring)


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
