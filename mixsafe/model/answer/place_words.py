"""Sentences about the places of candidates, for terminals and pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mixsafe.model.answer.wording import plural, share


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
