"""POI accuracy, against the definition."""

from __future__ import annotations

import numpy as np
import pytest

from mixsafe.contest.measure.poi_accuracy import poi_accuracy
from mixsafe.contest.measure.statistics import Occupancy
from mixsafe.errors import InputError
from mixsafe.io.problems.side_tables import read_places
from mixsafe.model.mobility.complete_traces import Regions, TraceMatrix
from mixsafe.model.release import Cells

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
