"""Numba's on-disk cache, in a folder whose name covers all sources and types.

Numba's cache checks the file of a function, not those of the functions and constants compiled into
it, and its index can mix up types if processes compile concurrently (numba issue 4807). So mixsafe
has a cache folder named by a digest of all sources, with a subfolder for each combination of types:
its content was compiled from these sources, for these types. Where the sources are, and when they
were written, does not count. While one process compiles a function, others that need it wait.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, BinaryIO

import llvmlite
import numba
from numba.core import caching, event

from mixsafe.model.progress import compiling

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

KEPT = 8
"""Folders that stay, the last used: of this version, and of others that are used in turns."""

PATIENCE = 60.0
"""Seconds for which a process waits for another one that compiles the same, at most."""

LEAN: dict[str, Any] = {"error_model": "numpy", "no_cfunc_wrapper": True}
"""Compiler flags: no checks of divisors, and no wrapper for calls from C."""

_CONFIG: Any = numba.config  # its settings are made as it is loaded
_PACKAGE = Path(__file__).parents[1]
_IMPORT = re.compile(rb"^ *from (mixsafe[\w.]*) import (\([^)]*|[^\n]*)", re.MULTILINE)


class KeptCode:
    """A function as Numba compiles it for arguments of certain types, unless an earlier run did.

    Parameters
    ----------
    function
        In the subset of Python that Numba supports. Functions outside this package are not cached.
    types
        Types of the arguments. Their ``repr`` is the same in every process.
    loaded
        When this process began to load sources, in seconds of ``time.time``: a source changed
        since then may be in memory in either version.
    """

    def __init__(self, function: Callable[..., Any], types: object, loaded: float) -> None:
        self._function = function
        self._kept_in: Path | None = None
        folder = _folder()
        if folder and Path(function.__code__.co_filename) in _used() and not _changed(loaded):
            self._kept_in = folder / hashlib.sha256(repr(types).encode()).hexdigest()[:16]
        self._code = self._compiled()
        self._is_ready = self._kept_in is None  # without a cache there is nothing to wait for

    def _compiled(self) -> Any:  # noqa: ANN401 - Numba's dispatcher
        """The function as Numba compiles it when it is called."""
        code: Any = numba.njit(nogil=True, **LEAN)(self._function)
        if code is self._function:  # NUMBA_DISABLE_JIT
            self._kept_in = None
        if self._kept_in is not None:
            before, _CONFIG.CACHE_DIR = _CONFIG.CACHE_DIR, str(self._kept_in)
            try:
                kept = _Cache(self._function)
            except RuntimeError:  # it cannot write there
                self._kept_in = None
                return code
            finally:
                _CONFIG.CACHE_DIR = before
            if self._kept_in in Path(kept.cache_path).parents:
                code._cache = kept  # as ``cache=True`` does
            else:  # NUMBA_CACHE_LOCATOR_CLASSES: somewhere else, where one file only is checked
                self._kept_in = None
        return code

    def __call__(self, *given: Any) -> Any:  # noqa: ANN401 - as the function has it
        """Run it."""
        try:
            if not self._is_ready:
                self._make_ready(given)
            return self._code(*given)
        except (OSError, EOFError, UnpicklingError):
            # No compiled function raises these: the cache is damaged, or the disk is full.
            if self._kept_in is None:
                raise
            shutil.rmtree(self._kept_in, ignore_errors=True)
            self._kept_in = None
            self._code = self._compiled()
            return self._code(*given)

    def _make_ready(self, given: tuple[Any, ...]) -> None:
        """Compile the function for these arguments, or find what another process compiled."""
        if self._kept_in is not None:
            with _one_at_a_time(self._kept_in / f"{self._function.__qualname__}.lock"):
                self._code.compile(tuple(map(numba.typeof, given)))
        self._is_ready = True


_NAMED = vars(caching)
_Provided: Any = _NAMED.get("UserProvidedCacheLocator") or _NAMED["_UserProvidedCacheLocator"]
"""The latter in Numba 0.60."""


class _Place(_Provided):
    """Where a function is kept: the same place for all checkouts of these sources."""

    @classmethod
    def get_suitable_cache_subpath(cls, py_file: str) -> str:
        """The folder of its source in the package."""
        return str(Path(py_file).parent.relative_to(_PACKAGE))

    def get_source_stamp(self) -> str:
        """Nothing: the name of the cache folder is that of all sources."""
        return ""


class _Kept(caching.CompileResultCacheImpl):
    """Numba's way to keep what it compiled, at this place."""

    _locator_classes = [_Place]  # noqa: RUF012 -- as Numba has it


