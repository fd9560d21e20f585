"""What a run of a command works with: its time, workers elsewhere, and what it keeps."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from mixsafe_cli.standard_streams import say_notes

if TYPE_CHECKING:
    from mixsafe.model.course import Executor, Journal
    from mixsafe_cli.options.cluster_options import ClusterOptions

DECIDING = 0.75
"""Share of a time limit for deciding, where witnesses are searched for afterwards."""

_LEAST = 1e-3  # seconds: engines need a positive limit


@dataclass(frozen=True)
class RunTime:
    """The time of one run of a command, including reading.

    Parameters
    ----------
    limit
        Seconds of the whole run; None: no limit.
    certified
        Whether a share of the time is reserved for certificates.
    began
        Start, in seconds of ``time.monotonic``.
    """

    limit: float | None
    certified: bool = False
    began: float = field(default_factory=time.monotonic)

    @property
    def left(self) -> float | None:
        """Seconds left, always positive; None: no limit."""
        return self._left_of(1.0)

    @property
    def to_decide(self) -> float | None:
        """Seconds left before certificates are made, always positive; None: no limit."""
        return self._left_of(DECIDING if self.certified else 1.0)

    def _left_of(self, share: float) -> float | None:
        if self.limit is None:
            return None
        return max(self.began + share * self.limit - time.monotonic(), _LEAST)


@contextmanager
def executor_of(
    options: ClusterOptions, quiet: bool, resume: Path | None = None
) -> Iterator[Executor | None]:
    """Workers that are ready; None: there are none, and this machine does it all.

    Parameters
    ----------
    options
        Which workers.
    quiet
        Do not say where their dashboard is, and who may write to their folder.
    resume
        Folder of a run that can be taken up again.

    Raises
    ------
    InputError
        They cannot be reached, are not like this program, or do not see the folder.
    """
    if options.cluster is None:
        yield None
        return
    from mixsafe.machinery.checkpoint import BLOCKS
    from mixsafe.machinery.cluster.connecting import connected

    if resume is not None:
        resume.mkdir(mode=0o700, exist_ok=True)
    wanted = options.wanted(None if resume is None else str(resume / BLOCKS))

    with connected(wanted, lambda said: say_notes([said], quiet)) as executor:
        yield executor


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
