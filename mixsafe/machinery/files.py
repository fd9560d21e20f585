"""Files of the system: opened only if they are files, written whole, and secret where they must be.

Each file or folder appears whole, or what was there stays.

Secret is what undoes a release, or holds the data under the names of people: tables of pseudonyms,
seeds, certificates, journals, original traces, lists of who met whom. Writers of these say so with
:func:`secret`: such files are for their owner alone. Everything else is readable as the umask says.
What is replaced is never readable to more people than before.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

from mixsafe.errors import InputError, reason_of
from mixsafe.machinery.temporary_files import delete, draft_of, forget, undisturbed


def status_of(path: str | os.PathLike[str], handle: int | None = None) -> os.stat_result:
    """Status of a regular file, or of what was opened at its path.

    Raises
    ------
    InputError
        It does not exist, or is a folder, a pipe or a device.
    """
    try:
        found = os.stat(path if handle is None else handle)
    except OSError as error:
        raise cannot_read(path, error) from None
    if stat.S_ISREG(found.st_mode):
        return found
    what = "a folder" if stat.S_ISDIR(found.st_mode) else "a pipe or a device"
    raise InputError(f"this is {what}, not a file", file=path, hint="give a file")


def cannot_read(path: str | os.PathLike[str], error: OSError) -> InputError:
    """The error for a file that the system refuses to open."""
    reason = reason_of(error)
    hint = "check the path" if isinstance(error, FileNotFoundError) else None
    return InputError(f"cannot read: {reason}", file=path, hint=hint)


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


@contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path that is renamed to ``path`` when the block succeeds.

    The temporary file lies in the same folder, so that no partial file is ever visible. It gets the
    mode of the file that it replaces; in a :func:`mixsafe.machinery.files.secret` block nobody but
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
