"""JSON of snapshots: vehicles, and the time slots in which these are free.

Most vehicles of a feed stand where they stood, and to parse their text takes longer than all else:
those that are written as in the snapshot before are not parsed again.

A vehicle that can be booked has slots in which it is free (``vehicle_availability.json`` of GBFS
3.1, beside the snapshots). Bookings of the next days do not end with a trip, so the slots of an
identifier go on with the next one of the vehicle.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

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


Values = npt.NDArray[np.float64]
Pattern = tuple[tuple[int, bool], ...]
"""Ascending Unix seconds after the snapshot at which slots begin (True) or end."""

MARK = b'"availabilities"'
"""What only files of slots contain."""


@dataclass
class Slots:
    """The first and the last slots of each identifier.

    Parameters
    ----------
    first, last
        By identifier; identifiers without slots to come are not in it.
    """

    first: dict[str, Pattern] = field(default_factory=dict)
    last: dict[str, Pattern] = field(default_factory=dict)

    def learn(self, document: Any, place: Place) -> None:  # noqa: ANN401 -- whatever the file says
        """Take the slots of a file; an older file comes first.

        Raises
        ------
        InputError
            They are not lists of slots with times, or the file has no time.
        """
        key, vehicles = vehicles_of(document) or ("", [])
        now = moment(document.get("last_updated"), place, "last_updated")
        for number, vehicle in enumerate(vehicles, 1):
            slots = vehicle.get("availabilities") if isinstance(vehicle, dict) else None
            if not isinstance(slots, list) or not all(isinstance(one, dict) for one in slots):
                raise place.error(f"vehicle {number} has no list of slots", "availabilities")
            pattern = _pattern(slots, now, place)
            name = str(vehicle.get(key))
            if pattern:
                self.first.setdefault(name, pattern)
                self.last[name] = pattern
            else:
                self.last.pop(name, None)

    def columns(self, ids: Iterable[str]) -> tuple[npt.NDArray[np.object_], ...]:
        """(n,) first and (n,) last slots of identifiers, None where there are none."""
        names = list(ids)
        found = tuple(np.empty(len(names), object) for _ in range(2))
        for column, known in zip(found, (self.first, self.last), strict=True):
            column[:] = [known.get(name) for name in names]
        return found


def _pattern(slots: list[dict[str, Any]], now: int, place: Place) -> Pattern:
    """Begins and ends of slots that are still to come."""
    said = [(one.get("from"), True, "from") for one in slots]
    said += [(one["until"], False, "until") for one in slots if one.get("until") is not None]
    times = ((moment(value, place, key), begins) for value, begins, key in said)
    return tuple(sorted(one for one in times if one[0] > now))


def numbered_slots(patterns: npt.NDArray[np.object_]) -> tuple[Values, Values]:
    """Numbers of slots, so that those of one vehicle can be told from them.

    As time passes, the slots of a vehicle lose their first times. Those of all that have what is
    left as their last times are numbered from ``number`` to ``until`` of what is left.

    Parameters
    ----------
    patterns
        (n,) of type ``Pattern``, or None.

    Returns
    -------
    number, until
        (n,) each; not a number for None.
    """
    # From the last time back, what is left of a pattern is a prefix of it: they are in the order
    # of a dictionary, in which a prefix is directly before all that begin with it.
    words = sorted({one[::-1] for one in patterns.tolist() if one})
    whole: list[Pattern] = []
    place = {word: number for number, word in enumerate(words)}
    until = np.full(len(words), len(words) - 1.0)
    for number, word in enumerate(words):
        while whole and word[: len(whole[-1])] != whole[-1]:
            until[place[whole.pop()]] = number - 1.0
        whole.append(word)
    row = [place[one[::-1]] if one else -1 for one in patterns.tolist()]
    numbers = np.append(np.arange(len(words), dtype=float), np.nan)
    return numbers[row], np.append(until, np.nan)[row]
