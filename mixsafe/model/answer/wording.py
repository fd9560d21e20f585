"""Formatting of numbers for people."""

from __future__ import annotations


def count(number: float) -> str:
    """Format a number with thousands separators."""
    return f"{number:,}"


def share(part: float) -> str:
    """Format a share in percent; 0% and 100% only if exact."""
    if 0 < part < 0.001:
        return "under 0.1%"
    if 0.999 < part < 1:
        return "over 99.9%"
    return f"{part:.1%}" if 0 < part < 1 else f"{part:.0%}"


def plural(number: int, one: str, many: str) -> str:
    """Format a number with a noun."""
    return f"{number:,} {one if number == 1 else many}"


def duration(steps: int, all_steps: int, step_seconds: int | None) -> str:
    """Format a duration in days, hours and minutes, or in steps without a clock.

    Parameters
    ----------
    steps, all_steps
        Number of steps, and the total of which they are a part.
    step_seconds
        Length of a step, seconds; None: steps are only numbered.
    """
    if step_seconds is None:
        return f"{steps:,} of {all_steps:,} steps"
    seconds = steps * step_seconds
    parts = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))
    units = [(seconds // size, unit) for size, unit in parts if seconds >= size]
    (number, unit), rest = units[0], seconds % parts[len(parts) - len(units)][0]
    said = f"{number:,} {unit}"
    if len(units) > 1:
        size, lesser = parts[len(parts) - len(units) + 1]
        said += f" {rest // size} {lesser}" if rest // size else ""
    return said
