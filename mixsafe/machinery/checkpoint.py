"""A folder with the journal of a long run, from which it is resumed.

The folder holds one file. Its first line says, as JSON, what it is; after it come entries, each
with its length and a checksum. They are only ever added at the end, so a run that is killed while
it writes leaves at most one torn entry, the last one, which is cut off when the run is taken up
again. An entry is a JSON head (step; name, type, shape and packed size of each array) and the
arrays, packed by Zstandard. The first entry about each problem is the question, as JSON, so that
nothing is ever recalled for another one.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from pathlib import Path
from types import TracebackType
from typing import IO

import numpy as np
import pyarrow as pa

from mixsafe.errors import InputError, reason_of
from mixsafe.machinery.files import secret, status_of, write_text
from mixsafe.machinery.memory import check_fits
from mixsafe.model.course import Entry, RunKey

FRAME = struct.Struct("<QI")  # bytes of what follows, and their CRC-32
_HEAD = struct.Struct("<I")  # bytes of an entry's JSON head


def packed(step: str, entry: Entry) -> bytes:
    """An entry as bytes."""
    codec = pa.Codec("zstd", compression_level=1)
    parts = [
        codec.compress(pa.py_buffer(np.ascontiguousarray(array)), asbytes=True)
        for array in entry.values()
    ]
    arrays = [
        [name, array.dtype.str, array.shape, len(part)]
        for (name, array), part in zip(entry.items(), parts, strict=True)
    ]
    head = json.dumps([step, arrays]).encode()
    return b"".join([_HEAD.pack(len(head)), head, *parts])


def framed(step: str, entry: Entry) -> bytes:
    """An entry as bytes, with their number and a checksum before them (``FRAME``)."""
    content = packed(step, entry)
    return FRAME.pack(len(content), zlib.crc32(content)) + content


def unpacked(content: bytes) -> tuple[str, Entry]:
    """The step and the arrays of an entry."""
    codec = pa.Codec("zstd", compression_level=1)
    begin = _HEAD.size + _HEAD.unpack_from(content)[0]
    step, arrays = json.loads(content[_HEAD.size : begin])
    entry = {}
    for name, kind, shape, size in arrays:
        dtype = np.dtype(kind)
        n_bytes = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        raw = codec.decompress(content[begin : begin + size], decompressed_size=n_bytes)
        entry[name] = np.frombuffer(raw, dtype).reshape(shape).copy()
        begin += size
    return step, entry


try:
    import fcntl
except ImportError:  # Windows: two runs at a time are not noticed there
    fcntl = None  # type: ignore[assignment]

FORMAT = "mixsafe checkpoint 3"
_FORMER = ("mixsafe checkpoint 1", "mixsafe checkpoint 2")
NAME, BLOCKS = "checkpoint", "blocks"
"""Of the file in its folder, and of the subfolder in which workers of a cluster store results."""

_QUESTION = "question"  # step of the entry that says what those after it are about
_ELSEWHERE = "name another folder, or delete this one to begin anew"


class Checkpoint:
    """The entries of one run, in order: first those of earlier, then new ones.

    Parameters
    ----------
    folder
        Made if it is missing.

    Raises
    ------
    InputError
        The folder is being used, is damaged, or cannot be used.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.path = Path(folder) / NAME
        self._cut = False
        check_folder(Path(folder))
        if not self.path.exists():
            _begin(self.path)
        status_of(self.path)  # a file, or refused
        try:
            self._file: IO[bytes] = self.path.open("r+b")
        except OSError as error:
            raise InputError(f"cannot be used: {error.strerror}", file=self.path) from None
        try:
            self._lock()
            self._check_format()
            self._end = self._cut_torn_entry()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Checkpoint:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._file.close()
        except OSError as why:  # of an entry that does not fit: it is said already, and cut off
            if error is None:
                raise InputError(f"cannot write: {reason_of(why)}", file=self.path) from None

    def begin(self, question: RunKey) -> None:
        """Start a question: check that the earlier run had the same one, or record it.

        Raises
        ------
        InputError
            The run was about another one, or it cannot be written.
        """
        entry = self.recall(_QUESTION)
        if entry is None:
            text = json.dumps(dict(question), ensure_ascii=False).encode()
            self.keep(_QUESTION, {_QUESTION: np.frombuffer(text, np.uint8)})
            return
        found = json.loads(entry[_QUESTION].tobytes())
        for name in [*question, *found]:
            if found.get(name) != question.get(name):
                theirs, ours = _shortened(found.get(name)), _shortened(question.get(name))
                message = f"it belongs to a run with {name} {theirs}, not {ours}"
                raise InputError(message, file=self.path, hint=_ELSEWHERE)

    def recall(self, step: str) -> Entry | None:
        """The next entry of an earlier run; None: there are no more.

        Raises
        ------
        InputError
            It is of another step than ``step``.
        """
        if self._file.tell() == self._end:
            return None
        size, _ = FRAME.unpack(self._file.read(FRAME.size))
        found, entry = unpacked(self._file.read(size))
        if found != step:
            raise InputError(
                f"it holds step '{found}' where this run takes step '{step}'",
                file=self.path,
                hint=_ELSEWHERE,
            )
        return entry

    def keep(self, step: str, entry: Entry) -> None:
        """Add an entry; it is with the system when this returns, whatever becomes of the run.

        Raises
        ------
        InputError
            It cannot be written.
        """
        if self._cut:
            return
        try:
            self._file.write(framed(step, entry))
            self._file.flush()
        except OSError as error:
            raise InputError(f"cannot write: {reason_of(error)}", file=self.path) from None
        self._end = self._file.tell()

    def cut(self) -> None:
        """Stop recording."""
        self._cut = True

    def _lock(self) -> None:
        """Keep other runs out for as long as this one lives."""
        if fcntl is None:
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError("another run is using it", file=self.path) from None

    def _check_format(self) -> None:
        """See that the file is a checkpoint of this format."""
        try:
            head = json.loads(self._file.readline(1_000_000))
        except (ValueError, RecursionError):
            head = None
        if head in [{"format": former} for former in _FORMER]:
            raise InputError(
                "the run was saved by an earlier version of mixsafe",
                file=self.path,
                hint=_ELSEWHERE,
            )
        if head != {"format": FORMAT}:
            raise InputError(f"not a '{FORMAT}'", file=self.path, hint="give another folder")

    def _cut_torn_entry(self) -> int:
        """Check all entries, cut a torn one off, and return where the last whole one ends."""
        first = end = self._file.tell()
        size = os.fstat(self._file.fileno()).st_size
        while end < size:
            frame = self._file.read(FRAME.size)
            if len(frame) < FRAME.size:
                break
            length, checksum = FRAME.unpack(frame)
            after = end + FRAME.size + length
            if after > size:
                break
            check_fits(self.path, length)
            if zlib.crc32(self._file.read(length)) != checksum:
                if after < size:
                    raise InputError("it is damaged", file=self.path, hint=_ELSEWHERE)
                break
            end = after
        self._file.truncate(end)
        self._file.seek(first)
        return end


@secret()
def _begin(path: Path) -> None:
    """Make the file, in a folder that is made if it is missing; both, or none; for the owner alone.

    Raises
    ------
    InputError
        It cannot be written.
    """
    new = not path.parent.exists()
    path.parent.mkdir(0o700, exist_ok=True)
    try:
        write_text(path, json.dumps({"format": FORMAT}) + "\n")
    except InputError:
        if new:
            path.parent.rmdir()
        raise


def check_folder(folder: Path) -> None:
    """Refuse a folder that cannot be made or used, before any long work.

    Raises
    ------
    InputError
        It is a file, or it cannot be made or written to.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError("this is a file; the state of a run needs a folder", file=folder)
    place = folder if folder.exists() else folder.absolute().parent
    if not place.is_dir():
        raise InputError("the parent folder does not exist", file=folder)
    if not os.access(place, os.W_OK):
        raise InputError("the folder is not writable", file=folder)


def _shortened(value: object) -> str:
    """A value for people: 12 characters of a long one, such as a hash."""
    if value is None:
        return "none"
    text = str(value)
    return text if len(text) <= 20 else f"{text[:12]}…"
