"""Compiled functions between runs: taken up again as long as no source that made them has changed.

Numba's own cache looks at the file of a function only, not at those of the functions that are
compiled into it; and two processes that compile at once can leave its index wrong, so that one
type's code is found for another (numba issue 4807). So here there is no index: the name of a file
says which sources, function and types its content comes from, and the content says so again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import re
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba.core.caching import FunctionCache
from numba.core.serialize import dumps

from mixsafe.unfinished import forget, note

_IMPORT = re.compile(rb"^from ([\w.]+) import ([\w, ]+)", re.MULTILINE)
_DIGEST = 32  # bytes of a SHA-256
_SHORT = 16  # letters of one in the name of a file


class KernelCache(FunctionCache):
    """Where Numba looks for a compiled function, and where it leaves one.

    Parameters
    ----------
    function
        From a package; its place is one of those that Numba writes to.

    Raises
    ------
    RuntimeError
        There is no place that can be written to.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        depth = function.__module__.count(".")
        file = Path(function.__code__.co_filename).resolve()
        flags = getattr(sys, "abiflags", "")
        name = f"{file.stem}.{function.__qualname__}".replace("<", "").replace(">", "")
        self._cache_file: Any = _Files(
            Path(self._cache_path),
            f"{name}.py{sys.version_info.major}{sys.version_info.minor}{flags}",
            file.parents[depth - 1] if depth else file,
        )

    def save_overload(self, sig: Any, data: Any) -> None:  # noqa: ANN401 - Numba's types
        """Keep what was compiled; where that fails, it is compiled again next time."""
        with contextlib.suppress(OSError):
            super().save_overload(sig, data)


class _Files:
    """The files of one function, one for each combination of types."""

    def __init__(self, folder: Path, name: str, root: Path) -> None:
        self._folder, self._name, self._root = folder, name, root

    def _path(self, key: object) -> Path:
        digest = hashlib.sha256(repr(key).encode()).hexdigest()
        return self._folder / f"{self._name}.{stamp(self._root)[:_SHORT]}.{digest[:_SHORT]}.nbc"

    def load(self, key: object) -> object | None:
        """What was kept under ``key``; None: nothing, or nothing that is whole."""
        try:
            kept = self._path(key).read_bytes()
        except OSError:
            return None
        digest, content = kept[:_DIGEST], kept[_DIGEST:]
        if hashlib.sha256(content).digest() != digest:
            return None
        sources, same_key, data = pickle.loads(content)
        return data if sources == stamp(self._root) and same_key == key else None

    def save(self, key: object, data: object) -> None:
        """Keep ``data``; whoever reads at the same moment finds all of it or nothing."""
        content = dumps((stamp(self._root), key, data))
        path = self._path(key)
        handle, half = tempfile.mkstemp(dir=self._folder, prefix=path.name, suffix=".tmp")
        note(half)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(hashlib.sha256(content).digest() + content)
            os.replace(half, path)
        except BaseException:
            Path(half).unlink(missing_ok=True)
            raise
        finally:
            forget(half)
        self._forget_others()

    def _forget_others(self) -> None:
        """Remove what was compiled from other sources."""
        mine = f"{self._name}.{stamp(self._root)[:_SHORT]}."
        for path in self._folder.iterdir():
            if path.name.startswith(f"{self._name}.") and path.suffix == ".nbc":
                with contextlib.suppress(OSError):
                    if not path.name.startswith(mine):
                        path.unlink()

    def flush(self) -> None:
        """Forget all."""
        for path in self._folder.glob(f"{self._name}.*.nbc"):
            path.unlink(missing_ok=True)


@cache
def stamp(root: Path) -> str:
    """Digest of all that compiled functions of a package are made of.

    Parameters
    ----------
    root
        The package's folder, or one file.

    Returns
    -------
    str
        The same as long as the contents are: those of the files with compiled functions, and of
        those that they import names from, in which there may be constants. And the compiler's.
    """
    parts = [numba.__version__, llvmlite.__version__]
    for path, content in sorted(_sources(root).items()):
        parts += [path, hashlib.sha256(content).hexdigest()]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _sources(root: Path) -> dict[str, bytes]:
    """Files by their places in the package."""
    files = root.rglob("*.py") if root.is_dir() else [root]
    content = {path.relative_to(root.parent).as_posix(): path.read_bytes() for path in files}
    used = {name for name, text in content.items() if b"compiled import" in text}
    for name in list(used):
        for module, names in _IMPORT.findall(content[name]):
            place = module.decode().replace(".", "/")
            used.add(f"{place}.py")
            used.update(f"{place}/{one.strip()}.py" for one in names.decode().split(","))
    return {name: content[name] for name in used & set(content)}
