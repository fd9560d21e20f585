"""Slow CSV reader, record by record, to locate errors.

Used only after the fast reader has failed.
"""

from __future__ import annotations

import csv
import io
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Literal

from mixsafe.errors import InputError
from mixsafe.io.files.content import opened
from mixsafe.model.numerals import WHOLE, integer_of, is_decimal

SKIP_HINT = "skip such rows with --skip-bad (skip_bad=True in Python)"


def or_skip(hint: str | None) -> str:
    """A hint to mend a row, or to skip it."""
    return SKIP_HINT if hint is None else f"{hint}; or {SKIP_HINT}"


Kind = Literal[
    "name", "integer", "number", "time", "text", "optional", "coordinate", "geometry", "region"
]
"""Kind of a column's cells; ``time``, ``text`` and ``optional`` are validated by the caller.

Cells of ``coordinate`` (a number), ``geometry`` (a text or bytes) and ``region`` (a whole number)
may be missing: such a row has no position.
"""

PLACED: tuple[Kind, ...] = ("coordinate", "geometry", "region")
"""Kinds of columns that say where somebody is."""

MISSING = (
    "", " ", "  ", "NA", "N/A", "n/a", "na", "<NA>", "#N/A", "#N/A N/A", "#NA", "NaN", "nan", "NAN",
    "-NaN", "-nan", "null", "NULL", "Null", "None", "none", "NONE", "nil", "-", "--", "?", "\\N",
    "-1.#IND", "-1.#QNAN", "1.#IND", "1.#QNAN",
)  # fmt: skip
"""Texts that stand for a missing number."""

LONGEST = 40
"""Number of characters of a cell shown in messages."""

_MOST = 20
"""Number of names listed in messages."""

_LOOK = 1000
"""Number of further rows looked at after the first one at fault."""

LARGEST_WHOLE = 9 * 10**18 - 1
"""Largest whole number in a text: all up to it have 64 bits, which a pattern can tell."""

_INTEGER = re.compile(rf"[ \t]*{WHOLE}[ \t]*")
_INFINITE = re.compile(r"[ \t]*[+-]?inf(inity)?[ \t]*", re.IGNORECASE)
_RELEASED = re.compile(r"\s*(\*|[0-9]+( [0-9]+)+)\s*")
_NUMBERED = "number the places, and write the number of each in this column"
_RELEASED_HINT = "use mixsafe audit for traces that are already obfuscated"


def listed(names: Sequence[str]) -> str:
    """Names of columns for a message."""
    shown = [name if len(name) <= LONGEST else f"{name[:LONGEST]}…" for name in names[:_MOST]]
    more = [f"and {len(names) - _MOST} more"] if len(names) > _MOST else []
    return ", ".join(shown + more)


def records(path: str | os.PathLike[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the first line and the fields of each record that is not blank, the header first.

    Raises
    ------
    InputError
        A line is not UTF-8 or not CSV.
    """
    # Invalid UTF-8 is decoded to lone surrogates, so that its line can be named.
    with (
        opened(path) as content,
        io.TextIOWrapper(content, "utf-8-sig", "surrogateescape", newline="") as file,
    ):
        reader = csv.reader(file)
        line = 1
        while True:
            try:
                fields = next(reader, None)
            except csv.Error as error:
                raise InputError(f"not CSV: {error}", file=path, line=line) from None
            if fields is None:
                return
            if any(not field.isascii() and not _is_utf8(field) for field in fields):
                raise InputError(
                    "the line is not UTF-8",
                    file=path,
                    line=line,
                    hint="save the file as UTF-8",
                )
            if fields:
                yield line, fields
            line = reader.line_num + 1


def line_and_text(path: str | os.PathLike[str], row: int, place: int) -> tuple[int, str]:
    """Line of a row (from 0, without the header), and the text of its cell in a column."""
    line, fields = next(islice(records(path), row + 1, None))
    return line, fields[place]


def lines_of(path: str | os.PathLike[str], rows: Sequence[int]) -> list[int]:
    """Lines of some rows (from 0, without the header, ascending) of a file of one row per line.

    Unlike :func:`line_and_text` it does not parse what comes before.
    """
    found: list[int] = []
    row = -1
    with opened(path) as file:
        reader = file if isinstance(file, io.BufferedReader) else io.BufferedReader(file)
        for line, text in enumerate(reader, start=1):
            if len(found) == len(rows):
                break
            if text.strip(b"\r\n"):
                if row == rows[len(found)]:
                    found.append(line)
                row += 1
        if reader is not file:
            reader.detach()
    return found


def explain(
    path: str | os.PathLike[str], kinds: Mapping[str, Kind], *, skippable: bool = False
) -> InputError:
    """The error for the first invalid record.

    Parameters
    ----------
    kinds
        Kinds of the columns needed.
    skippable
        Say that such rows can be skipped.
    """
    lines = records(path)
    _, header = next(lines)
    names = enumerate(name.strip() for name in header)
    wanted = [(place, name, kinds[name]) for place, name in names if name in kinds]
    any_good = False
    for line, fields in lines:
        if len(fields) != len(header):
            hint: str | None = "check for a broken or truncated line, or a missing quote"
            return InputError(
                f"{len(fields)} fields instead of {len(header)}",
                file=path,
                line=line,
                hint=or_skip(hint) if skippable else hint,
            )
        for place, name, kind in wanted:
            found = complaint(fields[place], kind)
            if found is not None:
                message, hint = found
                if skippable and (any_good or _is_good_below(lines, place, kind)):
                    hint = or_skip(hint)
                return InputError(message, file=path, line=line, column=name, hint=hint)
        any_good = True
    return InputError("the file cannot be read as CSV", file=path)


def _is_good_below(lines: Iterator[tuple[int, list[str]]], place: int, kind: Kind) -> bool:
    """Whether one of the next cells of a column is valid: if none is, no row would be left."""
    try:
        cells = (fields[place] for _, fields in islice(lines, _LOOK) if place < len(fields))
        return any(complaint(cell, kind) is None for cell in cells)
    except InputError:
        return True


def complaint(text: str, kind: Kind) -> tuple[str, str | None] | None:
    """What is wrong with a cell, and a hint; None if it is valid."""
    if kind in PLACED and text.strip() in MISSING:
        return None
    if not text.strip() and kind != "optional":
        return "the cell is empty", None
    if kind in ("integer", "region"):
        if _RELEASED.fullmatch(text):
            return f"'{text[:LONGEST].strip()}' is not one number", _RELEASED_HINT
        if not _INTEGER.fullmatch(text):
            hint = None
            if kind == "region":
                hint = _NUMBERED
            return f"'{text[:LONGEST]}' is not a whole number", hint
        number = integer_of(text)
        if number is None or abs(number) > LARGEST_WHOLE:
            beyond = f"is too large: not from -{LARGEST_WHOLE} to {LARGEST_WHOLE}"
            return f"'{text[:LONGEST].strip()}' {beyond}", None
        if kind == "region" and text.strip(" \t+-")[:1] == "0" and number:
            shown = text[:LONGEST].strip()
            there = f"'{shown}' begins with a zero, as a name does, and regions are numbers"
            return f"{there}: {number} would be the same place", _NUMBERED
    if (kind == "number" and not (is_decimal(text) and math.isfinite(float(text)))) or (
        kind == "coordinate" and not is_decimal(text) and not _INFINITE.fullmatch(text)
    ):
        return f"'{text[:LONGEST]}' is not a number", None
    return None


def _is_utf8(text: str) -> bool:
    """True if a text was decoded without lone surrogates."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)
