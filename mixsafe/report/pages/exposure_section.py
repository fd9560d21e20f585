"""Page section on exposed places: a map, and a table with the same content."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mixsafe.report.base.page import (
    cell,
    count,
    embedded,
    numbers,
    plural,
    share,
    share_cell,
    table,
)

ROWS = 100
"""Places in the table, at most."""


def exposure_section(exposure: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Template values of an exposure view model; None: there is none.

    Parameters
    ----------
    exposure
        Time of people at places (:func:`mixsafe.report.view_models.exposure.exposure`).
    """
    if not exposure or not exposure["name"]:
        return None
    timed = exposure["step_seconds"] is not None
    return {
        "text": list(_text(exposure)),
        "when": "Time of the day" if timed else "Time steps",
        "slots": len(exposure["slots"]),
        "helps": exposure["words"]["helps"],
        "data": embedded(exposure),
        "table": _table(exposure),
    }


def _text(exposure: Mapping[str, Any]) -> list[str]:
    """Caption: what the map shows, and what it leaves out."""
    risk = sum(map(sum, exposure["risk"]))
    said = [
        exposure["words"]["about"].format(_long(risk, exposure["step_seconds"])),
    ]
    left = []
    if exposure["elsewhere"] > 0:
        left.append(
            f"{share(exposure['elsewhere'])} of the time at risk people are nowhere: they have no"
            " fix then"
        )
    other = exposure["other"]
    if other["places"]:
        left.append(
            f"{plural(other['places'], 'place has', 'places have')} no mark, with"
            f" {share(other['risk'])} of the time at risk"
        )
    if left:
        said.append(f"{'; '.join(left)}.")
    return said


def _long(steps: int, step_seconds: int | None) -> str:
    """A time of people, in hours or steps; below an hour as the map has it."""
    if step_seconds is None:
        return plural(steps, "step", "steps")
    seconds = steps * step_seconds
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{round(seconds / 60)} min"
    hours = seconds / 3600
    return f"{hours:,.1f} hours" if hours < 100 else f"{hours:,.0f} hours"


def _table(exposure: Mapping[str, Any]) -> dict[str, Any]:
    """The places with most time at risk."""
    seconds = exposure["step_seconds"]
    columns = (exposure[name] for name in ("name", "risk", "present", "safe"))
    rows = [
        [
            name,
            cell(_long(sum(risk), seconds), sum(risk)),
            share_cell(sum(risk) / max(sum(present), 1)),
            cell(_busiest(exposure["slots"], risk)),
            share_cell(safe),
        ]
        for name, risk, present, safe in list(zip(*columns, strict=True))[:ROWS]
    ]
    left = len(exposure["name"]) - len(rows)
    return table(
        "Places with most time at risk" + (f"; {count(left)} more are on the map" if left else ""),
        [
            "place" if exposure["unit"] == "metres" else "region",
            *numbers("time at risk", "of the time there"),
            "most of it",
            *numbers(f"share {exposure['words']['share']}"),
        ],
        rows,
    )


def _busiest(slots: list[str], risk: list[int]) -> str:
    """When a place has most time at risk."""
    return slots[risk.index(max(risk))] if any(risk) else "never"
