"""Statistics and POI accuracy, against the definitions and against other libraries."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

from mixsafe.contest.measure.quality import (
    Occupancy,
    diversity,
    poi_accuracy,
    population_distance,
    quality,
    sliced_distances,
    transition_distance,
    visit_fraction_distance,
)
from mixsafe.errors import InputError
from mixsafe.io.problems.side_tables import read_places
from mixsafe.model.mobility.complete_traces import Regions, TraceMatrix
from mixsafe.model.release import Cells

DAY = 4
GRID = Regions(3, 3, 35.0, 139.0, 0.01, 0.01, np.zeros(9, bool))


def seen(region: np.ndarray, first_time: int = 1) -> Occupancy:
    return Occupancy.of(TraceMatrix(region.astype(np.int32), first_time), 9, DAY)


def traces(seed: int, n_users: int = 5, days: int = 2) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 9, (n_users, days * DAY))


seeds = st.integers(0, 10**6)


@given(seeds)
def test_traces_are_no_distance_from_themselves(seed: int) -> None:
    one = seen(traces(seed))
    found = quality(one, one, GRID)
    assert found.to_dict() == {"TP-TV-Top50": 0.0, "TM-EMD": 0.0, "VF-TV": 0.0}


@given(seeds, st.integers(1, 9))
def test_populations_differ_by_the_top_regions_of_the_original(seed: int, top: int) -> None:
    one, two = traces(seed), traces(seed + 1, 7)
    total = 0.0
    for step in range(DAY):
        share = [
            np.bincount(some[:, step::DAY].reshape(-1), minlength=9) / some[:, step::DAY].size
            for some in (one, two)
        ]
        ranked = sorted(range(9), key=lambda place: (-share[0][place], place))[:top]
        total += sum(abs(share[0][place] - share[1][place]) for place in ranked) / 2
    assert population_distance(seen(one), seen(two), top=top) == pytest.approx(total / DAY)


@given(seeds)
def test_transitions_end_with_the_day_and_people_stay_where_nobody_leaves(seed: int) -> None:
    region = traces(seed)
    counts = np.zeros((9, 9))
    for row, step in itertools.product(range(len(region)), range(2 * DAY - 1)):
        if step % DAY != DAY - 1:
            counts[region[row, step], region[row, step + 1]] += 1
    for place in range(9):
        if not counts[place].sum():
            counts[place, place] = 1
    wanted = counts / counts.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(seen(region).transition_matrix(), wanted)


@given(seeds)
def test_sliced_distances_are_those_of_scipy_on_each_direction(seed: int) -> None:
    random = np.random.default_rng(seed)
    point = random.integers(0, 4, (2, 6))
    one, two = random.dirichlet(np.ones(6), 3), random.dirichlet(np.ones(6), 3)
    direction = random.standard_normal((5, 2))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    wanted = [
        np.mean([wasserstein_distance(line, line, a, b) for line in direction @ point])
        for a, b in zip(one, two, strict=True)
    ]
    np.testing.assert_allclose(sliced_distances(one - two, point, direction), wanted, atol=1e-12)


def test_sliced_distances_are_those_of_pot() -> None:
    ot = pytest.importorskip("ot")
    random = np.random.default_rng(3)
    point = random.integers(0, 5, (2, 8))
    one, two = random.dirichlet(np.ones(8)), random.dirichlet(np.ones(8))
    direction = random.standard_normal((20, 2))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    place = point.T.astype(float)
    theirs = ot.sliced_wasserstein_distance(
        place, place, one, two, p=1, projections=direction.T.copy()
    )
    ours = sliced_distances((one - two)[None], point, direction)[0]
    assert ours == pytest.approx(float(theirs))


def test_a_step_aside_is_as_far_as_directions_see_it() -> None:
    """Everybody goes to the middle of the row instead of staying."""
    stay, east = np.zeros((9, DAY), int), np.zeros((9, DAY), int)
    stay[:] = np.arange(9)[:, None]
    east[:, ::2], east[:, 1::2] = np.arange(9)[:, None], (np.arange(9)[:, None] // 3 * 3 + 1)
    near = transition_distance(seen(stay), seen(stay), GRID, random=np.random.default_rng(0))
    far = transition_distance(
        seen(stay), seen(east), GRID, random=np.random.default_rng(0), projections=400
    )
    assert near == 0
    assert 0.2 < far < 1.0


@given(seeds)
def test_visit_fractions_are_those_of_the_definition(seed: int) -> None:
    one, two = traces(seed, 6, 3) % 4, traces(seed + 1, 6, 3) % 4
    table = np.zeros((2, 9, 24))
    for number, some in enumerate((one, two)):
        for row, place in itertools.product(some, range(9)):
            visits = int((row == place).sum())
            if 0 < visits < len(row):
                table[number, place, (visits * 24 - 1) // len(row)] += 1
    off = []
    for place in range(9):
        if table[0, place].sum():
            least = np.eye(24)[0]  # where nobody counts in the others
            share = [t / t.sum() if t.sum() else least for t in table[:, place]]
            off.append(np.abs(share[0] - share[1]).sum() / 2)
    assert visit_fraction_distance(seen(one), seen(two)) == pytest.approx(np.mean(off))


def test_regions_that_testing_traces_do_not_know_are_left_out_of_visit_fractions() -> None:
    one, two = np.array([[0, 0, 1, 2]]), np.array([[0, 0, 1, 3]])
    assert visit_fraction_distance(seen(one), seen(two)) == pytest.approx(1 / 3)  # region 2
    known = np.array([[0, 1, 1, 1]])
    assert visit_fraction_distance(seen(one), seen(two), testing=seen(known)) == 0


def test_users_who_are_the_same_in_both_teams_show() -> None:
    random = np.random.default_rng(0)
    home = random.integers(0, 9, (40, 1))
    one, two = (np.where(random.random((40, 8)) < 0.8, home, traces(s, 40)) for s in (1, 2))
    found = diversity(seen(one), seen(two))
    assert found.same < found.different - 0.3
    assert found.pairs == 20
    other = diversity(seen(one), seen(random.permutation(two)))
    assert abs(other.same - other.different) < 0.3


def test_sets_count_in_shares_and_deleted_cells_not_at_all() -> None:
    """Two users: one shown in {0, 1}, then deleted; the other in 2 and in 2."""
    cells = Cells(
        np.array([[10, 9], [2, 2]], np.int32), 9, np.array([0, 2]), np.array([0, 1], np.int32)
    )
    shown = Occupancy.of(cells, 9, 2)
    populations = shown.populations()
    np.testing.assert_allclose(populations[0, :3], [0.25, 0.25, 0.5])
    np.testing.assert_allclose(populations[1, :3], [0, 0, 1])
    np.testing.assert_allclose(shown.profiles().toarray()[0, :3], [0.5, 0.5, 0])
    assert shown.transitions().sum() == 1


def test_what_cannot_be_compared_is_refused() -> None:
    one = seen(traces(0))
    with pytest.raises(InputError, match="9 and in 16 regions"):
        population_distance(one, Occupancy.of(TraceMatrix(np.zeros((2, 4), np.int32)), 16, DAY))
    with pytest.raises(InputError, match="other lengths"):
        population_distance(one, Occupancy(one.cells, 2))
    with pytest.raises(InputError, match="region 12"):
        seen(np.full((2, 4), 11))
    with pytest.raises(InputError, match="no time of the day in common"):
        population_distance(seen(traces(0)[:, :2]), seen(traces(0)[:, :2], 3))


REGIONS = Regions(6, 6, 35.65, 139.68, 0.01, 0.01, np.zeros(36, bool))


def some_places(seed: int, count: int = 40) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    return 35.65 + random.random(count) * 0.06, 139.68 + random.random(count) * 0.06


@pytest.mark.parametrize("seed", range(5))
def test_it_is_the_share_of_nearby_places_that_are_received(seed: int) -> None:
    random = np.random.default_rng(seed)
    original = TraceMatrix(random.integers(0, 36, (4, 6)).astype(np.int32))
    code = random.integers(0, 39, (4, 6)).astype(np.int32)
    cells = Cells(code, 36, np.array([0, 2, 5]), np.array([1, 8, 20, 21, 22], np.int32))
    members = [[region] for region in range(36)] + [[], [1, 8], [20, 21, 22]]
    lat, lon = places = some_places(seed)
    scale_north, scale_east = REGIONS.km_per_degree
    shares = []
    for truth, shown in zip(original.region.reshape(-1), code.reshape(-1), strict=True):

        def within(region: int, radius: float) -> set[int]:
            north, east = (float(x) for x in REGIONS.centres(np.int32(region)))
            far = np.hypot((lat - north) * scale_north, (lon - east) * scale_east)
            return set(np.flatnonzero(far <= radius).tolist())

        near = within(int(truth), 0.9)
        received = set().union(*(within(region, 1.7) for region in members[shown]))
        if near:
            shares.append(len(near & received) / len(near))
    found = poi_accuracy(
        original, Occupancy.of(cells, 36, 3), REGIONS, places, near_km=0.9, asked_km=1.7
    )
    assert found == pytest.approx(np.mean(shares))


def test_true_locations_find_everything_and_deleted_ones_nothing() -> None:
    original = TraceMatrix(np.arange(36, dtype=np.int32).reshape(6, 6))
    places = some_places(1)
    truth = Occupancy.of(original, 36, 3)
    assert poi_accuracy(original, truth, REGIONS, places) == 1.0
    hidden = Occupancy.of(Cells.of_regions(np.full((6, 6), 36), 36), 36, 3)
    assert poi_accuracy(original, hidden, REGIONS, places) == 0.0


def test_what_makes_no_sense_is_refused() -> None:
    original = TraceMatrix(np.zeros((2, 3), np.int32))
    shown = Occupancy.of(original, 36, 3)
    with pytest.raises(InputError, match="not positive"):
        poi_accuracy(original, shown, REGIONS, some_places(1), near_km=0)
    with pytest.raises(InputError, match="no location has a place"):
        poi_accuracy(original, shown, REGIONS, (np.array([0.0]), np.array([0.0])))
    with pytest.raises(InputError, match="2 x 2 cells"):
        poi_accuracy(
            original, Occupancy.of(TraceMatrix(np.zeros((2, 2), np.int32)), 36, 3), REGIONS,
            some_places(1),
        )  # fmt: skip


def test_places_are_read_by_category(tmp_path) -> None:
    path = tmp_path / "poi.csv"
    path.write_text("id,y,x,category\n1,35.7,139.7,food/Ramen/1\n2,35.6,139.6,home\n")
    lat, lon = read_places(path, "Food")
    assert (lat.tolist(), lon.tolist()) == ([35.7], [139.7])
    assert len(read_places(path)[0]) == 2
    with pytest.raises(InputError, match="use one of food, home"):
        read_places(path, "bar")
    path.write_text("lat,lon\n95,139\n")
    with pytest.raises(InputError, match=r"line 2, column 'lat'.*not a coordinate"):
        read_places(path)
    path.write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="name columns lat and lon"):
        read_places(path)
