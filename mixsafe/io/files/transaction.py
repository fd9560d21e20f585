"""All outputs of one task appear together, or none does.

Whoever writes a file or a folder writes it beside its place and then renames it (``atomic``).
Within :func:`together` nothing is renamed before all is written, so that a disk that is full at the
last file leaves nothing of the first: above all no secret table without the release that it is of.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from mixsafe.errors import InputError, reason_of
from mixsafe.temporary_files import clear, delete, forget, former_of, note, undisturbed


@dataclass
class Outputs:
    """What a task has written, and where it is to appear.

    Parameters
    ----------
    moves
        What was written, and its place, in the order in which it was finished.
    made
        Folders that were made on the way, the outer ones first.
    gone
        Files of earlier tasks that are to disappear.
    """

    moves: list[tuple[Path, Path]] = field(default_factory=list)
    made: list[Path] = field(default_factory=list)
    gone: list[Path] = field(default_factory=list)

    def appear(self) -> None:
        """Move everything to its place; if that fails, everything is as it was.

        Raises
        ------
        InputError
            A place cannot be taken.
        """
        with undisturbed():
            self._appear()

    def _appear(self) -> None:
        taken: list[_Place] = []
        target = Path()
        try:
            for draft, target in self.moves:
                taken.append(_Place(target, _aside(target, alone=len(self.moves) == 1)))
                os.replace(draft, target)
                taken[-1].filled = True
                forget(draft)
            for path in self.gone:
                path.unlink(missing_ok=True)
        except OSError as error:
            for place in reversed(taken):
                place.restore()
            reason = reason_of(error)
            raise InputError(f"cannot write: {reason}", file=target) from None
        finally:
            for folder in self.made:
                forget(folder)
        for place in taken:
            if place.former is not None:
                delete(place.former)
                forget(place.former)
        for folder in {target.parent for _, target in self.moves}:
            clear(folder, {target.name for _, target in self.moves if target.parent == folder})

    def vanish(self) -> None:
        """Leave nothing of it."""
        for draft, _ in self.moves:
            forget(draft)
        for folder in reversed(self.made):
            with suppress(OSError):  # somebody else has put something into it
                folder.rmdir()
            forget(folder)


_UNDER_WAY: ContextVar[Outputs | None] = ContextVar("outputs", default=None)


def under_way() -> Outputs | None:
    """The task whose outputs appear together; None: each appears when it is written."""
    return _UNDER_WAY.get()


@contextmanager
def together() -> Iterator[Outputs]:
    """Outputs of the block appear when it ends well, and not at all when it does not.

    Raises
    ------
    InputError
        What was written cannot take its place.
    """
    outputs = Outputs()
    token = _UNDER_WAY.set(outputs)
    try:
        yield outputs
        _UNDER_WAY.reset(token)
        outputs.appear()
    except BaseException:
        outputs.vanish()
        raise
    finally:
        if _UNDER_WAY.get() is outputs:
            _UNDER_WAY.reset(token)


def latest(path: Path) -> Path:
    """Where a file is that was written just now, although it has not yet appeared."""
    outputs = _UNDER_WAY.get()
    target = Path(os.path.realpath(path))
    written = [draft for draft, place in outputs.moves if place == target] if outputs else []
    return written[-1] if written else path


def make_folder(folder: Path) -> None:
    """Make a folder, with the folders above it; it stays only if the task ends well.

    Raises
    ------
    InputError
        It cannot be made.
    """
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = (error.strerror or "it cannot be made").lower()
        raise InputError(f"cannot make the folder: {reason}", file=folder) from None
    finally:
        outputs = _UNDER_WAY.get()
        if outputs is not None:
            made = [one for one in reversed(missing) if one.exists()]
            outputs.made += made
            for one in made:
                note(one, only_empty=True)


def remove(path: Path) -> None:
    """Take away a file of an earlier task, if there is one, when the outputs appear."""
    outputs = _UNDER_WAY.get()
    if outputs is None:
        path.unlink(missing_ok=True)
    else:
        outputs.gone.append(path)


@dataclass
class _Place:
    """Where an output is put, under what name that which was there is kept, and how far it is."""

    path: Path
    former: Path | None
    filled: bool = False

    def restore(self) -> None:
        """Have it as it was."""
        if self.filled:
            delete(self.path)
        if self.former is not None:
            os.replace(self.former, self.path)
            forget(self.former)


def _aside(target: Path, *, alone: bool) -> Path | None:
    """What is at a place already, under another name; None: there is nothing to be kept."""
    if not os.path.lexists(target) or (target.is_dir() and not any(target.iterdir())):
        return None
    if alone and not target.is_dir():
        return None  # one file takes the place of another in one go
    former = former_of(target)
    try:
        if not target.is_dir():
            with suppress(OSError):  # a file system without links
                os.link(target, former)
                return former
        os.replace(target, former)
    except OSError:
        forget(former)
        raise
    return former
