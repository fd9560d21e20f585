"""A1 to A5 against a reading of their definition row by row, and against their laws; AS and KM.

Of AS: what is shifted, how far, and how much of the utility is left. Of KM: towards the cluster's
mean, to the nearest other hospital, within the utility.
"""

import math

import numpy as np
import pytest
from scipy import stats
from scipy.special import lambertw

from mixsafe.contest.base.rules import Rules
from mixsafe.contest.base.score import utility
from mixsafe.contest.obfuscations import (
    Cheat,
    ClusterVisits,
    MergeAndHide,
    NoObfuscation,
    PlanarLaplace,
    RandomizedResponse,
    ShiftRareRegions,
    shift_within,
)
from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import Regions, TraceMatrix


class Rigged:
    """A random source that always says the same."""

    def __init__(self, value):
        self.value = value

    def random(self, size):
        return np.full(size, self.value)


def contents(cells):
    """Each cell as the tuple of regions that it shows."""
    sets = [cells.member[a:b] for a, b in zip(cells.ptr[:-1], cells.ptr[1:], strict=True)]
    shown = [(region,) for region in range(cells.n_regions)] + [()] + [tuple(s) for s in sets]
    return [tuple(int(region) for region in shown[code]) for code in cells.code.reshape(-1)]


@pytest.fixture
def contest_traces():
    region = np.random.default_rng(3).integers(1024, size=(50, 40))
    return TraceMatrix(region.astype(np.int32), first_time=41)


def test_no_obfuscation_shows_the_true_regions(original, rules):
    cells = NoObfuscation().anonymise(original, rules, np.random.default_rng(0))
    assert np.array_equal(cells.code, original.region)
    assert cells.first_time == original.first_time


