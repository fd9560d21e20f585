"""Numbers as people read them."""

from __future__ import annotations


def count(number: float) -> str:
    """A number with its thousands apart."""
    return f"{number:,}"


def share(part: float) -> str:
    """A share in percent; never 0% or 100% when it is not."""
    if 0 < part < 0.001:
        return "under 0.1%"
    if 0.999 < part < 1:
        return "over 99.9%"
    return f"{part:.1%}" if 0 < part < 1 else f"{part:.0%}"


def plural(number: int, one: str, many: str) -> str:
    """A number and what it counts."""
    return f"{number:,} {one if number == 1 else many}"


def duration(steps: int, all_steps: int, step_seconds: int | None) -> str:
    """A stretch of time, in days, hours and minutes, or, where there is no clock, in steps.

    Parameters
    ----------
    steps, all_steps
        Of the stretch, and of all that it is a part of.
    step_seconds
        Length of a step; None: steps are only numbered.
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
