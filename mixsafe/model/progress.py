"""Telling whoever waits how far a long run is."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how many questions are settled, and how many there are."""


def no_progress(stage: str, done: int, total: int) -> None:
    """Report nothing."""
