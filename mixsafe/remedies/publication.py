"""Questions about data before they are published: without some people, or in another form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.extract.adversaries import DEFAULT
from mixsafe.extract.exchange.rules import ExchangeRules, with_rules
from mixsafe.model.mobility.traces import Traces
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Requirements, Rule
from mixsafe.network.compression import without
from mixsafe.network.subproblem import among_users
from mixsafe.remedies.ladders import Form
from mixsafe.verify.query import Query

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Publication:
    """A question that can be asked again without some people.

    Parameters
    ----------
    problem
        Meetings and knowledge, before ``rules`` apply.
    query
        What is asked of everybody.
    rules, traces, steps_per_day
        Which exchanges are possible: as for :func:`mixsafe.extract.exchange.rules.with_rules`.
    fewest
        Fewest people who make a mix zone, >= 2.
    """

    problem: Problem
    query: Query
    rules: ExchangeRules = field(default_factory=ExchangeRules)
    traces: Traces | None = None
    steps_per_day: int = 20
    fewest: int = 2

    @cached_property
    def requirements(self) -> Requirements | None:
        """What is asked at single steps; None: everybody is asked about at every time."""
        return self.query.requirements(self.problem)

    @property
    def rule(self) -> Rule:
        """When a user passes."""
        return self.query.rule or Rule.default(every_time=self.requirements is None)

    @property
    def everybody(self) -> Flags:
        """(n_users,) those whom the question is about: with data, or all who are named."""
        kept = np.ones(self.problem.zones.n_users, bool)
        if self.requirements is None:
            kept[self.problem.zones.absent] = False
        return kept

    def among(self, kept: Flags) -> tuple[Problem, Query]:
        """The question when only the people ``kept``, (n_users,), are published.

        Nobody else is in a mix zone, passes or fails. Rows, steps, places and sightings stay.
        """
        problem, _ = among_users(self.problem, np.flatnonzero(kept))
        zones = without(problem.zones, problem.zones.sizes < self.fewest)
        gone = np.union1d(zones.absent, np.flatnonzero(~kept))
        zones = replace(zones, absent=gone)
        if zones.n_users - len(gone) >= 2:
            zones = with_rules(zones, self.rules, self.traces, self.steps_per_day).zones
        asked, k = self.requirements, self.query.k
        if asked is not None:
            asked, k = asked.those(kept[asked.row]), None
        query = Query(k, None, self.rule, distinct_places=self.query.distinct_places)
        return replace(problem, zones=zones, requirements=asked), query


@dataclass(frozen=True)
class Asking:
    """The question about data that may be published in several forms.

    Parameters
    ----------
    data
        Traces, mix zones, what was extracted from traces, or a problem.
    pose
        Poses the question about such data in a form.
    adversary
        Options of ``mixsafe verify`` that say what she knows of traces.
    """

    data: Any
    pose: Callable[[Any, Form], Publication]
    adversary: str = f"--adversary {DEFAULT}"

    def __call__(self, form: Form) -> Publication:
        """The question about the data in a form."""
        return self.pose(self.data, form)

    def again(self, traces: Traces, form: Form) -> Publication:
        """The question about traces that were written in a form; their places are regions."""
        return self.pose(traces, Form(time_step=form.time_step, rotate=form.rotate))
