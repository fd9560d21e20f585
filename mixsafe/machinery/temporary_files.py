"""Registry of temporary files and folders: drafts of outputs, and scratch folders.

The code that creates a temporary file also removes it, on success and on failure. A run that gets
a signal during a long computation cannot; so all temporary files are registered here, and another
thread can remove them.

A killed run cannot clean up. So drafts are in hidden folders, ``.mixsafe-MACHINE-RUN``, next to the
outputs of a run, which the run locks for its lifetime. The next run that writes into the same
folder removes those of this machine that are not locked; it leaves those of other machines, whose
locks it may not see.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import os
import re
import secrets
import shutil
import signal
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

try:
    import fcntl
except ImportError:  # Windows: what killed runs leave stays there
    fcntl = None  # type: ignore[assignment]

_NOTED: dict[str, None] = {}
_MOVING = threading.RLock()

_ENDING = ("SIGINT", "SIGTERM", "SIGHUP")

_DRAFT, _LOCK = "draft-", "lock"
_MACHINES = (Path("/etc/machine-id"), Path("/proc/sys/kernel/random/boot_id"))


@dataclass(frozen=True)
class _Room:
    """The hidden folder of this run in a folder of outputs.

    Parameters
    ----------
    path
        Of the hidden folder.
    handle
        Of its lock, which is held as long as it is open; None: files are not locked there.
    """

    path: Path
    handle: int | None


_ROOMS: dict[Path, _Room] = {}
_MAKING = threading.RLock()
_NUMBERS = itertools.count()


def draft_of(target: Path) -> Path:
    """A new path for the draft of a target, with the same name; nothing exists there yet.

    It is registered; :func:`forget` removes it.

    Raises
    ------
    OSError
        Nothing can be written beside the place.
    """
    with _MAKING:
        place = _room(target.parent).path / f"{_DRAFT}{next(_NUMBERS)}"
        place.mkdir()
    draft = place / target.name
    note(draft)
    return draft


def new_scratch_folder(name: str, below: Path | None = None) -> Path:
    """A private temporary folder; :func:`forget` removes it.

    Parameters
    ----------
    name
        Its purpose.
    below
        Parent folder; None: the system's folder of temporary files.

    Raises
    ------
    OSError
        It cannot be made.
    """
    path = draft_of(Path(below or tempfile.gettempdir()).resolve() / name)
    try:
        path.mkdir(0o700)
    except BaseException:
        forget(path)
        raise
    return path


@contextmanager
def scratch_folder(name: str) -> Iterator[Path]:
    """A private temporary folder for the duration of the block.

    Raises
    ------
    OSError
        It cannot be made.
    """
    path = new_scratch_folder(name)
    try:
        yield path
    finally:
        forget(path)


def _room(folder: Path) -> _Room:
    """The draft folder of this run in a folder; drafts within a draft need none."""
    for known, room in list(_ROOMS.items()):
        if not room.path.exists():  # removed by hand
            _close(known)
        elif folder == known or room.path in folder.parents:
            return room
    _clear(folder)
    while True:
        path = folder / f".mixsafe-{_machine()}-{secrets.token_hex(4)}"
        path.mkdir(0o700)
        try:
            _ROOMS[folder] = _Room(path, _locked(path / _LOCK))
        except FileNotFoundError:  # another run removed it before it was locked
            continue
        except BaseException:
            shutil.rmtree(path, ignore_errors=True)
            raise
        return _ROOMS[folder]


def _locked(lock: Path) -> int | None:
    """Create a lock file and lock it.

    Raises
    ------
    FileNotFoundError
        It is gone already.
    """
    if fcntl is None:
        return None
    handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise FileNotFoundError from None
    except OSError:  # a file system without locks: other runs remove nothing there either
        os.close(handle)
        return None
    if not lock.exists():
        os.close(handle)
        raise FileNotFoundError
    return handle


@functools.cache
def _machine() -> str:
    """A stable, hashed name of this machine that does not reveal which one it is."""
    for path in _MACHINES:
        with suppress(OSError):
            name = path.read_text(encoding="ascii", errors="replace").strip()
            if len(name) >= 32:
                break
    else:
        name = socket.gethostname()
    return hashlib.sha256(name.encode()).hexdigest()[:8]


def _clear(folder: Path) -> None:
    """Remove what killed runs have left in a folder."""
    if fcntl is None:
        return
    ours = re.compile(rf"\.mixsafe-{_machine()}-[0-9a-f]{{8}}")
    with suppress(OSError):
        for name in os.listdir(folder):
            if ours.fullmatch(name):
                with suppress(OSError):
                    _clear_room(folder / name)


def _clear_room(room: Path) -> None:
    """Remove an unlocked draft folder of this user.

    Raises
    ------
    OSError
        Another run holds the lock, or the folder cannot be opened.
    """
    if room.is_symlink():
        return
    with suppress(OSError):
        room.rmdir()  # a run was killed before it had the lock
        return
    handle = os.open(room / _LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(handle).st_uid != os.geteuid():
            return
        for place in room.iterdir():
            if place.name.startswith(_DRAFT):
                shutil.rmtree(place)
    finally:
        os.close(handle)
    if _is_empty(room):
        _take_down(room)


def _is_empty(room: Path) -> bool:
    """Whether a draft folder contains only its lock."""
    return all(one.name == _LOCK for one in room.iterdir())


def _take_down(room: Path) -> None:
    """Remove an empty draft folder, after its lock is closed: network file systems need that."""
    (room / _LOCK).unlink(missing_ok=True)
    room.rmdir()


def _close(folder: Path) -> None:
    """Close the draft folder of this run in a folder."""
    handle = _ROOMS.pop(folder).handle
    if handle is not None:
        os.close(handle)


def delete(path: Path) -> None:
    """Delete a file or a folder, if it exists."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def note(path: str | os.PathLike[str]) -> None:
    """Register a temporary file or folder."""
    _NOTED[os.fspath(path)] = None


def forget(path: str | os.PathLike[str]) -> None:
    """Unregister a path that is removed or final; delete the rest of its draft."""
    _NOTED.pop(os.fspath(path), None)
    place = Path(path).parent
    with _MAKING:
        for folder, room in list(_ROOMS.items()):
            if place.parent == room.path:
                _forget_place(folder, room, place)


def _forget_place(folder: Path, room: _Room, place: Path) -> None:
    """Remove a path's folder, and the draft folder if that was the last one."""
    shutil.rmtree(place, ignore_errors=True)
    with suppress(OSError):
        if _is_empty(room.path):
            _close(folder)
            _take_down(room.path)


def _in_child() -> None:
    """In a forked process, drop the draft folders and locks of the parent."""
    for room in _ROOMS.values():
        if room.handle is not None:
            os.close(room.handle)
    _ROOMS.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)


def take_away() -> None:
    """Remove all registered paths, the latest first; wait while a folder is replaced."""
    with _MOVING:
        for path in reversed(list(_NOTED)):
            with suppress(OSError):
                delete(Path(path))
            forget(path)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Signals that would end the block half way are heard when it is over."""
    came: list[int] = []

    def later(number: int, frame: FrameType | None) -> None:
        came.append(number)

    former: dict[int, Callable[[int, FrameType | None], object]] = {}
    if threading.current_thread() is threading.main_thread():
        numbers = [getattr(signal, name) for name in _ENDING if hasattr(signal, name)]
        for one in numbers:
            handler = signal.getsignal(one)
            if callable(handler):
                former[one] = handler
                signal.signal(one, later)
    try:
        with _MOVING:
            yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
        if came:
            former[came[0]](came[0], None)
