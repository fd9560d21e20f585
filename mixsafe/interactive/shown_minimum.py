"""Minimum sets of mix zones with pages, pictures and a summary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mixsafe.interactive.shown import ShowsItself
from mixsafe.optimize.answer import MinimumZones


@dataclass(frozen=True, eq=False, repr=False)
class MinimumShown(ShowsItself, MinimumZones):
    """An answer of ``optimize``."""

    @property
    def facts(self) -> Mapping[str, str]:
        """The question and its result."""
        cost = "none" if self.minimum is None else f"{self.minimum:,}"
        asked = self.problem.requirements
        return {
            "requirements": f"{0 if asked is None else len(asked):,}",
            "status": self.status,
            "fewest mix zones" if self.weight == "count" else "cost": cost,
            "at least": "nothing is enough" if self.bound is None else f"{self.bound:,}",
        }
