"""How much memory a source of traces would take, without reading it."""

from __future__ import annotations

import os

from mixsafe.io.files.content import PARQUET, head_of, unpacked_head_of
from mixsafe.io.files.parquet_columns import parquet_rows
from mixsafe.io.files.table_parts import parts_of

FIX_BYTES = 120
"""Memory for each fix while traces are read and their zones are found, bytes, about."""

PACKED_TIMES = 5
"""What a packed text of numbers becomes when it is unpacked, times its size, about."""


def memory_of(path: str | os.PathLike[str]) -> int:
    """Memory that reading a table of fixes and finding its mix zones takes, bytes, about.

    Parameters
    ----------
    path
        CSV or Parquet, a file or a folder of such files; of anything else the number means nothing.

    Raises
    ------
    InputError
        A file cannot be read.
    """
    return FIX_BYTES * sum(_rows(part.path) for part in parts_of(path))


def _rows(path: str | os.PathLike[str]) -> int:
    """Rows of a file; of text, as many as there would be if all lines were like its first ones."""
    head = head_of(path)
    if head.startswith(PARQUET):
        return parquet_rows(path)
    size, content = os.stat(path).st_size, unpacked_head_of(path)
    if content != head:
        size *= PACKED_TIMES
    return size * (content.count(b"\n") or 1) // len(content)
