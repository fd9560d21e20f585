"""What is a position, and what devices write without one."""

from __future__ import annotations

import numpy as np
import pytest

from mixsafe.io.columns.reading import no_position


@pytest.mark.parametrize(
    ("lat", "lon"),
    [
        (0, 0), (-0.0, 1e-8), (91, 181), (91, 12.5), (52.5, 181), (-999, -999), (52.5, -999),
        (9999, 9999), (-9999, 52), (99.9, 13), (999.99, 13), (np.nan, 13), (52, np.inf),
        (214.7483647, 214.7483647), (52, 99999),
    ],
)  # fmt: skip
def test_missing_and_fill_values_are_no_position(lat: float, lon: float) -> None:
    assert no_position(np.array([52.5, lat]), np.array([13.4, lon])).tolist() == [False, True]


@pytest.mark.parametrize(
    ("lat", "lon"),
    [(0, 9.7), (51.48, 0), (0.001, 0.001), (39, 99.99), (95.3, 13), (90, 180), (350, 5_800_000)],
)
def test_the_equator_and_mistakes_are_not_taken_for_missing(lat: float, lon: float) -> None:
    assert not no_position(np.array([lat]), np.array([lon])).any()


def test_null_island_is_kept_if_asked_for() -> None:
    zero = np.zeros(1)
    assert not no_position(zero, zero, keep_null_island=True).any()


def test_the_origin_of_a_plane_is_a_place() -> None:
    y = np.array([0.0, 999, -999, -9999, -9999, np.nan])
    x = np.array([0.0, 999, 12, -9999, 3, 1])
    assert no_position(y, x, degrees=False).tolist() == [False, False, False, True, False, True]


def test_numbers_of_half_the_precision_are_recognized() -> None:
    lat = np.array([91, 214.7483647, 999.9], np.float32).astype(float)
    assert no_position(lat, np.full(3, 13.4)).all()
