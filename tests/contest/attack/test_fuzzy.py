"""Team 004's attacks: the slides' example, and what they do."""

import numpy as np
import pytest

from mixsafe.contest.attack.fuzzy import (
    FuzzyVisitVector,
    SwapFrequentRegions,
    fuzzy_spread,
    shown_counts,
)
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import Regions, TraceMatrix
from mixsafe.model.release import Cells

SOURCE = np.random.default_rng(0)


def test_a_visit_counts_fuzzily_as_on_the_slides():
    """n_0 = 0.2, lambda = 0.5: 0.2 here, 0.121 beside, 0.099 diagonally."""
    spread = fuzzy_spread(Regions.of_contest(), 0.2, 0.5)[[100], :].toarray()[0]
    assert spread[100] == pytest.approx(0.2)
    assert spread[[99, 101, 68, 132]] == pytest.approx(0.121, abs=5e-4)
    assert spread[[67, 69, 131, 133]] == pytest.approx(0.099, abs=5e-4)
    assert np.count_nonzero(spread) == 9


def test_the_border_has_no_neighbours_on_the_other_side():
    spread = fuzzy_spread(Regions.of_contest(), 1, 0)
    assert np.flatnonzero(spread[[31], :].toarray()[0]).tolist() == [30, 31, 62, 63]


def test_a_set_shares_one_visit_among_its_regions_and_a_deletion_counts_nothing():
    code = np.array([[0, 0, 3, 4]], np.int32)
    cells = Cells(code, 3, np.array([0, 2]), np.array([1, 2], np.int32))
    assert shown_counts(cells).tolist() == [[2.0, 0.5, 0.5]]


@pytest.mark.parametrize("scheme", [1, 2, 3, 4, 5, 6])
def test_small_shifts_do_not_hide_a_user(scheme, rules):
    """Every visit is one region beside the reference's: raw counts see nothing in common."""
    home = np.array([0, 3, 8, 11], np.int32)
    reference = TraceMatrix(np.repeat(home[:, None], 8, axis=1))
    cells = Cells.of_regions(np.repeat((home + 4)[::-1, None], 8, axis=1), 16)
    known = Reference(reference, rules)
    answer = FuzzyVisitVector(0.33, 1, scheme).attack(known, cells, SOURCE)
    assert answer.tolist() == [3, 2, 1, 0]


def test_a_frequent_region_replaces_what_the_track_shows():
    """Day by day at 0, 0, 0 in the mornings and at 1, 2, 1 in the evenings."""
    reference = TraceMatrix(np.array([[0, 1, 0, 2, 0, 1]], np.int32))
    grid = Regions(1, 4, 35.65, 139.68, 0.003, 0.004, np.zeros(4, bool))
    known = Reference(reference, Rules(grid, steps_per_day=2, home_steps=1))
    cells = Cells.of_regions(np.array([[3, 3]], np.int32), 4, first_time=7)
    inferred = [
        SwapFrequentRegions(threshold).attack(known, cells, SOURCE).tolist()
        for threshold in (0, 2, 3)
    ]
    assert inferred == [[[0, 1]], [[0, 3]], [[3, 3]]]


@pytest.mark.parametrize(
    ("method", "parameters"),
    [
        (FuzzyVisitVector, (0, 1, 2)),
        (FuzzyVisitVector, (1, -1, 2)),
        (FuzzyVisitVector, (1, 1, 7)),
        (SwapFrequentRegions, (-1,)),
        (SwapFrequentRegions, (1, 0)),
    ],
)
def test_parameters_out_of_range_are_refused_at_birth(method, parameters):
    with pytest.raises(InputError):
        method(*parameters)


def test_as_printed_how_often_somebody_was_somewhere_counts_nothing(rules):
    """log(1 + m / visitors) is a region's own number, where the slides have log(1 + visits)."""
    reference = TraceMatrix(np.array([[0] * 6 + [3] * 2, [0] * 2 + [3] * 6], np.int32))
    known = Reference(reference, rules)
    cells = Cells.of_regions(reference.region[::-1], 16)
    apart, alike = (FuzzyVisitVector(0.33, 9, scheme) for scheme in (2, 6))
    assert apart.attack(known, cells, SOURCE).tolist() == [1, 0]
    assert alike.attack(known, cells, SOURCE).tolist() == [0, 0]


def test_the_scheme_of_ts_is_that_of_if(reference):
    """Who is found decides whose track is read."""
    cells = Cells.of_regions(reference.traces.region[::-1], 16)
    for scheme in (1, 2, 6):
        found = FuzzyVisitVector(scheme=scheme).attack(reference, cells, SOURCE)
        traces = SwapFrequentRegions(99, scheme).attack(reference, cells, SOURCE)
        if len(set(found.tolist())) == len(found):
            assert np.array_equal(traces[found], cells.code)
