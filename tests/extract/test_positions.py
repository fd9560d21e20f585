"""From fixes to positions: steps begin where they should, and the last fix in a step counts."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.errors import InputError
from mixsafe.extract.positions import BLOCK, grid_of, positions
from mixsafe.geometry.grid import Grid
from mixsafe.model.mobility.traces import Traces
from tests.support.extraction_worlds import numbered, timed

fixes = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 400), st.integers(0, 5)), min_size=1, max_size=60
)


def as_dict(found):
    keys = zip(found.row.tolist(), found.step.tolist(), strict=True)
    return dict(zip(keys, found.place.tolist(), strict=True))


@given(fixes, st.integers(1, 90))
def test_positions_are_those_of_a_plain_loop(fixes, time_step):
    traces = timed(fixes, 4)
    found = positions(traces, time_step=time_step)
    first = min(time for _, time, _ in fixes)
    start = first - first % time_step
    naive = {}
    for user, time, region in sorted(fixes, key=lambda fix: fix[:2]):
        naive[user, (time - start) // time_step + 1] = region
    assert as_dict(found) == naive
    assert found.axis.first == start
    assert found.axis.step_seconds == time_step
    assert found.axis.steps == max(step for _, step in naive)


@given(fixes)
def test_positions_are_sorted_and_no_user_is_twice_in_a_step(fixes):
    found = positions(timed(fixes, 4), time_step=60)
    keys = list(zip(found.row.tolist(), found.step.tolist(), strict=True))
    assert keys == sorted(set(keys))


def test_numbered_steps_are_counted_from_the_first_one():
    found = positions(numbered([(0, 41, 7), (0, 43, 8), (1, 42, 7)], 3))
    assert as_dict(found) == {(0, 1): 7, (0, 3): 8, (1, 2): 7}
    assert (found.axis.first, found.axis.steps, found.axis.timed) == (41, 3, False)
    assert len(found.users) == 3


def test_steps_begin_where_the_window_begins_whether_or_not_a_fix_is_there():
    found = positions(timed([(0, 130, 1), (0, 200, 2)], 1, window=(100, 400)), time_step=60)
    assert as_dict(found) == {(0, 1): 1, (0, 2): 2}
    assert (found.axis.first, found.axis.steps) == (100, 5)


def test_a_window_that_is_no_multiple_of_the_step_ends_with_a_shorter_step():
    assert positions(timed([(0, 0, 1)], 1, window=(0, 61)), time_step=60).axis.steps == 2
    assert positions(timed([(0, 0, 1)], 1, window=(0, 60)), time_step=60).axis.steps == 1


def test_fixes_that_do_not_count_are_counted():
    found = positions(timed([(0, 0, 1), (0, 1, 2), (0, 59, 3)], 1), time_step=60)
    assert as_dict(found) == {(0, 1): 3}
    assert found.notes == ("2 fixes do not count, because a later one in the same step does",)


def test_samples_of_one_source_share_its_grid():
    lat, lon = np.array([35.0, 35.0005, 35.01]), np.array([139.0, 139.0005, 139.01])
    everyone = Traces(
        users=np.arange(3),
        user=np.arange(3, dtype=np.int32),
        time=np.zeros(3, np.int64),
        clock="unix",
        lat=lat,
        lon=lon,
        center=(35.004, 139.004),
    )
    part = replace(
        everyone,
        users=everyone.users[1:],
        user=np.arange(2, dtype=np.int32),
        time=everyone.time[1:],
        lat=lat[1:],
        lon=lon[1:],
    )
    assert positions(part).place.tolist() == positions(everyone).place.tolist()[1:]


def somewhere(lat, lon, **others):
    """Traces of users with one fix each."""
    return Traces(
        users=np.arange(len(lat)),
        user=np.arange(len(lat), dtype=np.int32),
        time=np.zeros(len(lat), np.int64),
        clock="unix",
        lat=np.array(lat, float),
        lon=np.array(lon, float),
        **others,
    )


@pytest.mark.parametrize("n_fixes", [4, BLOCK, 2 * BLOCK + 1])
def test_places_are_the_cells_of_a_grid_around_the_mean_of_all_fixes(n_fixes):
    lat, lon = [35, 35.002, 35.01, 35.004], [139, 139.002, 139.01, 139.008]
    traces = somewhere(np.resize(lat, n_fixes), np.resize(lon, n_fixes))
    grid = Grid((float(traces.lat.mean()), float(traces.lon.mean())), 250.0)
    assert grid_of(traces, 250.0) == grid
    found = positions(traces, cell_size=250.0).place
    assert found.tolist() == grid.cell(traces.lat, traces.lon).tolist()
    assert len(set(found.tolist())) == 4


@pytest.mark.parametrize(
    ("lat", "said"),
    [
        ([-1.0, 0.0, 1.0], None),
        ([50.0, 52.0], None),  # a province
        ([47.5, 55.0], r"over 834 km from south to north, .* cells of 250 m are 229 to 270 m wide"),
        ([35.0, 60.0], r"over 2,780 km from south to north, .* are 185 to 303 m wide"),
        ([-35.0, 20.0], r"are 207 to 252 m wide"),
    ],
)
def test_what_reaches_too_far_for_a_plane_is_told_how_wide_its_cells_are(lat, said):
    """Between 47.5 and 55 degrees there are many at 51.25, and 250 m there are 250 m."""
    traces = somewhere(lat, [10.0] * len(lat))
    (note,) = positions(traces, cell_size=250.0).notes or (None,)
    assert (note is None) if said is None else re.search(said, note)


def test_hexagons_regions_and_places_lie_on_no_plane():
    pytest.importorskip("h3")
    far = somewhere([35.0, 60.0], [10.0, 10.0])
    assert positions(far, cell_size="h3:5").notes == ()
    assert positions(replace(far, region=np.array([1, 2]))).notes == ()


def test_a_grid_of_no_fixes_is_somewhere():
    assert grid_of(somewhere([], [])) == Grid((0.0, 0.0), 100.0)


@pytest.mark.parametrize("missing", ["lat", "lon"])
def test_half_of_the_coordinates_are_none(missing):
    traces = replace(somewhere([35], [139], center=(35.0, 139.0)), **{missing: None})
    for asked in (grid_of, positions):
        with pytest.raises(InputError, match="neither regions nor coordinates"):
            asked(traces)


def test_the_zone_of_days_is_kept():
    assert positions(timed([(0, 0, 1)], 1, tz="Asia/Tokyo")).axis.tz == "Asia/Tokyo"


@pytest.mark.parametrize("time_step", [0, -60])
def test_a_step_without_length_is_refused(time_step):
    with pytest.raises(InputError, match="time step"):
        positions(timed([(0, 0, 1)], 1), time_step=time_step)


def test_steps_can_be_counted_up_to_the_last_number_that_has_one_after_it():
    most = 2**31 - 2
    assert positions(timed([(0, 0, 1)], 1, window=(0, most)), time_step=1).axis.steps == most
    with pytest.raises(InputError, match="time steps"):
        positions(timed([(0, 0, 1)], 1, window=(0, most + 1)), time_step=1)


def test_a_step_is_a_minute_unless_it_is_said_otherwise():
    found = positions(timed([(0, 0, 1), (0, 59, 2), (0, 60, 3), (0, 120, 4)], 1))
    assert as_dict(found) == {(0, 1): 2, (0, 2): 3, (0, 3): 4}


def test_a_window_without_a_fix_has_its_steps_and_nobody_in_them():
    found = positions(numbered([], 2, window=(3, 8)))
    assert (found.axis.first, found.axis.steps, len(found.users)) == (3, 5, 2)
    assert as_dict(found) == {}


def test_traces_without_a_fix_are_refused():
    with pytest.raises(InputError, match="no fix"):
        positions(numbered([], 2))


def test_more_steps_than_can_be_counted_are_refused():
    with pytest.raises(InputError, match="time steps: user 0 at 1099511627776 is farthest off"):
        positions(timed([(0, 0, 1), (0, 1, 1), (0, 2**40, 1)], 1), time_step=1)
    slip = timed([(0, 0, 1), (0, 60, 1), (1, 0, 1), (1, 2**37, 1)], 2)
    with pytest.raises(InputError, match="user 1 at 6325-04-08T15:04:32\\+00:00 is farthest off"):
        positions(slip, time_step=1)


def test_traces_without_places_are_refused():
    with pytest.raises(InputError, match="neither regions nor coordinates"):
        positions(replace(numbered([(0, 1, 1)], 1), region=None))
