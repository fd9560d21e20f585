"""Estimates of the memory needed for a source of traces, without reading it."""

from __future__ import annotations

import os

from mixsafe.errors import InputError
from mixsafe.io.files.content import PARQUET, head_of, size_of, unpacked_head_of
from mixsafe.io.files.parquet_columns import parquet_rows
from mixsafe.io.files.sniffing import TableForm
from mixsafe.io.files.table_parts import parts_of

FIX_BYTES = 120
"""Approximate memory per fix while traces are read and zones extracted, bytes."""

_SMALL = 1 << 20
"""Bytes of a source that fits into memory whatever is in a row."""

PACKED_TIMES = 5
"""Approximate decompression ratio of a packed text of numbers."""


def memory_of(
    path: str | os.PathLike[str], form: TableForm | None = None, time_step: int = 60
) -> int:
    """Estimate the memory for reading a table of fixes and extracting mix zones, bytes.

    Parameters
    ----------
    path
        CSV or Parquet file, or folder of such files; for other formats the result is meaningless.
    form
        What the user says of the table; None: nothing.
    time_step
        Length of a time step, seconds, in each of which a stay has a fix.

    Raises
    ------
    InputError
        A file cannot be read.
    """
    parts = parts_of(path, form)
    fixes = sum(_rows(part.path) for part in parts if not part.empty)
    if sum(size_of(part.path) for part in parts) > _SMALL:
        fixes *= _per_row(path, form, time_step)
    return FIX_BYTES * fixes


def _per_row(path: str | os.PathLike[str], form: TableForm | None, time_step: int) -> int:
    """Number of fixes of a row; more than one where rows have whole lines of them, or are stays."""
    from mixsafe.io.files.tables import header_of
    from mixsafe.io.lines.line_columns import fixes_per_row
    from mixsafe.io.traces.table import fixes_of_a_row, layout_of_file

    names: tuple[str, ...] = ()
    try:
        names = header_of(path, form)
        layout = layout_of_file(path, plane=True, form=form)
        return fixes_of_a_row(path, layout, form, time_step)
    except InputError:  # no table, or one whose columns are named by an option
        return fixes_per_row(path, names, form)


def _rows(path: str | os.PathLike[str]) -> int:
    """Number of rows of a file; for text, extrapolated from the first lines."""
    head = head_of(path)
    if head.startswith(PARQUET):
        return parquet_rows(path)
    size, content = os.stat(path).st_size, unpacked_head_of(path)
    if content != head:
        size *= PACKED_TIMES
    return size * (content.count(b"\n") or 1) // len(content)
