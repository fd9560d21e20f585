"""What is known by assumption is counted step by step, as its definition says it."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.model.course import SolveLimits
from mixsafe.model.question.adversary import Pins
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Rule
from mixsafe.model.release import Cells
from mixsafe.release.audit import audit
from mixsafe.release.evidence import Evidence, Published
from mixsafe.verify.verification import verify
from tests.support import oracles
from tests.support.strategies import problem, problems

ONE_WORKER = SolveLimits(workers=1)


def segment_is_seen(presolved: Problem, user: int, step: int) -> bool:
    """Whether the adversary saw the user between the same two of her mix zones."""
    met = {t for t, members in oracles.zones_of(presolved) if user in members}
    seen = [t for who, t in oracles.knowledge_of(presolved) if who == user]
    return any(not met & set(range(min(t, step) + 1, max(t, step) + 1)) for t in seen)


@settings(max_examples=60, deadline=None)
@given(presolved=problems(max_assignments=300), k=st.integers(2, 4))
def test_shares_of_time_are_those_of_the_definition(presolved: Problem, k: int) -> None:
    domains, horizon = oracles.domains_of(presolved), presolved.zones.axis.steps
    users = verify(presolved, k=k, rule=Rule("some"), limits=ONE_WORKER).users.set_index("user_id")
    for user, row in users.iterrows():
        few = [t for t in range(1, horizon + 1) if len(domains[user, t]) < k]
        known = sum(segment_is_seen(presolved, user, t) for t in few)
        assert round(row["known_share"] * horizon) == known
        assert round(row["safe_share"] * horizon) == horizon - len(few)


@settings(max_examples=40, deadline=None)
@given(presolved=problems(max_assignments=300))
def test_so_are_those_of_single_times(presolved: Problem) -> None:
    domains = oracles.domains_of(presolved)
    answer = verify(presolved, limits=ONE_WORKER)
    assert answer.results is not None
    asked = oracles.requirements_of(presolved)
    for user, row in answer.users.set_index("user_id").iterrows():
        times = [(t, k) for who, t, k in asked if who == user]
        few = [t for t, k in times if len(domains[user, t]) < k]
        known = sum(segment_is_seen(presolved, user, t) for t in few)
        assert row["known_share"] * len(times) == known


def test_the_ends_that_everybody_is_seen_at_are_told_apart() -> None:
    """0 and 1 exchange in the middle: each has two candidates between, and one at the ends."""
    ends = [(user, t) for user in range(3) for t in (0, 9)]
    answer = verify(problem(3, 9, [(3, [0, 1]), (7, [0, 1])], ends), k=2)
    headline = answer.headline
    assert answer.users["known_share"].round(6).tolist() == [round(5 / 9, 6)] * 2 + [1.0]
    assert (headline.followed, headline.always) == (0, 1)
    assert headline.sentence == "1 of 3 people never has 2 candidate pseudonyms (2)."


def test_of_an_audit_only_the_moments_of_sightings_are_known_by_assumption() -> None:
    """On which track somebody is whom the adversary saw, the adversary has to find out."""
    cells = Cells.of_regions(np.array([[1, 1, 1, 1], [2, 2, 2, 2]]), 3, first_time=1)
    published = Published.of_cells(cells)
    one = np.zeros(1, np.int32)
    pins = Pins(one, np.full(1, 2, np.int32), np.array([0, 1]), one)
    answer = audit(Evidence(published.zones, np.array(["ann"]), pins), 2, limits=ONE_WORKER)
    assert answer.users["known_share"].tolist() == [0.25]
    assert answer.headline.followed_share == 1.0
