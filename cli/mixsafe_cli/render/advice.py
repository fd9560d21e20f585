"""What a person should know early of a run that may take long."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mixsafe.model.question.problem import Problem
    from mixsafe_cli.render.progress import Report

MANY_OPEN = 1000
"""Questions that fast proofs leave open, from which on the rest takes more than seconds."""

MANY_SIGHTINGS = 3.0
"""For each user: with fewer, searching settles nearly all of it soon."""

_SEARCHING = "walking through solutions"


def advising(report: Report, problem: Problem) -> Report:
    """The same report, which says once that a limit of time is advisable, where it is.

    When fast proofs are done and a search begins, with many questions left and many sightings of
    each user, nobody can tell how long it takes. Said to a person at a terminal alone.
    """
    seen = len(problem.knowledge) / max(problem.zones.n_users, 1)
    said = not sys.stderr.isatty() or seen <= MANY_SIGHTINGS

    def told(stage: str, done: int, total: int) -> None:
        nonlocal said
        if stage == _SEARCHING and not said:
            said = True
            if total - done >= MANY_OPEN:
                print(advice(total - done, total, seen), file=sys.stderr)  # noqa: T201
        report(stage, done, total)

    return told


def advice(n_open: int, total: int, seen: float) -> str:
    """What is said."""
    return (
        f"note: fast proofs leave {n_open:,} of {total:,} questions open, with {seen:.1f} sightings"
        " per user. The rest may take minutes, and some of it hours: --time-limit 120 ends in two"
        " minutes with what is proven by then"
    )