class _Cache(caching.FunctionCache):
    """Numba's cache of a function, at this place."""

    _impl_class = _Kept


@contextmanager
def _one_at_a_time(lock: Path) -> Iterator[None]:
    """Wait while another process compiles the same: what it compiled is found then.

    Not for ever, as that process may have been halted. On a disk without locks nobody waits.
    """
    if fcntl is None:
        yield
        return
    with lock.open("wb") as file:
        if not _locked(file):
            compiling(True)
            end = time.monotonic() + PATIENCE
            while time.monotonic() < end and not _locked(file):
                time.sleep(0.02)
            compiling(False)
        yield


def _locked(file: BinaryIO) -> bool:
    """Whether nobody else has it, or that cannot be known."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


@cache
def _folder() -> Path | None:
    """The cache folder of these sources; None: no cache is possible."""
    with suppress(OSError, RuntimeError):
        every = Path(_CONFIG.CACHE_DIR or _of_user()) / "mixsafe"
        folder = every / _digest()
        is_new = not folder.exists()
        folder.mkdir(0o700, parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        os.utime(folder)
        if is_new:
            _take_old_away(every)
        return folder
    return None


def _of_user() -> str:
    """The cache folder of the user."""
    given = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return given or str(Path.home() / ".cache")


def _take_old_away(every: Path) -> None:
    """Remove the folders that were unused for the longest time."""
    last_used = sorted(every.iterdir(), key=lambda one: one.stat().st_mtime)
    for one in last_used[:-KEPT]:
        shutil.rmtree(one, ignore_errors=True)


def _digest() -> str:
    """Digest of all that goes into machine code: the sources, the compiler, and Python."""
    digest = hashlib.sha256()
    for said in (numba.__version__, llvmlite.__version__, platform.python_version()):
        digest.update(f"{said}\n".encode())
    for path, content in _used().items():
        digest.update(f"{path.relative_to(_PACKAGE)}\n".encode())
        digest.update(content)
    return digest.hexdigest()[:32]


def _changed(since: float) -> bool:
    """Whether a source has been changed since a moment."""
    try:
        return any(max(now.st_mtime, now.st_ctime) > since for now in map(os.stat, _used()))
    except FileNotFoundError:
        return True


@cache
def _used() -> dict[Path, bytes]:
    """Digests of the files with compiled functions, and of all that those import."""
    files = {path: path.read_bytes() for path in _PACKAGE.rglob("*.py")}
    used: set[Path] = set()
    waiting = [path for path, text in files.items() if b"compiled" in text]
    while waiting:
        path = waiting.pop()
        if path in files and path not in used:
            used.add(path)
            for module, names in _IMPORT.findall(files[path]):
                place = _PACKAGE.parent.joinpath(*module.decode().split("."))
                parts = [place, *(place / name for name in re.findall(r"\w+", names.decode()))]
                waiting += [part.with_suffix(".py") for part in parts]
                waiting += [part / "__init__.py" for part in parts]
    return {path: hashlib.sha256(files[path]).digest() for path in sorted(used)}


class _Told(event.Listener):
    """Tells who waits when functions are compiled, which takes seconds in a first run."""

    def __init__(self) -> None:
        self._depth = 0

    def on_start(self, event: event.Event) -> None:
        """Begin with a function, or with one within it."""
        self._depth += 1
        if self._depth == 1:
            compiling(True)

    def on_end(self, event: event.Event) -> None:
        """End with it."""
        self._depth -= 1
        if self._depth == 0:
            compiling(False)


event.register("numba:compile", _Told())
