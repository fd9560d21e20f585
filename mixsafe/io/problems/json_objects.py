"""JSON with one object, a list of objects, or an object per line."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from mixsafe.errors import InputError
from mixsafe.io.files.json_text import escaped
from mixsafe.io.files.json_values import json_values


class Found(NamedTuple):
    """A JSON value of a file, the name of its problem if it has none, and its line, if known."""

    value: object
    name: str
    line: int | None


@dataclass(frozen=True)
class ObjectReader:
    """Reads a JSON object.

    Parameters
    ----------
    file, line
        Position of the object, for error messages.
    """

    file: str
    line: int | None

    def refuse(self, message: str, key: str | None, hint: str | None = None) -> NoReturn:
        """Refuse the object, because of the key at fault if there is one.

        Raises
        ------
        InputError
            Always.
        """
        raise InputError(message, file=self.file, line=self.line, column=key, hint=hint)

    def check_keys(self, found: Mapping[str, object], *keys: str) -> None:
        """Refuse an object that lacks one of the keys."""
        for key in keys:
            if key not in found:
                self.refuse("the key is missing", key)

    def name(self, found: object) -> str:
        """The name of a problem."""
        if not isinstance(found, str):
            self.refuse(f"{shown(found)} is not a text", "name")
        return found

    def count(self, found: object, key: str, most: int) -> int:
        """A whole number from 1 to ``most``."""
        if type(found) is not int or not 1 <= found <= most:
            self.refuse(f"{shown(found)} is not a whole number from 1 to {most}", key)
        return found

    def listed(self, found: object, key: str, what: str) -> list[Any]:
        """A list of something."""
        if not isinstance(found, list):
            self.refuse(f"{shown(found)} is not a list of {what}", key)
        return found


def shown(found: object) -> str:
    """The first characters of a JSON value, for a message."""
    return json.dumps(found)[:40]


def objects_of(path: str | os.PathLike[str]) -> Iterator[Found]:
    """The objects of a JSON file (an object or a list of objects) or of JSON Lines.

    Raises
    ------
    InputError
        Names the line of malformed JSON.
    """
    stem = escaped(Path(path).stem)
    n = 0
    for found, line in json_values(path):
        if line is None and not isinstance(found, list):
            yield Found(found, stem, None)
            return
        for one in found if line is None else [found]:
            yield Found(one, f"{stem}-{n}", line)
            n += 1
