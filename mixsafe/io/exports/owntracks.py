"""Recordings of OwnTracks (https://owntracks.org/booklet/tech/json): .rec, lists, JSON Lines."""

from __future__ import annotations

import os
import re
from typing import Any

from mixsafe.errors import InputError
from mixsafe.io.exports.rows import rows_frame
from mixsafe.io.files.json_values import json_text_of, objects, part, values_of
from mixsafe.io.objects.frames import Frame

_RECORDED = re.compile(r"^[^\t\n{]*\t[^\t\n{]*\t\s*(?=\{)", re.MULTILINE)
"""What .rec has before the JSON of a line."""


def owntracks_frame(path: str | os.PathLike[str]) -> Frame:
    """Read the locations; whose they are is told by topics, or by tracker ids if these differ.

    Raises
    ------
    InputError
        The file is not JSON, or has no locations.
    """
    text = json_text_of(path)
    text = _RECORDED.sub("", text) if _RECORDED.match(text) else text
    rows: list[dict[str, Any]] = []
    bad: dict[int, InputError] = {}
    others = 0
    for value, _ in values_of(text, path, broken=lambda error: error):
        if isinstance(value, InputError):
            bad[len(rows)] = value
            rows.append({})
            continue
        listed = value if isinstance(value, list) else part(value, "data")
        found = objects(listed if isinstance(listed, list) else [value], "data", path)
        here = [one for one in found if one.get("_type") == "location"]
        others += len(found) - len(here)
        rows += here
    if not rows:
        message = f"this is a recording of OwnTracks, and none of {others:,} messages is a location"
        hint = "decrypt messages first, if they are encrypted"
        raise InputError(message, file=path, hint=hint)
    notes = []
    if others:
        notes.append(f"messages of OwnTracks left out, because they are no locations: {others:,}")
    said = {"time": "tst"}
    whose = _whose(rows)
    if whose is not None:
        said["user_id"] = whose
        notes.append(f"users of OwnTracks are told apart by '{whose}'")
    return rows_frame(path, rows, said, notes, bad)


def _whose(rows: list[dict[str, Any]]) -> str | None:
    """The key that tells users apart; None: nothing does, and they may all be one person's."""
    if any("topic" in row for row in rows):
        return "topic"
    return "tid" if len({str(row["tid"]) for row in rows if "tid" in row}) > 1 else None
