"""Checks of a file before it is read: readable, and text, an archive or a table.

Files opened by name pass :func:`size_of` first, because reading a pipe or a device may block or
never end. Files read at once (:func:`whole`) must fit into memory.
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
from mixsafe.io.files.arrow_files import arrow_file
from mixsafe.io.files.strangers import stranger_of
from mixsafe.spill.memory import default_memory

HEAD = 1 << 16
"""Number of bytes inspected."""

MOST_TIMES, ALWAYS = 50, 1 << 24
"""Limits of decompression: this multiple of the packed size, but at least this many bytes."""

_BLOCK = 1 << 20

GZIP = b"\x1f\x8b"
ZSTANDARD = b"\x28\xb5\x2f\xfd"
PARQUET = b"PAR1"
_PACKED = {GZIP: "gzip", ZSTANDARD: "zstd"}


def size_of(path: str | os.PathLike[str]) -> int:
    """Size of a regular file, bytes.

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
    raise InputError(f"this is {what}, not a file", file=path, hint="give a file")


def check_fits(path: str | os.PathLike[str], needed: int) -> None:
    """Refuse input that needs more memory than a run may use, before reading it.

    Parameters
    ----------
    needed
        Bytes.

    Raises
    ------
    InputError
        States the memory needed.
    """
    most = default_memory()
    if needed > most:
        raise InputError(
            f"reading it takes {needed / 1e9:,.1f} GB of memory, more than half of the machine's"
            f" ({most / 1e9:,.1f} GB)",
            file=path,
            hint="use a machine with more memory",
        )


def whole(path: str | os.PathLike[str], *, unpack: bool = False) -> bytes:
    """Read all bytes of a file.

    Parameters
    ----------
    unpack
        True: decompress gzip and Zstandard.

    Raises
    ------
    InputError
        It is not a file, cannot be read, or does not fit into memory.
    """
    check_fits(path, 2 * size_of(path))  # once as bytes, once as text
    if unpack:
        with opened(path) as stream:
            return bytes(stream.read())
    with named(path):
        return Path(path).read_bytes()


def head_of(path: str | os.PathLike[str]) -> bytes:
    """Read the first bytes of a file.

    Raises
    ------
    InputError
        The file does not exist, cannot be read, is a pipe or device, or is empty.
    """
    size_of(path)
    with named(path), Path(path).open("rb") as file:
        head = file.read(HEAD)
    if not head:
        raise InputError("the file is empty", file=path)
    return head


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[Any]:
    """Open a file for reading bytes, decompressing gzip and Zstandard.

    Raises
    ------
    InputError
        It is not a file, cannot be read, or is truncated or damaged.
    """
    size_of(path)
    with named(path):
        with Path(path).open("rb") as file:
            head = file.read(4)
        packing = next((name for magic, name in _PACKED.items() if head.startswith(magic)), None)
        if packing is None:
            with Path(path).open("rb") as file:
                yield file
            return
        import pyarrow as pa

        with (
            arrow_file(path) as source,
            pa.input_stream(source, compression=packing) as stream,
        ):
            yield Unpacked(stream, path)


class Unpacked(io.BufferedIOBase):
    """Stream of decompressed bytes, with a limit against decompression bombs.

    Parameters
    ----------
    stream
        The decompressing stream.
    path
        The packed file.
    """

    def __init__(self, stream: Any, path: str | os.PathLike[str]) -> None:  # noqa: ANN401 -- any
        super().__init__()
        self._stream, self._path = stream, path
        self._left = MOST_TIMES * size_of(path) + ALWAYS

    def readable(self) -> bool:
        """True: the stream is readable."""
        return True

    def read(self, size: int | None = -1) -> bytes:
        """Read the next bytes; all remaining ones without a number.

        Raises
        ------
        InputError
            The limit is exceeded.
        """
        if size is None or size < 0:
            return b"".join(iter(lambda: self.read(_BLOCK), b""))
        found = bytes(self._stream.read(size))
        self._left -= len(found)
        if self._left < 0:
            raise InputError(
                f"it unpacks to more than {MOST_TIMES} times its size, implausible for traces",
                file=self._path,
                hint="unpack it first if this is intended",
            )
        return found

    read1 = read


@contextmanager
def named(path: str | os.PathLike[str]) -> Iterator[None]:
    """Convert system errors in the block to errors that name the file."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            reason = str(error).partition("\n")[0].lower()
            message = f"the packed file is truncated or damaged ({reason})"
            raise InputError(message, file=path, hint="download it again") from None
        raise cannot_read(path, error) from None


def unpacked_head_of(path: str | os.PathLike[str]) -> bytes:
    """Read the first bytes of a file, decompressed if it is packed.

    Raises
    ------
    InputError
        As :func:`head_of`; also if the packed content is empty or damaged.
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
    """Read the first bytes of a text file, decompressed, without a byte order mark.

    Raises
    ------
    InputError
        As :func:`head_of`; also if it is an archive, not text, or of another program.
    """
    head = unpacked_head_of(path)
    head = head.removeprefix(b"\xef\xbb\xbf")
    stranger = stranger_of(head)
    if stranger is not None:
        raise InputError(stranger.message, file=path, hint=stranger.hint)
    if b"\0" in head:
        raise InputError("this is a binary file, not text", file=path)
    if not head.strip():
        raise InputError("the file contains only white space", file=path)
    return head


def cannot_read(path: str | os.PathLike[str], error: OSError) -> InputError:
    """The error for a file that the system refuses to open."""
    reason = reason_of(error)
    hint = "check the path" if isinstance(error, FileNotFoundError) else None
    return InputError(f"cannot read: {reason}", file=path, hint=hint)
