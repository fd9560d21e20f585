"""Breaking numbers as proven bounds, their table and their JSON object."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mixsafe.breaking.targets import BreakingTarget
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.course import Entry
from mixsafe.model.question.problem import Problem

if TYPE_CHECKING:
    import pandas as pd

STATUSES = ("broken", "robust", "never", "undecided")
"""Known exactly; more than ``at_most``; no allowed sightings break it; bounds only.

A target that takes more than ``at_most`` sightings, or cannot be broken, has the lower bound
``at_most`` + 1 and no upper bound.
"""


class Number(NamedTuple):
    """Bounds on how many further sightings break a target.

    Parameters
    ----------
    lower
        Proven lower bound, shown by witnesses.
    upper
        Proven upper bound, shown by ``sightings``; None: no breaking set is known.
    status
        One of :data:`STATUSES`.
    sightings
        Row and step of each sighting of a set that breaks the target.
    """

    lower: int
    upper: int | None
    status: str
    sightings: tuple[tuple[int, int], ...] = ()

    @classmethod
    def recalled(cls, kept: Entry) -> Number:
        """The number stored by :attr:`entry`."""
        lower, upper, status = kept["bounds"].tolist()
        rows, steps = kept["sightings"].tolist()
        known = None if upper < 0 else upper
        return cls(lower, known, STATUSES[status], tuple(zip(rows, steps, strict=True)))

    @property
    def entry(self) -> Entry:
        """Journal entry."""
        upper = -1 if self.upper is None else self.upper
        bounds = np.array([self.lower, upper, STATUSES.index(self.status)])
        return {"bounds": bounds, "sightings": np.array(self.sightings, np.int64).reshape(-1, 2).T}


@dataclass(frozen=True, eq=False)
class BreakingNumbers:
    """How many further sightings break each target.

    Parameters
    ----------
    problem
        Mix zones and base knowledge.
    asked
        The question, by name: ``target``, ``k``, ``at_most``, ``sightings``, ``away``.
    targets, numbers
        One each.
    seconds
        Wall time.
    """

    problem: Problem
    asked: dict[str, Any]
    targets: tuple[BreakingTarget, ...]
    numbers: tuple[Number, ...]
    seconds: float

    def __repr__(self) -> str:
        n_targets = len(self.targets)
        return f"<BreakingNumbers of {self.problem.name}: {n_targets:,}, {self.verdict.value}>"

    @property
    def each(self) -> bool:
        """Whether each wire, or requirement, is a separate target."""
        return bool(self.asked["target"] == "each")

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row per target.

        user_id, with ``each`` from_time and to_time, k, lower, upper (empty: no set is known),
        status, sightings (of a breaking set: user@time, separated by spaces; empty: no set is
        known).
        """
        import pandas as pd

        zones = self.problem.zones
        columns: dict[str, Any] = {"user_id": [zones.users[one.user] for one in self.targets]}
        if self.each:
            columns["from_time"] = [zones.axis.label(one.start) for one in self.targets]
            columns["to_time"] = [zones.axis.label(one.end) for one in self.targets]
        columns["k"] = [int(one.k.max()) for one in self.targets]
        columns["lower"] = [one.lower for one in self.numbers]
        columns["upper"] = pd.array([one.upper for one in self.numbers], "Int64")
        columns["status"] = [one.status for one in self.numbers]
        columns["sightings"] = [
            None
            if one.upper is None
            else " ".join(f"{user}@{time}" for user, time in self.sightings_of(one))
            for one in self.numbers
        ]
        return pd.DataFrame(columns)

    def sightings_of(self, number: Number) -> list[tuple[Any, Any]]:
        """User and time of each sighting of a breaking set, as in the data."""
        zones = self.problem.zones
        users = np.asarray(zones.users).tolist()
        return [(users[row], zones.axis.label(step)) for row, step in number.sightings]

    @cached_property
    def summary(self) -> dict[str, Any]:
        """Counts of targets by status, and by the number of sightings that break them.

        ``broken_by[m]``: targets that m further sightings, the worst ones, are proven to break;
        ``perhaps_by[m]``: targets that m sightings may break (not excluded).
        """
        at_most = int(self.asked["at_most"])
        sizes = range(at_most + 1)
        broken = [sum(n.upper is not None and n.upper <= m for n in self.numbers) for m in sizes]
        perhaps = [sum(n.lower <= m for n in self.numbers) for m in sizes]
        counts = {word: sum(n.status == word for n in self.numbers) for word in STATUSES}
        return {
            "targets": len(self.targets),
            **counts,
            "broken_by": broken,
            "perhaps_by": perhaps,
        }

    @property
    def verdict(self) -> Verdict:
        """Whether all targets hold without any further sighting."""
        if any(number.upper == 0 for number in self.numbers):
            return Verdict.UNSAFE
        return (
            Verdict.UNDECIDED if any(number.lower == 0 for number in self.numbers) else Verdict.SAFE
        )

    def to_dict(self) -> dict[str, Any]:
        """The answer as a JSON object."""
        rows: list[dict[str, Any]] = []
        columns = self.table.drop(columns="sightings").to_dict(orient="records")
        for column, number in zip(columns, self.numbers, strict=True):
            seen = None
            if number.upper is not None:
                seen = [{"user": user, "time": at} for user, at in self.sightings_of(number)]
            values = {str(name): value for name, value in column.items()}
            rows.append({**values, "upper": number.upper, "sightings": seen})
        return {
            "verdict": self.verdict.value,
            "name": self.problem.name,
            "users": self.problem.zones.n_users,
            "steps": self.problem.zones.axis.steps,
            "zones": len(self.problem.zones),
            "knowledge": self.problem.knowledge.reading,
            "seconds": round(self.seconds, 3),
            "asked": self.asked,
            "summary": self.summary,
            "breaking": rows,
            **self.problem.zones.premises.to_dict(),
        }
