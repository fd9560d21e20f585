"""AS: what is shifted, how far, and how much of the utility is left."""

import numpy as np
import pytest
from scipy import stats

from mixsafe.contest.base.rules import Rules
from mixsafe.contest.base.score import utility
from mixsafe.contest.obfuscate.shift import ShiftRareRegions, shift_within
from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import Regions, TraceMatrix


def test_shifts_are_uniform_over_the_square_inside_the_grid():
    regions = Regions(4, 4, 0, 0, 0.1, 0.1, np.zeros(16, bool))
    corner = np.zeros((1, 9000), np.int32)
    shifted = shift_within(corner, np.full(9000, 2), regions, np.random.default_rng(0))
    seen = np.bincount(shifted.reshape(-1), minlength=16)
    reachable = [0, 1, 2, 4, 5, 6, 8, 9, 10]
    assert set(np.flatnonzero(seen)) == set(reachable)
    assert stats.chisquare(seen[reachable]).pvalue > 1e-3


def test_rare_regions_are_rare_at_their_time_of_the_day():
    """Region 7 has three visitors in the morning and one in the evening."""
    region = np.array([[7, 7], [7, 500], [7, 500], [900, 500]], np.int32)
    rules = Rules(steps_per_day=2)
    cells = ShiftRareRegions(3, 0, 5).anonymise(
        TraceMatrix(region), rules, np.random.default_rng(4)
    )
    moved = cells.code != region
    assert not moved[[0, 1, 2, 1, 2, 3], [0, 0, 0, 1, 1, 1]].any()
    assert moved[[3, 0], [0, 1]].all()


def test_hospitals_are_shifted_by_their_own_distance(rules):
    region = np.full((1, 4000), 5, np.int32)
    cells = ShiftRareRegions(0, 1, 0).anonymise(
        TraceMatrix(region), rules, np.random.default_rng(0)
    )
    assert set(cells.code.flat) == {0, 1, 2, 4, 5, 6, 8, 9, 10}
    still = ShiftRareRegions(0, 0, 3).anonymise(
        TraceMatrix(region), rules, np.random.default_rng(0)
    )
    assert set(still.code.flat) == {5}


def test_the_slides_untouched_regions_and_utility_fit_this_reading():
    """AS(94, 0, 3) left 275,598 of 800,000 regions alone and kept s_U = 0.7027."""
    middle = TraceMatrix(np.full((1, 60_000), 32 * 16 + 16, np.int32))
    rules = Rules(steps_per_day=60_000)
    cells = ShiftRareRegions(2, 0, 3).anonymise(middle, rules, np.random.default_rng(0))
    kept = utility(middle, cells, rules).value
    share = 275_598 / 800_000
    assert share + (1 - share) * kept == pytest.approx(0.7027, abs=0.003)


@pytest.mark.parametrize("parameters", [(-1, 0, 0), (0, -1, 0), (0, 0, -1)])
def test_parameters_out_of_range_are_refused_at_birth(parameters):
    with pytest.raises(InputError):
        ShiftRareRegions(*parameters)
