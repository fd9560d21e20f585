"""Checks of numbers of things."""

from __future__ import annotations

from mixsafe.errors import InputError
from mixsafe.model.numerals import MOST_WHOLE, check_most


def check_least(least: int = 1, **counts: int) -> None:
    """Refuse numbers that are too small or too large; messages name the thing that is counted.

    Raises
    ------
    InputError
        One is less than ``least``, or more than any option takes.
    """
    for what, count in counts.items():
        if count < least:
            raise InputError(f"{count} {what} are too few", hint=f"use at least {least}")
        check_most(count, f"{what}:", MOST_WHOLE)
