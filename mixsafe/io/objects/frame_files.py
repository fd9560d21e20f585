"""Files that are read whole, as tables in memory: one, or those of a folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from mixsafe.errors import InputError
from mixsafe.io.columns.fixes import Fixes
from mixsafe.io.columns.reading import Reading
from mixsafe.io.files.sniffing import Sniffed
from mixsafe.io.files.table_parts import TablePart, parts_of
from mixsafe.io.objects.frames import Frame
from mixsafe.io.objects.owners import FILE, nobody_said, one_file_each, owned
from mixsafe.io.objects.trace_adapters import fixes_of_frame


def frame_fixes(
    path: Path,
    reading: Reading,
    rows: int | None = None,
    *,
    name: str,
    recognizes: Callable[[Sniffed], bool],
    frame: Callable[..., Frame],
    layered: bool = False,
    personal: bool = False,
) -> Iterator[Fixes]:
    """The fixes of the file, or of each file of the folder in the order of their names.

    Parameters
    ----------
    rows
        Not used: a file is read whole.
    name
        Of the format.
    recognizes
        Returns True if a file has it.
    frame
        Reads a file, given its path.
    layered
        Whether ``frame`` takes a ``layer``.
    personal
        Whether a file is one person's: see :mod:`mixsafe.io.objects.owners`.

    Raises
    ------
    InputError
        A file cannot be read, or nothing says whose it is.
    """
    said, form = reading.column or {}, reading.form
    more: dict[str, Any] = {"layer": form.layer} if layered else {}
    parts = parts_of(path, form, tables=False)
    others: list[TablePart] = []
    if len(parts) > 1:
        others = [part for part in parts if not Sniffed(Path(part.path)).has(recognizes)]
        parts = tuple(part for part in parts if part not in others)
    if others and form.files is not None:
        message, hint = f"this is no file of format {name}", "give one format at a time"
        raise InputError(message, file=others[0].path, hint=hint)
    note = f"{len(others):,} files are not read, because they are no {name}, such as"
    notes = (f"{note} {others[0].path}",) if others else ()

    def read(part: TablePart) -> Fixes:
        file = Path(part.path)
        found = replace(frame(file, **more), label=os.fspath(file)).with_values(part.partition)
        if personal:
            found = owned(found, file, said)
            guessed = "user_id" not in said and found.said.get("user_id") == FILE
            if guessed and len(parts) > 1:
                raise nobody_said(path, [Path(one.path) for one in parts])
        return fixes_of_frame(replace(found, notes=(*notes, *found.notes)), reading)

    return one_file_each(map(read, parts))
