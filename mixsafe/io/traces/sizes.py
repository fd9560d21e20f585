"""Estimates of the memory needed for a source of traces, without reading it."""

from __future__ import annotations

import os

from mixsafe.io.files.content import PARQUET, head_of, unpacked_head_of
from mixsafe.io.files.parquet_columns import parquet_rows
from mixsafe.io.files.table_form import TableForm
from mixsafe.io.files.table_parts import parts_of

FIX_BYTES = 120
"""Approximate memory per fix while traces are read and zones extracted, bytes."""

PACKED_TIMES = 5
"""Approximate decompression ratio of a packed text of numbers."""


def memory_of(path: str | os.PathLike[str], form: TableForm | None = None) -> int:
    """Estimate the memory for reading a table of fixes and extracting mix zones, bytes.

    Parameters
    ----------
    path
        CSV or Parquet file, or folder of such files; for other formats the result is meaningless.
    form
        What the user says of the table; None: nothing.

    Raises
    ------
    InputError
        A file cannot be read.
    """
    return FIX_BYTES * sum(_rows(part.path) for part in parts_of(path, form))


def _rows(path: str | os.PathLike[str]) -> int:
    """Number of rows of a file; for text, extrapolated from the first lines."""
    head = head_of(path)
    if head.startswith(PARQUET):
        return parquet_rows(path)
    size, content = os.stat(path).st_size, unpacked_head_of(path)
    if content != head:
        size *= PACKED_TIMES
    return size * (content.count(b"\n") or 1) // len(content)
