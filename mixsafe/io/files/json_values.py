"""JSON of a file: one value, or several, and the keys that its first bytes have.

Several values follow one another, most often in a line each (JSON Lines, NDJSON), or after a
record separator (RFC 7464, GeoJSON Text Sequences).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager
from itertools import islice
from typing import Any, NamedTuple

from mixsafe.errors import InputError
from mixsafe.io.files.content import check_json, text_head_of, whole
from mixsafe.io.files.json_text import check_halves

_TOKEN = re.compile(rb'"((?:[^"\\]|\\.)*)"(\s*:)?|([{\[])|([}\]])', re.DOTALL)
"""A text, which may be a key; a bracket that opens, and one that closes."""

_SEPARATOR = "\x1e"
_SOMETHING = re.compile(r"\S")
_LINE = re.compile(r"([^\n]*)\n?")

_BLOCK = 1000
"""Lines that are parsed at once."""

Pairs = list[tuple[str, Any]]
_Hook = Callable[[Pairs], dict[str, Any]]
_Broken = Callable[[InputError], Any]


class Value(NamedTuple):
    """A JSON value of a file, and its line, if the file has one per line."""

    value: Any
    line: int | None


class _TwiceError(ValueError):
    """An object has a key twice."""


def json_values(path: str | os.PathLike[str], wanted: Set[str] | None = None) -> Iterator[Value]:
    """The value of a JSON file, or its values.

    Parameters
    ----------
    wanted
        Keys of objects that are kept, at any depth; None: all.

    Raises
    ------
    InputError
        Names the line of malformed JSON, or the key that an object has twice.
    """
    return values_of(json_text_of(path), path, wanted)


def json_text_of(path: str | os.PathLike[str]) -> str:
    """The text of a JSON file, decompressed.

    Raises
    ------
    InputError
        It is not UTF-8, or its values do not fit into memory.
    """
    text_head_of(path)
    content = whole(path, unpack=True)
    check_json(path, content)
    text = _decoded(content, path, 1)
    return text.replace(_SEPARATOR, "") if text.startswith(_SEPARATOR) else text


def json_of(text: bytes, path: str | os.PathLike[str], line: int | None = None) -> Any:  # noqa: ANN401 -- of JSON
    """The value of a JSON text in UTF-8.

    Parameters
    ----------
    path, line
        For messages; no line: the text is the whole file.

    Raises
    ------
    InputError
        It is not JSON, not UTF-8, or has half a character, a number that is too long, or lists that
        are too deep; names the line.
    """
    first = 1 if line is None else line
    try:
        return _loaded(_decoded(text, path, first), path, line)
    except json.JSONDecodeError as error:
        raise _malformed(path, error, first - 1) from None


def _decoded(text: bytes, path: str | os.PathLike[str], first: int) -> str:
    """Bytes as text, of which this is the number of the first line.

    Raises
    ------
    InputError
        They are not UTF-8.
    """
    try:
        return text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = first + text.count(b"\n", 0, error.start)
        hint = "save the file as UTF-8"
        raise InputError("the line is not UTF-8", file=path, line=line, hint=hint) from None


def values_of(
    text: str,
    path: str | os.PathLike[str],
    wanted: Set[str] | None = None,
    *,
    broken: _Broken | None = None,
) -> Iterator[Value]:
    """The value of a text, or those of its lines.

    Parameters
    ----------
    path
        For messages.
    wanted
        Keys of objects that are kept, at any depth; None: all.
    broken
        Makes the value of a line that cannot be read; None: it is refused.

    Raises
    ------
    InputError
        As :func:`json_values`.
    """
    hook = _keys_once(wanted)
    try:
        yield Value(_loaded(text, path, None, hook), None)
    except json.JSONDecodeError as error:
        if error.msg != "Extra data":
            raise _malformed(path, error, 0) from None
        first = text[: error.pos]
    else:
        return
    if first.endswith("\n") and "\n" not in first.strip():
        for numbers, lines in _blocks(text):
            yield from map(Value, _values(lines, numbers, path, hook, broken), numbers)
        return
    yield from _one_after_another(text, path, hook)


def _one_after_another(text: str, path: str | os.PathLike[str], hook: _Hook) -> Iterator[Value]:
    """Values that have blanks and line ends in and between them."""
    decode = json.JSONDecoder(object_pairs_hook=hook).raw_decode
    start = end = 0
    line = 1
    while begin := _SOMETHING.search(text, end):
        line += text.count("\n", start, begin.start())
        start = begin.start()
        try:
            with _readable(path, line):
                value, end = decode(text, start)
        except json.JSONDecodeError as error:
            raise _malformed(path, error, 0) from None
        _check_halves(value, text[start:end], path, line)
        yield Value(value, line)


def _blocks(text: str) -> Iterator[tuple[list[int], list[str]]]:
    """Yield numbers and texts of some lines that are not blank, and then of the next ones."""
    found = enumerate((one[1] for one in _LINE.finditer(text)), start=1)
    lines = ((number, line) for number, line in found if line.strip())
    while block := list(islice(lines, _BLOCK)):
        numbers, texts = zip(*block, strict=True)
        yield list(numbers), list(texts)


def _values(
    lines: list[str],
    numbers: list[int],
    path: str | os.PathLike[str],
    hook: _Hook,
    broken: _Broken | None,
) -> list[Any]:
    """Values of some lines: as one list, which is faster and shares its keys, else one by one."""
    try:
        found: list[Any] = _loaded(f"[{','.join(lines)}]", path, None, hook)
        if len(found) == len(lines):
            return found
    except (json.JSONDecodeError, InputError):
        pass
    return [
        _line(line, path, number, hook, broken) for line, number in zip(lines, numbers, strict=True)
    ]


def _line(
    text: str, path: str | os.PathLike[str], number: int, hook: _Hook, broken: _Broken | None
) -> Any:  # noqa: ANN401 -- of JSON
    """The value of a line."""
    try:
        return _loaded(text, path, number, hook)
    except json.JSONDecodeError as error:
        found = _malformed(path, error, number - 1)
    except InputError as error:
        found = error
    if broken is None:
        raise found
    return broken(found)


def _keys_once(wanted: Set[str] | None) -> _Hook:
    """Makes an object of its keys and values, of which some are kept."""

    def made(pairs: Pairs) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            keys = [key for key, _ in pairs]
            raise _TwiceError(next(key for key in keys if keys.count(key) > 1))
        return found if wanted is None else {key: found[key] for key in found if key in wanted}

    return made


def _loaded(
    text: str, path: str | os.PathLike[str], line: int | None, hook: _Hook | None = None
) -> Any:  # noqa: ANN401 -- of JSON
    """The value of a text.

    Raises
    ------
    InputError, JSONDecodeError
        It cannot be read; it is no JSON.
    """
    with _readable(path, line):
        found = json.loads(text, object_pairs_hook=hook)
    _check_halves(found, text, path, line)
    return found


def _check_halves(found: object, text: str, path: str | os.PathLike[str], line: int | None) -> None:
    """Refuse half a character."""
    if "\\u" in text:
        check_halves(found, text.encode(), path, line)


@contextmanager
def _readable(path: str | os.PathLike[str], line: int | None) -> Iterator[None]:
    """Tell what cannot be read of a value that is JSON."""
    try:
        yield
    except json.JSONDecodeError:
        raise
    except _TwiceError as error:
        message = "an object has this key twice"
        raise InputError(message, file=path, line=line, column=str(error)[:40]) from None
    except (RecursionError, ValueError) as error:
        deep = isinstance(error, RecursionError)
        reason = "brackets are nested too deeply" if deep else "a number has thousands of digits"
        message = f"this is no usual JSON: {reason}"
        raise InputError(message, file=path, line=line) from None


def _malformed(
    path: str | os.PathLike[str], error: json.JSONDecodeError, lines_before: int
) -> InputError:
    """The error for a text that is not JSON."""
    line = error.lineno + lines_before
    reason = f"this is not JSON: {error.msg.lower()} at character {error.colno}"
    return InputError(reason, file=path, line=line)


def key_paths(head: bytes) -> frozenset[str]:
    """Paths of the keys in the first bytes of a JSON text, or of JSON Lines.

    Examples
    --------
    >>> sorted(key_paths(b'{"data": {"trips": [{"id": 1}, {"id'))
    ['.data', '.data.trips', '.data.trips[].id']
    """
    found: set[str] = set()
    above: list[str] = []
    path = ""
    for token in _TOKEN.finditer(head):
        text, key, opened, closed = token.groups()
        if key:
            path = (above[-1] if above else "") + "." + text.decode("utf-8", "replace")
            found.add(path)
        elif opened:
            above.append(path + "[]" if opened == b"[" else path)
            path = above[-1]
        elif closed and above:
            above.pop()
            path = above[-1] if above else ""
    return frozenset(found)


def part(found: Mapping[str, Any], *keys: str) -> Any:  # noqa: ANN401 -- of JSON
    """What an object has under keys, each in the one before; None if one is missing."""
    value: Any = found
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def objects(
    found: Any,  # noqa: ANN401 -- of JSON
    key: str,
    path: str | os.PathLike[str],
    line: int | None = None,
) -> list[dict[str, Any]]:
    """A list of objects; empty if it is missing.

    Raises
    ------
    InputError
        It is something else, or one of its entries is.
    """
    if found is None:
        return []
    if not isinstance(found, list):
        raise InputError(f"this is no list: {str(found)[:40]}", file=path, line=line, column=key)
    for number, one in enumerate(found, start=1):
        if not isinstance(one, dict):
            message = f"entry {number} is no object: {str(one)[:40]}"
            raise InputError(message, file=path, line=line, column=key)
    return found
