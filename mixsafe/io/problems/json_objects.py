"""JSON with one object, a list of objects, or an object per line."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, NoReturn

from mixsafe.errors import InputError
from mixsafe.io.files.content import check_json, text_head_of, whole
from mixsafe.io.files.json_text import check_halves, escaped


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
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError("the line is not UTF-8", file=path, line=line) from None
    file, stem = os.fspath(path), escaped(Path(path).stem)
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        if not _is_lines(error):
            raise _malformed(file, error, 0) from None
    except (RecursionError, ValueError) as error:
        raise _beyond(file, error, None) from None
    else:
        check_halves(found, content, path)
        if isinstance(found, list):
            yield from (Found(one, f"{stem}-{n}", None) for n, one in enumerate(found))
        else:
            yield Found(found, stem, None)
        return
    yield from _lines_of(text, file, stem)


def _is_lines(error: json.JSONDecodeError) -> bool:
    """True if a text seems to contain one JSON value per line."""
    first = error.doc[: error.pos]
    return error.msg == "Extra data" and first.endswith("\n") and "\n" not in first.strip()


def _lines_of(text: str, file: str, stem: str) -> Iterator[Found]:
    """The objects of JSON Lines; blank lines are skipped."""
    n = 0
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            one = json.loads(line)
        except json.JSONDecodeError as error:
            raise _malformed(file, error, number - 1) from None
        except (RecursionError, ValueError) as error:
            raise _beyond(file, error, number) from None
        check_halves(one, line.encode(), file, number)
        yield Found(one, f"{stem}-{n}", number)
        n += 1


def _malformed(file: str, error: json.JSONDecodeError, lines_before: int) -> InputError:
    """The error for a text that is not JSON."""
    line = error.lineno + lines_before
    reason = f"not JSON: {error.msg.lower()} at character {error.colno}"
    return InputError(reason, file=file, line=line)


def _beyond(file: str, error: Exception, line: int | None) -> InputError:
    """The error for JSON with too many nested brackets or too many digits."""
    deep = isinstance(error, RecursionError)
    reason = "brackets are nested too deeply" if deep else "a number has thousands of digits"
    return InputError(f"not a problem: {reason}", file=file, line=line)
