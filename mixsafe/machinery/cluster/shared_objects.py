"""An object that many tasks share, as one file with memory-mapped arrays.

The file has the pickle of the object without the content of its arrays, then each array. Deadlines
are no part of it, because results do not depend on them: they are numbered and sent with each task.
"""

from __future__ import annotations

import hashlib
import io
import mmap
import pickle
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import cloudpickle

from mixsafe.model.course import Deadline

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
