"""Intervals of the least protected users, with candidates and the last meeting."""

from __future__ import annotations

from typing import Any

import numpy as np

from mixsafe.documents.atlas import Atlas, zone_told
from mixsafe.model.answer.verdict import SAFE, UNDECIDED, UNSAFE
from mixsafe.verify.privacy.decided import Decided, Ints, verdict_word

USERS = 20
"""Number of users whose intervals are listed, at most."""

STRETCHES = 30
"""Number of intervals of a user, at most."""

NAMES = 12
"""Names that are listed before "and n more"."""


def stories(asked: Decided, order: Ints, atlas: Atlas | None = None) -> list[dict[str, Any]]:
    """Stories of the least protected users.

    Parameters
    ----------
    order
        Rows of users, the least protected first.
    atlas
        Names of places; None: their numbers.
    """
    return [_story(asked, int(row), atlas) for row in order[:USERS].tolist()]


def _story(asked: Decided, row: int, atlas: Atlas | None) -> dict[str, Any]:
    """One user: stretches by time; of too many, the longest that are not safe."""
    first, last = np.searchsorted(asked.row, [row, row + 1]).tolist()
    stretches = _merged(asked, first, last)
    verdict = asked.verdict
    shown = sorted(
        stretches,
        key=lambda part: (
            verdict[part[0]] == SAFE,
            asked.start[part[0]] - asked.end[part[1]],
            part[0],
        ),
    )[:STRETCHES]
    return {
        "user": str(asked.users[row]),
        "stretches": [_stretch(asked, first, last, atlas) for first, last in sorted(shown)],
        "all": len(stretches),
    }


def _merged(asked: Decided, first: int, last: int) -> list[tuple[int, int]]:
    """First and last question of each stretch of safe questions or of equal bounds."""
    part = slice(first, last)
    lower, upper, safe = asked.lower[part], asked.upper[part], asked.verdict[part] == SAFE
    same = np.zeros(last - first, bool)
    if asked.whole:
        alike = (lower[1:] == lower[:-1]) & (upper[1:] == upper[:-1]) & (safe[1:] == safe[:-1])
        same[1:] = alike | (safe[1:] & safe[:-1])
    begin = np.flatnonzero(~same) + first
    return list(zip(begin.tolist(), [*(begin[1:] - 1).tolist(), last - 1], strict=True))


def _stretch(asked: Decided, first: int, last: int, atlas: Atlas | None) -> dict[str, Any]:
    """One stretch of time, with the candidates at its begin."""
    label = asked.zones.axis.label
    found = asked.candidates(first, NAMES)
    code = int(asked.verdict[first])
    shown: dict[str, Any] = {
        "from": label(int(asked.start[first])),
        "to": label(int(asked.end[last])),
        "verdict": verdict_word(code),
        "k": int(asked.k[first]),
        "lower": int(asked.lower[first : last + 1].min()),
        "upper": int(asked.upper[first : last + 1].max()),
        "candidates": found.names,
        "more": found.proven - len(found.names),
        "meeting": _meeting(asked, int(asked.meeting[first]), atlas),
    }
    if code in (UNSAFE, UNDECIDED):
        shown["perhaps"] = found.possible - found.proven
    return shown


def _meeting(asked: Decided, zone: int, atlas: Atlas | None) -> dict[str, Any] | None:
    """The mix zone at which a stretch begins."""
    if zone < 0:
        return None
    more = max(0, int(asked.zones.sizes[zone]) - NAMES)
    return {**zone_told(asked.zones, zone, atlas, NAMES), "more": more}
