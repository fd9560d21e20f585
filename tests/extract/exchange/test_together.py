"""Releases of the same people as one problem: against the definition, assignment by assignment.

What stays safe or unsafe when data are added, and what does not.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.errors import InputError
from mixsafe.extract.adversaries import knowledge, sealed
from mixsafe.extract.exchange.movement import Movement, PlacedFixes
from mixsafe.extract.exchange.together import PosedRelease, joined, lasting
from mixsafe.model.course import Course
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.question.problem import Problem
from mixsafe.verify.query import Query, Settings
from mixsafe.verify.together import verify_together
from mixsafe.verify.verification import verify
from tests.support.oracles import agrees, assignments_of, domains, knowledge_of, zones_of
from tests.support.strategies import (
    knowledge_lists,
    mix_zones,
    problem,
    problems,
    with_gaps,
    zone_lists,
)

USERS = 3


@st.composite
def movements(draw: st.DrawFn, begin: int, steps: int) -> Movement:
    """Somebody's places on a line at some steps; people get one place further in a step."""
    user, time, place = [], [], []
    for row in range(USERS):
        for at in sorted(draw(st.sets(st.integers(1, steps), max_size=3))):
            user.append(row)
            time.append(begin + at - 1)
            place.append(draw(st.integers(0, 5)))
    point = np.stack([np.array(place, float), np.zeros(len(place))], axis=1)
    fixes = PlacedFixes(np.array(time, np.int64), point, np.zeros(len(place), np.int64))
    return Movement(np.array(user, np.int32), fixes, np.ones(USERS), np.zeros(USERS), False)


@st.composite
def releases(draw: st.DrawFn) -> PosedRelease:
    """A small problem of three people, and where they were; its steps begin at some time."""
    horizon, begin = draw(st.integers(1, 4)), draw(st.integers(1, 6))
    zones = draw(zone_lists(USERS, horizon, 3, 40))
    asked = problem(USERS, horizon, zones, draw(knowledge_lists(USERS, horizon)))
    axis = replace(asked.zones.axis, first=begin)
    zones = replace(asked.zones, axis=axis)
    return PosedRelease(replace(asked, zones=zones), draw(movements(begin, axis.steps)))


def fixes_that_count(release: PosedRelease, row: int, *, last: bool) -> list[tuple[int, float]]:
    """Time and place after the last zone of a row, or before its first one."""
    zones, movement = release.problem.zones, release.movement
    steps = zones.time[zones.zone_of_member[zones.members == row]].tolist()
    times = movement.fixes.time[movement.user == row].tolist()
    places = movement.fixes.point[movement.user == row, 0].tolist()
    first = zones.axis.first
    if last:
        bound = first + max(steps, default=-100) - 1
        return [(t, p) for t, p in zip(times, places, strict=True) if t >= bound]
    bound = first + min(steps, default=100) - 1
    return [(t, p) for t, p in zip(times, places, strict=True) if t < bound]


def one_person(one: PosedRelease, other: PosedRelease, a: int, b: int) -> bool:
    """Whether somebody made both tracks: no two neighbours in time are too far apart."""
    if a == b:
        return True
    mine = [(*fix, 0) for fix in fixes_that_count(one, a, last=True)]
    hers = [(*fix, 1) for fix in fixes_that_count(other, b, last=False)]
    in_order = sorted([*mine, *hers], key=lambda fix: (fix[0], fix[2]))
    return all(
        x[2] == y[2] or abs(x[1] - y[1]) <= max(abs(x[0] - y[0]), 1)
        for x, y in itertools.pairwise(in_order)
    )


def truth(one: PosedRelease, other: PosedRelease) -> tuple[dict, dict]:
    """Candidates in each of two releases, from all assignments of both and all links."""
    first, second = one.problem, other.problem
    begin = first.zones.axis.steps + 1
    known = [*knowledge_of(first), *((user, begin + t) for user, t in knowledge_of(second))]
    found: tuple[dict, dict] = ({}, {})
    links = [
        link
        for link in itertools.permutations(range(USERS))
        if all(one_person(one, other, a, b) for b, a in enumerate(link))
    ]
    later = list(assignments_of(second))
    for before in assignments_of(first):
        for link in links:
            start = [before[-1][a] for a in link]
            for after in later:
                history = [*before, *([start[i] for i in step] for step in after)]
                if agrees(history, known):
                    for t, row in enumerate(history):
                        which, at = (0, t) if t < begin else (1, t - begin)
                        for user in range(USERS):
                            found[which].setdefault((user, at), set()).add(row[user])
    return found


