"""A run that goes on from an earlier one: the same answer, of later steps only."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.errors import InputError
from mixsafe.model.question.problem import Problem
from mixsafe.tasks.since import Earlier, until, verify_since
from mixsafe.verify.query import Query, Settings
from mixsafe.verify.verification import Verification, answer
from tests.support.oracles import knowledge_of, zones_of
from tests.support.relations import related_problems
from tests.support.strategies import problem, with_gaps

K = 2


def begun(asked: Problem, steps: int) -> Problem:
    """The first steps of a problem."""
    zones = asked.zones
    known = [(user, t) for user, t in knowledge_of(asked) if t <= steps]
    part = problem(zones.n_users, steps, [z for z in zones_of(asked) if z[0] <= steps], known)
    relation = zones.relation
    if relation is not None:
        relation = relation.those(np.arange(len(part.zones)))
    return replace(part, zones=replace(part.zones, relation=relation))


def earlier_of(found: Verification, folder: Path) -> Earlier:
    path = folder / "earlier.json"
    rows = json.loads(found.users.to_json(orient="records"))
    path.write_text(json.dumps({"until": until(found), "per_user": rows}))
    return Earlier.read(path)


@given(asked=related_problems(), data=st.data())
@settings(deadline=None)
def test_users_are_as_if_all_had_been_decided(asked, data, tmp_path_factory) -> None:
    horizon, n_users = asked.zones.axis.steps, asked.zones.n_users
    if horizon < 2:
        return
    steps = data.draw(st.integers(1, horizon - 1))
    everybody = np.arange(n_users)
    seen = asked.knowledge.with_more(everybody, np.full(n_users, steps))
    seen = seen.with_more(everybody, np.zeros(n_users, int))
    asked = replace(asked, knowledge=seen, requirements=None)
    earlier = earlier_of(
        answer(begun(asked, steps), Query(K), Settings()), tmp_path_factory.mktemp("run")
    )
    found = verify_since(asked, earlier, Query(K), Settings())
    expected = answer(asked, Query(K), Settings())
    for one, other in zip(found.user_rows, expected.user_rows, strict=True):
        np.testing.assert_allclose(one, other)
    assert found.verdict == expected.verdict
    assert (found.rows.end >= steps).all()


@pytest.fixture
def week() -> Problem:
    zones = [(1, [0, 1]), (2, [1, 2]), (5, [0, 1, 2])]
    known = [(user, t) for user in range(3) for t in (0, 3, 6)]
    return problem(3, 6, zones, known)


def test_a_run_that_is_not_the_same_before_is_not_continued(week: Problem, tmp_path: Path) -> None:
    earlier = earlier_of(answer(begun(week, 3), Query(K), Settings()), tmp_path)
    later = Query(K), Settings()
    with pytest.raises(InputError, match="asked for k = 2, not 3"):
        verify_since(week, earlier, Query(3), Settings())
    with pytest.raises(InputError, match=r"the data have no more \(3\)"):
        verify_since(begun(week, 3), earlier, *later)
    other = problem(3, 6, [(1, [0, 2]), (2, [1, 2])], knowledge_of(week))
    with pytest.raises(InputError, match="mix zones or sightings up to 3 are not those"):
        verify_since(other, earlier, *later)
    more = replace(week, knowledge=week.knowledge.with_more([1], [1]))
    with pytest.raises(InputError, match="are not those"):
        verify_since(more, earlier, *later)
    fewer = problem(3, 6, zones_of(week), [(user, 0) for user in range(3)])
    with pytest.raises(InputError, match="not everybody is seen at 3"):
        verify_since(fewer, earlier, *later)


def test_a_person_who_is_new_was_known_until_then(week: Problem, tmp_path: Path) -> None:
    """User 0 of the data comes later; the earlier run does not know that name."""
    known = [(user, t) for user in range(4) for t in (0, 3, 6)]
    zones = [(1, [1, 2]), (2, [2, 3]), (4, [0, 1]), (5, [0, 1])]
    whole = problem(4, 6, zones, known)
    names = replace(begun(week, 3).zones, users=np.array([1, 2, 3]))
    earlier = earlier_of(
        answer(replace(begun(week, 3), zones=names), Query(K), Settings()), tmp_path
    )
    found = verify_since(whole, earlier, Query(K), Settings())
    for one, other in zip(found.user_rows, answer(whole, Query(K), Settings()).user_rows,
                          strict=True):  # fmt: skip
        np.testing.assert_allclose(one, other)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"until": {}, "per_user": []}', "[" * 100_000])
def test_what_is_no_earlier_result_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "earlier.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"earlier\.json: this is no result that can be continued"):
        Earlier.read(path)


def test_published_steps_of_both_runs_count(week: Problem, tmp_path: Path) -> None:
    shown = [(0, 3), (0, 4), (1, 6), (2, 1)]
    earlier = earlier_of(answer(with_gaps(begun(week, 3), shown), Query(K), Settings()), tmp_path)
    asked = with_gaps(week, shown)
    found, expected = (
        verify_since(asked, earlier, Query(K), Settings()),
        answer(asked, Query(K), Settings()),
    )
    for one, other in zip(found.user_rows, expected.user_rows, strict=True):
        np.testing.assert_allclose(one, other)
    assert found.summary["share_of_time_safe"] == expected.summary["share_of_time_safe"]
    with pytest.raises(InputError, match="up to 3 are not those"):
        verify_since(with_gaps(week, [*shown, (2, 3)]), earlier, Query(K), Settings())
