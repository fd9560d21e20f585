"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mixsafe.errors import InputError
from mixsafe.io.files.transaction import Outputs, under_way
from mixsafe.temporary_files import draft_of, forget


@contextmanager
def atomic_path(path: str | os.PathLike[str], *, at_once: bool = False) -> Iterator[Path]:
    """A path to write to; what is there takes the name ``path`` when the block ends well.

    In :func:`mixsafe.io.files.transaction.together` it does so when all is written, unless it has
    to be there ``at_once``.

    The file is written beside its place and then renamed, so that nobody ever sees half of it.
    Where the place is a pipe or a device there is nothing to rename, and it is written directly.

    Raises
    ------
    InputError
        The file cannot be written; names it and the system's reason.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file() and not target.is_dir():
        yield target
        return
    with _draft(path, at_once=at_once) as draft:
        if target.is_dir():
            raise IsADirectoryError(0, "it is a folder")
        yield draft


@contextmanager
def atomic_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A folder to fill; it takes the name ``path`` when the block ends well, else it is gone.

    Raises
    ------
    InputError
        There is a file, or a folder with something in it, or it cannot be written.
    """
    target = Path(path)
    with _draft(path) as draft:
        if target.is_dir() and any(target.iterdir()):
            raise InputError(
                "the folder is not empty", file=path, hint="name another one, or empty it"
            )
        draft.mkdir()
        yield draft


@contextmanager
def replaced_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A folder to fill; it takes the place of the folder ``path`` when the block ends well.

    Raises
    ------
    InputError
        It cannot be written.
    """
    with _draft(path) as draft:
        draft.mkdir()
        yield draft


@contextmanager
def _draft(path: str | os.PathLike[str], *, at_once: bool = False) -> Iterator[Path]:
    """Where something is made that takes its place when the block ends well, else it is gone.

    Raises
    ------
    InputError
        It cannot be written.
    """
    target, draft = Path(os.path.realpath(path)), None
    try:
        draft = draft_of(target)
        yield draft
        outputs = None if at_once else under_way()
        if outputs is None:
            Outputs([(draft, target)]).appear()
        else:
            outputs.moves.append((draft, target))
            draft = None  # it waits for the others
    except OSError as error:
        raise _cannot_write(path, error) from None
    finally:
        if draft is not None:
            forget(draft)


def write_text(path: str | os.PathLike[str], text: str, *, at_once: bool = False) -> None:
    """Write a text file (UTF-8, line ends as they are), whole or not at all.

    Raises
    ------
    InputError
        The file cannot be written.
    """
    with atomic_path(path, at_once=at_once) as draft:
        draft.write_text(text, encoding="utf-8", newline="")


def _cannot_write(path: str | os.PathLike[str], error: OSError) -> InputError:
    """The error for a file that cannot be written."""
    folder = Path(path).absolute().parent
    missing = not folder.is_dir()
    said = (error.strerror or str(error)).rpartition("] ")[2]  # Arrow puts its own words before
    reason = "its folder does not exist" if missing else said.lower()
    hint = f"create {folder} first" if missing else None
    return InputError(f"cannot write: {reason}", file=path, hint=hint)
