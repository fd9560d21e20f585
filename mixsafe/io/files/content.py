"""Checks of a file before it is read: readable, and text, an archive or a table.

All inputs are opened by :func:`reading`: a pipe or a device, reading which may block or never end,
is refused, also one that was put in the place of a file. What is held in memory must fit into it
(:func:`check_fits`), and must not be far larger than its file (:func:`check_plausible`).

A run opens its inputs several times: to recognize them, to read them, to hash them for the
provenance of its answer. Between two of these a file may be exchanged or written to, and the answer
would be about other data than its provenance says. In a :func:`same_files` block each file must be
the one that was opened first. Elsewhere, as in a notebook, files may change between two calls.

Files of other programs may hold positions, but no table. To name a further kind, add how its first
bytes look to ``_KINDS``; every reader of text asks :func:`stranger_of`.
"""

from __future__ import annotations

import codecs
import errno
import io
import os
import re
import time
import zipfile
from collections.abc import Callable, Hashable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from mixsafe.errors import InputError, MixsafeError
from mixsafe.machinery.files import cannot_read, status_of
from mixsafe.machinery.memory import check_fits

TABLE = "write it as a table user_id,time,lat,lon with a row per fix"
"""What every reader takes."""


class Stranger(NamedTuple):
    """What a file is, and what to do with it."""

    message: str
    hint: str


_KINDS: tuple[tuple[bytes, Stranger], ...] = (
    (rb"PK\x03\x04", Stranger("this is a zip archive", "unpack it first")),
    (rb"BZh", Stranger("this is a bzip2 archive", "unpack it first")),
    (rb"\xfd7zXZ", Stranger("this is an xz archive", "unpack it first")),
    (
        rb"\s*<(?:\?xml|gpx|kml|TrainingCenterDatabase)\b",
        Stranger("this is XML, such as GPX, KML or TCX", TABLE),
    ),
)
_STRANGERS = tuple((re.compile(start, re.DOTALL), one) for start, one in _KINDS)


def stranger_of(head: bytes) -> Stranger | None:
    """What a file is, by its first bytes, if it is of another program; None: it may be ours.

    Parameters
    ----------
    head
        The first bytes, decompressed, without a byte order mark.
    """
    return next((one for pattern, one in _STRANGERS if pattern.match(head)), None)


_TICK = 20_000_000
"""Nanoseconds; more than a step of the clock with which file systems stamp changes."""

Made = TypeVar("Made")


class _Identity(NamedTuple):
    """What differs between two files, and between a file and itself after a change."""

    device: int
    inode: int
    size: int
    modified: int
    changed: int


class _Run:
    """Files that a run has opened, and what it has found out about them."""

    def __init__(self) -> None:
        self.identities: dict[str, _Identity] = {}
        self.found: dict[Hashable, Any] = {}


_run: _Run | None = None  # of the process: a run also reads in threads


@contextmanager
def same_files() -> Iterator[None]:
    """Refuse input files that change in the block, when they are opened or read."""
    global _run
    before, _run = _run, _Run()
    try:
        yield
    finally:
        _run = before


def check_same(path: str | os.PathLike[str], status: os.stat_result | None) -> None:
    """Refuse a file that is not the one that this run has opened before.

    Parameters
    ----------
    status
        The file's; None: it is gone.

    Raises
    ------
    InputError
        It was exchanged or written to.
    """
    if _run is None:
        return
    name = os.path.abspath(path)
    known = _run.identities.get(name)
    if status is not None and known is None:
        if abs(time.time_ns() - max(status.st_ctime_ns, status.st_mtime_ns)) < _TICK:
            time.sleep(_TICK / 1e9)  # else a change after this one might have the same stamp
        _run.identities[name] = _identity(status)
    elif status is None or _identity(status) != known:
        raise changed(path)


def changed(path: str | os.PathLike[str]) -> InputError:
    """The error for a file or folder that changes while a run reads it."""
    return InputError(
        "it was changed while it was read",
        file=path,
        hint="run the command again when nothing writes to it",
    )


