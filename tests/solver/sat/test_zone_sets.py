"""One CP-SAT model for all sets of mix zones, against brute force."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.model.course import Course, SolveLimits
from mixsafe.model.question.problem import Problem
from mixsafe.solver.sat.zone_sets import CpSatZoneSets
from tests.support import oracles
from tests.support.cores import core_of
from tests.support.strategies import problem, problems

MEET_TWICE = problem(
    3, 4, [(1, [0, 1, 2]), (3, [0, 1, 2])], [(user, t) for user in range(3) for t in (0, 4)]
)


def zone_sets(
    asked: Problem, row: int, step: int, k: int, *, seconds: float | None = None, most: int = 1000
) -> CpSatZoneSets:
    n = len(asked.zones)
    course = Course.begin(SolveLimits(seconds, 1))
    return CpSatZoneSets(
        core_of(asked), np.arange(n), np.ones(n, np.int64), (row, step, k), course, most
    )


def candidates(asked: Problem, zones: np.ndarray, row: int, step: int) -> int:
    """How many there are if exchanges happen in some zones only, by enumeration."""
    everything = oracles.zones_of(asked)
    found = oracles.domains(
        asked.zones.n_users,
        asked.zones.axis.steps,
        [everything[z] for z in np.flatnonzero(zones)],
        oracles.knowledge_of(asked),
    )
    return len(found[row, step])


@given(asked=problems(max_zones=5, max_assignments=150), data=st.data())
@settings(max_examples=40)
def test_sets_are_decided_one_after_the_other_as_by_enumeration(
    asked: Problem, data: st.DataObject
) -> None:
    (row, step, k), *_ = oracles.requirements_of(asked)
    verifier = zone_sets(asked, row, step, k)
    n = len(asked.zones)
    for _ in range(4):  # what was shown before must not leak into the next set
        zones = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)), bool)
        verdict = verifier.ask(zones)
        assert verdict.met == (candidates(asked, zones, row, step) >= k)
        assert not np.any(verdict.part & ~zones)
        if not verdict.met:
            continue
        assert candidates(asked, verdict.part, row, step) >= k
        if verdict.is_smallest:
            size = int(verdict.part.sum())
            for fewer in combinations(np.flatnonzero(zones).tolist(), max(size - 1, 0)):
                tried = np.isin(np.arange(n), fewer)
                assert size == 0 or candidates(asked, tried, row, step) < k


def test_a_model_that_is_too_large_is_not_built_and_that_is_said() -> None:
    verifier = zone_sets(MEET_TWICE, 0, 2, 3, most=16)
    assert verifier.ask(np.ones(2, bool)).met is None
    assert verifier.notes == ["too large for CP-SAT: 17 variables, more than 16"]
    assert zone_sets(MEET_TWICE, 0, 2, 3, most=17).ask(np.ones(2, bool)).met is True


def test_one_candidate_needs_no_zone() -> None:
    verdict = zone_sets(MEET_TWICE, 0, 2, 1, most=0).ask(np.ones(2, bool))
    assert verdict.met is True
    assert not verdict.part.any()


def test_candidates_that_were_shown_are_not_asked_for_again() -> None:
    verifier = zone_sets(MEET_TWICE, 0, 2, 3)
    everything = np.ones(2, bool)
    assert verifier.ask(everything).met is True
    verifier._another = None  # type: ignore[assignment, method-assign]
    assert verifier.ask(everything).met is True


def test_a_token_seen_at_the_start_is_not_left_to_another_person_who_is_seen() -> None:
    # 1 was seen at step 0, so the token on 0 at step 1 is not 1, although nothing else is known.
    asked = problem(4, 2, [(1, [0, 1, 2]), (2, [0, 1])], [(0, 1), (1, 0)], distinct=True)
    verifier = zone_sets(asked, 0, 1, 2)
    assert verifier.ask(np.ones(2, bool)).met is True
    assert [token for token, _ in verifier._shown] == [2]
