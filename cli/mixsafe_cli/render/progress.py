"""A progress bar for what takes long, where a person watches."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mixsafe.model.progress import told_of_compiling
from mixsafe_cli.stages import last_stage, watched

PATIENCE = 2.0
"""Seconds before anything is shown."""

COMPILING = "compiling, this once"
"""Note beside what is being done, in the first run after an installation."""

Report = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is (0: unknown)."""


@contextmanager
def progress(quiet: bool = False, patience: float = PATIENCE) -> Iterator[Report]:
    """A bar on standard error, if that is a terminal.

    Parameters
    ----------
    quiet
        Never show anything.
    patience
        Seconds before anything is shown.
    """
    if quiet:
        yield watched(_nothing)
        last_stage()
        return
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield watched(_nothing)
        last_stage()
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    # No count without a known total, as while a file is read.
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[counted]}"))
    bar = Progress(*columns, TimeElapsedColumn(), console=console, transient=True)
    task = bar.add_task("starting", total=None, counted="")

    stage_now = "starting"

    def report(stage: str, done: int, total: int) -> None:
        nonlocal stage_now
        stage_now = stage
        counted = f"{done:,} of {total:,}" if total else ""
        bar.update(task, description=stage, completed=done, total=total or None, counted=counted)

    def tell(begins: bool) -> None:
        note = f" ({COMPILING})" if begins else ""
        bar.update(task, description=f"{stage_now}{note}")

    late = threading.Timer(patience, bar.start)
    late.daemon = True
    late.start()
    try:
        with told_of_compiling(tell):
            yield watched(report)
        last_stage()
    finally:
        late.cancel()
        late.join()  # a bar that is just being started must be there to be stopped
        bar.stop()


def _nothing(stage: str, done: int, total: int) -> None:
    """Show nothing."""