def once_in_run(key: Hashable, make: Callable[[], Made]) -> Made:
    """What ``make`` returns; in a run it is called once for each key."""
    if _run is None:
        return make()
    if key not in _run.found:
        _run.found[key] = make()
    found: Made = _run.found[key]
    return found


def _identity(status: os.stat_result) -> _Identity:
    return _Identity(
        status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
    )


_BOUNDED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Methods whose members zipfile unpacks as far as is asked for; of others a block at once, of
which a kilobyte holds gigabytes."""


def check_members(path: str | os.PathLike[str], members: Iterable[zipfile.ZipInfo]) -> int:
    """Bytes that members of an archive unpack to; each of them is read as a whole.

    Raises
    ------
    InputError
        A member is encrypted, packed with another method than deflate, or larger than memory.
    """
    size = 0
    for one in members:
        if one.flag_bits & 1 or one.compress_type not in _BOUNDED:
            message = f"{one.filename} is encrypted, or not packed with deflate"
            raise InputError(message, file=path, hint="unpack it")
        check_fits(path, 2 * one.file_size)  # packed and unpacked, or as text
        size += one.file_size
    return size


HEAD = 1 << 16
"""Number of bytes inspected."""

MOST_TIMES, ALWAYS = 50, 1 << 28
"""What is read from a file may be larger than it: this many times, and this many bytes besides,
which any machine has."""

_BLOCK = 1 << 20

_LIST_BYTES, _VALUE_BYTES = 64, 16
"""What an empty list or object of JSON takes in Python, and any other value, at least."""
_USUALLY = 3
"""Times this that they take in records."""

GZIP = b"\x1f\x8b"
ZSTANDARD = b"\x28\xb5\x2f\xfd"
PARQUET = b"PAR1"
FLATGEOBUF = b"fgb\x03fgb"
SQLITE = b"SQLite format 3\0"
_PARTS = (".cpg", ".dbf", ".prj", ".shx")
SHAPEFILE = b"\0\0\x27\x0a" + bytes(20)
_PACKED = {GZIP: "gzip", ZSTANDARD: "zstd"}

PLAIN, WESTERN = "UTF-8", "Windows-1252"
_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
"""Encodings by the mark with which a text begins."""

_LETTERS = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)
"""Letters beyond ASCII in UTF-8: with one of them, a text is damaged UTF-8, not another one."""


def size_of(path: str | os.PathLike[str]) -> int:
    """Size of a regular file, bytes.

    Raises
    ------
    InputError
        It does not exist, or is a folder, a pipe or a device.
    """
    return len(path.content()) if isinstance(path, Held) else status_of(path).st_size


def with_parts(path: str | os.PathLike[str]) -> list[Path]:
    """The file, and the files beside a shapefile that belong to it."""
    file = Path(path)
    beside = file.parent.glob(f"{escape(file.stem)}.*") if file.suffix.lower() == ".shp" else ()
    return [file, *sorted(one for one in beside if one.suffix.lower() in _PARTS)]


@dataclass(frozen=True)
class Held(os.PathLike[str]):
    """A file whose bytes are in memory, or in an archive.

    Parameters
    ----------
    file
        Its path, for messages.
    content
        Returns its bytes.
    """

    file: str | os.PathLike[str]
    content: Callable[[], bytes]

    def __fspath__(self) -> str:
        return os.fspath(self.file)


@contextmanager
def reading(path: str | os.PathLike[str]) -> Iterator[io.BufferedReader | io.BytesIO]:
    """Open a file for reading bytes.

    Raises
    ------
    InputError
        It is not a file, or cannot be read; in a run also if it changes
        (:func:`mixsafe.io.files.content.same_files`).
    """
    if isinstance(path, Held):
        yield io.BytesIO(path.content())
        return
    size_of(path)
    with named(path), open(path, "rb", opener=_without_waiting) as file:
        check_same(path, status_of(path, file.fileno()))
        yield file
        status = None
        with suppress(FileNotFoundError):
            status = os.stat(path)
        check_same(path, status)


def _without_waiting(path: str, flags: int) -> int:
    """Open a file, or a pipe that has just taken its place: there nobody may ever write."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0))


