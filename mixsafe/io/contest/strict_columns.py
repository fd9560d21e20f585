"""Strict reader of the organizers' plain CSV: ASCII, a fixed header, no quotes, no spaces.

The organizers' programs skip headers unread and accept other deviations; this reader names the
first invalid line. CRLF line ends and a byte order mark, as Windows programs write them, are
removed with an :class:`mixsafe.errors.InputNote`.
"""

from __future__ import annotations

import os
import re
import warnings
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError, InputNote
from mixsafe.io.files.content import whole

NUMBER = rb"(?:0|[1-9][0-9]{0,17}+)"
CELL = rb"(?:\*|" + NUMBER + rb"(?: " + NUMBER + rb")*+)"
DECIMAL = rb"-?[0-9]++(?:\.[0-9]++)?+(?:e-?[0-9]++)?+"

_EXPECTED = {
    NUMBER: ("a plain number, digits only, without leading zeros", None),
    CELL: (
        "a released cell",
        "write one id, several ids separated by one space, or *; names of places are read where"
        " the column of pseudonyms is called pseudonym",
    ),
    DECIMAL: ("a decimal number", None),
}

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
"""Byte order mark with which Windows programs begin UTF-8 files."""

FIRST_LINE = 2
"""Line of the first row; the header is line 1."""


@dataclass(frozen=True)
class Columns:
    """The fields of a strict CSV file, row by row.

    Parameters
    ----------
    file
        For messages.
    names
        The header's names.
    fields
        All fields, left to right and top to bottom.
    """

    file: str
    names: tuple[str, ...]
    fields: list[bytes]

    def __len__(self) -> int:
        return len(self.fields) // len(self.names)

    def texts(self, name: str) -> list[bytes]:
        """The fields of a column."""
        return self.fields[self.names.index(name) :: len(self.names)]

    def numbers(self, name: str) -> npt.NDArray[np.int64]:
        """A column of whole numbers."""
        return np.array(self.texts(name)).astype(np.int64)

    def check_range(
        self, name: str, numbers: npt.NDArray[np.int64], first: int, last: int, what: str
    ) -> None:
        """Refuse numbers outside the range ``first`` to ``last``.

        Raises
        ------
        InputError
            Names the first line.
        """
        outside = np.flatnonzero((numbers < first) | (numbers > last))
        if len(outside):
            raise self.error(
                f"{what} {numbers[outside[0]]} is outside {first} to {last}", int(outside[0]), name
            )

    def check_rows(self, expected: int, hint: str) -> None:
        """Refuse a file with missing or surplus rows.

        Raises
        ------
        InputError
            Names the first line that is missing or surplus.
        """
        if len(self) == expected:
            return
        what = "missing" if len(self) < expected else "surplus"
        raise InputError(
            f"{len(self)} rows instead of {expected}: this line is {what}",
            file=self.file,
            line=min(len(self), expected) + FIRST_LINE,
            hint=hint,
        )

    def error(
        self, message: str, row: int, column: str | None = None, hint: str | None = None
    ) -> InputError:
        """The error for a row (from 0)."""
        return InputError(message, file=self.file, line=row + FIRST_LINE, column=column, hint=hint)


def read_columns(path: str | os.PathLike[str], *layouts: dict[str, bytes], kind: str) -> Columns:
    """Read a file with one of the given headers.

    Parameters
    ----------
    layouts
        Column names in order, with the pattern of their fields.
    kind
        Kind of file expected, for error messages.

    Raises
    ------
    InputError
        The file cannot be read, is empty, has another header, contains a carriage return inside a
        line, or a line does not fit the header.

    Warns
    -----
    InputNote
        The file has a byte order mark or CRLF line ends.
    """
    file = os.fspath(path)
    data = whole(file)
    if not data:
        raise InputError("the file is empty", file=file)
    header, body = _split(_without_windows(data, file), file)
    fitting = [layout for layout in layouts if ",".join(layout).encode() == header]
    if not fitting:
        wanted = "' or '".join(",".join(layout) for layout in layouts)
        shown = header[:60].decode("ascii", "replace")
        raise InputError(
            f"the header is '{shown}' instead of '{wanted}'",
            file=file,
            line=1,
            hint=f"give a file of {kind}",
        )
    layout = fitting[0]
    row = rb",".join(layout.values())
    good = re.compile(rb"(?:%s\n)*+" % row).match(body)
    end = good.end() if good else 0
    if end < len(body):
        line = body[end : body.find(b"\n", end)]
        raise _explain(line, layout, file, body.count(b"\n", 0, end) + FIRST_LINE)
    if not body:
        raise InputError("the file has a header but no rows", file=file, line=FIRST_LINE)
    return Columns(file, tuple(layout), body.replace(b",", b"\n").split(b"\n")[:-1])


def _without_windows(data: bytes, file: str) -> bytes:
    """Remove a byte order mark and replace CRLF by LF."""
    marked = data.startswith(BYTE_ORDER_MARK)
    found = ["a byte order mark"] if marked else []
    if b"\r\n" in data:
        found.append("CRLF line ends")
    if found:
        what = " and ".join(found)
        # The stack level points to the caller of the public reader.
        note = f"{file}: {what} ignored; the file is read as plain ASCII with LF"
        warnings.warn(note, InputNote, stacklevel=4)
    return data.removeprefix(BYTE_ORDER_MARK).replace(b"\r\n", b"\n")


def _split(data: bytes, file: str) -> tuple[bytes, bytes]:
    """Split into header and body; a missing final line end is added to the body.

    Raises
    ------
    InputError
        A line contains a carriage return, or a byte is not ASCII.
    """
    if b"\r" in data:
        raise InputError(
            "the line contains a carriage return",
            file=file,
            line=data.count(b"\n", 0, data.index(b"\r")) + 1,
            hint="end lines with LF or CRLF",
        )
    if not data.isascii():
        place = next(i for i, byte in enumerate(data) if byte > 127)
        raise InputError(
            f"byte {data[place]:#x} is not ASCII",
            file=file,
            line=data.count(b"\n", 0, place) + 1,
            hint="give a contest file, which is plain ASCII",
        )
    header, _, body = data.partition(b"\n")
    return header, body if body.endswith(b"\n") or not body else body + b"\n"


def _explain(line: bytes, layout: dict[str, bytes], file: str, number: int) -> InputError:
    """The error for a line that does not fit the header."""
    fields = line.split(b",")
    if not line:
        return InputError("the line is empty", file=file, line=number)
    if len(fields) != len(layout):
        return InputError(
            f"{len(fields)} fields instead of {len(layout)} ({','.join(layout)})",
            file=file,
            line=number,
        )
    name, pattern, field = next(
        (name, pattern, field)
        for (name, pattern), field in zip(layout.items(), fields, strict=True)
        if not re.fullmatch(pattern, field)
    )
    expected, hint = _EXPECTED[pattern]
    if b"  " in field:
        return InputError("two spaces in a row", file=file, line=number, column=name, hint=hint)
    shown = field[:40].decode("ascii", "replace")
    return InputError(
        f"'{shown}' is not {expected}", file=file, line=number, column=name, hint=hint
    )
