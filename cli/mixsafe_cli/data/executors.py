"""``--cluster``: workers on other machines, for as long as a command takes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from mixsafe_cli.data.outputs import say_notes

if TYPE_CHECKING:
    from mixsafe.model.course import Executor
    from mixsafe_cli.options.cluster_options import ClusterOptions


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
