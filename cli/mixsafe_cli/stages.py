"""``--verbose``: what each stage of a command took."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from mixsafe.model.progress import Progress

OPTION = "--verbose"
FIRST, LAST = "starting", "writing and showing"


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


def watched(report: Progress) -> Progress:
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
