"""Remedies: what each of them is, what it costs, and what verify says afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from mixsafe.model.answer.verdict import DECISIONS, Verdict
from mixsafe.model.question.requirement import Rule
from mixsafe.remedies.costs import Cost
from mixsafe.remedies.hiding import Hiding
from mixsafe.remedies.ladders import Form
from mixsafe.remedies.largest_group import LargestGroup
from mixsafe.remedies.publication import Asking
from mixsafe.verify.verification import Verification

AS_IT_IS, LEAVE_OUT, HIDE = "as it is", "leave out", "hide stretches"


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
