"""Files that are read whole, as tables in memory: one, or those of a folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mixsafe.errors import InputError
from mixsafe.io.columns.fixes import Fixes
from mixsafe.io.columns.row_rules import RowRules
from mixsafe.io.files.sniffing import Sniffed
from mixsafe.io.files.table_form import TableForm
from mixsafe.io.files.table_parts import TablePart, parts_of
from mixsafe.io.objects.frames import Frame
from mixsafe.io.objects.owners import FILE, nobody_said, one_file_each, owned
from mixsafe.io.objects.trace_adapters import fixes_of_frame


@dataclass(frozen=True)
class FrameFiles:
    """How the files of a format are read.

    Parameters
    ----------
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
    """

    name: str
    recognizes: Callable[[Sniffed], bool]
    frame: Callable[..., Frame]
    layered: bool = False
    personal: bool = False

    def fixes(
        self,
        path: Path,
        columns: Mapping[str, str] | None = None,
        tz: str | None = None,
        crs: object = None,
        rules: RowRules | None = None,
        form: TableForm | None = None,
    ) -> Iterator[Fixes]:
        """Yield the fixes of the file, or of each file of the folder in the order of their names.

        Raises
        ------
        InputError
            A file cannot be read, or nothing says whose it is.
        """
        form, said = form or TableForm(), columns or {}
        more: dict[str, Any] = {"layer": form.layer} if self.layered else {}
        parts, notes = self._parts(path, form)

        def read(part: TablePart) -> Fixes:
            file = Path(part.path)
            frame = replace(self.frame(file, **more), label=os.fspath(file))
            frame = frame.with_values(part.partition)
            if self.personal:
                frame = owned(frame, file, said)
                guessed = "user_id" not in said and frame.said.get("user_id") == FILE
                if guessed and len(parts) > 1:
                    raise nobody_said(path, [Path(one.path) for one in parts])
            frame = replace(frame, notes=(*notes, *frame.notes))
            return fixes_of_frame(frame, columns, tz, crs, rules)

        yield from one_file_each(map(read, parts))

    def _parts(self, path: Path, form: TableForm) -> tuple[list[TablePart], tuple[str, ...]]:
        """The files to read, and a note about those of a folder that have another format.

        Raises
        ------
        InputError
            A file that the user means has another format.
        """
        parts = parts_of(path, form, tables=False)
        if len(parts) == 1:
            return [*parts], ()
        found = [part for part in parts if self._is_one(Path(part.path))]
        left = [part.path for part in parts if part not in found]
        if left and form.files is not None:
            message, hint = f"this is no file of format {self.name}", "give one format at a time"
            raise InputError(message, file=left[0], hint=hint)
        note = f"{len(left):,} files are not read, because they are no {self.name}, such as"
        return found, (f"{note} {left[0]}",) if left else ()

    def _is_one(self, path: Path) -> bool:
        """Whether a file has the format; what is empty or no text has none."""
        try:
            return self.recognizes(Sniffed(path))
        except InputError:
            return False
