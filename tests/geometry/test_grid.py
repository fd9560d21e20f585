"""The metric grid: cells have their size, ids can be read back, the error is as documented.

H3 cells as a grid: the same ones as H3's own, and one line where there are none.
"""

from __future__ import annotations

import builtins
import math
import sys

import h3
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.errors import InputError
from mixsafe.extract.positions import positions
from mixsafe.extract.zones import mix_zones
from mixsafe.geometry.grid import (
    EARTH_RADIUS,
    Grid,
    HexGrid,
    Outlines,
    grid_at,
    plane,
    resolution_of,
)
from mixsafe.model.mobility.traces import Traces

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


CITY = (37.77, -122.42)


@given(st.integers(0, 10**6), st.integers(0, 15))
def test_zones_are_those_of_people_in_one_cell_by_h3_itself(seed: int, resolution: int) -> None:
    random = np.random.default_rng(seed)
    users, steps = 6, 4
    spread = 10.0 ** random.uniform(-6, 1)
    lat = CITY[0] + spread * random.standard_normal(users * steps)
    lon = CITY[1] + spread * random.standard_normal(users * steps)
    user, time = np.divmod(np.arange(users * steps), steps)
    traces = Traces(
        np.arange(users), user.astype(np.int32), time + 1, "time_id", np.clip(lat, -89, 89), lon
    )
    met: dict[tuple[int, str], set[int]] = {}
    for who, when, *at in zip(user, time, traces.lat, traces.lon, strict=True):
        cell = h3.latlng_to_cell(float(at[0]), float(at[1]), resolution)
        met.setdefault((int(when) + 1, cell), set()).add(int(who))
    found = mix_zones(positions(traces, cell_size=f"h3:{resolution}"))
    assert found.place is not None
    zones = {
        (int(found.time[zone]), f"{found.place[zone]:x}"): set(
            found.members[found.ptr[zone] : found.ptr[zone + 1]].tolist()
        )
        for zone in range(len(found))
    }
    assert zones == {key: who for key, who in met.items() if len(who) > 1}


def test_a_hexagon_has_its_corners_and_its_name() -> None:
    grid = HexGrid(CITY, 9)
    (cell,) = grid.cell(np.array([CITY[0]]), np.array([CITY[1]])).tolist()
    drawn = Outlines(grid)
    assert drawn.label(cell) == h3.latlng_to_cell(*CITY, 9)
    ((ring,),) = drawn.polygons(cell)
    assert ring[0] == ring[-1]
    around = h3.cell_to_boundary(h3.latlng_to_cell(*CITY, 9))
    assert np.allclose([(lat, lon) for lon, lat in ring[:-1]], around, atol=1e-9)
    east, north = plane(CITY, *grid.cell_center(np.array([cell])))
    assert max(abs(east[0]), abs(north[0])) < grid.side


def test_a_hexagon_across_the_180th_meridian_is_in_one_piece() -> None:
    grid = HexGrid((0.0, 180.0), 5)
    cell = int(grid.cell(np.array([0.0]), np.array([180.0]))[0])
    longitudes = [lon for lon, _ in grid.ring(cell)]
    assert max(longitudes) - min(longitudes) < 1


def test_sizes_say_which_grid() -> None:
    assert grid_at(CITY, "h3:7") == HexGrid(CITY, 7)
    assert grid_at(CITY, 50.0) == Grid(CITY, 50.0)
    assert resolution_of("H3:0") == 0


@pytest.mark.parametrize("cells", ["h3", "h3:", "h3:16", "h3:-1", "h3:٣", "h3:1.5", "s2:3", "100"])
def test_cells_that_there_are_not_are_refused(cells: str) -> None:
    with pytest.raises(InputError, match=r"unknown cells.*h3:0 to h3:15"):
        grid_at(CITY, cells)


def test_without_h3_the_command_that_installs_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "h3"]:
        monkeypatch.delitem(sys.modules, name)
    real = builtins.__import__

    def missing(name: str, *rest: object, **more: object) -> object:
        if name.partition(".")[0] == "h3":
            raise ModuleNotFoundError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(InputError, match=r"pip install 'h3>=4'"):
        resolution_of("h3:9")
