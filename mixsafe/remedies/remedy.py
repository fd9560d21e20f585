"""Remedies: what each of them is, what it costs, and what verify says afterwards.

The cost is fixes that are not published, and how far off those are that are. The frontier are
remedies that no other one beats in cost and effect.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import starmap
from operator import ge, le
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from mixsafe.extract.positions import axis_of, grid_of, last_of_steps, steps_of
from mixsafe.geometry.grid import plane
from mixsafe.model.answer.verdict import DECISIONS, Verdict
from mixsafe.model.mobility.traces import Traces
from mixsafe.model.question.requirement import Rule
from mixsafe.remedies.publication import Asking, Flags, Form
from mixsafe.remedies.suppression import Hiding, LargestGroup
from mixsafe.verify.verification import Verification

AS_IT_IS, LEAVE_OUT, HIDE = "as it is", "leave out", "hide stretches"

Row = Mapping[str, Any]
"""A remedy as JSON has it (:meth:`mixsafe.remedies.remedy.Remedy.to_dict`)."""

_RANK = {"safe": 2, "weak pass": 2, "undecided": 1, "unsafe": 0}


@dataclass(frozen=True)
class Cost:
    """What is lost of traces.

    Parameters
    ----------
    lost
        Share of all fixes that are not published: those of people who are left out, those that are
        hidden, and those that a later fix of the same step replaces. None: not known.
    left_out
        Share of all fixes that are of people of whom nothing is published; None: not known.
    metres
        From a published fix to the middle of its cell, on average; None: no cells of a grid.
    minutes
        From the beginning of the step to a published fix, on average; None: no clock.
    """

    lost: float | None = None
    left_out: float | None = None
    metres: float | None = None
    minutes: float | None = None


@dataclass(frozen=True)
class PublishedFixes:
    """The fixes of traces that count in a form, the last one in each step.

    Parameters
    ----------
    traces, form
        The traces, and how they are published.
    """

    traces: Traces
    form: Form

    @cached_property
    def place(self) -> npt.NDArray[np.int64]:
        """(n_counted,) numbers of the fixes that count."""
        return np.flatnonzero(last_of_steps(self.traces.user, self._every_step))

    @property
    def user(self) -> npt.NDArray[np.int32]:
        """(n_counted,) users of these."""
        return self.traces.user[self.place]

    @property
    def step(self) -> npt.NDArray[np.int32]:
        """(n_counted,) steps of these."""
        return self._every_step[self.place]

    @cached_property
    def _every_step(self) -> npt.NDArray[np.int32]:
        axis = axis_of(self.traces, self.form.time_step or 60)
        return steps_of(self.traces.time, axis)

    @cached_property
    def _metres(self) -> npt.NDArray[np.float64] | None:
        """(n_counted,) way to the middle of the cell."""
        traces, size = self.traces, self.form.cell_size
        if size is None or traces.lat is None or traces.lon is None or traces.shapes is not None:
            return None
        lat, lon, grid = traces.lat[self.place], traces.lon[self.place], grid_of(traces, size)
        there = plane(grid.center, *grid.cell_center(grid.cell(lat, lon)))
        here = plane(grid.center, lat, lon)
        return np.hypot(there[0] - here[0], there[1] - here[1])

    @cached_property
    def _minutes(self) -> npt.NDArray[np.float64] | None:
        """(n_counted,) time since the step began."""
        if self.form.time_step is None:
            return None
        axis = axis_of(self.traces, self.form.time_step)
        return ((self.traces.time[self.place] - axis.first) % self.form.time_step) / 60

    def cost(self, published: Flags | None = None) -> Cost:
        """What is lost if only some of them are published, (n_counted,); None: all are."""
        total, counted = len(self.traces.user), len(self.place)
        which = np.ones(counted, bool) if published is None else published
        left = int(np.count_nonzero(which))
        if not total or not left:
            return Cost(1.0, 1.0) if total else Cost()
        shown = np.zeros(len(self.traces.users), bool)
        shown[self.user[which]] = True
        left_out = round(1 - float(shown[self.traces.user].mean()), 6)
        metres = None if self._metres is None else round(float(self._metres[which].mean()), 1)
        minutes = None if self._minutes is None else round(float(self._minutes[which].mean()), 2)
        return Cost(round(1 - left / total, 6), left_out, metres, minutes)


@dataclass(frozen=True)
class Option:
    """A remedy that may be tried.

    Parameters
    ----------
    number
        From 1 on; the same question always has the same numbers, whatever the answers are.
    ladder
        Name of the ladder that the form is on; None: the form of the data.
    form
        How the data are published.
    also
        ``leave out``, ``hide stretches``, or nothing.
    """

    number: int
    ladder: str | None
    form: Form
    also: str | None = None

    @property
    def name(self) -> str:
        """In words."""
        return ", ".join(filter(None, (self.ladder, self.also))) or AS_IT_IS


@dataclass(frozen=True, eq=False)
class Remedy:
    """A remedy, what it costs, and what verify says afterwards.

    Parameters
    ----------
    option
        What is done.
    verdict
        On what is published.
    cost
        What is lost of the traces.
    answer
        What verify says; None: nobody is left. Of stretches that are hidden: what it says before.
    seconds
        Wall time.
    group
        Of people who are left out: the largest group that passes.
    hiding
        The stretches that are hidden.
    """

    option: Option
    verdict: Verdict
    cost: Cost
    answer: Verification | None
    seconds: float
    group: LargestGroup | None = None
    hiding: Hiding | None = None

    def __repr__(self) -> str:
        return f"<Remedy {self.option.number}, {self.name}: {self.verdict.value}>"

    @property
    def name(self) -> str:
        """In words."""
        return self.option.name

    @property
    def form(self) -> Form:
        """How the data are published."""
        return self.option.form

    @property
    def passes(self) -> bool:
        """Whether everybody who is published passes."""
        return self.verdict.passes

    @property
    def left_out(self) -> int:
        """People of whom nothing is published."""
        if self.hiding is not None:
            return int(self.hiding.unseen.sum())
        return 0 if self.group is None else int(self.group.left_out.sum())

    @property
    def left_out_at_least(self) -> int:
        """How many people must be left out, whatever the choice."""
        if self.group is None:
            return self.left_out if self.verdict is not Verdict.UNDECIDED else 0
        there = int((self.group.kept | self.group.left_out).sum())
        return there - int(self.group.at_best.sum())

    @property
    def hidden(self) -> float:
        """Share of everybody's time that is hidden."""
        return 0.0 if self.hiding is None else self.hiding.share_of_time

    @property
    def counts(self) -> dict[str, int]:
        """Numbers of published people by the word of their verdict."""
        if self.hiding is not None:
            shown = int(self.hiding.shown.sum())
            word = "undecided" if self.hiding.open else "safe"
            return {one.value: shown * (one.value == word) for one in DECISIONS}
        if self.answer is None:
            return {one.value: 0 for one in DECISIONS}
        found: dict[str, int] = self.answer.summary["users"]
        return found

    @property
    def pass_share(self) -> float:
        """Share of the published people who pass; 0 if nobody is published."""
        return self.counts["safe"] / max(sum(self.counts.values()), 1)

    @property
    def share_of_time_safe(self) -> float | None:
        """Share of the published time at which there are enough candidates."""
        if self.answer is None:
            return None
        if self.hiding is not None:
            return 1.0 if self.hiding.verdict is Verdict.SAFE else None
        found: float = self.answer.summary["share_of_time_safe"]
        return found

    @property
    def zones(self) -> int:
        """Mix zones."""
        return 0 if self.answer is None else len(self.answer.problem.zones)

    def to_dict(self) -> dict[str, Any]:
        """The remedy as a JSON object."""
        return {
            "number": self.option.number,
            "remedy": self.name,
            "verdict": self.verdict.value,
            "left_out": self.left_out,
            "left_out_at_least": self.left_out_at_least,
            "share_of_time_hidden": round(self.hidden, 6),
            "share_of_fixes_left_out": self.cost.left_out,
            "share_of_fixes_lost": self.cost.lost,
            "metres": self.cost.metres,
            "minutes": self.cost.minutes,
            "cell_size": self.form.cell_size,
            "time_step": self.form.time_step,
            "rotate": self.form.rotate,
            "zones": self.zones,
            "users": self.counts,
            "share_of_time_safe": self.share_of_time_safe,
            "seconds": round(self.seconds, 3),
        }