@given(one=releases(), other=releases())
@settings(max_examples=60, deadline=None)
def test_candidates_of_two_releases_are_those_of_the_definition(
    one: PosedRelease, other: PosedRelease
):
    whole = joined([one, other])
    answer = verify(whole.problem, exhaustive=True)
    said = {(row["user"], row["time"]): set(row["pseudonyms"]) for row in answer.domains}
    for number, found in enumerate(truth(one, other)):
        begin = int(whole.begin[number])
        assert {key: said[key[0], begin + key[1]] for key in found} == found


def begun(release: PosedRelease) -> PosedRelease:
    """The same, with everybody seen before the first step."""
    asked = release.problem
    known = asked.knowledge.with_more(np.arange(USERS), np.zeros(USERS, int))
    return PosedRelease(replace(asked, knowledge=known), release.movement)


@given(one=releases(), other=releases(), k=st.integers(2, 3), draws=st.data())
@settings(max_examples=40, deadline=None)
def test_each_release_is_judged_in_its_own_steps(one, other, k, draws) -> None:
    if draws.draw(st.booleans()):
        one, other = begun(one), begun(other)
    answer = verify_together([one, other], Query(k), Settings(), Course.begin)
    start = {(user, 0) for user in range(USERS)}
    comparable = [True, all(start <= set(knowledge_of(x.problem)) for x in (one, other))]
    expected = set()
    for number, found in enumerate(truth(one, other)):
        both = answer.together[number]
        assert (both is not None) == comparable[number]
        if both is None:
            continue
        steps = [one, other][number].problem.zones.axis.steps
        alone = answer.alone[number].user_rows.safe_share
        for user, share in enumerate(both.user_rows.safe_share.tolist()):
            safe = sum(len(found[user, t]) >= k for t in range(1, steps + 1))
            assert share == pytest.approx(safe / steps)
            assert share <= alone[user] + 1e-9
            if share < alone[user] - 1e-9:
                expected.add((number + 1, user))
    losing = answer.losers[["release", "user_id"]].to_numpy().tolist()
    assert {tuple(map(int, one)) for one in losing} == expected


@given(one=releases(), other=releases(), k=st.integers(2, 3), draws=st.data())
@settings(max_examples=25, deadline=None)
def test_each_release_is_judged_in_its_own_published_steps(one, other, k, draws) -> None:
    shown = st.sets(st.tuples(st.integers(0, USERS - 1), st.integers(1, 4)))
    gaps = [
        PosedRelease(with_gaps(begun(x).problem, draws.draw(shown)), x.movement)
        for x in (one, other)
    ]
    answer = verify_together(gaps, Query(k), Settings(), Course.begin)
    for number, found in enumerate(truth(*gaps)):
        both, zones = answer.together[number], gaps[number].problem.zones
        assert both is not None
        assert zones.published is not None
        pairs = set(zip(zones.published.row.tolist(), zones.published.step.tolist(), strict=True))
        for user, share, weight in zip(
            both.user_rows.user.tolist(),
            both.user_rows.safe_share.tolist(),
            both.user_rows.weight.tolist(),
            strict=True,
        ):
            steps = [t for who, t in pairs if who == user]
            safe = sum(len(found[user, t]) >= k for t in steps)
            assert (weight, share) == (len(steps), pytest.approx(safe / len(steps)))


def standing(places: list[float], time: int) -> Movement:
    """Everybody's place at one time; people get one place further in a step."""
    n_users = len(places)
    point = np.stack([np.array(places), np.zeros(n_users)], axis=1)
    fixes = PlacedFixes(np.full(n_users, time), point, np.zeros(n_users, np.int64))
    user = np.arange(n_users, dtype=np.int32)
    return Movement(user, fixes, np.ones(n_users), np.zeros(n_users), False)


def at_places(names: list[int], places: list[float], time: int) -> PosedRelease:
    """A release of two steps without mix zones, with somebody's place at the first one."""
    asked = problem(len(names), 2, [], [(user, 2) for user in range(len(names))])
    axis = replace(asked.zones.axis, first=time)
    zones = replace(asked.zones, users=np.array(names), axis=axis)
    return PosedRelease(Problem("r", zones, asked.knowledge), standing(places, time))


def test_three_releases_and_who_can_be_followed_from_one_to_the_next() -> None:
    parts = [
        at_places([1, 0, 2], [9.0, 0.0, 9.0], 1),
        at_places([2, 0, 1], [9.0, 0.0, 9.0], 3),
        at_places([0, 1, 2], [9.0, 9.0, 9.0], 4),
    ]
    whole = joined(parts)
    assert whole.problem.zones.users.tolist() == [0, 1, 2]
    assert whole.begin.tolist() == [0, 3, 6]
    assert [rows.tolist() for rows in whole.rows] == [[1, 0, 2], [2, 0, 1], [0, 1, 2]]
    assert whole.alike.tolist() == [[1, 2, 2], [1, 2, 2]]


