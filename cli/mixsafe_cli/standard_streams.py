"""``-``: standard input as a file, and answers that go to standard output."""

from __future__ import annotations

import atexit
import functools
import os
import sys
from pathlib import Path
from typing import TextIO

DASH = "-"
NAME = "standard input"


@functools.cache
def standard_input() -> Path:
    """All of standard input, in a file that lives as long as this run does.

    Raises
    ------
    InputError
        It cannot be read.
    """
    from mixsafe.io.objects.trace_adapters import copy
    from mixsafe.temporary_files import forget, new_scratch_folder

    folder = new_scratch_folder("input")
    atexit.register(forget, folder)
    path = folder / NAME
    copy(sys.stdin.buffer, path, NAME)
    return path


def as_file(path: Path) -> Path:
    """The path, or the file with standard input where it is ``-``."""
    return standard_input() if str(path) == DASH else path


def told(text: str) -> str:
    """A message about the file as one about standard input."""
    if not standard_input.cache_info().currsize:
        return text
    return text.replace(str(standard_input()), NAME)


def to_nobody(stream: TextIO) -> None:
    """Throw away what is written from now on: who read it has gone, as ``head`` does.

    Otherwise Python would try to write the rest at its end.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
