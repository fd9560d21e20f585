"""Early advice on runs that may take long."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mixsafe.model.question.problem import Problem
    from mixsafe_cli.render.progress import Report

MANY_OPEN = 1000
"""Open questions after the fast proofs from which on the search takes more than seconds."""

MANY_SIGHTINGS = 3.0
"""Sightings per user; with fewer, the search is short."""

_SEARCHING = "walking through solutions"


def advising(report: Report, problem: Problem) -> Report:
    """Wrap a report so that it recommends a time limit once, if one is advisable.

    With many questions left after the fast proofs and many sightings per user, the duration of the
    search is unpredictable. The note appears on a terminal only.
    """
    seen = len(problem.knowledge) / max(problem.zones.n_users, 1)
    said = not sys.stderr.isatty() or seen <= MANY_SIGHTINGS

    def reporting(stage: str, done: int, total: int) -> None:
        nonlocal said
        if stage == _SEARCHING and not said:
            said = True
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
