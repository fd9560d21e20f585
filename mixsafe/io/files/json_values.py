r"""JSON of a file: one value, or several, and the keys that its first bytes have.

Several values follow one another, most often in a line each (JSON Lines, NDJSON), or after a
record separator (RFC 7464, GeoJSON Text Sequences).

JSON may escape a surrogate without its other half (``"\ud800"``), and Python holds bytes of a file
name that are not UTF-8 as such surrogates. No file, terminal or table takes them. Data with one
are refused where they are read; names of files are escaped where they are written.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from mixsafe.errors import InputError
from mixsafe.io.files.content import check_json, text_head_of, whole

_HALF = re.compile("[\ud800-\udfff]")
_BEYOND = re.compile(r"[^\x00-\x7f]+")
_ESCAPED = re.compile(rb"\\u[dD][89a-fA-F]")
_SHOWN = 40
"""Characters of a text that a message shows."""


def has_half(text: str) -> bool:
    """Whether a text has half a character."""
    return not text.isascii() and _HALF.search(text) is not None


def escaped(text: str) -> str:
    r"""A text with halves of characters escaped: a name of a file as a name of data.

    Examples
    --------
    >>> print(escaped("caf\udce9"))
    caf\udce9
    """
    return _HALF.sub(_code, text) if has_half(text) else text


def _code(half: re.Match[str]) -> str:
    """Half a character as an escape sequence."""
    return f"\\u{ord(half[0]):04x}"


def check_halves(
    found: object, text: bytes, file: str | os.PathLike[str], line: int | None = None
) -> None:
    """Refuse the value of a JSON text in which half a character is.

    Parameters
    ----------
    found, text
        The value, and the JSON that it was read from.
    file, line
        For messages.

    Raises
    ------
    InputError
        Names the key.
    """
    if b"\\u" not in text or _ESCAPED.search(text) is None:
        return
    left: list[tuple[object, str | None]] = [(found, None)]
    while left:
        value, key = left.pop()
        if isinstance(value, dict):
            for name, one in reversed(value.items()):
                left += [(one, name), (name, name)]
        elif isinstance(value, list):
            left += [(one, key) for one in reversed(value)]
        elif isinstance(value, str) and has_half(value):
            raise half_error(value, file, line, key)


def half_error(
    text: str, file: str | os.PathLike[str], line: int | None = None, column: str | None = None
) -> InputError:
    """The error about a text that has half a character."""
    return InputError(
        f"'{text[:_SHOWN]}' has half a character (a surrogate), or bytes that are not UTF-8",
        file=file,
        line=line,
        column=column,
        hint="write whole characters, in UTF-8",
    )


def json_text(value: Any, *, indent: int | None = None, ascii_only: bool = False) -> str:  # noqa: ANN401 -- plain values
    r"""Plain values as JSON, with halves of characters, as in names of files, escaped.

    Examples
    --------
    >>> print(json_text({"file": "caf\udce9.csv"}))
    {"file": "caf\\udce9.csv"}
    """
    return "".join(json_parts(value, indent, ascii_only=ascii_only))


def json_parts(value: Any, indent: int | None = None, *, ascii_only: bool = False) -> Iterator[str]:  # noqa: ANN401 -- plain values
    """Yield the parts of :func:`json_text`."""
    encoder = json.JSONEncoder(ensure_ascii=False, indent=indent)
    # Without indents a text is short, and this is faster.
    for part in [encoder.encode(value)] if indent is None else encoder.iterencode(value):
        if part.isascii():
            yield part
            continue
        whole = _HALF.sub(lambda half: "\\" + _code(half), part)
        yield _BEYOND.sub(lambda found: json.dumps(found[0])[1:-1], whole) if ascii_only else whole


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
