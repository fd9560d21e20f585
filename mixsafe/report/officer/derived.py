"""What the officer's page computes from a result: each number that no result states itself."""

from __future__ import annotations

from mixsafe.extract.adversaries import ADVERSARIES


def seen_of(name: str) -> str | None:
    """The adversary's sightings in words, of an adversary that has a name."""
    return f"{ADVERSARIES[name].sentence}." if name in ADVERSARIES else None
