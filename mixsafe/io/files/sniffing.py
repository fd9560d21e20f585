"""A source before it is read: what the user says of its files, and what they show."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePath

from mixsafe.errors import InputError
from mixsafe.io.files.content import (
    GZIP,
    PARQUET,
    head_of,
    text_head_of,
    text_of,
    unpacked_head_of,
)
from mixsafe.io.files.json_values import half_error, has_half

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


_LOOK = 20
"""Files of a folder that show what the others are."""


_JSON = re.compile(rb"[{\[]|[^\t\n{]*\t[^\t\n{]*\t\s*\{")
"""How JSON begins, and a line of OwnTracks: a time, what it is about, JSON."""


class Sniffed:
    """Lazily computed properties of a source, for format detection.

    Parameters
    ----------
    path
        File or folder.
    form
        What the user says of a table; None: nothing can be said.
    """

    def __init__(self, path: Path, form: TableForm | None = None) -> None:
        self.path, self.form = path, form

    @cached_property
    def folder(self) -> bool:
        """True for a folder."""
        return self.path.is_dir()

    @cached_property
    def tables(self) -> bool:
        """True for a folder of CSV or Parquet files."""
        from mixsafe.io.files.table_parts import parts_of

        return self.folder and bool(parts_of(self.path, self.form))

    @cached_property
    def files(self) -> tuple[Sniffed, ...]:
        """The file; or the first ones of a folder that are meant and may be no tables.

        Raises
        ------
        InputError
            As :func:`mixsafe.io.files.table_parts.parts_of`.
        """
        from mixsafe.io.files.table_parts import parts_of

        if not self.folder:
            return (self,)
        said = self.form is not None and self.form.files is not None
        if self.tables and not said:
            return ()
        parts = parts_of(self.path, self.form, tables=False)
        return tuple(Sniffed(Path(one.path)) for one in parts[: 1 if said else _LOOK])

    def has(self, recognizes: Callable[[Sniffed], bool]) -> bool:
        """Whether a file of a folder has a format; what is empty or no text has none."""
        try:
            return recognizes(self)
        except InputError:
            return False

    @cached_property
    def head(self) -> bytes:
        """The first bytes; empty for a folder.

        Raises
        ------
        InputError
            As :func:`mixsafe.io.files.content.head_of`.
        """
        return b"" if self.folder else head_of(self.path)

    @cached_property
    def unpacked(self) -> bytes:
        """The first bytes, decompressed if the file is packed; empty for a folder.

        Raises
        ------
        InputError
            As :func:`mixsafe.io.files.content.unpacked_head_of`.
        """
        return b"" if self.folder else unpacked_head_of(self.path)

    @cached_property
    def archive(self) -> bool:
        """True for an archive of files, as opposed to one packed text.

        Raises
        ------
        InputError
            As :attr:`unpacked`.
        """
        return self.head.startswith(GZIP) and b"\0" in text_of(self.unpacked)[1]

    @cached_property
    def text(self) -> bytes:
        """The first bytes of a text file; empty for a folder or a Parquet file.

        Raises
        ------
        InputError
            As :func:`mixsafe.io.files.content.text_head_of`.
        """
        if self.folder or self.head.startswith(PARQUET):
            return b""
        return text_head_of(self.path)

    @cached_property
    def keys(self) -> frozenset[str]:
        """Paths of keys in the first bytes of JSON, or of lines that end with it; else empty.

        Raises
        ------
        InputError
            As :attr:`unpacked`.
        """
        from mixsafe.io.files.json_values import key_paths

        text = text_of(self.unpacked)[1].lstrip()
        return key_paths(text) if _JSON.match(text) else frozenset()

    @cached_property
    def header(self) -> tuple[str, ...]:
        """Column names of a CSV or Parquet file, or of a folder of such files.

        Raises
        ------
        InputError
            As :func:`mixsafe.io.files.tables.header_of`.
        """
        from mixsafe.io.files.tables import header_of

        return header_of(self.path, self.form)
