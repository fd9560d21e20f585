"""Tables in many files of an archive .tar.gz, read in one sequential pass."""

from __future__ import annotations

import os
import tarfile
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import PurePosixPath
from typing import IO

from mixsafe.errors import InputError
from mixsafe.io.files.content import Held, opened, undamaged
from mixsafe.io.files.sniffing import TableForm
from mixsafe.io.files.table_parts import TablePart
from mixsafe.machinery.spill.memory import check_fits

_BLOCK = 1 << 20


def tar_files(
    path: str | os.PathLike[str], form: TableForm
) -> Iterator[tuple[TablePart, os.PathLike[str]]]:
    """Yield the files of an archive that have a name as the user says, and their content.

    Parameters
    ----------
    form
        What files are called, in whatever folder.

    Raises
    ------
    InputError
        The archive is truncated or damaged, or such a file is no regular one.
    """
    with opened(path) as stream:
        for name, values, content in _members(stream, path, form):
            inside = f"{os.fspath(path)}/{name}"
            # Its lines are looked up later only for messages.
            part = TablePart(Held(inside, partial(_member, path, form, name)), values)
            yield part, Held(inside, partial(bytes, content))
        while stream.read(_BLOCK):
            pass  # Read to the end, where the checksum is.


def _member(path: str | os.PathLike[str], form: TableForm, name: str) -> bytes:
    """A file of an archive."""
    with opened(path) as stream:
        members = _members(stream, path, form)
        return next(content for found, _, content in members if found == name)


def _members(
    stream: IO[bytes], path: str | os.PathLike[str], form: TableForm
) -> Iterator[tuple[str, dict[str, str], bytes]]:
    """Yield the files of an unpacked archive: name, values in it, content."""
    with ExitStack() as stack:
        with undamaged(path):  # the decompression of tarfile accepts a truncated file as complete
            opened = tarfile.open(fileobj=stream, mode="r|", bufsize=_BLOCK)  # noqa: SIM115
            archive = stack.enter_context(opened)
        last = "its beginning"
        while True:
            with undamaged(path, f" after {last}"):
                member = archive.next()
                if member is None:
                    return
                values = form.values_of(PurePosixPath(PurePosixPath(member.name).name))
                if values is not None:
                    content = _content(archive, member, f"{os.fspath(path)}/{member.name}")
            if values is not None:
                yield member.name, values, content
                last = member.name


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
