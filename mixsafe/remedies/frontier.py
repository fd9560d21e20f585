"""Remedies that no other one beats in cost and effect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import starmap
from operator import ge, le
from typing import Any

Row = Mapping[str, Any]
"""A remedy as JSON has it (:meth:`mixsafe.remedies.remedy.Remedy.to_dict`)."""

_RANK = {"safe": 2, "weak pass": 2, "undecided": 1, "unsafe": 0}


def frontier(rows: Sequence[Row]) -> list[Row]:
    """The remedies that no other one beats: costs no more, does no less, and differs.

    Of remedies that are alike in both, the first is kept.
    """
    figures = [(_costs(row), _effects(row)) for row in rows]
    return [
        row
        for place, row in enumerate(rows)
        if not any(
            _beats(figures[other], figures[place])
            and (other < place or figures[other] != figures[place])
            for other in range(len(rows))
        )
    ]


def _beats(
    one: tuple[tuple[float, ...], tuple[float, ...]],
    other: tuple[tuple[float, ...], tuple[float, ...]],
) -> bool:
    """Whether a remedy costs no more than another one, and does no less."""
    return all(starmap(le, zip(one[0], other[0], strict=True))) and all(
        starmap(ge, zip(one[1], other[1], strict=True))
    )


def not_published(row: Row) -> float:
    """Share of the fixes that are not published; where there are none, of time or of people."""
    if row["share_of_fixes_lost"] is not None:
        return float(row["share_of_fixes_lost"])
    if row["share_of_time_hidden"]:
        return float(row["share_of_time_hidden"])
    return float(row["left_out"] / max(row["left_out"] + sum(row["users"].values()), 1))


def _costs(row: Row) -> tuple[float, ...]:
    """What is not published, how far the rest is off, and whether pseudonyms change on schedule."""
    rotated = float(row["rotate"] is not None)
    return not_published(row), row["metres"] or 0.0, row["minutes"] or 0.0, rotated


def _effects(row: Row) -> tuple[float, ...]:
    """Whether all pass, and the share of those who do."""
    users = row["users"]
    return _RANK[row["verdict"]], users["safe"] / max(sum(users.values()), 1)
