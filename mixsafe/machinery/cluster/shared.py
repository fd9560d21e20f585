"""What all workers see: a folder on a shared disk or behind a URL, and objects as files in it.

Files appear whole or not at all, and never change: a second write of a name has the same content.

The file of an object has the pickle of the object without the content of its arrays, then each
array, which is mapped into memory. Deadlines are no part of it, because results do not depend on
them: they are numbered and sent with each task.
"""

from __future__ import annotations

import hashlib
import io
import mmap
import os
import pickle
import secrets
import struct
import weakref
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import cloudpickle

from mixsafe.errors import InputError, reason_of
from mixsafe.machinery.temporary_files import forget, new_scratch_folder
from mixsafe.model.course import Deadline

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


Moments = tuple[float | None, ...]
"""Deadlines in the order of their numbers, in Unix seconds."""

_SIZES = struct.Struct("<QQ")  # bytes of the pickle, and number of arrays
_PLACE = struct.Struct("<QQ")  # where an array begins, and its bytes
_ALIGNED = 64


class Dumped(NamedTuple):
    """An object as bytes.

    Parameters
    ----------
    parts
        One after the other.
    digest
        Of all parts, hexadecimal.
    moments
        Of its deadlines.
    """

    parts: list[bytes | memoryview]
    digest: str
    moments: Moments


def dumped(given: object) -> Dumped:
    """An object as the parts of a file; its arrays are not copied."""
    arrays: list[memoryview] = []

    def keep(buffer: pickle.PickleBuffer) -> bool:
        arrays.append(buffer.raw())
        return False

    head, moments = _pickled(given, keep)
    parts = list(_laid_out(head, arrays))
    return Dumped(parts, digest(parts), moments)


def dumped_small(given: object) -> tuple[bytes, Moments]:
    """An object as bytes with all its arrays, and the moments of its deadlines."""
    return _pickled(given, None)


def digest(parts: Sequence[bytes | memoryview]) -> str:
    """Of some bytes, hexadecimal."""
    made = hashlib.blake2b(digest_size=16)
    for part in parts:
        made.update(part)
    return made.hexdigest()


class Mapped:
    """An object whose arrays are those of a file.

    Parameters
    ----------
    path
        Of the file.
    moments
        Of its deadlines.
    """

    def __init__(self, path: Path, moments: Moments) -> None:
        with path.open("rb") as file:
            # A copy of one's own where written to: what is compiled for arrays takes those that
            # can be written to, and writes to none of these.
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
        view = memoryview(self._map)
        size, count = _SIZES.unpack_from(view)
        begin = _SIZES.size + count * _PLACE.size
        places = [_PLACE.unpack_from(view, _SIZES.size + n * _PLACE.size) for n in range(count)]
        arrays = [view[start : start + length] for start, length in places]
        head = bytes(view[begin : begin + size])
        self.value = loaded(head, moments, arrays)

    def rest(self) -> None:
        """Give the memory back until it is needed again; the file keeps the content."""
        if hasattr(mmap, "MADV_DONTNEED"):
            self._map.madvise(mmap.MADV_DONTNEED)


def loaded(head: bytes, moments: Moments, arrays: Sequence[memoryview] = ()) -> Any:  # noqa: ANN401 - whatever was dumped
    """The object that was dumped."""
    reader = _Unpickler(io.BytesIO(head), buffers=arrays)
    reader.deadlines = [Deadline.at(moment) for moment in moments]
    return reader.load()


def _pickled(given: object, keep: Any) -> tuple[bytes, Moments]:  # noqa: ANN401 - called by pickle
    """A pickle, and the moments of its deadlines."""
    file = io.BytesIO()
    writer = _Pickler(file, protocol=5, buffer_callback=keep)
    writer.deadlines = {}
    writer.dump(given)
    return file.getvalue(), tuple(one.moment for one in writer.deadlines.values())


class _Pickler(cloudpickle.CloudPickler):  # type: ignore[misc, unused-ignore]
    """Writes numbers for deadlines."""

    deadlines: dict[int, Deadline]

    def persistent_id(self, obj: object) -> int | None:
        """The number of a deadline."""
        if not isinstance(obj, Deadline):
            return None
        known = list(self.deadlines)
        if id(obj) not in known:
            self.deadlines[id(obj)] = obj
            return len(known)
        return known.index(id(obj))


class _Unpickler(pickle.Unpickler):
    """Reads deadlines for numbers."""

    deadlines: list[Deadline]

    def persistent_load(self, pid: int) -> Deadline:
        """The deadline of a number."""
        return self.deadlines[pid]


def _laid_out(head: bytes, arrays: Sequence[memoryview]) -> Iterator[bytes | memoryview]:
    """The parts of a file, arrays where processors like them to begin."""
    at = _SIZES.size + len(arrays) * _PLACE.size + len(head)
    places = []
    for array in arrays:
        begin = -(-at // _ALIGNED) * _ALIGNED
        places.append((begin, array.nbytes))
        at = begin + array.nbytes
    yield _SIZES.pack(len(head), len(arrays))
    for place in places:
        yield _PLACE.pack(*place)
    yield head
    at = _SIZES.size + len(arrays) * _PLACE.size + len(head)
    for array, (begin, size) in zip(arrays, places, strict=True):
        yield bytes(begin - at)
        yield array
        at = begin + size
