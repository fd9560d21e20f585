"""Time to confusion: against a loop over all moments, and what it must not do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.model.answer.time_followed import TimeFollowed
from mixsafe.model.csr import pointers
from mixsafe.model.mobility.published_steps import PublishedSteps
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.question.followed_zones import FollowedPeople
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.movement.time_followed import time_followed

STEPS, USERS = 12, 5


@st.composite
def meetings(draw: st.DrawFn) -> tuple[MixZones, FollowedPeople]:
    """Mix zones of two users each, published steps with gaps, and beliefs in own continuations."""
    random = np.random.default_rng(draw(st.integers(0, 1 << 32)))
    time = np.flatnonzero(random.random(STEPS) < draw(st.sampled_from([0.2, 0.5, 0.9]))) + 1
    members = [np.sort(random.choice(USERS, 2, replace=False)) for _ in time]
    zones_members = np.concatenate([*members, np.zeros(0, np.int64)]).astype(np.int32)
    published = random.random((USERS, STEPS)) < draw(st.sampled_from([0.5, 1.0]))
    for step, two in zip(time, members, strict=True):  # whoever is in a zone has a fix then
        published[two, step - 1] = True
    row, step = np.nonzero(published)
    steps = PublishedSteps.of(row.astype(np.int32), (step + 1).astype(np.int32), USERS)
    zones = MixZones(
        np.arange(USERS), TimeAxis(STEPS), time.astype(np.int32),
        pointers(np.full(len(time), 2)), zones_members,
        published=steps if draw(st.booleans()) else None,
    )  # fmt: skip
    people = np.flatnonzero(random.random(USERS) < 0.7)
    member = np.flatnonzero(np.isin(zones_members, people))
    member = member[np.argsort(zones_members[member], kind="stable")]
    belief = random.choice([0.0, 0.3, 0.5, 0.8, 0.95, 1.0], len(member))
    found = FollowedPeople(
        people, zones_members[member].astype(np.int64),
        zones.time[zones.zone_of_member[member]].astype(np.int64), belief, belief == 1,
    )  # fmt: skip
    return zones, found


def by_loop(
    zones: MixZones, people: FollowedPeople, least: float, *, after: bool = False
) -> TimeFollowed:
    """The same, moment by moment and zone by zone."""
    times = []
    for row in people.row.tolist():
        steps = np.arange(1, STEPS + 1)
        if zones.published is not None:
            published = zones.published
            steps = published.step[published.ptr[row] : published.ptr[row + 1]]
        mine = people.member == row
        met = list(zip(people.step[mine].tolist(), people.belief[mine].tolist(), strict=True))
        for start in steps.tolist():
            belief, end = 1.0, int(steps[-1])
            now = max((step for step, _ in met if step <= start), default=None)
            for step, part in met:
                if step > start or (after and step == now):
                    belief *= part
                    if belief < least * (1 - 1e-6):
                        end = step
                        break
            times.append(max(end - start, 0))
    if not times:
        return TimeFollowed(0.0, 0.0)
    return TimeFollowed(float(max(times)), float(np.median(times)))


@settings(max_examples=500)
@given(meetings(), st.sampled_from([1.0, 0.9, 0.64, 0.5, 0.1]), st.booleans())
def test_times_are_those_of_every_moment(
    met: tuple[MixZones, FollowedPeople], least: float, after: bool
) -> None:
    zones, people = met
    found = time_followed(zones, people, people.belief, least, after=after)
    assert found == by_loop(zones, people, least, after=after)


@settings(max_examples=200)
@given(meetings(), st.floats(0.01, 1), st.floats(0.01, 1))
def test_whoever_asks_for_less_belief_follows_for_longer(
    met: tuple[MixZones, FollowedPeople], one: float, other: float
) -> None:
    zones, people = met
    less, more = (
        time_followed(zones, people, people.belief, least) for least in sorted([one, other])
    )
    assert less.longest >= more.longest
    assert less.median >= more.median


def test_times_are_in_seconds_where_steps_have_a_clock() -> None:
    axis = TimeAxis(10, 0, 60)
    zones = MixZones(np.arange(2), axis, np.array([4], np.int32), np.array([0, 2]),
                     np.array([0, 1], np.int32))  # fmt: skip
    people = FollowedPeople(np.array([0, 1]), np.array([0, 1]), np.array([4, 4]),
                            np.array([0.5, 0.4]), np.zeros(2, bool))  # fmt: skip
    found = time_followed(zones, people, people.belief, 0.5)
    assert found.longest == 9 * 60  # the first one, from the first step to the last one
    assert time_followed(zones, people, people.belief, 0.9).longest == 6 * 60


@pytest.mark.parametrize("least", [1.0, 0.5])
def test_whoever_meets_nobody_is_followed_to_the_end(least: float) -> None:
    zones = MixZones(np.arange(2), TimeAxis(8), np.zeros(0, np.int32), np.array([0]),
                     np.zeros(0, np.int32))  # fmt: skip
    nothing = np.zeros(0, np.int64)
    people = FollowedPeople(np.arange(2), nothing, nothing, np.zeros(0), np.zeros(0, bool))
    assert time_followed(zones, people, people.belief, least) == TimeFollowed(7.0, 3.5)
