"""JSON of snapshots: vehicles that are written as in the snapshot before are not parsed again.

Most vehicles of a feed stand where they stood, and to parse their text takes longer than all else.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from mixsafe.errors import InputError
from mixsafe.io.files.json_values import check_halves, json_of
from mixsafe.model.mobility.clock_numbers import NoTimeError
from mixsafe.model.mobility.instant import parse_instant

FORMS = {"bikes": "bike_id", "vehicles": "vehicle_id"}
"""Key of the list of vehicles, and key of a vehicle's identifier."""

PAUSE = 10
"""Snapshots that are parsed whole after one in which most vehicles have changed."""

_DECODER = json.JSONDecoder()


@dataclass(frozen=True)
class Place:
    """Where a snapshot was read.

    Parameters
    ----------
    file
        The file, or the archive and the file in it.
    line
        Line of the file, if it has one snapshot per line.
    """

    file: str
    line: int | None = None

    def error(self, message: str, column: str | None = None, hint: str | None = None) -> InputError:
        """The error about this snapshot."""
        return InputError(message, file=self.file, line=self.line, column=column, hint=hint)


def parsed(text: bytes, place: Place) -> Any:  # noqa: ANN401 -- whatever the file says
    """The content of a JSON text.

    Raises
    ------
    InputError
        It is not JSON, or not UTF-8, or has half a character.
    """
    return json_of(text, place.file, place.line)


def vehicles_of(document: Any) -> tuple[str, list[dict[str, Any]]] | None:  # noqa: ANN401 -- JSON
    """Key of the identifiers, and the vehicles; None: this is another file of the feed."""
    data = document.get("data") if isinstance(document, dict) else None
    if isinstance(data, dict):
        for name, key in FORMS.items():
            if isinstance(data.get(name), list):
                return key, data[name]
    return None


def moment(value: Any, place: Place, column: str) -> int:  # noqa: ANN401 -- whatever the file says
    """Unix seconds of a number or a text (RFC 3339), rounded down.

    Raises
    ------
    InputError
        It is neither.
    """
    hint = "write Unix seconds, or 2026-05-17T10:00:04Z"
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        what = "is missing" if value is None else f"{json.dumps(value)[:40]} is not a timestamp"
        raise place.error(f"the time {what}", column, hint)
    try:
        return parse_instant(str(value)).second
    except NoTimeError as error:
        raise place.error(error.message, column, error.hint) from None


@dataclass
class Parser:
    """A parser of the snapshots of one feed, in order.

    Parameters
    ----------
    known
        Vehicles of an earlier snapshot, by their text without the mark at its begin.
    pause
        Number of snapshots still to be parsed whole.
    """

    known: dict[bytes, dict[str, Any]] = field(default_factory=dict)
    pause: int = 0

    def document(self, text: bytes, place: Place) -> Any:  # noqa: ANN401 -- whatever the file says
        """The content of a JSON text.

        Raises
        ------
        InputError
            It is not JSON, or not UTF-8, or has half a character.
        """
        if self.pause:
            self.pause -= 1
            return parsed(text, place)
        for name, key in FORMS.items():
            mark = b'{"%s"' % key.encode()
            if mark in text:
                try:
                    found = self._in_parts(text, name, mark)
                except (ValueError, LookupError, TypeError, RecursionError):
                    break  # written in another way, or not JSON: then the error names the line
                check_halves(found, text, place.file, place.line)
                return found
        return parsed(text, place)

    def _in_parts(self, text: bytes, name: str, mark: bytes) -> Any:  # noqa: ANN401 -- likewise
        """The content of a text in which each vehicle begins with its identifier.

        A quotation mark in a JSON string is escaped, so that ``mark`` is the begin of an object
        wherever it occurs.

        Raises
        ------
        ValueError
            The text between two marks is not one vehicle, or the rest has no place for them.
        """
        head, *parts = text.split(mark)
        last = (mark + parts.pop()).decode()
        final, end = _DECODER.raw_decode(last)
        rest = head.decode() + last[end:]
        if not re.search(rf'"{name}"\s*:\s*\[\s*$', head.decode()) or rest.count(f'"{name}"') > 1:
            raise ValueError(name)
        document = json.loads(rest)
        new = {part: _vehicle(mark, part) for part in parts if part not in self.known}
        if self.known and 2 * len(new) > len(parts):
            self.pause = PAUSE
        known = self.known | new
        vehicles = [known[part] for part in parts]
        self.known = dict(zip(parts, vehicles, strict=True))
        document["data"][name].extend([*vehicles, final])
        return document


def _vehicle(mark: bytes, part: bytes) -> dict[str, Any]:
    """A vehicle that another one follows.

    Raises
    ------
    ValueError
        The text is something else.
    """
    text = part.rstrip()
    if not text.endswith(b","):
        raise ValueError(text)
    found: dict[str, Any] = json.loads(mark + text[:-1])
    return found
