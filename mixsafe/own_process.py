"""Whether the whole process is mixsafe's, as that of its command is: no notebook of somebody."""

from __future__ import annotations


class _Process:
    claimed = False


def claim() -> None:
    """Say that nobody else's code runs in this process: what that alone needs is not loaded."""
    _Process.claimed = True


def is_claimed() -> bool:
    """Whether it is."""
    return _Process.claimed