def test_who_is_in_one_release_only_makes_room_for_everybody() -> None:
    """User 7 might be anybody in the first release, and 2 anybody in the second."""
    parts = [
        at_places([1, 0, 2], [9.0, 0.0, 9.0], 1),
        at_places([7, 0, 1], [9.0, 0.0, 9.0], 3),
    ]
    whole = joined(parts)
    assert whole.problem.zones.users.tolist() == [0, 1, 2, 7]
    assert whole.alike.tolist() == [[4, 4, 4, 4]]


def test_releases_that_cannot_be_joined_are_refused() -> None:
    asked = problem(2, 2, [])
    other = replace(asked, zones=replace(asked.zones, users=np.array([5, 6])))
    with pytest.raises(InputError, match="two releases or more"):
        joined([PosedRelease(asked)])
    with pytest.raises(InputError, match="releases 1 and 2 have no person in common"):
        joined([PosedRelease(asked), PosedRelease(other)])
    with pytest.raises(InputError, match="regions, and those of the next are not"):
        joined([PosedRelease(asked, standing([1.0, 2.0], 1)),
                PosedRelease(asked, replace(standing([1.0, 2.0], 2), straight=True))])  # fmt: skip


def candidates(asked: Problem) -> dict[tuple[int, int], set[int]]:
    zones = asked.zones
    return domains(zones.n_users, zones.axis.steps, zones_of(asked), knowledge_of(asked))


@given(asked=problems(max_horizon=6), data=st.data())
def test_what_is_safe_when_sealed_stays_safe(asked: Problem, data: st.DataObject) -> None:
    """The first steps alone and sealed, against all steps and any knowledge about later ones."""
    steps, n_users = asked.zones.axis.steps, asked.zones.n_users
    cut = data.draw(st.integers(1, steps))
    begun = problem(
        n_users,
        cut,
        [zone for zone in zones_of(asked) if zone[0] <= cut],
        [(user, t) for user, t in knowledge_of(asked) if t <= cut],
    )
    before = candidates(replace(begun, knowledge=sealed(begun)))
    after = candidates(asked)
    for (user, t), found in before.items():
        assert found <= after[user, t]
    unsealed = candidates(begun)
    for (user, t), found in unsealed.items():
        assert after[user, t] <= found  # what is unsafe stays unsafe


@pytest.mark.parametrize(
    ("adversary", "steps", "safe", "unsafe"),
    [
        ("none", 40, False, True),
        ("endpoints", 40, True, False),
        ("daily", 40, True, True),
        ("daily", 37, True, False),
    ],
)
def test_what_is_final_depends_on_who_is_seen(
    adversary: str, steps: int, safe: bool, unsafe: bool
) -> None:
    zones = mix_zones(3, steps, [(2, [0, 1])])
    asked = Problem("p", zones, knowledge(adversary, zones))
    found = lasting(asked, adversary)
    assert (found.safe, found.unsafe) == (safe, unsafe)
    assert (not found.why) == (safe and unsafe)
    closed = replace(asked, knowledge=sealed(asked))
    assert lasting(closed, adversary).safe
    assert not lasting(closed, adversary, limited=True).safe
    assert lasting(closed, adversary, limited=True).unsafe == unsafe
    learned = lasting(closed, adversary, learned=True)
    assert not learned.safe
    assert not learned.unsafe
    moving = lasting(closed, adversary, centred=True)
    assert not moving.safe
    assert not moving.unsafe
    assert "--cells h3:N" in moving.why[0]


def test_homes_can_change() -> None:
    asked = problem(2, 4, [(2, [0, 1])])
    found = lasting(replace(asked, knowledge=sealed(asked)), "home")
    assert not found.safe
    assert not found.unsafe


def test_calendar_days_end_at_midnight_and_who_has_no_data_is_not_seen() -> None:
    zones = mix_zones(3, 24, [(2, [0, 1])])
    zones = replace(zones, axis=TimeAxis(24, 0, 3600), absent=np.array([2]))
    asked = Problem("p", zones, knowledge("daily", zones))
    assert lasting(asked, "daily").unsafe
    shorter = replace(zones, axis=TimeAxis(23, 0, 3600))
    assert not lasting(Problem("p", shorter, knowledge("daily", shorter)), "daily").unsafe
    assert set(sealed(replace(asked, knowledge=knowledge("none", zones))).row.tolist()) == {0, 1}
