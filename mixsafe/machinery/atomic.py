"""Atomic writing: each file or folder appears whole, or what was there stays."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mixsafe.errors import InputError
from mixsafe.machinery.modes import new_file, new_folder, settle
from mixsafe.machinery.temporary_files import delete, draft_of, forget, undisturbed


@contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path that is renamed to ``path`` when the block succeeds.

    The temporary file lies in the same folder, so that no partial file is ever visible. It gets the
    mode of the file that it replaces; in a :func:`mixsafe.machinery.modes.secret` block nobody but
    its owner can ever read it. Pipes and devices are written directly.

    Raises
    ------
    InputError
        The file cannot be written; names the file and the system's reason.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file() and not target.is_dir():
        yield target
        return
    with _draft(path) as draft:
        if target.is_dir():
            raise IsADirectoryError(0, "this is a folder")
        yield new_file(draft, private=target.exists())


@contextmanager
def atomic_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary folder that is renamed to ``path`` when the block succeeds, else removed.

    Raises
    ------
    InputError
        The path is a file or a folder that is not empty, or cannot be written.
    """
    target = Path(path)
    with _draft(path) as draft:
        if target.is_dir() and any(target.iterdir()):
            raise InputError(
                "the folder is not empty", file=path, hint="give another folder or empty this one"
            )
        yield new_folder(draft, private=target.exists())


@contextmanager
def replaced_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary folder that replaces the folder ``path`` when the block succeeds.

    Raises
    ------
    InputError
        It cannot be written.
    """
    with _draft(path) as draft:
        yield new_folder(draft, private=Path(path).exists())


@contextmanager
def _draft(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path that replaces ``path`` when the block succeeds, else is removed.

    Raises
    ------
    InputError
        It cannot be written.
    """
    target, draft = Path(os.path.realpath(path)), None
    try:
        draft = draft_of(target)
        yield draft
        settle(draft, target)
        _put(draft, target)
    except OSError as error:
        raise _cannot_write(path, error) from None
    finally:
        if draft is not None:
            forget(draft)


def _put(draft: Path, target: Path) -> None:
    """Rename a draft to its target; a folder that is there is put aside for it.

    If the process is killed in between, the former folder is beside the target, under its name
    with ``.former-``.

    Raises
    ------
    OSError
        The draft cannot be renamed; what was there is there again.
    """
    if not target.is_dir():
        os.replace(draft, target)
        return
    former = target.with_name(f"{target.name}.former-{secrets.token_hex(4)}")
    with undisturbed():
        os.replace(target, former)
        try:
            os.replace(draft, target)
        except OSError:
            os.replace(former, target)
            raise
        delete(former)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file atomically (UTF-8, line ends unchanged).

    Halves of characters, as in names of files that are not UTF-8, are escaped.

    Raises
    ------
    InputError
        The file cannot be written.
    """
    with atomic_path(path) as draft:
        draft.write_text(text, encoding="utf-8", errors="backslashreplace", newline="")


def _cannot_write(path: str | os.PathLike[str], error: OSError) -> InputError:
    """The error for a file that cannot be written."""
    folder = Path(path).absolute().parent
    missing = not folder.is_dir()
    said = (error.strerror or str(error)).rpartition("] ")[2]  # Arrow adds a prefix
    reason = "its folder does not exist" if missing else said.lower()
    hint = f"create {folder} first" if missing else None
    return InputError(f"cannot write: {reason}", file=path, hint=hint)
