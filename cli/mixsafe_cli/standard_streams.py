"""Standard streams: input as a file, notes on standard error, streams that nobody reads."""

from __future__ import annotations

import atexit
import codecs
import functools
import io
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from mixsafe.errors import printable

DASH = "-"
NAME = "standard input"


@functools.cache
def standard_input() -> Path:
    """Copy standard input to a file that is removed at exit.

    Raises
    ------
    InputError
        It cannot be read.
    """
    from mixsafe.io.objects.adapters import copy
    from mixsafe.machinery.temporary_files import forget, new_scratch_folder

    folder = new_scratch_folder("input")
    atexit.register(forget, folder)
    path = folder / NAME
    copy(sys.stdin.buffer, path, NAME)
    return path


def as_file(path: Path) -> Path:
    """The path, or the file with standard input where it is ``-``."""
    return standard_input() if str(path) == DASH else path


def named(text: str) -> str:
    """Replace the path of that file by "standard input" in a message."""
    if not standard_input.cache_info().currsize:
        return text
    return text.replace(str(standard_input()), NAME)


def escape_unwritable() -> None:
    """Let standard output escape what its encoding lacks, as standard error does.

    Names of users may be in any script, and names of files in none.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def takes_unicode(stream: TextIO) -> bool:
    """Whether a stream can write all characters."""
    name = stream.encoding or "utf-8"  # a stream of texts in memory has none
    return codecs.lookup(name).name.startswith("utf")


def discard(stream: TextIO) -> None:
    """Discard all further output: the reader, such as ``head``, has closed the pipe.

    Otherwise Python would try to write the rest at exit.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def say_notes(notes: Iterable[str], quiet: bool) -> None:
    """Print notes on merged or dropped data and on assumptions to standard error."""
    try:
        for note in () if quiet else notes:
            print(f"note: {printable(note)}", file=sys.stderr)  # noqa: T201
    except BrokenPipeError:  # the reader is gone, as after ``2>&1 | head``; still write files
        discard(sys.stderr)
