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
from mixsafe.io.files.table_form import TextForm, text_form_of
from mixsafe.model.numerals import WHOLE, integer_of, is_decimal

SKIP_HINT = "skip such rows with --skip-bad (skip_bad=True in Python)"


def or_skip(hint: str | None) -> str:
    """A hint to mend a row, or to skip it."""
    return SKIP_HINT if hint is None else f"{hint}; or {SKIP_HINT}"


Kind = Literal[
    "name", "integer", "number", "time", "text", "optional", "coordinate", "geometry", "region"
]
"""Kind of a column's cells; ``time``, ``text`` and ``optional`` are validated by the caller.

Cells of ``coordinate`` (a number), ``geometry`` (a text or bytes) and ``region`` (a whole number or
a name) may be missing: such a row has no position.
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

_LONGEST_CELL = 1 << 28
"""Characters of a cell that are read: a cell may have a whole line of fixes."""

LARGEST_WHOLE = 9 * 10**18 - 1
"""Largest whole number in a text: all up to it have 64 bits, which a pattern can tell."""

_INTEGER = re.compile(rf"[ \t]*{WHOLE}[ \t]*")
_INFINITE = re.compile(r"[ \t]*[+-]?inf(inity)?[ \t]*", re.IGNORECASE)


def listed(names: Sequence[str]) -> str:
    """Names of columns for a message."""
    shown = [name if len(name) <= LONGEST else f"{name[:LONGEST]}…" for name in names[:_MOST]]
    more = [f"and {len(names) - _MOST} more"] if len(names) > _MOST else []
    return ", ".join(shown + more)


def records(
    path: str | os.PathLike[str], form: TextForm | None = None
) -> Iterator[tuple[int, list[str]]]:
    """Yield the first line and the fields of each record that is not blank, the header first.

    Parameters
    ----------
    form
        How the file writes a table; None: it is found out.

    Raises
    ------
    InputError
        A line is not UTF-8 or not CSV.
    """
    form = form or text_form_of(path)
    # Invalid UTF-8 is decoded to lone surrogates, so that its line can be named.
    with (
        opened(path, form.encoding) as content,
        io.TextIOWrapper(content, "utf-8-sig", "surrogateescape", newline="") as file,
    ):
        reader = csv.reader(islice(file, form.before, None), delimiter=form.separator)
        line = form.before + 1
        if form.names:
            yield form.before, list(form.names)
        while True:
            before = csv.field_size_limit(_LONGEST_CELL)
            try:
                fields = next(reader, None)
            except csv.Error as error:
                raise InputError(f"not CSV: {error}", file=path, line=line) from None
            finally:
                csv.field_size_limit(before)
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
            line = form.before + reader.line_num + 1


def line_and_text(
    path: str | os.PathLike[str], form: TextForm, row: int, place: int
) -> tuple[int, str]:
    """Line of a row (from 0, without the header), and the text of its cell in a column."""
    line, fields = next(islice(records(path, form), row + 1, None))
    return line, fields[place]


def lines_of(path: str | os.PathLike[str], form: TextForm, rows: Sequence[int]) -> list[int]:
    """Lines of some rows (from 0, without the header, ascending) of a file of one row per line.

    Unlike :func:`line_and_text` it does not parse what comes before.
    """
    found: list[int] = []
    row = 0 if form.names else -1
    # Lines end as PyArrow ends them, also at a carriage return alone.
    with (
        opened(path, form.encoding) as content,
        io.TextIOWrapper(content, "latin-1", newline="") as file,
    ):
        for line, text in enumerate(file, start=1):
            if len(found) == len(rows):
                break
            if line > form.before and text.strip("\r\n"):
                if row == rows[len(found)]:
                    found.append(line)
                row += 1
    return found


def explain(
    path: str | os.PathLike[str],
    form: TextForm,
    kinds: Mapping[str, Kind],
    *,
    skippable: bool = False,
) -> InputError:
    """The error for the first invalid record.

    Parameters
    ----------
    kinds
        Kinds of the columns needed.
    skippable
        Say that such rows can be skipped.
    """
    lines = records(path, form)
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
            found = complaint(form.plain(fields[place]), kind)
            if found is not None:
                message, hint = found
                if skippable and (any_good or _is_good_below(lines, form, place, kind)):
                    hint = or_skip(hint)
                return InputError(message, file=path, line=line, column=name, hint=hint)
        any_good = True
    return InputError("the file cannot be read as CSV", file=path)


def _is_good_below(
    lines: Iterator[tuple[int, list[str]]], form: TextForm, place: int, kind: Kind
) -> bool:
    """Whether one of the next cells of a column is valid: if none is, no row would be left."""
    try:
        cells = (fields[place] for _, fields in islice(lines, _LOOK) if place < len(fields))
        return any(complaint(form.plain(cell), kind) is None for cell in cells)
    except InputError:
        return True


def complaint(text: str, kind: Kind) -> tuple[str, str | None] | None:
    """What is wrong with a cell, and a hint; None if it is valid."""
    if kind in PLACED and text.strip() in MISSING:
        return None
    if not text.strip() and kind != "optional":
        return "the cell is empty", None
    if kind == "integer":
        if not _INTEGER.fullmatch(text):
            return f"'{text[:LONGEST]}' is not a whole number", None
        number = integer_of(text)
        if number is None or abs(number) > LARGEST_WHOLE:
            beyond = f"is too large: not from -{LARGEST_WHOLE} to {LARGEST_WHOLE}"
            return f"'{text[:LONGEST].strip()}' {beyond}", None
    if (kind == "number" and not (is_decimal(text) and math.isfinite(float(text)))) or (
        kind == "coordinate" and not is_decimal(text) and not _INFINITE.fullmatch(text)
    ):
        return f"'{text[:LONGEST]}' is not a number", None
    return None


def _is_utf8(text: str) -> bool:
    """True if a text was decoded without lone surrogates."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)
