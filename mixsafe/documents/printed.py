"""Values as people read them, the same on terminal, page and picture."""

from __future__ import annotations

from mixsafe.documents.document import Unit, Value
from mixsafe.model.answer.wording import count, share
from mixsafe.model.mobility.time_axis import moment


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
    return f"{value:.3f}" if unit == "score" else count(value)
