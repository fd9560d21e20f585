"""The form of a table: what the user says of its files, and how a text file writes it.

Encoding, separator, decimal mark and names of columns of a text file are found in its first bytes.
Spreadsheets in most of Europe separate columns by semicolons and write 48,99 for 48.99; many
published traces have no header.
"""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, zip_longest
from pathlib import PurePath

from mixsafe.errors import InputError
from mixsafe.io.files.content import PLAIN, encoded_head_of
from mixsafe.io.files.json_values import half_error, has_half
from mixsafe.model.numerals import is_decimal

_PLACE = re.compile(r"\{(?P<column>[^{}/*]+)\}|(?P<any>\*\*|\*)")


@dataclass(frozen=True)
class TableForm:
    """What the user says of a table without a header, and of tables in many files.

    Parameters
    ----------
    columns
        Names of the columns of each file, in order, if these have no header; ``_`` is a column that
        is not needed. Empty: they have one.
    files
        Which files of a folder are read: a path in it, with ``*`` for any part of a name, and
        ``{user_id}`` for a part that is the value of that column, as in
        ``{user_id}/Trajectory/*.plt``. None: tables, by their endings.
    layer
        Which layer of each file is read; None: the only one.

    Raises
    ------
    InputError
        A column is named twice.
    """

    columns: tuple[str, ...] = ()
    files: str | None = None
    layer: str | None = None

    def __post_init__(self) -> None:
        named = [name for name in self.columns if name != "_"]
        twice = [name for name in named if named.count(name) > 1]
        if twice:
            raise InputError(f"--columns names '{twice[0]}' twice")
        if "" in named or (self.columns and not named):
            hint = "as in user_id,time,lat,lon; _ is a column that is not needed"
            raise InputError("--columns has an empty name", hint=hint)
        if self.files is not None:
            _ = self._pattern

    @classmethod
    def said(cls, columns: str | None, files: str | None) -> TableForm:
        """The form of texts: names of columns with commas between them, and a pattern of files.

        Raises
        ------
        InputError
            A column has no name, or is named twice, or the pattern is none.
        """
        names = () if columns is None else tuple(one.strip() for one in columns.split(","))
        return cls(names, files)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        """What paths of files look like.

        Raises
        ------
        InputError
            It names a column twice.
        """
        pattern, begin, named = "", 0, set()
        text = (self.files or "").removeprefix("./")
        for found in _PLACE.finditer(text):
            pattern += re.escape(text[begin : found.start()])
            begin = found.end()
            if found["any"]:
                pattern += ".*" if found["any"] == "**" else "[^/]*"
            elif found["column"] in named:
                raise InputError(f"--files '{self.files}' names '{found['column']}' twice")
            else:
                named.add(found["column"])
                pattern += "([^/]+)"
        return re.compile(pattern + re.escape(text[begin:]))

    def values_of(self, path: PurePath) -> dict[str, str] | None:
        """Values of columns that the path of a file in its folder says; None: it is not read.

        Raises
        ------
        InputError
            A value is not UTF-8.
        """
        found = self._pattern.fullmatch(path.as_posix())
        if found is None:
            return None
        if any(map(has_half, found.groups())):
            raise half_error(path.name, path.parent)
        names = [one["column"] for one in _PLACE.finditer(self.files or "") if one["column"]]
        return dict(zip(names, found.groups(), strict=True))


_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "blanks"}
_LOOK = 50
"""Lines looked at."""

_COMMA = re.compile(r"\s*[+-]?[0-9]{1,3},[0-9]+\s*")
_POINT = re.compile(r"\s*[+-]?[0-9]+\.[0-9]+\s*")

_SAID = re.compile(rb"sep=[^\r\n]\r?\n", re.IGNORECASE)
"""A first line in which Excel is told the separator."""

_GEOLIFE = b"Geolife trajectory"
_GEOLIFE_LINES = 6
GEOLIFE_NAMES = ("lat", "lon", "zero", "altitude", "days", "date", "time")
"""Files .plt, by the user guide of GeoLife: six lines, then these columns; times are UTC."""

GEOLIFE_FILES = "--files '{user_id}/Trajectory/*.plt'"
"""Option for their folder."""


