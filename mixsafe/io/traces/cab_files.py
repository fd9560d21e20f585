"""Files of the Cabspotting data, from a folder or the published archive."""

from __future__ import annotations

import gzip
import os
import re
import tarfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path, PurePosixPath
from typing import IO, cast

from mixsafe.errors import InputError
from mixsafe.io.files.content import Unpacked, check_fits, reading, undamaged, whole
from mixsafe.io.files.json_text import half_error, has_half

_BLOCK = 1 << 20
_CAB_FILE = re.compile(r"new_(\w+)\.txt")


def cab_files(path: str | os.PathLike[str]) -> Iterator[tuple[str, str, bytes]]:
    """Yield each cab's name, its file's name for messages, and the file's content."""
    if not Path(path).is_dir():
        yield from _archived(path)
        return
    for file in sorted(Path(path).glob("new_*.txt")):
        if has_half(file.name):
            raise half_error(file.name, path)
        found = _CAB_FILE.fullmatch(file.name)
        if found:
            yield found[1], os.fspath(file), whole(file)


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo, file: str) -> bytes:
    """Read a file of an archive.

    Raises
    ------
    InputError
        It is not a regular file.
    """
    content = archive.extractfile(member) if member.isreg() and not member.issparse() else None
    if content is None:
        link = member.issym() or member.islnk()
        # A sparse file can claim any size.
        what = f"a link to {member.linkname}" if link else "a folder, a device or a sparse file"
        message = f"this is {what}, not a regular file"
        raise InputError(message, file=file, hint="pack the files themselves")
    check_fits(file, 2 * member.size)
    return content.read()


def _archived(path: str | os.PathLike[str]) -> Iterator[tuple[str, str, bytes]]:
    """Yield the cab files of an archive in one sequential pass."""
    with reading(path) as file, gzip.open(file) as packed:
        stream = Unpacked(packed, path)
        yield from _members(stream, os.fspath(path))
        while stream.read(_BLOCK):
            pass  # Read to the end, where the checksum is.


def _members(stream: Unpacked, path: str) -> Iterator[tuple[str, str, bytes]]:
    """Yield the cab files of an unpacked archive."""
    with ExitStack() as stack:
        with undamaged(path):  # the decompression of tarfile accepts a truncated file as complete
            opened = tarfile.open(fileobj=cast("IO[bytes]", stream), mode="r|", bufsize=_BLOCK)  # noqa: SIM115
            archive = stack.enter_context(opened)
        last = "its beginning"
        while True:
            with undamaged(path, f" after {last}"):
                member = archive.next()
                if member is None:
                    return
                own = PurePosixPath(member.name).name
                if own.startswith("new_") and has_half(own):
                    raise half_error(own, path)
                found = _CAB_FILE.fullmatch(own)
                file = f"{path}/{member.name}"
                content = _content(archive, member, file) if found else b""
            if found:
                yield found[1], file, content
                last = member.name
