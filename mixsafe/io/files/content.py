"""A first look at a file: whether it can be read, and is text, an archive or a table.

Whatever is read by its name is asked here first what it is (:func:`size_of`): a pipe or a device
would be waited for, or never end. What is read as a whole (:func:`whole`) must fit into memory.
"""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mixsafe.errors import InputError, reason_of
from mixsafe.spill.memory import default_memory

HEAD = 1 << 16
"""Bytes to look at."""

MOST_TIMES, ALWAYS = 50, 1 << 24
"""A packed file may unpack to so many times its size, and to so many bytes in any case."""

_BLOCK = 1 << 20

GZIP = b"\x1f\x8b"
ZSTANDARD = b"\x28\xb5\x2f\xfd"
PARQUET = b"PAR1"
_PACKED = {GZIP: "gzip", ZSTANDARD: "zstd"}
_STRANGERS = {
    b"PK\x03\x04": ("it is a zip archive", "unpack it first"),
    b"BZh": ("it is a bzip2 archive", "unpack it first"),
    b"\xfd7zXZ": ("it is an xz archive", "unpack it first"),
    b"\xff\xfe": ("it is UTF-16 text", "save it as UTF-8"),
    b"\xfe\xff": ("it is UTF-16 text", "save it as UTF-8"),
}


def size_of(path: str | os.PathLike[str]) -> int:
    """Bytes of a regular file.

    Raises
    ------
    InputError
        It does not exist, or is a folder, a pipe or a device.
    """
    try:
        found = os.stat(path)
    except OSError as error:
        raise cannot_read(path, error) from None
    if stat.S_ISREG(found.st_mode):
        return found.st_size
    what = "a folder" if stat.S_ISDIR(found.st_mode) else "a pipe or a device"
    raise InputError(f"it is {what}, not a file", file=path, hint="give a file")


def check_fits(path: str | os.PathLike[str], needed: int) -> None:
    """Refuse what would take more memory than a run may take, before it is taken.

    Parameters
    ----------
    needed
        Bytes.

    Raises
    ------
    InputError
        Says how much it would take.
    """
    most = default_memory()
    if needed > most:
        raise InputError(
            f"to read it takes {needed / 1e9:,.1f} GB of memory, more than half of what there is"
            f" ({most / 1e9:,.1f} GB)",
            file=path,
            hint="if it should be so large, take a larger machine",
        )


def whole(path: str | os.PathLike[str], *, unpack: bool = False) -> bytes:
    """All bytes of a file.

    Parameters
    ----------
    unpack
        What gzip or Zstandard has packed comes out unpacked.

    Raises
    ------
    InputError
        It is no file, cannot be read, or does not fit into memory.
    """
    check_fits(path, 2 * size_of(path))  # as bytes, and as a text
    if unpack:
        with opened(path) as stream:
            return bytes(stream.read())
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise cannot_read(path, error) from None


def head_of(path: str | os.PathLike[str]) -> bytes:
    """The first bytes of a file.

    Raises
    ------
    InputError
        The file does not exist, cannot be read, is a pipe or device, or is empty.
    """
    size_of(path)
    try:
        with Path(path).open("rb") as file:
            head = file.read(HEAD)
    except OSError as error:
        raise cannot_read(path, error) from None
    if not head:
        raise InputError("the file is empty", file=path)
    return head


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[Any]:
    """A file open for reading bytes; what gzip or Zstandard has packed comes out unpacked.

    Raises
    ------
    InputError
        It is no file, cannot be read, or is cut off or damaged.
    """
    size_of(path)
    with _named(path):
        with Path(path).open("rb") as file:
            head = file.read(4)
        packing = next((name for magic, name in _PACKED.items() if head.startswith(magic)), None)
        if packing is None:
            with Path(path).open("rb") as file:
                yield file
            return
        import pyarrow as pa

        with pa.input_stream(os.fspath(path), compression=packing) as stream:
            yield Unpacked(stream, path)


class Unpacked(io.BufferedIOBase):
    """What comes out of a packed file; refused as soon as it is more than traces can be.

    Parameters
    ----------
    stream
        Gives it.
    path
        The packed file.
    """

    def __init__(self, stream: Any, path: str | os.PathLike[str]) -> None:  # noqa: ANN401 -- any
        super().__init__()
        self._stream, self._path = stream, path
        self._left = MOST_TIMES * size_of(path) + ALWAYS

    def readable(self) -> bool:
        """It is for reading."""
        return True

    def read(self, size: int | None = -1) -> bytes:
        """The next bytes; all that are left where no number is given.

        Raises
        ------
        InputError
            There are too many of them.
        """
        if size is None or size < 0:
            return b"".join(iter(lambda: self.read(_BLOCK), b""))
        found = bytes(self._stream.read(size))
        self._left -= len(found)
        if self._left < 0:
            raise InputError(
                f"it unpacks to more than {MOST_TIMES} times its size, which no traces do",
                file=self._path,
                hint="if they do, unpack it first",
            )
        return found

    read1 = read


@contextmanager
def _named(path: str | os.PathLike[str]) -> Iterator[None]:
    """Errors of the system say which file they are about."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            reason = str(error).partition("\n")[0].lower()
            message = f"the packed file is cut off or damaged ({reason})"
            raise InputError(message, file=path, hint="fetch it again") from None
        raise cannot_read(path, error) from None


def unpacked_head_of(path: str | os.PathLike[str]) -> bytes:
    """The first bytes of a file, unpacked where it is packed.

    Raises
    ------
    InputError
        As :func:`head_of`; also, nothing is packed in it, or it is damaged.
    """
    head = head_of(path)
    if not head.startswith(tuple(_PACKED)):
        return head
    with opened(path) as file:
        head = bytes(file.read(HEAD))
    if not head:
        raise InputError("the file is empty", file=path)
    return head


def text_head_of(path: str | os.PathLike[str]) -> bytes:
    """The first bytes of a text file, unpacked, without a byte order mark.

    Raises
    ------
    InputError
        As :func:`head_of`; also an archive, or bytes that are not text.
    """
    head = unpacked_head_of(path)
    for magic, (message, hint) in _STRANGERS.items():
        if head.startswith(magic):
            raise InputError(message, file=path, hint=hint)
    if b"\0" in head:
        raise InputError("it is a binary file, not text", file=path)
    head = head.removeprefix(b"\xef\xbb\xbf")
    if not head.strip():
        raise InputError("the file is empty but for blanks", file=path)
    return head


def cannot_read(path: str | os.PathLike[str], error: OSError) -> InputError:
    """The error for a file that the system does not let us read."""
    reason = reason_of(error)
    hint = "check the path" if isinstance(error, FileNotFoundError) else None
    return InputError(f"cannot read: {reason}", file=path, hint=hint)
