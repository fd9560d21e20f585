"""What the officer's page computes from a result: each number that no result states itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mixsafe.extract.adversaries import ADVERSARIES

NAMES = 50
"""Names of people that are listed, at most."""


def together(*numbers: int) -> int:
    """Sum of numbers of people."""
    return sum(numbers)


def without(part: float, less: float) -> float:
    """A share without a part of it."""
    return max(part - less, 0.0)


def with_data(judged: int, users: int, absent: int) -> int:
    """Number of people with data; who is judged by name counts without."""
    return max(judged, users - absent)


def who_fails(users: Mapping[str, Any]) -> list[str]:
    """Names of those who fail by the rule, the least protected first."""
    pairs = zip(users["user"], users["verdict"], strict=True)
    return [name for name, verdict in pairs if verdict == "unsafe"][:NAMES]


def who_worst(worst: Mapping[str, Any] | None) -> str | None:
    """Name of the person who can be followed for the largest part of the time."""
    return None if worst is None else str(worst["user"])


def at_worst(worst: Mapping[str, Any] | None) -> float:
    """Share of the time not known by assumption in which that person can be followed."""
    return 0.0 if worst is None else float(worst["share_of_remaining_time_followed"])


def seen_of(name: str) -> str | None:
    """The adversary's sightings in words, of an adversary that has a name."""
    return f"{ADVERSARIES[name].sentence}." if name in ADVERSARIES else None
