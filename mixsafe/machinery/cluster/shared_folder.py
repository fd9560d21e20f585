"""A folder visible to all workers: on a shared disk, or behind a URL.

Files appear whole or not at all, and never change: a second write of a name has the same content.
"""

from __future__ import annotations

import os
import secrets
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol

from mixsafe.errors import InputError, reason_of
from mixsafe.machinery.temporary_files import forget, new_scratch_folder

Content = Iterable[bytes | memoryview]


class SharedFolder(Protocol):
    """Files by name."""

    place: str
    """Path or URL by which workers open the folder."""

    def read(self, name: str) -> bytes | None:
        """The content of a file; None: there is none."""

    def write(self, name: str, content: Content) -> None:
        """Make a file, whole or not at all.

        Raises
        ------
        InputError
            It cannot be written.
        """

    def forget(self, name: str) -> None:
        """Remove a file, if it is there."""

    def on_disk(self, name: str) -> Path:
        """The file itself, or a copy of it on this machine.

        Raises
        ------
        InputError
            It is not there.
        """


def folder_at(place: str) -> SharedFolder:
    """The folder at a path, or at a URL of any kind that fsspec knows.

    Raises
    ------
    InputError
        It is no folder, cannot be made, or no package for such URLs is installed.
    """
    return UrlFolder(place) if "://" in place else DiskFolder(place)


class _Files:
    """Files of a folder, as fsspec reads them.

    Parameters
    ----------
    place
        Path or URL of the folder.
    files, root
        File system, and the folder's path in it.
    """

    def __init__(self, place: str, files: Any, root: str) -> None:  # noqa: ANN401 -- any of fsspec's
        self.place, self._files, self._root = place, files, root

    def read(self, name: str) -> bytes | None:
        """The content of a file; None: there is none."""
        try:
            content: bytes = self._files.cat_file(f"{self._root}/{name}")
        except FileNotFoundError:
            return None
        return content

    def write(self, name: str, content: Content) -> None:
        """Make a file, whole or not at all.

        Raises
        ------
        InputError
            It cannot be written.
        """
        draft = f"{self._root}/.{name}-{secrets.token_hex(4)}"
        try:
            with self._files.open(draft, "wb") as file:
                for part in content:
                    file.write(part)
            self._files.mv(draft, f"{self._root}/{name}")
        except OSError as error:
            why = reason_of(error)
            raise InputError(f"cannot write the shared data: {why}", file=self.place) from None
        finally:
            self._remove(draft)

    def forget(self, name: str) -> None:
        """Remove a file, if it is there."""
        self._remove(f"{self._root}/{name}")

    def _remove(self, path: str) -> None:
        if self._files.exists(path):
            self._files.rm_file(path)


class DiskFolder(_Files):
    """A folder on a disk that all workers share; created, for this user only, if it is missing.

    Parameters
    ----------
    place
        Its path.

    Raises
    ------
    InputError
        It is no folder, or cannot be made.
    """

    def __init__(self, place: str) -> None:
        from fsspec.implementations.local import LocalFileSystem

        whole = os.path.abspath(place)
        try:
            Path(whole).mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot create the folder: {reason_of(error)}", file=place) from None
        super().__init__(whole, LocalFileSystem(), whole)

    @property
    def others_may_write(self) -> bool:
        """Whether the folder's rights let others put files into it."""
        return bool(os.stat(self.place).st_mode & 0o022)

    def on_disk(self, name: str) -> Path:
        """The file itself.

        Raises
        ------
        InputError
            It is not there.
        """
        path = Path(self.place) / name
        if not path.exists():
            raise InputError("shared data of the run is missing", file=path)
        return path


class UrlFolder(_Files):
    """A folder behind a URL, as fsspec reads it.

    Parameters
    ----------
    place
        As ``s3://bucket/folder``.

    Raises
    ------
    InputError
        No package for such URLs is installed, or the folder cannot be made.
    """

    def __init__(self, place: str) -> None:
        from fsspec.core import url_to_fs

        try:
            files, root = url_to_fs(place)
            files.makedirs(root, exist_ok=True)
        except (ImportError, ValueError, OSError, TypeError, NotImplementedError) as error:
            raise InputError(f"cannot create the folder: {error}", file=place) from None
        super().__init__(place, files, root)
        self._copies: Path | None = None

    def on_disk(self, name: str) -> Path:
        """A copy of a file, gone with this object.

        Raises
        ------
        InputError
            There is no such file.
        """
        if self._copies is None:
            self._copies = new_scratch_folder("copies")
            weakref.finalize(self, forget, self._copies)
        path = self._copies / name
        if not path.exists():
            try:
                self._files.get_file(f"{self._root}/{name}", str(path))
            except FileNotFoundError:
                raise InputError("shared data of the run is missing", file=path) from None
        return path
