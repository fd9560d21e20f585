"""Outputs that would overwrite one another, or an input: refused before any work.

Files are compared by where they are and by what they are on the disk, not by how they are spelled:
other ways through folders, symbolic links and hard links all lead to one file.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from mixsafe.errors import InputError

STDOUT = "-"

_FILES = ("output", "table", "candidates", "json", "plot", "map", "graph", "certificate")
_FOLDERS = ("certificates", "export")
_JOURNAL, _SCRATCH = "resume", "temporary_folder"
_REPLACED = "--certificates"
_APPLY = "apply"  # with it, --output is a folder
_NEVER_READ = (".html", ".png", ".svg")


class Output(NamedTuple):
    """What a command writes.

    Parameters
    ----------
    option
        That says where, for messages.
    path
        The file or folder.
    whole
        A folder that holds nothing else: it is made, or replaced.
    """

    option: str
    path: Path
    whole: bool = False


def check_options(options: Mapping[str, object], arguments: Iterable[object]) -> None:
    """Compare the files that a command line names.

    Parameters
    ----------
    options
        By name. Those that are outputs have the same names in all commands.
    arguments
        All of them are inputs.

    Raises
    ------
    InputError
        As :func:`check_apart`, or two outputs go to standard output.
    """
    printed = [name for name in _FILES if str(options.get(name)) == STDOUT]
    if len(printed) > 1:
        said = " and ".join(f"--{name}" for name in printed)
        raise InputError(f"{said} cannot both go to standard output")
    not_read = (*_FILES, *_FOLDERS, _JOURNAL, _SCRATCH)
    others = (value for name, value in options.items() if name not in not_read)
    check_apart(named(options), (path for one in (*others, *arguments) for path in _paths(one)))


def named(options: Mapping[str, object]) -> list[Output]:
    """The outputs among options by name, as far as they are given and no standard output."""
    found = {name: options.get(name) for name in (*_FILES, *_FOLDERS)}
    folders = _FOLDERS if options.get(_APPLY) is None else (*_FOLDERS, "output")
    written = [
        Output(f"--{name}", Path(path), name in folders)
        for name, path in found.items()
        if isinstance(path, (str, Path)) and str(path) != STDOUT
    ]
    folder = options.get(_JOURNAL)
    return [*written, *(_journal(folder) if isinstance(folder, Path) else ())]


def check_apart(outputs: Iterable[Output], inputs: Iterable[Path | None] = ()) -> None:
    """Refuse outputs of which one would overwrite another one, or an input.

    Raises
    ------
    InputError
        Two are one file or folder, one is in a folder that holds nothing else, or one is an input.
    """
    written, read = list(outputs), [one for one in inputs if one and os.path.exists(one)]
    for one, other in combinations(written, 2):
        _check_two(one, other)
    for output in written:
        for source in read:
            _check_input(output, source)


def _check_two(one: Output, other: Output) -> None:
    """Refuse two outputs in one place."""
    if _same(one.path, other.path):
        what = "folder" if one.whole or other.whole or os.path.isdir(one.path) else "file"
        both = f"{one.option} and {other.option}"
        raise InputError(f"{both} are the same {what}", file=other.path, hint="name another one")
    for inner, outer in ((one, other), (other, one)):
        if outer.whole and _within(inner.path, outer.path):
            raise InputError(
                f"{inner.option} is in the folder of {outer.option}, which holds nothing else",
                file=inner.path,
                hint="name a file elsewhere",
            )


def _check_input(output: Output, source: Path) -> None:
    """Refuse an output that is an input, a file of an input folder, or a folder around one."""
    hint = "name another one"
    if output.whole:  # only certificates are replaced, other such folders have to be empty
        lost = output.option == _REPLACED and _within(source, output.path)
    elif not os.path.isfile(output.path):
        return
    elif os.path.isdir(source):
        lost = _within(output.path, source) and output.path.suffix.lower() not in _NEVER_READ
        hint = f"name one that is not in {source}"
    else:
        lost = _same(output.path, source)
    if lost:
        raise InputError(f"{output.option} would overwrite an input", file=output.path, hint=hint)


def _journal(folder: Path) -> list[Output]:
    """What is written into the folder of ``--resume``, beside which there may be other files."""
    from mixsafe.machinery.checkpoint import BLOCKS, NAME

    return [Output("--resume", folder / NAME), Output("--resume", folder / BLOCKS, True)]


def _paths(value: object) -> Iterator[Path]:
    """Files that the value of an option names; a word may name one, too."""
    if isinstance(value, Path):
        yield value
    elif isinstance(value, str):
        if len(value) < 4096 and os.path.isfile(value):
            yield Path(value)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _paths(one)


def _same(one: Path, other: Path) -> bool:
    """Whether two paths lead to one file or folder; a pipe or device may be named twice."""
    if not os.path.exists(one) or not os.path.exists(other):
        return os.path.realpath(one) == os.path.realpath(other)
    return os.path.samefile(one, other) and (os.path.isfile(one) or os.path.isdir(one))


def _within(path: Path, folder: Path) -> bool:
    """Whether a path leads to something in a folder, however deep."""
    return any(_same(above, folder) for above in Path(os.path.realpath(path)).parents)
