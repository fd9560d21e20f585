"""Breaking numbers as proven bounds, their table and their JSON object."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mixsafe.breaking.targets import BreakingTarget
from mixsafe.journal.steps import Entry
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.question.problem import Problem

if TYPE_CHECKING:
    import pandas as pd

STATUSES = ("broken", "robust", "never", "undecided")
"""Known exactly; more than ``at_most``; no allowed sightings break it; bounds only.

A target that takes more than ``at_most`` sightings, or cannot be broken, has the lower bound
``at_most`` + 1 and no upper bound.
"""


class Suppression(NamedTuple):
    """Sightings to suppress so that the number of a target is larger.

    Parameters
    ----------
    lower
        Proven lower bound on the number of sightings.
    upper
        Size of the known set, ``sightings``; None: no set is known.
    sightings
        Row and step of each, by row and step.
    """

    lower: int
    upper: int | None
    sightings: tuple[tuple[int, int], ...] = ()


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
    suppress
        Sightings to suppress so that it takes one more; None: not requested, or impossible.
    """

    lower: int
    upper: int | None
    status: str
    sightings: tuple[tuple[int, int], ...] = ()
    suppress: Suppression | None = None

    @classmethod
    def recalled(cls, kept: Entry) -> Number:
        """The number stored by :attr:`entry`."""
        lower, upper, status = kept["bounds"].tolist()
        rows, steps = kept["sightings"].tolist()
        known = None if upper < 0 else upper
        return cls(lower, known, STATUSES[status], tuple(zip(rows, steps, strict=True)))

    @property
    def entry(self) -> Entry:
        """Journal entry, without the suppression."""
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
        The question, by name: ``target``, ``k``, ``at_most``, ``sightings``, ``away``,
        ``suppress``.
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
        known); if requested, suppress_lower, suppress_upper (empty: not known), suppress
        (user@time, or user@from..to).
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
        if self.asked.get("suppress"):
            less = [one.suppress or Suppression(0, None) for one in self.numbers]
            lower = [one.lower or None for one in less]
            columns["suppress_lower"] = pd.array(lower, "Int64")
            columns["suppress_upper"] = pd.array([one.upper for one in less], "Int64")
            columns["suppress"] = [" ".join(map(written, self.stretches(one))) for one in less]
        return pd.DataFrame(columns)

    def stretches(self, suppression: Suppression) -> list[tuple[Any, Any, Any]]:
        """User, first and last time of each interval to suppress."""
        zones = self.problem.zones
        users, label = np.asarray(zones.users).tolist(), zones.axis.label
        spans = self.spans(suppression)
        return [(users[row], label(begin), label(end)) for row, begin, end in spans]

    def spans(self, suppression: Suppression) -> list[tuple[int, int, int]]:
        """Row, first and last step of each interval to suppress."""
        found = list[list[int]]()
        for row, step in suppression.sightings:
            if found and found[-1][0] == row and found[-1][2] == step - 1:
                found[-1][2] = step
            else:
                found.append([row, step, step])
        return [(row, begin, end) for row, begin, end in found]

    def sightings_of(self, number: Number) -> list[tuple[Any, Any]]:
        """User and time of each sighting of a breaking set, as in the data."""
        zones = self.problem.zones
        users = np.asarray(zones.users).tolist()
        return [(users[row], zones.axis.label(step)) for row, step in number.sightings]

    def _suppressed(self, found: Suppression | None) -> dict[str, Any] | None:
        """A suppression as plain values."""
        if found is None:
            return None
        names = ("user", "from", "to")
        stretches = [dict(zip(names, one, strict=True)) for one in self.stretches(found)]
        return {"lower": found.lower, "upper": found.upper, "not_seen": stretches}

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
        sets = ["sightings", *(name for name in self.table if "suppress" in str(name))]
        columns = self.table.drop(columns=sets).to_dict(orient="records")
        for column, number in zip(columns, self.numbers, strict=True):
            seen = None
            if number.upper is not None:
                seen = [{"user": user, "time": at} for user, at in self.sightings_of(number)]
            values = {str(name): value for name, value in column.items()}
            row = {**values, "upper": number.upper, "sightings": seen}
            if self.asked.get("suppress"):
                row["suppress"] = self._suppressed(number.suppress)
            rows.append(row)
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


def written(stretch: tuple[Any, Any, Any]) -> str:
    """An interval of a user as in tables: user@time, or user@from..to."""
    user, begin, end = stretch
    return f"{user}@{begin}" if begin == end else f"{user}@{begin}..{end}"
