"""The people of one large city, and where they are on their ways."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.errors import InputError
from mixsafe.extract.pose import pose
from mixsafe.io.contest.writing import region_stream
from mixsafe.io.sources import load
from mixsafe.model.mobility.traces import Traces
from mixsafe.network.compression import compress
from mixsafe.network.wires import WireNetwork
from mixsafe.synthesize.scenarios.metro import (
    EXPRESS_EVERY,
    STATION_EVERY,
    Itineraries,
    Leg,
    Metropolis,
    metro,
)
from mixsafe.verify.parts import components


def regions(n_people: int, **settings: int) -> npt.NDArray[np.int32]:
    """(n_people, n_steps) blocks of everybody."""
    return np.concatenate([some.region for some in metro(n_people, **settings)])


def zone_sizes(region: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """How many people are at one place in one step, where there are two or more."""
    n_places = int(region.max()) + 1
    size = np.bincount((region + np.arange(region.shape[1]) * n_places).reshape(-1))
    return size[size > 1]


@pytest.mark.parametrize("most", [1, 500, 7000])
def test_how_people_are_cut_into_pieces_changes_nobody(most: int) -> None:
    whole = regions(61, steps=30, seed=7)
    pieces = list(metro(61, steps=30, seed=7, piece_fixes=most))
    assert len(pieces) == -(-60 // (3 * max(1, most // (3 * 48))))
    np.testing.assert_array_equal(np.concatenate([some.region for some in pieces]), whole)
    assert np.any(regions(61, steps=30, seed=8) != whole)


def test_of_more_steps_and_of_shorter_ones_the_same_moments_are_the_same() -> None:
    day = regions(200, steps=24, seed=1)
    np.testing.assert_array_equal(regions(200, steps=9, seed=1), day[:, :9])
    np.testing.assert_array_equal(regions(200, steps=50, seed=1)[:, :24], day)
    np.testing.assert_array_equal(regions(200, steps=72, step_minutes=10, seed=1)[:, ::3], day)


def test_memory_is_that_of_a_piece() -> None:
    def peak(n_people: int) -> int:
        tracemalloc.start()
        for _ in metro(n_people, steps=24, seed=1, piece_fixes=1 << 14):
            pass
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    peak(700)
    assert peak(14_000) < 1.5 * peak(1400)


@pytest.mark.parametrize(("n_people", "seed"), [(200, 1), (1500, 2), (6000, 3)])
def test_a_city_is_one_component(n_people: int, seed: int, tmp_path: Path) -> None:
    path = tmp_path / "metro.parquet"
    with region_stream(path) as add:
        for some in metro(n_people, steps=96, seed=seed):
            add(some)
    source = load(path)
    assert isinstance(source, Traces)
    presolved = pose(source)
    core, _ = compress(presolved, WireNetwork.of(presolved.zones))
    assert len(np.unique(components(core.network, core.pins))) == 1


def test_zones_stay_as_they_are_while_the_city_grows() -> None:
    small, large = (zone_sizes(regions(n, steps=24, seed=1)) for n in (2000, 32_000))
    assert np.median(large) < 1.5 * np.median(small)
    # Stations in the middle are used by the square root of sixteen times as many, and no more.
    assert large.max() < 6 * small.max()
    assert np.mean(large <= 30) > 0.8


@pytest.mark.parametrize("n_people", [2, 3, 8, 100])
def test_days_begin_at_home_where_nobody_lives_alone(n_people: int) -> None:
    days = regions(n_people, steps=72, seed=5).reshape(n_people, 3, 24)
    home = days[:, 0, 0]
    assert np.all(days[:, :, 0] == home[:, None])
    assert np.bincount(home)[home].min() > 1


def test_most_people_meet_somebody_at_most_times() -> None:
    region = regions(5000, steps=24, seed=2)
    assert zone_sizes(region).sum() > 0.9 * region.size


def test_stations_are_crowded_in_the_morning_and_in_the_evening() -> None:
    city = Metropolis(20_000)
    region = regions(20_000, steps=24, seed=1)
    row, column = np.divmod(region, city.side)
    at_station = (row % STATION_EVERY == 4) & (column % STATION_EVERY == 4)
    crowd = at_station.sum(axis=0)
    assert crowd[2:5].max() > 2 * crowd[0]
    assert crowd[19:].max() > 1.5 * crowd[13]


def test_nobody_leaves_the_city_or_is_faster_than_an_express() -> None:
    city, minutes = Metropolis(30_000), 5
    region = regions(30_000, steps=144, step_minutes=minutes, seed=4)
    assert region.min() >= 0
    assert region.max() < city.side**2
    row, column = np.divmod(region, city.side)
    moved = np.abs(np.diff(row, axis=1)) + np.abs(np.diff(column, axis=1))
    # Who rides is where the train stopped last, so that one stop may be seen late.
    assert moved.max() <= 10 * minutes + STATION_EVERY * EXPRESS_EVERY
    assert np.mean(moved == 0) > 0.8


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"n_people": 1}, "too few"),
        ({"steps": 0}, "too few"),
        ({"step_minutes": 0}, "no whole number"),
        ({"step_minutes": 7}, "no whole number"),
    ],
)
def test_a_city_that_is_none_is_refused(wrong: dict[str, int], said: str) -> None:
    with pytest.raises(InputError, match=said):
        metro(**{"n_people": 5, **wrong})


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
