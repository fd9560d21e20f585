"""JSON with one object, a list of objects, or an object per line."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, NoReturn

from mixsafe.errors import InputError
from mixsafe.io.files.content import check_json, text_head_of, whole
from mixsafe.io.files.json_text import escaped, json_of


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
            self.refuse(f"{json.dumps(found)[:40]} is not a text", "name")
        return found

    def count(self, found: object, key: str, most: int) -> int:
        """A whole number from 1 to ``most``."""
        if type(found) is not int or not 1 <= found <= most:
            self.refuse(f"{json.dumps(found)[:40]} is not a whole number from 1 to {most}", key)
        return found


def objects_of(path: str | os.PathLike[str]) -> Iterator[Found]:
    """The objects of a JSON file (an object or a list of objects) or of JSON Lines.

    Raises
    ------
    InputError
        Names the line of malformed JSON.
    """
    text_head_of(path)
    content = whole(path, unpack=True)
    check_json(path, content)
    file, stem = os.fspath(path), escaped(Path(path).stem)
    if _is_lines(content):
        lines = enumerate(content.split(b"\n"), start=1)
        filled = ((number, line) for number, line in lines if line.strip())
        for n, (number, line) in enumerate(filled):
            yield Found(json_of(line, file, number), f"{stem}-{n}", number)
        return
    found = json_of(content, file)
    if isinstance(found, list):
        yield from (Found(one, f"{stem}-{n}", None) for n, one in enumerate(found))
    else:
        yield Found(found, stem, None)


def _is_lines(content: bytes) -> bool:
    """True if the first line of a text is a JSON value, and others follow."""
    first = re.match(rb"\s*+([^\n]++)\n\s*+\S", content)
    if first is None:
        return False
    try:
        json.loads(first[1].decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return False
    return True
