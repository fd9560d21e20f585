"""The files of the Cabspotting data, out of a folder or out of the archive as published."""

from __future__ import annotations

import gzip
import os
import re
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, cast

from mixsafe.errors import InputError
from mixsafe.io.files.content import cannot_read, size_of, whole

_CAB_FILE = re.compile(r"new_(\w+)\.txt")


def cab_files(path: str | os.PathLike[str]) -> Iterator[tuple[str, str, bytes]]:
    """Name of each cab, its file's name for messages, and the file's content."""
    if not Path(path).is_dir():
        yield from _archived(path)
        return
    for file in sorted(Path(path).glob("new_*.txt")):
        found = _CAB_FILE.fullmatch(file.name)
        if found:
            yield found[1], os.fspath(file), whole(file)


MOST_TIMES, ALWAYS = 50, 1 << 24
"""An archive may unpack to so many times its size, and to so many bytes in any case."""


class _Unpacked:
    """What comes out of an archive; refused as soon as it is more than traces can be."""

    def __init__(self, packed: gzip.GzipFile, path: Path) -> None:
        self._packed, self._path = packed, path
        self._left = MOST_TIMES * path.stat().st_size + ALWAYS

    def read(self, size: int = -1) -> bytes:
        """The next bytes.

        Raises
        ------
        InputError
            There are too many of them.
        """
        found = self._packed.read(size)
        self._left -= len(found)
        if self._left < 0:
            raise InputError(
                f"it unpacks to more than {MOST_TIMES} times its size, which no traces do",
                file=self._path,
                hint="is this Cabspotting?",
            )
        return found


def _archived(path: str | os.PathLike[str]) -> Iterator[tuple[str, str, bytes]]:
    """The cab files of an archive, which is read once, from end to end."""
    last = "its beginning"
    size_of(path)
    try:
        with gzip.open(path) as packed:
            stream = _Unpacked(packed, Path(path))
            # tarfile's own decompression takes a cut off archive for a complete one.
            with tarfile.open(fileobj=cast("IO[bytes]", stream), mode="r|") as archive:
                for member in archive:
                    found = _CAB_FILE.fullmatch(PurePosixPath(member.name).name)
                    content = archive.extractfile(member) if found else None
                    if found and content is not None:
                        yield found[1], f"{os.fspath(path)}/{member.name}", content.read()
                        last = member.name
            while stream.read(1 << 20):
                pass  # The check sum is at the very end.
    except (EOFError, tarfile.TarError, zlib.error, gzip.BadGzipFile) as error:
        reason = str(error).partition("\n")[0].lower()
        raise InputError(
            f"the archive is cut off or damaged after {last} ({reason})",
            file=path,
            hint="fetch it again",
        ) from None
    except OSError as error:
        raise cannot_read(path, error) from None