def test_compatible_merging_draws_once_per_row_and_drops_bits(contest_traces):
    cells = MergeAndHide(1, 2, 0.4).anonymise(contest_traces, Rules(), np.random.RandomState(1))
    source = np.random.RandomState(1)
    for shown, region in zip(contents(cells), contest_traces.region.reshape(-1), strict=True):
        if source.random_sample() < 0.4:
            expected = ()
        else:
            y, x = (region // 32) >> 2 << 2, (region % 32) >> 1 << 1
            expected = tuple(32 * (y + j) + x + i for j in range(4) for i in range(2))
        assert shown == expected


def test_merging_without_hiding_still_draws_once_per_row(contest_traces):
    source, other = np.random.RandomState(1), np.random.RandomState(1)
    MergeAndHide(1, 1, 0).anonymise(contest_traces, Rules(), source)
    other.random_sample(contest_traces.region.size)
    assert source.random_sample() == other.random_sample()


def test_a_block_cut_by_the_border_to_one_region_is_that_region():
    regions = Regions(3, 3, 0.0, 0.0, 0.1, 0.1, np.zeros(9, bool))
    traces = TraceMatrix(np.arange(9, dtype=np.int32).reshape(3, 3))
    cells = MergeAndHide(1, 1, 0).anonymise(traces, Rules(regions), np.random.default_rng(0))
    assert contents(cells)[8] == (8,)
    assert contents(cells)[4] == (0, 1, 3, 4)
    assert contents(cells)[2] == (2, 5)


def test_blocks_larger_than_the_grid_are_refused(contest_traces):
    with pytest.raises(InputError, match="larger than the 32 x 32 grid"):
        MergeAndHide(6, 0, 0).anonymise(contest_traces, Rules(), np.random.default_rng(0))


def test_compatible_randomized_response_maps_each_draw_as_the_programs_do(contest_traces):
    cells = RandomizedResponse(6).anonymise(contest_traces, Rules(), np.random.RandomState(1))
    source = np.random.RandomState(1)
    keep, other = math.exp(6) / (1023 + math.exp(6)), 1 / (1023 + math.exp(6))
    for code, region in zip(cells.code.flat, contest_traces.region.flat, strict=True):
        draw = source.random_sample()
        rank = int((draw - keep) / other)
        assert code == (region if draw < keep else rank if rank < region else rank + 1)


def test_randomized_response_keeps_the_truth_and_spreads_the_rest_evenly(rules):
    traces = TraceMatrix(np.full((100, 2000), 6, np.int32))
    cells = RandomizedResponse(1.5).anonymise(traces, rules, np.random.default_rng(5))
    keep = math.exp(1.5) / (15 + math.exp(1.5))
    expected = np.full(16, (1 - keep) / 15)
    expected[6] = keep
    seen = np.bincount(cells.code.reshape(-1), minlength=16)
    assert stats.chisquare(seen, expected * cells.code.size).pvalue > 1e-3


@pytest.mark.parametrize("epsilon", [0.0, 2.0, 800.0])
@pytest.mark.parametrize("draw", [0.0, 1 - 2**-53])
def test_randomized_response_stays_in_the_grid_at_the_ends_of_the_draw(epsilon, draw, rules):
    traces = TraceMatrix(np.arange(16, dtype=np.int32)[None])
    cells = RandomizedResponse(epsilon).anonymise(traces, rules, Rigged(draw))
    assert set(cells.code.flat) <= set(range(16))


def test_compatible_planar_laplace_draws_angle_then_radius(contest_traces):
    cells = PlanarLaplace(4, 1).anonymise(contest_traces, Rules(), np.random.RandomState(1))
    source = np.random.RandomState(1)
    for code, region in zip(cells.code.flat, contest_traces.region.flat, strict=True):
        angle, draw = 2 * math.pi * source.random_sample(), source.random_sample()
        radius = -(lambertw((draw - 1) / math.e, k=-1).real + 1) / 4
        lat = (region // 32 + 0.5) * 0.003125 + radius * math.sin(angle) / 111
        lon = (region % 32 + 0.5) * 0.00375 + radius * math.cos(angle) / 91
        y, x = int(lat / 0.003125), int(lon / 0.00375)
        assert code == 32 * min(max(y, 0), 31) + min(max(x, 0), 31)


def test_planar_laplace_has_its_radius_law_and_no_direction():
    north, east = PlanarLaplace(3, 2).displacement_km(20_000, np.random.default_rng(1))
    radius, angle = np.hypot(north, east), np.arctan2(north, east)
    law = stats.kstest(radius, lambda r: 1 - (1 + 1.5 * r) * np.exp(-1.5 * r))
    assert law.pvalue > 1e-3
    assert stats.kstest(angle, stats.uniform(-math.pi, 2 * math.pi).cdf).pvalue > 1e-3


@pytest.mark.parametrize("latitude", [0.0, 34.69, 60.0, 80.0])
def test_planar_laplace_is_isotropic_in_metres_at_every_latitude(latitude):
    """Released regions lie as far to the north and south as to the east and west."""
    side, half = 0.0005, 250
    width = side / math.cos(math.radians(latitude))
    grid = Regions(501, 501, latitude - half * side, 10.0, side, width, np.zeros(501**2, bool))
    middle = np.full((1, 40_000), 501 * 250 + 250, np.int32)
    noisy = PlanarLaplace(2, 1).anonymise(
        TraceMatrix(middle), Rules(grid), np.random.default_rng(2)
    )
    (lat, lon), (lat0, lon0) = grid.centres(noisy.code), grid.centres(middle)
    north = np.radians(lat - lat0) * 6371.0
    east = np.radians(lon - lon0) * 6371.0 * math.cos(math.radians(latitude))
    assert north.std() / east.std() == pytest.approx(1, abs=0.03)
    assert np.hypot(north, east).mean() == pytest.approx(2 / 2, rel=0.03)


def test_a_planar_laplace_draw_of_zero_is_no_noise(original, rules):
    cells = PlanarLaplace(1, 1).anonymise(original, rules, Rigged(0.0))
    assert np.array_equal(cells.code, original.region)


def test_cheating_shuffles_the_first_users_only(contest_traces):
    cells = Cheat(0.25).anonymise(contest_traces, Rules(), np.random.RandomState(1))
    place = np.arange(12)
    np.random.RandomState(1).shuffle(place)
    assert np.array_equal(cells.code[place], contest_traces.region[:12])
    assert np.array_equal(cells.code[12:], contest_traces.region[12:])


@pytest.mark.parametrize(
    ("method", "parameters"),
    [
        (MergeAndHide, (-1, 0, 0.5)),
        (MergeAndHide, (0, 0, 1.5)),
        (MergeAndHide, (0, 0, math.nan)),
        (RandomizedResponse, (-1,)),
        (RandomizedResponse, (math.inf,)),
        (PlanarLaplace, (0, 1)),
        (PlanarLaplace, (1, math.nan)),
        (Cheat, (1.5,)),
    ],
)
def test_parameters_out_of_range_are_refused_at_birth(method, parameters):
    with pytest.raises(InputError):
        method(*parameters)


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
def test_parameters_of_as_out_of_range_are_refused_at_birth(parameters):
    with pytest.raises(InputError):
        ShiftRareRegions(*parameters)


def no_hospitals():
    """The contest's grid without a hospital."""
    return Regions(32, 32, 35.65, 139.68, 0.003125, 0.00375, np.zeros(1024, bool))


def crowd(users=60, steps=20, seed=1):
    """Users who live in the south-west, each around a place of her own."""
    random = np.random.default_rng(seed)
    home = random.integers(2, 14, size=(users, 2, 1))
    row, column = home[:, 0] + random.integers(-2, 3, (users, steps)), home[:, 1]
    column = column + random.integers(-2, 3, (users, steps))
    return TraceMatrix((32 * row + column).astype(np.int32))


def test_clustering_uses_up_the_utility_that_is_not_required_and_no_more():
    traces, rules = crowd(), Rules(required_utility=0.9)
    cells = ClusterVisits(3).anonymise(traces, rules, np.random.default_rng(0))
    kept = utility(traces, cells, rules)
    assert kept.valid
    assert kept.value < 0.9 + 1 / traces.region.size


def test_with_utility_to_spare_everybody_s_counts_become_the_cluster_s():
    traces, rules = crowd(), Rules(required_utility=0.0, regions=no_hospitals())
    cells = ClusterVisits(1).anonymise(traces, rules, np.random.default_rng(0))
    ordered = np.sort(cells.code, axis=1)
    assert (ordered == ordered[0]).all()


def test_hospitals_become_the_nearest_other_hospital(rules):
    """The hospitals of the small grid are regions 5 and 10."""
    traces = TraceMatrix(np.array([[5, 10, 0, 1]], np.int32))
    cells = ClusterVisits(1).anonymise(
        traces, Rules(rules.regions, required_utility=0.0), np.random.default_rng(0)
    )
    assert cells.code.tolist() == [[10, 5, 0, 1]]


def test_no_loss_allowed_is_no_change():
    traces = crowd()
    cells = ClusterVisits(3).anonymise(
        traces, Rules(required_utility=1.0), np.random.default_rng(0)
    )
    assert np.array_equal(cells.code, traces.region)


def test_more_clusters_than_users_make_nobody_move():
    traces = crowd(users=5)
    cells = ClusterVisits(100).anonymise(
        traces, Rules(required_utility=0.0, regions=no_hospitals()), np.random.default_rng(0)
    )
    assert np.array_equal(cells.code, traces.region)


def test_no_cluster_is_refused_at_birth():
    with pytest.raises(InputError):
        ClusterVisits(0)
