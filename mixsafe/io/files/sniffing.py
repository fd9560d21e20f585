"""Properties of a source for format detection: folder or file, first bytes, column names."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from mixsafe.errors import InputError
from mixsafe.io.files.content import (
    GZIP,
    PARQUET,
    head_of,
    text_head_of,
    text_of,
    unpacked_head_of,
)
from mixsafe.io.files.table_form import TableForm

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
