"""The metric grid: cells have their size, ids can be read back, the error is as documented."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.errors import InputError
from mixsafe.geometry.grid import EARTH_RADIUS, Grid

SAN_FRANCISCO = (37.77, -122.42)


def haversine(lat, lon, other_lat, other_lon):
    """Great-circle distance, metres; the form that is exact for small distances."""
    lat, lon, other_lat, other_lon = map(math.radians, (lat, lon, other_lat, other_lon))
    half = math.sin((lat - other_lat) / 2) ** 2
    half += math.cos(lat) * math.cos(other_lat) * math.sin((lon - other_lon) / 2) ** 2
    return 2 * EARTH_RADIUS * math.asin(math.sqrt(half))


@given(
    st.floats(-60, 60),
    st.floats(-180, 180),
    st.floats(1, 5000),
    st.floats(-0.3, 0.3),
    st.floats(-0.3, 0.3),
)
def test_the_middle_of_a_cell_is_in_that_cell_and_near_its_points(lat, lon, size, north, east):
    grid = Grid((lat, lon), size)
    points = np.array([lat + north]), np.array([lon + east])
    cell = grid.cell(*points)
    middle = grid.cell_center(cell)
    assert grid.cell(*middle) == cell
    east_off = (middle[1][0] - points[1][0] + 180) % 360 - 180
    metres = math.radians(1) * EARTH_RADIUS
    assert abs(middle[0][0] - points[0][0]) * metres <= size / 2 * (1 + 1e-6)
    assert abs(east_off) * metres * math.cos(math.radians(lat)) <= size / 2 * (1 + 1e-6)


def test_neighbouring_cells_lie_a_cell_size_apart():
    grid = Grid(SAN_FRANCISCO, 100.0)
    cell = grid.cell(*(np.array([degree]) for degree in SAN_FRANCISCO))
    row = 2 * grid.cells_per_half
    lat, lon = grid.cell_center(np.concatenate([cell, cell + 1, cell + row]))
    assert haversine(lat[0], lon[0], lat[1], lon[1]) == pytest.approx(100, rel=1e-4)
    assert haversine(lat[0], lon[0], lat[2], lon[2]) == pytest.approx(100, rel=1e-6)


@pytest.mark.parametrize(("north", "error"), [(50_000, 0.0061), (-50_000, -0.0060), (0, 0.0)])
def test_the_east_west_error_at_city_scale_is_the_documented_one(north, error):
    lat = SAN_FRANCISCO[0] + math.degrees(north / EARTH_RADIUS)
    width = math.degrees(1 / (EARTH_RADIUS * math.cos(math.radians(SAN_FRANCISCO[0]))))
    true = haversine(lat, 0.0, lat, width)
    assert 1 / true - 1 == pytest.approx(error, abs=1e-4)


def test_points_on_both_sides_of_the_180th_meridian_are_neighbours():
    grid = Grid((-17.0, 179.999), 100.0)
    cell = grid.cell(np.array([-17.0, -17.0]), np.array([179.9999, -179.9999]))
    assert abs(int(cell[1] - cell[0])) <= 1


@pytest.mark.parametrize("size", [0.0, -5.0, math.nan, math.inf, 0.01])
def test_a_cell_size_that_is_no_length_is_refused(size):
    with pytest.raises(InputError, match="cell size"):
        Grid(SAN_FRANCISCO, size)


def test_a_pole_cannot_be_the_centre():
    with pytest.raises(InputError, match="centre"):
        Grid((90.0, 0.0))
