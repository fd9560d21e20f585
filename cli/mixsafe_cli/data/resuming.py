"""``--resume DIR``: runs that can be stopped and taken up again."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mixsafe.journal.steps import Journal


@contextmanager
def kept(folder: Path | None) -> Iterator[Journal | None]:
    """A journal in a folder; None: nothing is to be kept.

    Whoever interrupts the run is told how to go on.

    Raises
    ------
    InputError
        The folder cannot be used.
    """
    if folder is None:
        yield None
        return
    from mixsafe.journal.checkpoint import Checkpoint

    with Checkpoint(folder) as journal:
        try:
            yield journal
        except KeyboardInterrupt:
            print(  # noqa: T201
                f"note: what was decided is in {folder}; the same command goes on from there",
                file=sys.stderr,
            )
            raise
