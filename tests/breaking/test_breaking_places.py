"""Places of sightings that break somebody."""

from __future__ import annotations

import numpy as np

from mixsafe.breaking.breaking import breaking
from mixsafe.breaking.breaking_places import with_places
from mixsafe.documents.atlas import Atlas
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Positions
from tests.support.strategies import problem

# 0 and 1 meet at step 1 and again at step 3, and are known at the ends: one sighting between, or
# at a meeting, tells them apart. At step 2 user 0 is nowhere.
MEETING = problem(2, 4, [(1, [0, 1]), (3, [0, 1])], [(0, 0), (1, 0), (0, 4), (1, 4)])
PLACES = {0: {1: 7, 3: 9, 4: 7}, 1: {1: 7, 2: 8, 3: 9, 4: 9}}


def _atlas() -> Atlas:
    told = [(row, step, place) for row, at in PLACES.items() for step, place in at.items()]
    row, step, place = np.array(told).T
    return Atlas(None, Positions(np.arange(2), TimeAxis(4), row, step, place))


def test_each_sighting_has_the_place_where_she_is() -> None:
    found = breaking(MEETING, k=2)
    told, atlas = found.to_dict(), _atlas()
    for row, number, before in zip(
        with_places(told, found, atlas)["breaking"], found.numbers, told["breaking"], strict=True
    ):
        assert number.sightings
        for one, (user, step) in zip(row["sightings"], number.sightings, strict=True):
            place = PLACES[user].get(step)
            assert one["place"] == (None if place is None else atlas.name(place))
        assert {**row, "sightings": 0} == {**before, "sightings": 0}
    assert "place" not in str(told["breaking"])


def test_who_is_nowhere_has_no_place_and_steps_before_anything_happens_have_none() -> None:
    found = breaking(problem(2, 4, [(1, [0, 1]), (3, [0, 1])], [(0, 4), (1, 4)]), k=2)
    told = with_places(found.to_dict(), found, _atlas())["breaking"]
    steps = [step for number in found.numbers for _, step in number.sightings]
    places = [one["place"] for row in told for one in row["sightings"]]
    assert 0 in steps
    assert all(place is None for step, place in zip(steps, places, strict=True) if step == 0)


def test_without_places_nothing_is_told_of_them() -> None:
    found = breaking(MEETING, k=2)
    told = found.to_dict()
    assert with_places(told, found, None) is told
    assert with_places(told, found, Atlas()) is told
