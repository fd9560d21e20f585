"""Mix zones are the groups of users at one place in one step, and nothing else."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.errors import InputError
from mixsafe.extract.zones import mix_zones
from tests.support.extraction_worlds import positions_of, worlds


def by_definition(world, min_users=2):
    """Zones as sorted (step, place, members)."""
    groups = defaultdict(list)
    for (user, step), place in world.items():
        groups[step, place].append(user)
    return [
        (step, place, sorted(users))
        for (step, place), users in sorted(groups.items())
        if len(users) >= min_users
    ]


def listed(zones):
    return [
        (int(time), int(place), zones.members[start:end].tolist())
        for time, place, start, end in zip(
            zones.time, zones.place, zones.ptr[:-1], zones.ptr[1:], strict=True
        )
    ]


@given(worlds, st.integers(2, 4))
def test_mix_zones_are_those_of_the_definition(world, min_users):
    found = mix_zones(positions_of(world), min_users=min_users)
    assert listed(found) == by_definition(world, min_users)


@given(worlds, st.integers(-(2**62), 2**62), st.integers(0, 6))
def test_they_are_the_same_where_some_steps_are_looked_at_at_a_time(world, first, at_once):
    places = {key: first + place // 4 for key, place in world.items()}  # few, close to each other
    assert listed(mix_zones(positions_of(places), at_once=at_once)) == by_definition(places)


@given(worlds, st.integers(-(2**62), 2**62))
def test_the_names_of_places_may_be_any_numbers(world, first):
    places = {key: first + 10**12 * place for key, place in world.items()}
    found = mix_zones(positions_of(places))
    assert listed(found) == by_definition(places)


def test_one_place_alone_has_a_zone_in_the_step_of_its_meeting():
    assert listed(mix_zones(positions_of({(0, 3): 7, (1, 3): 7}))) == [(3, 7, [0, 1])]


def test_users_alone_or_apart_meet_nobody():
    zones = mix_zones(positions_of({(0, 1): 3, (1, 2): 3, (2, 1): 4}))
    assert len(zones) == 0
    assert zones.n_users == 3


@pytest.mark.parametrize("min_users", [1, 0, -1])
def test_a_user_alone_is_no_mix_zone(min_users):
    with pytest.raises(InputError, match="two users"):
        mix_zones(positions_of({(0, 1): 3, (1, 1): 3}), min_users=min_users)


def test_a_million_users_in_one_zone_take_a_moment():
    n_users = 1_000_000
    where = positions_of({(0, 1): 1})
    crowd = type(where)(
        users=np.arange(n_users),
        axis=where.axis,
        row=np.arange(n_users, dtype=np.int32),
        step=np.ones(n_users, np.int32),
        place=np.zeros(n_users, np.int64),
    )
    assert mix_zones(crowd).sizes.tolist() == [n_users]
