"""How far a command is: a bar on the terminal, seconds of each stage, advice on long runs."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeVar

from mixsafe.model.progress import told_of_compiling

if TYPE_CHECKING:
    from mixsafe.model.question.problem import Problem

_Piece = TypeVar("_Piece")

PATIENCE = 2.0
"""Seconds before anything is shown."""

COMPILING = "compiling, this once"
"""Note beside what is being done, in the first run after an installation."""

Report = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is (0: unknown)."""

VERBOSE = "--verbose"
FIRST, LAST = "starting", "writing and showing"

MANY_OPEN = 1000
"""Open questions after the fast proofs from which on the search takes more than seconds."""

MANY_SIGHTINGS = 3.0
"""Sightings per user; with fewer, the search is short."""

_SEARCHING = "walking through solutions"


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


def write_pieces(
    stream: AbstractContextManager[Callable[[_Piece], None]],
    pieces: Iterable[tuple[_Piece, int]],
    doing: str,
    users: int,
    quiet: bool,
) -> None:
    """Write all pieces.

    Parameters
    ----------
    stream
        Where they go.
    pieces
        Each with its number of users.
    doing
        What users do, in a word.
    users
        How many there are in all.
    """
    with progress(quiet) as report, stream as add:
        done = 0
        for piece, count in pieces:
            add(piece)
            done += count
            report(doing, done, users)


def _nothing(stage: str, done: int, total: int) -> None:
    """Show nothing."""


class Stages:
    """The stages of a command, in the order in which they began, and the seconds of each."""

    def __init__(self) -> None:
        self.took: dict[str, float] = {}
        self._now, self._since = FIRST, time.monotonic()

    def begin(self, stage: str) -> None:
        """Note that a stage begins, unless it is the one that goes on."""
        if stage == self._now:
            return
        self.end()
        self._now = stage

    def end(self) -> None:
        """Note how long the last one took."""
        now = time.monotonic()
        self.took[self._now] = self.took.get(self._now, 0.0) + now - self._since
        self._since = now

    def lines(self) -> Iterator[str]:
        """A line for each stage, and one for all of them."""
        for stage, seconds in self.took.items():
            yield f"{seconds:10.2f} s  {stage}"
        yield f"{sum(self.took.values()):10.2f} s  in all"


_WATCHED: ContextVar[Stages | None] = ContextVar("stages", default=None)


@contextmanager
def watching(wanted: bool) -> Iterator[Stages | None]:
    """Time the stages of the block, if ``--verbose`` is given."""
    stages = Stages() if wanted else None
    token = _WATCHED.set(stages)
    try:
        yield stages
    finally:
        _WATCHED.reset(token)
        if stages is not None:
            stages.end()


def watched(report: Report) -> Report:
    """A report that also times stages, if that is wanted."""
    stages = _WATCHED.get()
    if stages is None:
        return report

    def tell(stage: str, done: int, total: int) -> None:
        stages.begin(stage)
        report(stage, done, total)

    return tell


def last_stage() -> None:
    """Mark the end of the work: writing and printing follow."""
    stages = _WATCHED.get()
    if stages is not None:
        stages.begin(LAST)


def advising(report: Report, problem: Problem) -> Report:
    """Wrap a report so that it recommends a time limit once, if one is advisable.

    With many questions left after the fast proofs and many sightings per user, the duration of the
    search is unpredictable. The note appears on a terminal only.
    """
    seen = len(problem.knowledge) / max(problem.zones.n_users, 1)
    is_noted = not sys.stderr.isatty() or seen <= MANY_SIGHTINGS

    def reporting(stage: str, done: int, total: int) -> None:
        nonlocal is_noted
        if stage == _SEARCHING and not is_noted:
            is_noted = True
            if total - done >= MANY_OPEN:
                print(advice(total - done, total, seen), file=sys.stderr)  # noqa: T201
        report(stage, done, total)

    return reporting


def advice(n_open: int, total: int, seen: float) -> str:
    """The text of the note."""
    return (
        f"note: fast proofs leave {n_open:,} of {total:,} questions open, with {seen:.1f} sightings"
        " per user. The rest may take minutes to hours; --time-limit 120 stops after two minutes"
        " with everything proven by then"
    )
