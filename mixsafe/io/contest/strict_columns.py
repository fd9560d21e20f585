"""Strict reader of the organizers' plain CSV: ASCII, a fixed header, no quotes, no spaces.

The organizers' programs skip headers unread and accept other deviations; this reader names the
first invalid line. CRLF line ends and a byte order mark, as Windows programs write them, are
removed with an :class:`mixsafe.errors.InputNote`.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Mapping
from dataclasses import replace

import pyarrow as pa
from pyarrow import compute

from mixsafe.errors import InputError, InputNote
from mixsafe.io.files.checked_table import CheckedTable
from mixsafe.io.files.content import whole
from mixsafe.io.files.csv_records import LONGEST
from mixsafe.io.files.tables import read_table

NUMBER = "0*[0-9]{1,18}"
CELL = rf"\*|{NUMBER}(?: {NUMBER})*"
PLAIN_CELL = CELL.replace(NUMBER, "(?:0|[1-9][0-9]{0,17})")
"""A cell whose numbers are written in the one way that has no leading zeros."""

DECIMAL = r"-?[0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?"

_CELL_HINT = (
    "write one id, several ids separated by one space, or *; names of places are read where the"
    " column of pseudonyms is called pseudonym"
)
_EXPECTED = {
    NUMBER: ("a plain number, digits only", None),
    CELL: ("a released cell", _CELL_HINT),
    PLAIN_CELL: ("a released cell", _CELL_HINT),
    DECIMAL: ("a decimal number", None),
}
_TYPES = {NUMBER: pa.int64(), DECIMAL: pa.float64()}

_FAULTS = {
    rb"\r": ("the line contains a carriage return", "end lines with LF or CRLF"),
    rb"[^\x00-\x7f]": ("byte {:#x} is not ASCII", "give a contest file, which is plain ASCII"),
    rb'"': ("the line contains a quote", "write numbers without quotes"),
    rb"(?<=\n)\n": ("the line is empty", None),
}
"""What no line may have, and what is said of it."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"

FIRST_LINE = 2
"""Line of the first row; the header is line 1."""


def read_columns(
    path: str | os.PathLike[str], *layouts: Mapping[str, str], kind: str
) -> CheckedTable:
    """Read a file with one of the given headers.

    Parameters
    ----------
    layouts
        Column names in order, with the pattern of their cells.
    kind
        Kind of file expected, for error messages.

    Returns
    -------
    Numbers as int64, decimal numbers as float64, cells as a dictionary of texts.

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
    data = whole(file, unpack=True)
    if not data:
        raise InputError("the file is empty", file=file)
    data = _without_windows(data, file)
    for pattern, (message, hint) in _FAULTS.items():
        found = None if pattern == rb"[^\x00-\x7f]" and data.isascii() else re.search(pattern, data)
        if found is not None:
            line = data.count(b"\n", 0, found.start()) + 1
            raise InputError(message.format(*found[0]), file=file, line=line, hint=hint)
    header = data.partition(b"\n")[0].decode("ascii")
    layout = next((one for one in layouts if ",".join(one) == header), None)
    if layout is None:
        wanted = "' or '".join(",".join(one) for one in layouts)
        message = f"the header is '{header[:60]}' instead of '{wanted}'"
        raise InputError(message, file=file, line=1, hint=f"give a file of {kind}")
    return _parsed(read_table(path, dict.fromkeys(layout, "text")), layout)


def _without_windows(data: bytes, file: str) -> bytes:
    """Remove a byte order mark and replace CRLF by LF."""
    marked = data.startswith(_BYTE_ORDER_MARK)
    found = ["a byte order mark"] if marked else []
    if b"\r\n" in data:
        found.append("CRLF line ends")
    if found:
        what = " and ".join(found)
        # The stack level points to the caller of the public reader.
        note = f"{file}: {what} ignored; the file is read as plain ASCII with LF"
        warnings.warn(note, InputNote, stacklevel=4)
    return data.removeprefix(_BYTE_ORDER_MARK).replace(b"\r\n", b"\n")


def _parsed(table: CheckedTable, layout: Mapping[str, str]) -> CheckedTable:
    """The table, its texts as what the patterns say.

    Raises
    ------
    InputError
        Names the first line with a cell that does not fit.
    """
    parsed, wrong = {}, {}
    for name, pattern in layout.items():
        coded = table.columns[name].combine_chunks().dictionary_encode()
        good = compute.match_substring_regex(coded.dictionary, f"^(?:{pattern})$")
        if not compute.all(good).as_py():
            bad = compute.index(good.take(coded.indices), value=False)
            wrong[name] = bad.as_py()
        elif pattern in _TYPES:
            coded = coded.dictionary.cast(_TYPES[pattern]).take(coded.indices)
        parsed[name] = pa.chunked_array([coded])
    if wrong:
        name = min(wrong, key=lambda one: wrong[one])
        text, (expected, hint) = table.columns[name][wrong[name]].as_py(), _EXPECTED[layout[name]]
        message = "two spaces in a row" if "  " in text else f"'{text[:LONGEST]}' is not {expected}"
        raise table.error(message, wrong[name], name, hint)
    return replace(table, columns=parsed)


def check_range(table: CheckedTable, name: str, first: int, last: int, what: str) -> None:
    """Refuse numbers of a column outside the range ``first`` to ``last``.

    Raises
    ------
    InputError
        Names the first line.
    """
    found = table.values(name)
    wrong = (found < first) | (found > last)
    table.check(wrong, name, f"{what} {{}} is outside {first} to {last}")


def check_rows(table: CheckedTable, expected: int, hint: str) -> None:
    """Refuse a file with missing or surplus rows.

    Raises
    ------
    InputError
        Names the first line that is missing or surplus.
    """
    if len(table) == expected:
        return
    what = "missing" if len(table) < expected else "surplus"
    raise InputError(
        f"{len(table)} rows instead of {expected}: this line is {what}",
        file=table.file,
        line=min(len(table), expected) + FIRST_LINE,
        hint=hint,
    )
