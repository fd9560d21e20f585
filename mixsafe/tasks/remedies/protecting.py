"""What to do about traces that fail: remedies, what each costs, and the verdict afterwards."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pandas as pd

from mixsafe.errors import InputError
from mixsafe.extract.adversaries import DEFAULT
from mixsafe.extract.exchange.rules import ExchangeRules
from mixsafe.extract.extracted import Extraction
from mixsafe.extract.pose import pose
from mixsafe.geometry.grid import CellSize
from mixsafe.model.answer.verdict import DECISIONS, Verdict
from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.model.mobility.traces import Traces
from mixsafe.model.progress import Progress, no_progress
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Rule, checked_k
from mixsafe.tasks.remedies.ladders import Grain, Ladder, allows_more, grain_of, ladders_of
from mixsafe.tasks.remedies.largest_group import LargestGroup, Publication, largest_group, within
from mixsafe.verify.query import Query, Settings
from mixsafe.verify.verification import Verification, answer

AS_IT_IS, LEAVE_OUT = "as it is", "leave out"

_PASSES = (Verdict.SAFE, Verdict.WEAK_PASS)


@dataclass(frozen=True, eq=False)
class Remedy:
    """A remedy, what it costs, and what verify says afterwards.

    Parameters
    ----------
    name
        ``as it is``, ``leave out``, ``larger cells`` or ``longer steps``.
    grain
        How fine the traces are that are published.
    verdict
        On all who are published.
    left_out, left_out_at_least
        People who are not published, and how many cannot be by any choice.
    share_left_out
        Share of all fixes that are theirs; None: not known.
    answer
        What verify says of the others; None: nobody is left.
    seconds
        Wall time.
    """

    name: str
    grain: Grain
    verdict: Verdict
    left_out: int
    left_out_at_least: int
    share_left_out: float | None
    answer: Verification | None
    seconds: float

    @property
    def passes(self) -> bool:
        """Whether everybody who is published passes."""
        return self.verdict in _PASSES

    @property
    def counts(self) -> dict[str, int]:
        """Numbers of published people by the word of their verdict."""
        if self.answer is None:
            return {one.value: 0 for one in DECISIONS}
        found: dict[str, int] = self.answer.summary["users"]
        return found

    @property
    def pass_share(self) -> float:
        """Share of the published people who pass; 0 if nobody is published."""
        return self.counts["safe"] / max(sum(self.counts.values()), 1)

    def to_dict(self) -> dict[str, Any]:
        """The remedy as a JSON object."""
        answer = self.answer
        return {
            "remedy": self.name,
            "verdict": self.verdict.value,
            "left_out": self.left_out,
            "left_out_at_least": self.left_out_at_least,
            "share_of_fixes_left_out": self.share_left_out,
            "cell_size": self.grain.cell_size,
            "time_step": self.grain.time_step,
            "zones": 0 if answer is None else len(answer.problem.zones),
            "users": self.counts,
            "share_of_time_safe": None if answer is None else answer.summary["share_of_time_safe"],
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
    """

    name: str
    rule: Rule
    remedies: tuple[Remedy, ...]
    group: LargestGroup

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
            "rule": str(self.rule),
            "remedies": [one.to_dict() for one in self.remedies],
            "rounds": self.group.rounds,
            **self.group.to_dict(),
        }


Asking = Callable[[Grain], Publication]
"""The question about the same data, published by another grain."""


def protected(
    asking: Asking, grain: Grain, ladders: Sequence[Ladder], settings: Settings
) -> Protection:
    """Try all remedies.

    Parameters
    ----------
    asking
        The question.
    grain
        How fine the traces are.
    ladders
        Coarser grains; they are not tried if the traces pass as they are.
    settings
        Who decides; limits are those of the whole run.
    """
    deadline = Deadline((settings.limits or SolveLimits()).seconds)
    asked = asking(grain)
    now = _decided(AS_IT_IS, grain, asked, within(settings, deadline))
    began = time.monotonic()
    group = largest_group(asked, within(settings, deadline), now.answer)
    found = [now, _left_out(group, grain, time.monotonic() - began)]
    if not now.passes:
        for ladder in ladders:
            found += _climbed(ladder, asking, settings, deadline)
    rule = asked.query.rule or Rule.default(every_time=asked.requirements is None)
    return Protection(asked.problem.name, rule, tuple(found), group)


def _decided(name: str, grain: Grain, asked: Publication, settings: Settings) -> Remedy:
    """What verify says of everybody."""
    began = time.monotonic()
    found = answer(*asked.among(asked.everybody), settings)
    return Remedy(name, grain, found.verdict, 0, 0, 0.0, found, time.monotonic() - began)


