"""Wording for people: numbers, and sentences about the places of candidates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


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


def listed(shown: int, number: int, one: str, many: str) -> str:
    """Format how many things a list shows, and of how many if it leaves some out."""
    left_out = f"{count(shown)} of " if shown < number else ""
    return f"{left_out}{plural(number, one, many)}"


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


def place_sentences(places: Mapping[str, Any] | None) -> Iterator[str]:
    """For how much of the time all candidates are at one place, and at sensitive ones.

    Parameters
    ----------
    places
        The entry ``places`` of the summary of an answer; None: places were not counted.
    """
    if places is None:
        return
    where = "one place" if places["named"] else "one place (cell or region)"
    yield _sentence(places["one_place"], where)
    if places["sensitive"] is not None:
        yield _sentence(places["sensitive"], "places marked sensitive")
    without = places["without_fix"]
    if without:
        stretches = plural(without, "stretch is", "stretches are")
        yield f"{stretches} undecided only because some candidates show no place then."


def _sentence(shares: Mapping[str, float | None], where: str) -> str:
    """Shares of the time with k candidates, and of all time."""
    told = [
        f"{share(part)} of {time}{_undecided(shares[f'undecided_{name}'])}"
        for name, time in (
            ("share_of_safe_time", "the time with k candidates or more"),
            ("share_of_time", "all time"),
        )
        if (part := shares[name]) is not None
    ]
    return f"All candidates are at {where} for {' and '.join(told) or 'no time'}."


def _undecided(part: float | None) -> str:
    return f" ({share(part)} undecided)" if part else ""
