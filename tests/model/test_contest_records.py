"""Regions, trace matrices, cells and ID tables are right from birth."""

import math

import numpy as np
import pytest

from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import Regions, TraceMatrix
from mixsafe.model.release import Cells, IdTable


def numbers(*values):
    return np.array(values, np.int32)


def test_the_contest_s_regions_are_as_large_as_the_paper_says():
    """347 m high and 341 m wide; from region 1 to 34, 487 m (paper, 3.4)."""
    regions = Regions.of_contest()
    assert regions.region_km == pytest.approx((0.346875, 0.34125))
    distance = regions.distance_km(numbers(0), numbers(33))
    assert distance[0] == pytest.approx(math.hypot(0.346875, 0.34125))
    assert regions.hospital.sum() == 37


def test_regions_elsewhere_are_measured_at_their_own_latitude():
    singapore = Regions(10, 10, 1.3, 103.8, 0.01, 0.01, np.zeros(100, bool))
    height, width = singapore.region_km
    assert width / height == pytest.approx(math.cos(math.radians(1.35)))
    osaka = Regions(32, 32, 34.64, 135.44, 0.1 / 32, 0.12 / 32, np.zeros(1024, bool))
    assert osaka.region_km == pytest.approx(Regions.of_contest().region_km)


def test_a_105_regions_disc_lies_within_two_kilometres():
    regions = Regions.of_contest()
    distance = regions.distance_km(numbers(16 * 32 + 16), np.arange(1024, dtype=np.int32))
    assert (distance < 2).sum() == 105


def test_points_outside_the_grid_go_to_its_border():
    regions = Regions.of_contest()
    lat, lon = np.array([35.0, 36.0, 35.7]), np.array([139.0, 140.0, 139.0])
    assert regions.nearest(lat, lon).tolist() == [0, 1023, 16 * 32]
    centre = regions.centres(np.arange(1024, dtype=np.int32))
    assert np.array_equal(regions.nearest(*centre), np.arange(1024))


@pytest.mark.parametrize(
    "build",
    [
        lambda: Regions(0, 5, 0, 0, 1, 1, np.zeros(0, bool)),
        lambda: Regions(2, 2, 0, 0, 0, 1, np.zeros(4, bool)),
        lambda: Regions(2, 2, 0, 0, 1, 1, np.zeros(3, bool)),
        lambda: TraceMatrix(np.zeros((0, 3), np.int32)),
        lambda: TraceMatrix(np.full((1, 1), -1, np.int32)),
        lambda: TraceMatrix(np.zeros((1, 1), np.int32), first_time=0),
        lambda: Cells.of_regions(np.zeros((0, 1), np.int32), 3),
        lambda: Cells.of_regions(np.full((1, 1), 4, np.int32), 3),
        lambda: Cells(np.zeros((1, 1), np.int32), 3, np.array([0, 1]), numbers(0)),
        lambda: Cells(np.zeros((1, 1), np.int32), 3, np.array([0, 2]), numbers(0, 3)),
        lambda: IdTable(np.zeros((0, 1), np.int32)),
        lambda: IdTable(np.array([[0], [0]], np.int32)),
        lambda: IdTable(np.array([[0, 0], [1, 0]], np.int32)),
    ],
)
def test_records_that_make_no_sense_are_refused(build):
    with pytest.raises(InputError):
        build()


def test_members_of_some_sets_come_one_after_the_other():
    cells = Cells(np.zeros((1, 1), np.int32), 9, np.array([0, 2, 5]), numbers(0, 1, 4, 5, 6))
    ptr, member = cells.members_of(numbers(11, 10, 11))
    assert ptr.tolist() == [0, 3, 5, 8]
    assert member.tolist() == [4, 5, 6, 0, 1, 4, 5, 6]


def test_a_table_gives_every_pseudonym_the_cells_of_its_user():
    cells = Cells.of_regions(np.array([[0, 1], [2, 3], [4, 5]]), 6, first_time=41)
    static = IdTable(np.array([[2], [0], [1]], np.int32))
    assert static.publish(cells).code.tolist() == [[4, 5], [0, 1], [2, 3]]
    dynamic = IdTable(np.array([[2, 0], [0, 2], [1, 1]], np.int32), first_time=41)
    assert dynamic.publish(cells).code.tolist() == [[4, 1], [0, 5], [2, 3]]
    with pytest.raises(InputError, match="does not fit"):
        static.publish(Cells.of_regions(np.zeros((2, 2), np.int32), 6))


def test_pseudonyms_and_table_are_each_other_s_inverse():
    pseudonym = np.array([[1, 2], [2, 0], [0, 1]], np.int32)
    table = IdTable.of_pseudonyms(pseudonym)
    assert table.user.tolist() == [[2, 1], [0, 2], [1, 0]]
    assert np.array_equal(table.pseudonym, pseudonym)
