"""Checks of minimum numbers."""

from __future__ import annotations

from mixsafe.errors import InputError


def check_least(least: int = 1, **counts: int) -> None:
    """Refuse numbers that are too small; messages name the thing that is counted.

    Raises
    ------
    InputError
        One is less than ``least``.
    """
    for what, count in counts.items():
        if count < least:
            raise InputError(f"{count} {what} are too few", hint=f"use at least {least}")
