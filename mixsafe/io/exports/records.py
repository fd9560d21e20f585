"""Records in JSON: a list of objects, or an object per line, each of which is a row."""

from __future__ import annotations

import os
from typing import Any

from mixsafe.errors import InputError
from mixsafe.io.exports.rows import rows_frame
from mixsafe.io.files.json_values import json_text_of, values_of
from mixsafe.io.objects.frames import Frame


def records_frame(path: str | os.PathLike[str]) -> Frame:
    """Read records as a table: its columns are their keys, those of objects in them after a dot.

    An object with only one list of objects is that list.

    Raises
    ------
    InputError
        The file is not JSON, or a record is no object.
    """
    rows: list[dict[str, Any]] = []
    bad: dict[int, InputError] = {}
    for value, line in values_of(json_text_of(path), path, broken=lambda error: error):
        for one in _listed(value) if line is None else [value]:
            if not isinstance(one, dict):
                bad[len(rows)] = one if isinstance(one, InputError) else _no_object(one, path, line)
            rows.append(_flat(one, path, line) if isinstance(one, dict) else {})
    return rows_frame(path, rows, bad=bad)


def _no_object(found: Any, path: str | os.PathLike[str], line: int | None) -> InputError:  # noqa: ANN401 -- of JSON
    """The error about an entry that is no record."""
    return InputError(f"this is no object with keys: {str(found)[:40]}", file=path, line=line)


def _listed(value: Any) -> list[Any]:  # noqa: ANN401 -- of JSON
    """The records of the only value of a file."""
    if isinstance(value, list):
        return value
    lists = [one for one in value.values() if _are_objects(one)] if isinstance(value, dict) else []
    return lists[0] if len(lists) == 1 else [value]


def _are_objects(found: object) -> bool:
    """True for a list of objects that is not empty."""
    return isinstance(found, list) and bool(found) and all(isinstance(one, dict) for one in found)


def _flat(record: dict[str, Any], path: str | os.PathLike[str], line: int | None) -> dict[str, Any]:
    """A record without objects in it: their keys are its own, as ``location.lat``.

    Raises
    ------
    InputError
        Two keys become one.
    """
    while any(isinstance(value, dict) for value in record.values()):
        pairs: list[tuple[str, Any]] = []
        for key, value in record.items():
            value = _point(value)
            inner = value.items() if isinstance(value, dict) else ()
            pairs += [(f"{key}.{name}", one) for name, one in inner]
            pairs += [] if isinstance(value, dict) else [(key, value)]
        record = dict(pairs)
        if len(record) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise InputError("a record has this key twice", file=path, line=line, column=twice)
    return record


def _point(value: Any) -> Any:  # noqa: ANN401 -- of JSON
    """A point of GeoJSON as text; anything else as it is."""
    if not isinstance(value, dict) or value.get("type") != "Point":
        return value
    place = value.get("coordinates")
    if isinstance(place, list) and len(place) > 1:
        return f"POINT ({place[0]} {place[1]})"
    return None
