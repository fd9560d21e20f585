"""Counts of what cores cost: found where they are true, and refused where they are not."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.certify.minima.weighing import count_of
from mixsafe.check.minima.counting import LEAF, check_count
from mixsafe.errors import InputError
from mixsafe.model.course import Deadline

Flags = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


@st.composite
def families(draw: st.DrawFn) -> tuple[Flags, Ints]:
    """Cores of up to six zones, and what these cost."""
    n_cores, n_zones = draw(st.integers(0, 6)), draw(st.integers(1, 6))
    row = st.lists(st.booleans(), min_size=n_zones, max_size=n_zones).filter(any)
    cores = draw(st.lists(row, min_size=n_cores, max_size=n_cores))
    cost = draw(st.lists(st.integers(1, 3), min_size=n_zones, max_size=n_zones))
    return np.array(cores, bool).reshape(n_cores, n_zones), np.array(cost, np.int64)


def least(cores: Flags, cost: Ints) -> int:
    """Brute force: what zones cost at least that have one of each core."""
    n = len(cost)
    return min(
        int(cost[list(zones)].sum())
        for size in range(n + 1)
        for zones in itertools.combinations(range(n), size)
        if cores[:, list(zones)].any(axis=1).all()
    )


@settings(max_examples=60)
@given(families())
def test_a_count_is_found_of_what_cores_cost_and_of_no_more(family: tuple[Flags, Ints]) -> None:
    true = least(*family)
    for most in (true, true + 1, max(true - 1, 0)):
        bound, told = count_of(*family, most, Deadline(None))
        assert bound == min(most, true)
        check_count(*family, bound, told)


@settings(max_examples=60)
@given(families(), st.data())
def test_no_count_shows_more_than_is_true(family: tuple[Flags, Ints], data: st.DataObject) -> None:
    """Numbers of a true count are changed, and it is read for a larger bound."""
    true = least(*family)
    _, told = count_of(*family, true, Deadline(None))
    for _ in range(data.draw(st.integers(1, 2))):
        place = data.draw(st.integers(0, len(told) - 1))
        told[place : place + data.draw(st.integers(0, 1))] = data.draw(
            st.lists(st.integers(-2, 6), max_size=2)
        )
    try:
        check_count(*family, true + 1, told)
    except InputError:
        return
    raise AssertionError("a count shows what is false")


# Three cores of two zones each; two zones are needed, and weights alone show one and a half.
TRIANGLE = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]], bool)
HALVES = [LEAF, 2, 3, 0, 1, 1, 1, 2, 1]
REFUSED = {
    "too large a bound": (3, HALVES, "does not come to the bound"),
    "whole weights": (2, [LEAF, 1, 3, 0, 1, 1, 1, 2, 1], "weigh more than it costs"),
    "nothing to divide by": (2, [LEAF, 0, 3, 0, 1, 1, 1, 2, 1], "positive number"),
    "a negative weight": (2, [LEAF, 2, 3, 0, 1, 1, 1, 2, -1], "is negative"),
    "a core that is not there": (2, [LEAF, 2, 1, 3, 1], "of no core that needs a zone"),
    "a negative core": (2, [LEAF, 2, 1, -1, 1], "of no core that needs a zone"),
    "a core that has a zone": (2, [1, LEAF, 1, 1, 0, 1, LEAF, 1, 0], "no core that needs a zone"),
    "a zone that is not there": (2, [3, *HALVES, *HALVES], "a zone that does not exist"),
    "a negative zone": (2, [-2, *HALVES, *HALVES], "a zone that does not exist"),
    "a case too few": (2, [1, LEAF, 1, 1, 2, 1], "ends too soon"),
    "a leaf within its weights": (2, HALVES[:-1], "ends too soon"),
    "a case too many": (2, [*HALVES, LEAF], "goes on after its end"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_count_is_refused(name: str) -> None:
    bound, told, message = REFUSED[name]
    cost = np.ones(3, np.int64)
    check_count(TRIANGLE, cost, 2, HALVES)
    check_count(TRIANGLE, cost, 2, [1, LEAF, 1, 1, 2, 1, LEAF, 1, 2, 0, 1, 1, 1])
    check_count(TRIANGLE, cost, 1, [LEAF, 1, 2, 0, 1, 1, 0])  # a weight may be 0
    with pytest.raises(InputError, match=message):
        check_count(TRIANGLE, cost, bound, told)


def test_zones_in_the_same_cores_are_chosen_or_not_together() -> None:
    """Without that, a case where one of them is not chosen could forget the others."""
    twice = np.repeat(TRIANGLE, 2, axis=1)
    cost = np.array([2, 1, 1, 1, 3, 1])
    check_count(twice, cost, 2, [2, LEAF, 1, 1, 2, 1, LEAF, 1, 2, 0, 1, 1, 1])
    with pytest.raises(InputError, match="does not come to the bound"):
        check_count(twice, cost, 3, [0, LEAF, 1, 1, 1, 1, LEAF, 1, 2, 0, 1, 2, 1])
