"""Fewest places: all zones of a place take part together, and no cheaper places are enough."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.errors import InputError
from mixsafe.model.question.places import ZonePlaces
from mixsafe.model.question.problem import Problem
from mixsafe.optimize import zone_strategy
from mixsafe.optimize.minimum import minimum_zones
from mixsafe.optimize.reduction import among, needed_zones
from mixsafe.optimize.zone_groups import ZoneGroups
from tests.support import oracles
from tests.support.budgets import budgets
from tests.support.strategies import problem, problems


@st.composite
def at_places(draw: st.DrawFn) -> Problem:
    """Problems whose zones are at up to four places, which cost 0 to 4 each, or all cost 1."""
    asked = draw(problems())
    n = draw(st.integers(1, 4))
    names = draw(
        st.lists(st.sampled_from("PQRS"[:n]), min_size=len(asked.zones), max_size=len(asked.zones))
    )
    places = ZonePlaces.named(names)
    if draw(st.booleans()):
        cost = draw(st.lists(st.integers(0, 4), min_size=len(places), max_size=len(places)))
        places = replace(places, cost=np.array(cost, np.int64))
    return replace(asked, places=places)


@pytest.mark.parametrize(
    ("method", "numbers"),
    [
        ("auto", {}),
        ("auto", {"few": 0.99, "stuck": 0.0, "large": 0}),
        ("auto", {"few": 0.99, "short": 0.0, "long": 0.0}),
        ("dp", {}),
    ],
    ids=["bound first", "zones of cores", "set first", "dp"],
)
@settings(max_examples=40)
@given(asked=at_places())
def test_the_cost_is_what_brute_force_over_places_says(
    method: str, numbers: dict[str, float], asked: Problem
) -> None:
    with budgets(zone_strategy, **numbers):
        found = minimum_zones(asked, places=asked.places, method=method)
    least = oracles.fewest_places(asked)
    expected = "infeasible" if least is None else "optimal"
    assert (found.status, found.minimum) == (expected, least)
    assert asked.places is not None
    assert found.places is not None
    if least is not None:
        assert oracles.meets_requirements(asked, found.zones)
        number = [asked.places.names.index(name) for name in found.places]
        assert int(asked.places.cost[number].sum()) == least
        assert np.flatnonzero(np.isin(asked.places.of, number)).tolist() == list(found.zones)


@settings(max_examples=100)
@given(at_places())
def test_zones_that_presolve_drops_change_no_cost_of_places(asked: Problem) -> None:
    assert asked.places is not None
    kept = needed_zones(asked, ZoneGroups(asked.places.of, asked.places.cost))
    fewer = replace(among(asked, kept), places=replace(asked.places, of=asked.places.of[kept]))
    assert oracles.fewest_places(fewer) == oracles.fewest_places(asked)


def test_the_fewest_places_need_more_zones_than_the_fewest_zones() -> None:
    a, b, c, d = range(4)
    zones = [(1, [a, b]), (2, [a, c]), (3, [a, d]), (4, [c, d]), (5, [a, d]), (7, [a, b])]
    known = [(user, t) for user in range(4) for t in (0, 7)]
    asked = problem(4, 7, zones, known, [(a, 2, 2)])
    fewest = minimum_zones(asked)
    assert (fewest.minimum, len(fewest.zones)) == (2, 2)
    at = minimum_zones(asked, places=ZonePlaces.named("PRRRRQ"))
    assert (at.minimum, at.places, at.zones) == (1, ("R",), (1, 2, 3, 4))


def test_where_one_place_is_dear_two_cheap_ones_are_chosen() -> None:
    a, b, c = range(3)
    zones = [(1, [a, b]), (2, [a, c]), (4, [a, c]), (5, [a, b])]
    known = [(user, t) for user in range(3) for t in (0, 6)]
    asked = problem(3, 6, zones, known, [(a, 3, 2)])
    places = ZonePlaces.named("PRRQ")
    for dear, chosen in ((3, ("P", "Q")), (1, ("R",))):
        cost = np.array([1, dear, 1])
        assert minimum_zones(asked, places=replace(places, cost=cost)).places == chosen


def test_what_some_places_cannot_meet_is_left_out_and_the_others_get_places() -> None:
    asked = problem(3, 6, [(1, [0, 1]), (3, [0, 1])], [(0, 0)], [(0, 2, 2), (2, 2, 2)])
    found = minimum_zones(asked, places=ZonePlaces.named("PQ"), rest=True)
    assert (found.status, found.places) == ("infeasible", ())
    assert found.rest is not None
    assert (found.rest.minimum, found.rest.places) == (1, ("P",))


def test_places_of_other_zones_are_refused() -> None:
    asked = problem(2, 3, [(1, [0, 1])], [], [(0, 2, 2)])
    with pytest.raises(InputError, match="2 zones have a place, of 1"):
        minimum_zones(asked, places=ZonePlaces.named("PQ"))


@pytest.mark.parametrize(
    ("names", "cost", "said"),
    [
        (("P", "P"), [1, 1], "two places have one name"),
        (("P",), [1], "do not fit together"),
        (("P", "Q"), [1, -1], "place Q costs -1, not 0 to"),
    ],
)
def test_places_that_contradict_themselves_are_refused(
    names: tuple[str, ...], cost: list[int], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        ZonePlaces(names, np.array([0, 1]), np.array(cost))
