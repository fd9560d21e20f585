"""Atomic output of several files: all outputs of a task appear, or none.

Each file or folder is written under a temporary name and then renamed (``atomic``). In a
:func:`together` block renaming waits until all outputs are written, so that a full disk leaves no
partial result, above all no secret table without its release.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from mixsafe.errors import InputError, reason_of
from mixsafe.io.files.modes import close_to_others, new_folder
from mixsafe.temporary_files import clear, delete, forget, former_of, note, undisturbed


@dataclass
class Outputs:
    """Outputs of a task that wait to be renamed.

    Parameters
    ----------
    moves
        Temporary and final path of each output, in order of completion.
    made
        Folders created for the outputs, outer ones first.
    gone
        Files of earlier tasks to remove.
    """

    moves: list[tuple[Path, Path]] = field(default_factory=list)
    made: list[Path] = field(default_factory=list)
    gone: list[Path] = field(default_factory=list)

    def appear(self) -> None:
        """Rename all outputs; if one fails, restore the previous state.

        Raises
        ------
        InputError
            An output cannot be renamed.
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
        """Remove all temporary outputs."""
        for draft, _ in self.moves:
            forget(draft)
        for folder in reversed(self.made):
            with suppress(OSError):  # another process has written to the folder
                folder.rmdir()
            forget(folder)


_UNDER_WAY: ContextVar[Outputs | None] = ContextVar("outputs", default=None)


def under_way() -> Outputs | None:
    """The current transaction; None: each output appears as soon as it is written."""
    return _UNDER_WAY.get()


@contextmanager
def together() -> Iterator[Outputs]:
    """Outputs of the block appear together when the block succeeds, else none appears.

    Raises
    ------
    InputError
        An output cannot be renamed.
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
    """Current path of an output, or of a file in one: the temporary one until it is renamed."""
    outputs = _UNDER_WAY.get()
    target, moves = Path(os.path.realpath(path)), outputs.moves if outputs else []
    written = [
        draft / target.relative_to(place) for draft, place in moves if target.is_relative_to(place)
    ]
    return written[-1] if written else path


def make_folder(folder: Path) -> None:
    """Create a folder and its parents; they are removed again if the task fails.

    In a :func:`mixsafe.io.files.modes.secret` block others may not enter the folder, even one that
    exists.

    Raises
    ------
    InputError
        The folder cannot be created.
    """
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        if folder.is_dir():
            close_to_others(folder)
        else:
            new_folder(folder)
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise InputError(f"cannot create the folder: {reason}", file=folder) from None
    finally:
        outputs = _UNDER_WAY.get()
        if outputs is not None:
            made = [one for one in reversed(missing) if one.exists()]
            outputs.made += made
            for one in made:
                note(one, only_empty=True)


def remove(path: Path) -> None:
    """Remove a file of an earlier task, if it exists, when the outputs appear."""
    outputs = _UNDER_WAY.get()
    if outputs is None:
        path.unlink(missing_ok=True)
    else:
        outputs.gone.append(path)


@dataclass
class _Place:
    """State of one rename: target, backup of the previous content, and progress."""

    path: Path
    former: Path | None
    filled: bool = False

    def restore(self) -> None:
        """Restore the previous content."""
        if self.filled:
            delete(self.path)
        if self.former is not None:
            os.replace(self.former, self.path)
            forget(self.former)


def _aside(target: Path, *, alone: bool) -> Path | None:
    """Move existing content of a target to a backup name; None: nothing to keep."""
    if not os.path.lexists(target) or (target.is_dir() and not any(target.iterdir())):
        return None
    if alone and not target.is_dir():
        return None  # renaming replaces a file atomically
    former = former_of(target)
    try:
        if not target.is_dir():
            with suppress(OSError):  # file system without hard links
                os.link(target, former)
                return former
        os.replace(target, former)
    except OSError:
        forget(former)
        raise
    return former
