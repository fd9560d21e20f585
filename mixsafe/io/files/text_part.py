"""A part of a text file, for the CSV reader of Arrow."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from pyarrow import csv

from mixsafe.io.files.content import PLAIN, WESTERN
from mixsafe.io.files.text_form import TextForm

_BLOCK, _LONG_BLOCK = 1 << 20, 1 << 24
"""Bytes that Arrow parses at once: a row must be shorter."""

Opens = Callable[[], AbstractContextManager[Any]]


@dataclass(frozen=True, eq=False)
class TextPart:
    """Lines of a text file.

    Parameters
    ----------
    opens
        Opens them as bytes in UTF-8, once per attempt to read them.
    form
        How the file writes a table.
    header
        Names of its columns.
    skip
        Number of lines before the first row.
    begin
        Number of rows of the file before these.
    content
        The lines, if they are held in memory.
    """

    opens: Opens
    form: TextForm
    header: tuple[str, ...]
    skip: int
    begin: int = 0
    content: bytes | None = None

    def rows(self, *, use_threads: bool = True, long: bool = False) -> csv.ReadOptions:
        """How Arrow reads rows; ``long``: some may be whole lines of fixes."""
        size = _LONG_BLOCK if long else _BLOCK
        if self.content is not None and len(self.content) < _LONG_BLOCK:
            use_threads, size = False, len(self.content) + 1  # columns are not cut into pieces
        return csv.ReadOptions(
            column_names=self.header,
            skip_rows=self.skip,
            use_threads=use_threads,
            block_size=size,
        )

    def cells(self, **more: Any) -> csv.ParseOptions:
        """How Arrow reads cells."""
        return csv.ParseOptions(delimiter=self.form.separator, **more)

    def western(self) -> TextPart:
        """The part of a file that turns out to be Windows-1252."""
        with self.opens() as file:
            text = bytes(file.read()).decode(WESTERN).encode(PLAIN)
        form = replace(self.form, encoding=WESTERN)
        return replace(self, opens=partial(io.BytesIO, text), form=form, content=None)