def _left_out(group: LargestGroup, grain: Grain, seconds: float) -> Remedy:
    """The remedy of leaving people out."""
    left_out, traces, share = group.left_out, group.asked.traces, None
    if traces is not None and len(traces.user):
        share = round(float(left_out[traces.user].mean()), 6)
    total, at_best = int(group.kept.sum() + left_out.sum()), int(group.at_best.sum())
    verdict = Verdict.UNDECIDED if at_best else Verdict.UNSAFE
    if group.answer is not None:
        verdict = group.answer.verdict
    return Remedy(
        LEAVE_OUT,
        grain,
        verdict,
        int(left_out.sum()),
        total - at_best,
        share,
        group.answer,
        seconds,
    )


def _climbed(
    ladder: Ladder, asking: Asking, settings: Settings, deadline: Deadline
) -> Iterator[Remedy]:
    """Decide rungs of a ladder until the finest one that passes is known.

    Where each rung only allows more exchanges than the one before, halves of the ladder are enough
    (docs/develop/facts.md); otherwise the rungs are decided one after the other.
    """
    asked = [asking(grain) for grain in ladder.rungs]

    def decide(rung: int) -> Remedy:
        grain = ladder.rungs[rung]
        return _decided(ladder.name, grain, asked[rung], within(settings, deadline))

    posed = [one.among(one.everybody)[0] for one in asked]
    if not all(allows_more(fine, coarse) for fine, coarse in pairwise(posed)):
        for rung in range(len(asked)):
            found = decide(rung)
            yield found
            if found.passes:
                return
        return
    del posed
    low, high = 0, len(asked) - 1  # the rungs below `low` do not pass; if any passes, `high` does
    decided: dict[int, Remedy] = {}
    while low <= high:
        rung = high if not decided else (low + high) // 2
        decided[rung] = decide(rung)
        if decided[rung].passes:
            high = rung - 1
        elif len(decided) == 1:
            break
        else:
            low = rung + 1
    yield from (decided[rung] for rung in sorted(decided))


def protect(
    source: Traces | MixZones | Extraction | Problem,
    k: int | None = None,
    *,
    rule: Rule | str | None = None,
    adversary: str = DEFAULT,
    cell_size: CellSize = 100.0,
    time_step: int = 60,
    min_users: int = 2,
    steps_per_day: int = 20,
    rules: ExchangeRules | None = None,
    cell_sizes: Sequence[CellSize] | None = None,
    time_steps: Sequence[int] | None = None,
    limits: SolveLimits | None = None,
    progress: Progress = no_progress,
) -> Protection:
    """Find what makes a data set pass, and what it costs.

    Parameters
    ----------
    source
        What is to be published, or a problem.
    k, rule
        Candidates that a user needs, and when a user passes, as for :func:`mixsafe.verify`; k may
        be None for a problem with requirements.
    adversary, cell_size, time_step, min_users, steps_per_day, rules
        How the problem is posed: as for :func:`mixsafe.pose`; for a problem they are not used.
    cell_sizes, time_steps
        Of traces: larger cells and longer steps to try, in this order, as for
        :func:`mixsafe.tasks.remedies.ladders.ladders_of`; empty: none.
    limits
        Of the whole run.
    progress
        Called with stage, questions settled and questions asked.

    Returns
    -------
    Protection
        ``.verdict``, ``.table`` with a row per remedy, and ``.group``: the largest group of people
        who pass among themselves, with ``.table``, a row per person.

    Raises
    ------
    InputError
        Nothing is asked, a value out of range, or a ladder that the source cannot have.

    Examples
    --------
    >>> import mixsafe
    >>> found = mixsafe.protect(mixsafe.load(mixsafe.sample("town")), 3)
    >>> found.group.exact
    True
    """
    query = Query(checked_k(k), None, Rule.of(rule))
    traces = source if isinstance(source, Traces) else None

    def asking(grain: Grain) -> Publication:
        if isinstance(source, Problem):
            return Publication(source, query)
        problem = pose(
            source,
            adversary=adversary,
            cell_size=grain.cell_size or cell_size,
            time_step=grain.time_step or time_step,
            min_users=min_users,
            steps_per_day=steps_per_day,
        )
        return Publication(
            problem, query, rules or ExchangeRules(), traces, steps_per_day, min_users
        )

    grain, ladders = Grain(), tuple[Ladder, ...]()
    if traces is not None:
        grain = grain_of(traces, cell_size, time_step)
        ladders = ladders_of(traces, grain, cell_sizes, time_steps)
    elif cell_sizes or time_steps:
        raise InputError("larger cells and longer steps need traces", hint="give the traces")
    return protected(asking, grain, ladders, Settings(limits=limits, progress=progress))
