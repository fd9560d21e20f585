"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mixsafe.errors import InputError
from mixsafe.io.files.together import under_way
from mixsafe.unfinished import forget, note


@contextmanager
def atomic_path(path: str | os.PathLike[str], *, at_once: bool = False) -> Iterator[Path]:
    """A path to write to; what is there takes the name ``path`` when the block ends well.

    Within :func:`mixsafe.io.files.together.together` it does so when all is written, unless it has
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
    draft = _draft(target, target.stem, target.suffix)
    kept = False
    try:
        if target.is_dir():
            raise IsADirectoryError(0, "it is a folder")
        yield draft
        kept = _kept(draft, target, at_once)
    except OSError as error:
        raise _cannot_write(path, error) from None
    finally:
        if not kept:
            draft.unlink(missing_ok=True)
            forget(draft)


def _kept(draft: Path, target: Path, at_once: bool = False) -> bool:
    """Whether what was written waits for the other outputs; else it takes its place now."""
    outputs = None if at_once else under_way()
    if outputs is None:
        os.replace(draft, target)
        return False
    outputs.moves.append((draft, target))
    return True


@contextmanager
def atomic_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A folder to fill; it takes the name ``path`` when the block ends well, else it is gone.

    Raises
    ------
    InputError
        There is a file, or a folder with something in it, or it cannot be written.
    """
    target = Path(os.path.realpath(path))
    draft = _draft(target, target.name)
    kept = False
    try:
        if target.is_dir() and any(target.iterdir()):
            raise InputError(
                "the folder is not empty", file=path, hint="name another one, or empty it"
            )
        draft.mkdir()
        yield draft
        kept = _kept(draft, target)
    except OSError as error:
        raise _cannot_write(path, error) from None
    finally:
        if not kept:
            shutil.rmtree(draft, ignore_errors=True)
            forget(draft)


@contextmanager
def replaced_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A folder to fill; it takes the place of the folder ``path`` when the block ends well.

    Raises
    ------
    InputError
        It cannot be written.
    """
    target = Path(os.path.realpath(path))
    former = target.with_name(f".{target.name}-{secrets.token_hex(4)}")
    draft = _draft(target, target.name)
    kept = False
    try:
        draft.mkdir()
        yield draft
        outputs = under_way()
        if outputs is not None:
            outputs.moves.append((draft, target))
            kept = True
            return
        if target.exists():
            os.replace(target, former)
        os.replace(draft, target)
    except OSError as error:
        raise _cannot_write(path, error) from None
    finally:
        if former.exists() and not target.exists():
            os.replace(former, target)
        shutil.rmtree(former, ignore_errors=True)
        if not kept:
            shutil.rmtree(draft, ignore_errors=True)
            forget(draft)


def _draft(target: Path, stem: str, ending: str = "") -> Path:
    """Where something is written that is to take a place: beside it, under a hidden name."""
    draft = target.with_name(f".{stem}-{secrets.token_hex(4)}{ending}")
    note(draft)
    return draft


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
