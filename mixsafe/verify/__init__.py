"""Deciding: the entry point is :func:`verify`; numbers of facts refer to docs/develop/facts.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mixsafe.verify.verification import Verification, verify

__all__ = ["Verification", "verify"]


def __getattr__(name: str) -> object:
    """Load the engines when they are first asked for: they bring compiled code along."""
    if name in __all__:
        from mixsafe.verify import verification

        return getattr(verification, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
