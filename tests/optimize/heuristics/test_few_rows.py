"""The cheapest witness among a few rows: enough, and a minimum where there are no other rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings

from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Requirements
from mixsafe.optimize.heuristics.few_rows import RowMeetings, scan, tables, trace
from tests import oracles
from tests.strategies import problems


@settings(max_examples=80)
@given(problems())
def test_the_cheapest_second_candidate_among_all_rows_is_a_minimum(asked: Problem) -> None:
    user, t, _ = oracles.requirements_of(asked)[0]
    two = Requirements(*(np.array([value], np.int32) for value in (user, t, 2)))
    known = asked.knowledge
    named = np.isin(known.row, known.row[known.time == 0])
    seen = Knowledge(known.row[named], known.time[named])  # whose pseudonym is known
    posed = replace(asked, requirements=two, knowledge=seen)
    n = posed.zones.n_users
    rows = np.array([user, *(other for other in range(n) if other != user)], np.int64)
    price, meetings, table = np.ones(len(posed.zones)), RowMeetings.of(posed.zones, seen), tables(n)
    found = scan(rows[None], t, price, meetings, table)[0, 1:]
    least = oracles.minimum_zones(posed)
    assert (found.min() if np.isfinite(found.min()) else None) == least
    if least is not None:
        zones = trace(rows, t, int(found.argmin()) + 1, price, meetings, table)
        assert len(zones) == least
        assert oracles.meets_requirements(posed, zones.tolist())
