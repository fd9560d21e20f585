"""``--resume DIR``: runs that can be stopped and resumed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mixsafe.model.course import Journal


@contextmanager
def kept(folder: Path | None) -> Iterator[Journal | None]:
    """Open the journal in a folder; None: keep no journal.

    After Control-C a note says how to resume.

    Raises
    ------
    InputError
        The folder cannot be used.
    """
    if folder is None:
        yield None
        return
    from mixsafe.machinery.checkpoint import Checkpoint

    with Checkpoint(folder) as journal:
        try:
            yield journal
        except KeyboardInterrupt:
            print(  # noqa: T201
                f"note: what was decided is in {folder}; the same command goes on from there",
                file=sys.stderr,
            )
            raise
