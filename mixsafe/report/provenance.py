"""Provenance of a result: command, versions, inputs and their checksums."""

from __future__ import annotations

import hashlib
import platform
import shlex
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path, PurePath
from typing import Any

from mixsafe.io.files.content import changed, once_in_run, reading, with_parts
from mixsafe.version import __version__

PACKAGES = ("numpy", "numba", "ortools", "scipy", "pandas")
"""Libraries whose version may change how a result is found."""


def provenance(
    command: Sequence[str],
    inputs: Mapping[str, Path],
    parameters: Mapping[str, Any],
    seed: int | None = None,
) -> dict[str, Any]:
    """Command, versions, inputs and settings that reproduce a result.

    Parameters
    ----------
    command
        Words of the command that made it.
    inputs
        Files and folders that were read, by what they are.
    parameters
        Settings by name.
    seed
        Of everything random; None: nothing was.

    Raises
    ------
    InputError
        An input is no file any more, cannot be read any more, or has changed.
    """
    versions = {"mixsafe": __version__, "python": platform.python_version()}
    versions |= {name: metadata.version(name) for name in PACKAGES}
    return {
        "command": shlex.join(map(_in_no_folder, command)),
        "versions": versions,
        "inputs": [told_input(what, path) for what, path in inputs.items()],
        "parameters": {name: _plain(value) for name, value in parameters.items()},
        "seed": seed,
    }


def _plain(value: Any) -> Any:  # noqa: ANN401 -- whatever a setting is
    """A setting as JSON knows it."""
    return value if isinstance(value, bool | int | float) else _in_no_folder(str(value))


def _in_no_folder(word: str) -> str:
    """A word of a command line without the folders of an absolute path: a page goes to others."""
    option, equals, value = word.rpartition("=")
    path = PurePath(value)
    return f"{option}{equals}{path.name}" if path.is_absolute() else word


def step_in_no_folder(step: str) -> str:
    """A next step; of a command, without the folders of absolute paths, as the provenance."""
    words, command, options = step.rpartition("mixsafe ")
    if not command or (words and not words.endswith("then ")):
        return step
    return f"{words}{command}{shlex.join(map(_in_no_folder, shlex.split(options)))}"


def told_output(what: str, path: Path) -> dict[str, Any]:
    """Name, size and checksum of a file that the command has written, as for its inputs."""
    return _told(what, path.name, *_hashed(path))


def told_input(what: str, path: Path) -> dict[str, Any]:
    """Name, size and checksum of an input; of a folder, of all its files in order of name.

    A run hashes each input once: at its beginning, if it calls this then. What it reads are the
    same files (:func:`mixsafe.io.files.content.same_files`).

    Raises
    ------
    InputError
        It is not a file, cannot be read, or has changed.
    """
    size, digest, files = once_in_run((told_input, path), lambda: (*_hashed(path), _files(path)))
    if files != _files(path):
        raise changed(path)
    return _told(what, path.name, size, digest)


def _told(what: str, name: str, size: int, digest: str) -> dict[str, Any]:
    return {"what": what, "name": name, "bytes": size, "sha256": digest}


def _files(path: Path) -> list[Path]:
    """All files of a folder, in order of name; a file, with those that belong to it."""
    if path.is_dir():
        return sorted(one for one in path.rglob("*") if one.is_file())
    return with_parts(path)


def _hashed(path: Path) -> tuple[int, str]:
    """Size in bytes, and SHA-256, of a file or of all files of a folder."""
    digest, size = hashlib.sha256(), 0
    for file in _files(path):
        if path.is_dir():
            digest.update(f"{file.relative_to(path).as_posix()}\0".encode())
        with reading(file) as opened:
            hashlib.file_digest(opened, lambda: digest)
            size += opened.tell()
    return size, digest.hexdigest()
