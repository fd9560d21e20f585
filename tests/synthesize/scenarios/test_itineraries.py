"""Where people are on their ways."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.synthesize.scenarios.itineraries import Itineraries, Leg


@st.composite
def days(draw: st.DrawFn) -> Itineraries:
    """A few days of a few legs; times are quarters of minutes, which float32 holds exactly."""
    n_days, n_legs, n_points = draw(st.integers(1, 3)), draw(st.integers(1, 5)), 4
    point = st.integers(0, n_points - 1)
    legs = [Leg(draw(point), draw(point), draw(st.sampled_from([1, 3]))) for _ in range(n_legs - 1)]
    # Who is on the way before the day begins, or for ever, is nowhere; so both ends are stays.
    legs = [Leg(0, 0), *legs, Leg(1, 1)]
    number = st.integers(0, 9)
    points = [[[draw(number) for _ in range(n_days)] for _ in range(n_points)] for _ in range(2)]
    waits = [[draw(st.integers(0, 40)) for _ in range(n_days)] for _ in range(len(legs) - 1)]
    ends = np.cumsum(np.array(waits), axis=0) / 4
    return Itineraries(tuple(legs), np.array(points, np.int32), ends.astype(np.float32))


def walked(itinerary: Itineraries, day: int, moment: float) -> tuple[int, int]:
    """Where somebody is, found by going from block to block."""
    ends = itinerary.ends[:, day].tolist()
    number = sum(end <= moment for end in ends)
    leg = itinerary.legs[number]
    at, goal = (itinerary.points[:, point, day].tolist() for point in (leg.begin, leg.end))
    if leg.begin == leg.end:
        return tuple(at)
    length = abs(goal[0] - at[0]) + abs(goal[1] - at[1])
    since, until = ends[number - 1], ends[number]
    seen, made = tuple(at), 0
    while made < length:
        axis = 0 if at[0] != goal[0] else 1
        at[axis] += 1 if goal[axis] > at[axis] else -1
        made += 1
        if made * (until - since) > (moment - since) * length:
            break
        if made % leg.stop == 0:
            seen = tuple(at)
    return seen


@given(days(), st.lists(st.integers(0, 200), min_size=1, max_size=6, unique=True))
def test_people_are_where_walking_block_by_block_takes_them(
    itinerary: Itineraries, quarters: list[int]
) -> None:
    moments = np.array(sorted(quarters), np.float32) / 4
    places = itinerary.places(moments)
    for day in range(places.shape[1]):
        for number, moment in enumerate(moments.tolist()):
            found = places[:, day, number].tolist()
            exact = walked(itinerary, day, moment)
            # At the very moment at which a block is reached rounding may go either way.
            early = walked(itinerary, day, moment - 1e-4) if moment else exact
            assert tuple(found) in (exact, early)