@dataclass(frozen=True)
class TextForm:
    """How a text file writes a table.

    Parameters
    ----------
    encoding
        Name of its encoding.
    separator
        What stands between cells: one character.
    decimal
        Decimal mark of its numbers.
    names
        Names of the columns; empty: its first line has them.
    before
        Number of lines before the table.
    """

    encoding: str = PLAIN
    separator: str = ","
    decimal: str = "."
    names: tuple[str, ...] = ()
    before: int = 0

    @property
    def skipped(self) -> int:
        """Number of lines before the first row."""
        return self.before + (not self.names)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found that is not usual: a sentence."""
        said = []
        if self.encoding != PLAIN:
            said.append(f"text in {self.encoding}")
        if self.separator != ",":
            said.append(f"columns separated by {_SEPARATORS[self.separator]}")
        if self.decimal != ".":
            said.append("decimal commas")
        return (f"read as {', '.join(said)}",) if said else ()

    def plain(self, cell: str) -> str:
        """A cell with a point for the decimal mark, if it is a number."""
        if self.decimal == "." or not _COMMA.fullmatch(cell):
            return cell
        return cell.replace(self.decimal, ".")

    def cells(self, text: str) -> list[list[str]]:
        """Cells of the first lines of a text, without blank lines and those before the table.

        Raises
        ------
        csv.Error
            A line is no CSV.
        """
        lines = islice(io.StringIO(text, newline=""), self.before, None)
        rows = csv.reader(lines, delimiter=self.separator)
        return [row for row in islice(rows, _LOOK) if row]


def text_form_of(path: str | os.PathLike[str], names: Sequence[str] = ()) -> TextForm:
    """Find out how a text file writes a table.

    Parameters
    ----------
    names
        Names of its columns, if it has no header.

    Raises
    ------
    InputError
        As :func:`mixsafe.io.files.content.text_head_of`; or the first line has another number of
        cells than there are names, or is a header.
    """
    encoding, head = encoded_head_of(path)
    form = TextForm(encoding)
    if _SAID.match(head):
        form = replace(form, before=1)
    if head.startswith(_GEOLIFE):
        form = replace(form, before=_GEOLIFE_LINES, names=GEOLIFE_NAMES)
    if names:
        form = replace(form, names=_unique(names))
    text = head.decode("utf-8", "replace")
    text = text[: text.rfind("\n") + 1] or text  # the last line may be cut
    marks = [mark for mark in _SEPARATORS if mark in text]
    counts = {mark: _counts(text, replace(form, separator=mark)) for mark in marks}
    form = replace(form, separator=_separator(counts, len(form.names)))
    if names:
        _check_names(path, form, text)
    if _has_decimal_commas(text, form):
        form = replace(form, decimal=",")
    return form


def _unique(names: Sequence[str]) -> tuple[str, ...]:
    """Names of columns; those called ``_`` are not needed, and are numbered."""
    return tuple(f"_{place}" if name == "_" else name for place, name in enumerate(names, start=1))


def _counts(text: str, form: TextForm) -> list[int]:
    """Number of cells of each of the first lines; none if they are no CSV."""
    try:
        return [len(row) for row in form.cells(text)]
    except csv.Error:
        return []


def _separator(counts: dict[str, list[int]], wanted: int) -> str:
    """What separates cells, by the numbers of cells of the first lines that it gives.

    A header without a blank in a name is no table of blanks: these only with ``wanted`` columns.
    """
    if wanted:
        of_first = {mark: found[0] for mark, found in counts.items() if found}
        fits = [mark for mark, count in of_first.items() if count == wanted]
        most = max(of_first, key=lambda mark: of_first[mark], default=",")
        return max(fits, key=lambda mark: counts[mark].count(wanted), default=most)
    known = {mark: found for mark, found in counts.items() if found and mark != " "}
    same = {mark: found[0] for mark, found in known.items() if len(set(found)) == 1}
    several = {mark: count for mark, count in same.items() if count > 1}
    if several:
        return max(several, key=lambda mark: several[mark])
    return max(known, key=lambda mark: known[mark][0], default=",")


def _check_names(path: str | os.PathLike[str], form: TextForm, text: str) -> None:
    """Refuse names of which there are more or fewer than cells, and a first line that is a header.

    Raises
    ------
    InputError
        Says what the first line is.
    """
    try:
        cells = next(iter(form.cells(text)), [])
    except csv.Error as error:
        raise InputError(f"not CSV: {error}", file=path, line=form.before + 1) from None
    if len(cells) != len(form.names):
        hint = "name each column, and call those that are not needed _"
        message = f"the first line has {len(cells)} columns, and --columns names {len(form.names)}"
        raise InputError(message, file=path, line=form.before + 1, hint=hint)
    if not any(map(is_value, map(form.plain, cells))):
        message = f"the first line has no number and no time: {form.separator.join(cells)[:60]}"
        hint = "omit --columns if it is a header; --column time=NAME says what a column of it is"
        raise InputError(message, file=path, line=form.before + 1, hint=hint)


def is_value(cell: str) -> bool:
    """Whether a cell is a number or a timestamp, as no name of a column is."""
    if is_decimal(cell):
        return True
    from mixsafe.model.mobility.instant import parse_instant  # NumPy is loaded if it is needed

    try:
        parse_instant(cell)
    except ValueError:
        return False
    return True


def _has_decimal_commas(text: str, form: TextForm) -> bool:
    """Whether more columns hold numbers with a decimal comma than with a point."""
    if "," not in text or (form.separator == "," and '"' not in text):
        return False
    try:
        rows = form.cells(text)[not form.names :]
    except csv.Error:
        return False
    filled = [[cell for cell in column if cell] for column in zip_longest(*rows)]
    commas, points = (
        sum(2 * sum(map(bool, map(look.fullmatch, column))) > len(column) for column in filled)
        for look in (_COMMA, _POINT)
    )
    return commas > points