def check_plausible(
    path: str | os.PathLike[str],
    size: int,
    what: str = "it unpacks to",
    hint: str = "unpack it first if this is intended",
    times: int = MOST_TIMES,
) -> None:
    """Refuse input that takes far more than its file: a few bytes must not fill a machine.

    Parameters
    ----------
    size
        What is read from it takes in memory or on disk, bytes.
    what
        Words for it.
    hint
        What to do if it is meant.
    times
        A multiple of the file's size that is plausible.

    Raises
    ------
    InputError
        It is larger than plausible.
    """
    if size > times * size_of(path) + ALWAYS:
        message = f"{what} more than {times} times its size, implausible for traces"
        raise InputError(message, file=path, hint=hint)


def check_json(path: str | os.PathLike[str], text: bytes) -> None:
    """Refuse JSON whose values take far more than its file, or than memory, before it is parsed.

    Raises
    ------
    InputError
        They take more, even if each is as small as values are in Python.
    """
    needed = _LIST_BYTES * (text.count(b"[") + text.count(b"{")) + _VALUE_BYTES * text.count(b",")
    check_plausible(path, needed, "its values take")
    check_fits(path, _USUALLY * needed + 2 * len(text))  # the text as bytes, and decoded


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
    with reading(path) as file:
        return file.read()


def head_of(path: str | os.PathLike[str]) -> bytes:
    """Read the first bytes of a file.

    Raises
    ------
    InputError
        The file does not exist, cannot be read, is a pipe or device, or is empty.
    """
    with reading(path) as file:
        head = file.read(HEAD)
    if not head:
        raise InputError("the file is empty", file=path)
    return head


@contextmanager
def opened(path: str | os.PathLike[str], encoding: str = PLAIN) -> Iterator[Any]:
    """Open a file for reading bytes, decompressing gzip and Zstandard.

    Parameters
    ----------
    encoding
        Of its text, which is converted to UTF-8.

    Raises
    ------
    InputError
        It is not a file, cannot be read, or is truncated or damaged.
    """
    if encoding != PLAIN:
        import pyarrow as pa

        with opened(path) as stream:
            try:
                yield pa.transcoding_input_stream(pa.PythonFile(stream, "r"), encoding, PLAIN)
            except UnicodeDecodeError as error:
                message = f"a byte is not {encoding}: {error.reason}"
                raise InputError(message, file=path, hint="save the file as UTF-8") from None
        return
    with reading(path) as file:
        head = file.read(4)
        file.seek(0)
        packing = next((name for magic, name in _PACKED.items() if head.startswith(magic)), None)
        if packing is None:
            yield file
            return
        import pyarrow as pa

        with Unpacked(pa.input_stream(file, compression=packing), path) as unpacked:
            yield unpacked


