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
from mixsafe.io.files.content import Unpacked, cannot_read, size_of, whole

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


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo, file: str) -> bytes:
    """The content of a file of an archive.

    Raises
    ------
    InputError
        It is no regular file: what it is.
    """
    content = archive.extractfile(member) if member.isreg() and not member.issparse() else None
    if content is None:
        link = member.issym() or member.islnk()
        # A file with holes may say that it is as large as it likes.
        what = f"a link to {member.linkname}" if link else "a folder, a device or full of holes"
        raise InputError(f"it is {what}, not a file", file=file, hint="pack the files themselves")
    return content.read()


def _archived(path: str | os.PathLike[str]) -> Iterator[tuple[str, str, bytes]]:
    """The cab files of an archive, which is read once, from end to end."""
    last = "its beginning"
    size_of(path)
    try:
        with gzip.open(path) as packed:
            stream = Unpacked(packed, path)
            # tarfile's own decompression takes a cut off archive for a complete one.
            with tarfile.open(fileobj=cast("IO[bytes]", stream), mode="r|") as archive:
                for member in archive:
                    found = _CAB_FILE.fullmatch(PurePosixPath(member.name).name)
                    if found:
                        file = f"{os.fspath(path)}/{member.name}"
                        yield found[1], file, _content(archive, member, file)
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
