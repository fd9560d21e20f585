r"""JSON and texts that cannot be written: halves of characters, which JSON and file names may have.

JSON may escape a surrogate without its other half (``"\ud800"``), and Python holds bytes of a file
name that are not UTF-8 as such surrogates. No file, terminal or table takes them. Data with one
are refused where they are read; names of files are escaped where they are written.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from typing import Any

from mixsafe.errors import InputError

_HALF = re.compile("[\ud800-\udfff]")
_BEYOND = re.compile(r"[^\x00-\x7f]+")
_ESCAPED = re.compile(rb"\\u[dD][89a-fA-F]")
_ODD = "this is no usual JSON"
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


def json_of(text: bytes, file: str | os.PathLike[str], line: int | None = None) -> Any:  # noqa: ANN401 -- whatever it says
    """The value of a JSON text in UTF-8.

    Parameters
    ----------
    file, line
        For messages; None: the text is the whole file.

    Raises
    ------
    InputError
        It is not JSON, not UTF-8, or has half a character, a number that is too long, or lists that
        are too deep; names the line.
    """
    before = 0 if line is None else line - 1
    try:
        found = json.loads(text.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        message = f"this is not JSON: {error.msg.lower()} at character {error.colno}"
        raise InputError(message, file=file, line=before + error.lineno) from None
    except UnicodeDecodeError as error:
        line = before + text.count(b"\n", 0, error.start) + 1
        message = "the line is not UTF-8"
        raise InputError(message, file=file, line=line, hint="save the file as UTF-8") from None
    except RecursionError:
        raise InputError(f"{_ODD}: brackets are nested too deeply", file=file, line=line) from None
    except ValueError:
        raise InputError(
            f"{_ODD}: a number has thousands of digits", file=file, line=line
        ) from None
    check_halves(found, text, file, line)
    return found


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
