"""Files that are read whole, as tables in memory: one, or those of a folder; and whose they are.

Few files of phones, watches and accounts say that. A file is one person's, named as the file
without its ending, unless a column names users. A wrong guess makes one person two, or two one; so
what may be either is refused, with what to say:

- a file with tracks of several names;
- a folder with several files, if no pattern says which part of their paths is the user;
- two files of one name, as in the folders of two people.

Two files with the same fixes may be a file and its copy, which is no second person: a note says so.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

from mixsafe.errors import InputError
from mixsafe.io.columns.dialects import TRACK_NAME, plain_name, user_column
from mixsafe.io.columns.fixes import Fixes
from mixsafe.io.columns.reading import Reading
from mixsafe.io.files.sniffing import Sniffed
from mixsafe.io.files.table_parts import TablePart, parts_of
from mixsafe.io.objects.adapters import fixes_of_frame
from mixsafe.io.objects.frames import Frame

FILE = "file"
"""Column with the name of a person's file, without its ending."""

NOTE = "users are the names of files"

_PACKED = (".gz", ".zst")


def owned(frame: Frame, path: Path, said: Mapping[str, str]) -> Frame:
    """A person's file with a column of its name, which are the users if no column names them.

    Parameters
    ----------
    said
        Columns named by the caller, by meaning.

    Raises
    ------
    InputError
        It may be one person's or several people's.
    """
    frame = frame.with_values({FILE: stem_of(path)})
    if user_column(frame.label, frame.header, {**frame.said, **said}) is not None:
        return frame
    for name in frame.header:
        tracks = frame.column(name).unique() if plain_name(name) == TRACK_NAME else ()
        if len(tracks) > 1:
            raise InputError(
                f"{len(tracks):,} tracks may be one person or several",
                file=frame.label,
                column=name,
                hint=f"say --column user_id={name} if each is a person, --column user_id={FILE} if"
                " they are one person's (column= in Python)",
            )
    return replace(frame, said={**frame.said, "user_id": FILE}, notes=(*frame.notes, NOTE))


def stem_of(path: str | os.PathLike[str]) -> str:
    """The name of a file without its ending, also of a packed one."""
    name = PurePath(path).name
    packed = next((ending for ending in _PACKED if name.lower().endswith(ending)), "")
    return PurePath(name.removesuffix(name[len(name) - len(packed) :])).stem


def nobody_said(whole: Path, files: Sequence[Path]) -> InputError:
    """The error for a folder of people's files without a pattern that says whose they are."""
    message = f"the folder has {len(files):,} files, and nothing says whose they are"
    return InputError(message, file=whole, hint=_pattern_hint(whole, files))


def one_file_each(parts: Iterable[Fixes]) -> Iterator[Fixes]:
    """Yield the parts, whose users are not two files of one name; a note names possible copies.

    Raises
    ------
    InputError
        They are; names the second one.
    """
    seen: dict[str, str] = {}
    fixes: dict[bytes, str] = {}
    for part in parts:
        names = part.all_names.unique().to_pylist() if part.user == FILE else []
        file = os.fspath(part.tables[0].file)
        if names == [stem_of(file)] and seen.setdefault(names[0], file) != file:
            files = [Path(seen[names[0]]), Path(file)]
            folder = Path(os.path.commonpath([one.parent for one in files]) or ".")
            hint = "rename one of them"
            if files[0].parent != files[1].parent:
                hint = f"give their folder, {folder}, and {_pattern_hint(folder, files)}"
            message = f"users are the names of files, and {files[0]} has this one, too"
            raise InputError(message, file=file, hint=hint)
        other = fixes.setdefault(_digest(part), file) if names == [stem_of(file)] else file
        if other != file:
            note = f"{file} has the same fixes as {other}: leave it out if it is a copy, for a copy"
            part = replace(part, notes=(*part.notes, f"{note} is no second person"))
        yield part


def _digest(part: Fixes) -> bytes:
    """What tells fixes from others: their times and positions."""
    digest = hashlib.sha256()
    for values in (part.time, part.lat, part.lon):
        digest.update(b"" if values is None else values.tobytes())
    return digest.digest()


def _pattern_hint(whole: Path, files: Sequence[Path]) -> str:
    """Advice: how to say whose the files of a folder are, by their folders, else by their names."""
    below = [PurePath(os.path.relpath(one, whole)) for one in files]
    names, endings = {one.name for one in below}, {one.suffix for one in below}
    ending = endings.pop() if len(endings) == 1 else ".*"
    name = names.pop() if len(names) == 1 else f"*{ending}"
    between = {one.parts[1:-1] for one in below}
    depths = {len(one.parts) for one in below}
    say = "say which part of their paths is the user:"
    if depths == {1}:
        pattern = f"{{user_id}}{ending}"
    elif 1 in depths:
        say, pattern = (
            "put the files of each person into a folder, and say",
            f"{{user_id}}/*{ending}",
        )
    elif len(between) == 1:
        pattern = "/".join(["{user_id}", *between.pop(), name])
    else:
        pattern = f"{{user_id}}/**{name.removeprefix('*')}"
    return f"{say} --files '{pattern}' (files= in Python)"


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
        Whether a file is one person's: see :mod:`mixsafe.io.objects.frame_files`.

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
