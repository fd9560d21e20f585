"""Files that PyArrow writes, whose names may not be UTF-8."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from mixsafe.io.files.json_text import has_half


@contextmanager
def arrow_file(path: str | os.PathLike[str]) -> Iterator[str | IO[bytes]]:
    """Yield the path, or the open file where PyArrow cannot write the path as UTF-8."""
    name = os.fspath(path)
    if not has_half(name):
        yield name
        return
    with Path(path).open("wb") as file:
        yield file