class Unpacked(io.BufferedIOBase):
    """Stream of decompressed bytes, with a limit against decompression bombs.

    While a block is used, a thread decompresses the next one: in a large file that is a third of
    the time it takes to read.

    Parameters
    ----------
    stream
        The decompressing stream, of whatever library.
    path
        The packed file.
    """

    def __init__(self, stream: Any, path: str | os.PathLike[str]) -> None:  # noqa: ANN401 -- any
        super().__init__()
        self._stream, self._path = stream, path
        self._most = MOST_TIMES * size_of(path) + ALWAYS
        self._done = 0
        self._rest = memoryview(b"")
        self._ahead: Future[bytes] | None = None
        self._thread: ThreadPoolExecutor | None = None

    def readable(self) -> bool:
        """True: the stream is readable."""
        return True

    def read(self, size: int | None = -1) -> bytes:
        """Read the next bytes, fewer only at the end; all remaining ones without a number.

        Raises
        ------
        InputError
            The limit is exceeded, or the file is damaged.
        """
        if size is None or size < 0:
            return b"".join(self._blocks())
        found = [self._take(size)]
        while found[-1] and (size := size - len(found[-1])):
            found.append(self._take(size))
        return found[0] if len(found) == 1 else b"".join(found)

    def _take(self, size: int) -> bytes:
        """Up to so many bytes of the block at hand, or of the next one; none: that is the end."""
        if not self._rest:
            self._rest = memoryview(self._next())
        found, self._rest = bytes(self._rest[:size]), self._rest[size:]
        return found

    def _next(self) -> bytes:
        """The next block; a full one is not the last, so that the one after it is begun."""
        block = self._decompressed() if self._ahead is None else self._ahead.result()
        self._ahead = None
        if len(block) == _BLOCK:
            self._thread = self._thread or ThreadPoolExecutor(1)
            self._ahead = self._thread.submit(self._decompressed)
        return block

    def _decompressed(self) -> bytes:
        """Up to ``_BLOCK`` bytes of the stream."""
        try:
            found = bytes(self._stream.read(_BLOCK))
        except Exception:
            with undamaged(self._path):
                raise
        self._done += len(found)
        if self._done > self._most:
            check_plausible(self._path, self._done)
        return found

    def _blocks(self) -> Iterator[bytes]:
        """Yield all remaining bytes, as far as memory holds them twice: as blocks, and as one."""
        size = 0
        while block := self._take(_BLOCK):
            size += len(block)
            check_fits(self._path, 2 * size)
            yield block

    read1 = read

    def close(self) -> None:
        """Close the stream."""
        if self._thread is not None:
            self._thread.shutdown()
        self._stream.close()
        super().close()


@contextmanager
def undamaged(path: str | os.PathLike[str], where: str = "") -> Iterator[None]:
    """Convert what a library raises for a damaged archive to an error that names the file.

    Parameters
    ----------
    where
        Words on the place of the damage.
    """
    try:
        yield
    except (MixsafeError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 -- libraries raise whatever follows from wrong bytes
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise cannot_read(path, error) from None
        reason = str(error).partition("\n")[0].lower()
        raise InputError(
            f"the packed file is truncated or damaged{where} ({reason})",
            file=path,
            hint="download it again",
        ) from None


@contextmanager
def named(path: str | os.PathLike[str]) -> Iterator[None]:
    """Convert system errors in the block to errors that name the file."""
    try:
        yield
    except OSError:
        with undamaged(path):
            raise


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
    """Read the first bytes of a text file, decompressed, in UTF-8 without a byte order mark.

    Raises
    ------
    InputError
        As :func:`head_of`; also if it is an archive, not text, or of another program.
    """
    return encoded_head_of(path)[1]


def encoded_head_of(path: str | os.PathLike[str]) -> tuple[str, bytes]:
    """Encoding of a text file, and its first bytes as :func:`text_head_of` reads them.

    Raises
    ------
    InputError
        As :func:`text_head_of`.
    """
    encoding, head = text_of(unpacked_head_of(path))
    stranger = stranger_of(head)
    if stranger is not None:
        raise InputError(stranger.message, file=path, hint=stranger.hint)
    if b"\0" in head:
        raise InputError("this is a binary file, not text", file=path)
    if not head.strip():
        raise InputError("the file contains only white space", file=path)
    return encoding, head


def text_of(head: bytes) -> tuple[str, bytes]:
    """Encoding of a text by its first bytes, and these in UTF-8, without a byte order mark."""
    encoding = next((name for mark, name in _MARKS.items() if head.startswith(mark)), PLAIN)
    if encoding == PLAIN and is_western(head):
        encoding = WESTERN
    if encoding == PLAIN:
        return encoding, head.removeprefix(codecs.BOM_UTF8)
    text = codecs.getincrementaldecoder(encoding)("replace").decode(head)
    return encoding, text.encode("utf-8", "replace")


def is_western(text: bytes) -> bool:
    """Whether bytes are Windows-1252, which spreadsheets write: not UTF-8, and not damaged UTF-8.

    The bytes may end within a letter.
    """
    try:
        codecs.getincrementaldecoder(PLAIN)().decode(text)
    except UnicodeDecodeError:
        pass
    else:
        return False
    if b"\0" in text or _LETTERS.search(text):
        return False
    try:
        text.decode(WESTERN)
    except UnicodeDecodeError:
        return False
    return True
