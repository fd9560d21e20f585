"""Values as people read them, the same on terminal, page and picture."""

from __future__ import annotations

from mixsafe.documents.document import Unit, Value
from mixsafe.model.answer.wording import count, share
from mixsafe.model.mobility.time_axis import moment

NUMBERS = ("count", "share", "score", "seconds", "minutes", "metres")
"""Units of numbers, which stand flush right."""


def printed(value: Value, unit: Unit) -> str:
    """A value of a document as text; one that is not there is a dash."""
    if value is None:
        return "-"
    if unit == "moment":
        return moment(value) if isinstance(value, str) else str(value)
    if isinstance(value, str):
        return value
    if unit == "share":
        return share(value)
    if unit == "seconds":
        return f"{value:,.1f} s" if value >= 1 else f"{value:.2g} s"
    if unit == "minutes":
        return f"{value:,.1f} min"
    if unit == "metres":
        return f"{value:,.0f} m"
    if unit == "score":
        return f"{value:.3f}"
    return count(int(value) if value == int(value) else value)  # a median may be a half