@dataclass(frozen=True, eq=False)
class Protection:
    """Remedies for a data set.

    Parameters
    ----------
    name
        Of the problem.
    rule
        When a user passes.
    remedies
        The data as they are, then all that was decided.
    group
        The largest group of people who pass among themselves.
    asking
        The question, in any form of the data.
    """

    name: str
    rule: Rule
    remedies: tuple[Remedy, ...]
    group: LargestGroup
    asking: Asking

    def __repr__(self) -> str:
        return f"<Protection of {self.name}: {self.verdict.value}>"

    @property
    def verdict(self) -> Verdict:
        """SAFE if some remedy passes, else UNDECIDED if one may pass, else UNSAFE."""
        found = [one.verdict for one in self.remedies]
        if any(one.passes for one in self.remedies):
            return Verdict.SAFE
        return Verdict.UNDECIDED if Verdict.UNDECIDED in found else Verdict.UNSAFE

    @property
    def notes(self) -> tuple[str, ...]:
        """What was merged, dropped or assumed in the data as they are."""
        now = self.remedies[0].answer
        return () if now is None else now.notes

    @property
    def table(self) -> pd.DataFrame:
        """A row per remedy, as :meth:`Remedy.to_dict` without the users."""
        rows = [{**one.to_dict(), **one.counts} for one in self.remedies]
        return pd.DataFrame(rows).drop(columns="users")

    def to_dict(self) -> dict[str, Any]:
        """The remedies as a JSON object."""
        return {
            "verdict": self.verdict.value,
            "name": self.name,
            "knowledge": self.group.asked.problem.knowledge.reading,
            "rule": str(self.rule),
            "remedies": [one.to_dict() for one in self.remedies],
            "rounds": self.group.rounds,
            **self.group.to_dict(),
            **self.group.asked.problem.zones.premises.to_dict(),
        }


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
