"""Who may read what is written: secret files are for their owner alone, others as they were.

Secret is what undoes a release, or holds the data under the names of people: tables of pseudonyms,
seeds, certificates, journals, original traces, lists of who met whom. Writers of these say so with
:func:`secret`. Everything else is readable as the umask says. What is replaced is never
readable to more people than before.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

from mixsafe.errors import InputError, reason_of

PUBLISH, SECRET = "publish", "secret"
"""Folders of a release: what is to be handed on, and what is not."""

_GROUP, _OTHERS = 0o070, 0o077

_SECRET: ContextVar[bool] = ContextVar("secret", default=False)


@contextmanager
def secret() -> Iterator[None]:
    """Make files (0600) and folders (0700) of the block for their owner alone."""
    token = _SECRET.set(True)
    try:
        yield
    finally:
        _SECRET.reset(token)


def new_file(path: Path, *, private: bool = False) -> Path:
    """Create an empty file, which others may not even read while it is written if it is secret.

    Parameters
    ----------
    private
        Nobody else may read it before :func:`settle` says who may.

    Raises
    ------
    OSError
        It exists, or cannot be created.
    """
    mode = 0o600 if private or _SECRET.get() else 0o666
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
    return path


def new_folder(path: Path, *, private: bool = False) -> Path:
    """Create a folder, as :func:`new_file`.

    Raises
    ------
    OSError
        It exists, or cannot be created.
    """
    path.mkdir(0o700 if private or _SECRET.get() else 0o777)
    return path


def settle(draft: Path, target: Path) -> None:
    """Give a draft the mode of the file or folder that it replaces; less, if it is secret."""
    now = draft.stat()
    mode, taken = now.st_mode, _OTHERS if _SECRET.get() else 0
    if target.exists():
        former = target.stat()
        mode = former.st_mode
        if former.st_gid != now.st_gid and not _given(draft, former.st_gid):
            taken |= _GROUP  # what one group may do would be for another
    _change(draft, mode & ~taken)


def make_folder(folder: Path) -> None:
    """Create a folder and its parents, unless it exists.

    In a :func:`secret` block others may not enter the folder, even one that exists.

    Raises
    ------
    InputError
        The folder cannot be created.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        if not folder.is_dir():
            new_folder(folder)
        elif _SECRET.get():
            _change(folder, folder.stat().st_mode & ~_OTHERS)
    except OSError as error:
        reason = reason_of(error)
        raise InputError(f"cannot create the folder: {reason}", file=folder) from None


def _given(draft: Path, group: int) -> bool:
    """Give a draft to a group; whether that was allowed."""
    try:
        os.chown(draft, -1, group)
    except (OSError, AttributeError):  # not a member; Windows
        return False
    return True


def _change(path: Path, mode: int) -> None:
    """Change a mode, where that is needed and the file system has modes."""
    if stat.S_IMODE(path.stat().st_mode) != stat.S_IMODE(mode):
        with suppress(OSError):
            path.chmod(stat.S_IMODE(mode))
