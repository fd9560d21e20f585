"""Team 004's attacks, against the slides' example, and answers and descriptions of its programs.

The answers need PWS Cup 2019 data: MIXSAFE_DATA names a folder that holds ``pwscup2019`` with the
traces of team 001, and ``team004`` with a release and the answers to it.
"""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.base.score import privacy_left
from mixsafe.contest.registry import attacker, team_attackers, team_programs
from mixsafe.contest.team_attacks import (
    FuzzyVisitVector,
    ProgramFrequentRegions,
    ProgramVisitVector,
    SwapFrequentRegions,
    first_named,
    fuzzy_spread,
    shown_counts,
)
from mixsafe.errors import InputError
from mixsafe.io.contest.reading import read_id_table, read_inferred_ids, read_public, read_traces
from mixsafe.model.mobility.complete_traces import Regions, TraceMatrix
from mixsafe.model.release import Cells

SOURCE = np.random.default_rng(0)
GRID = Regions(2, 3, 35.65, 139.68, 0.003, 0.004, np.zeros(6, bool))


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
        (ProgramVisitVector, (0, 1, 1)),
        (ProgramVisitVector, (1, -1, 1)),
        (ProgramVisitVector, (1, 1, -1)),
        (ProgramFrequentRegions, (0,)),
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


@st.composite
def days(draw):
    """Reference days of three steps, and a release with deletions and two sets on a 2 x 3 grid."""
    users, before, after = draw(st.integers(1, 5)), draw(st.integers(1, 4)), draw(st.integers(1, 3))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    reference = random.integers(draw(st.integers(1, 6)), size=(users, 3 * before))
    code = random.integers(9, size=(users, 3 * after)).astype(np.int32)
    member = np.array([0, 1, 2, 3, 5], np.int32)
    known = Reference(TraceMatrix(reference.astype(np.int32)), Rules(GRID, 3, 1))
    return known, Cells(code, 6, np.array([0, 2, 5]), member, first_time=3 * before + 1)


def shown_regions(cells, code):
    """Regions that a cell shows."""
    if code < cells.n_regions:
        return [code]
    number = code - cells.n_regions - 1
    return [] if number < 0 else cells.member[cells.ptr[number] : cells.ptr[number + 1]].tolist()


def described_distances(known, cells, initial, decay, reach):
    """Distance of each track and user, as the published program is described, cell by cell."""
    users = []
    for trace in known.traces.region.tolist():
        vector = [0.0] * 6
        for region, count in Counter(trace).items():
            weight = math.log(1 + count)
            if reach == 0:
                vector[region] += weight
                continue
            y, x = divmod(region, 3)
            for other in range(6):
                north, east = other // 3 - y, other % 3 - x
                if max(abs(north), abs(east)) <= reach:
                    distance = math.sqrt(north**2 + east**2)
                    vector[other] += weight * initial * math.exp(-decay * distance)
        users.append(vector)
    found = []
    for track in cells.code.tolist():
        counts = [0.0] * 6
        for code in track:
            shown = shown_regions(cells, code)
            for region in shown:
                counts[region] += 1 / len(shown)
        vector = [math.log(1 + count) for count in counts]
        found.append([math.dist(vector, user) for user in users])
    return np.array(found)


@given(days(), st.sampled_from([(0.33, 1, 1), (0.33, 0.5, 1), (0.7, 0, 2), (0.33, 1, 0)]))
def test_the_program_names_the_user_at_the_smallest_distance(contest, parameters):
    known, cells = contest
    answer = ProgramVisitVector(*parameters).attack(known, cells, SOURCE)
    distance = described_distances(known, cells, *parameters)
    found = distance[np.arange(len(answer)), answer]
    np.testing.assert_allclose(found, distance.min(axis=1), rtol=1e-7, atol=1e-7)


@given(days(), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_the_program_swaps_frequent_regions_as_described(contest, threshold, seed):
    """Whoever is named has the first track; each cell is one of those that the rule allows."""
    known, cells = contest
    named = ProgramVisitVector().attack(known, cells, SOURCE).tolist()
    inferred = ProgramFrequentRegions(threshold).attack(known, cells, np.random.default_rng(seed))
    tracks = first_named(np.array(named, np.int32), np.random.default_rng(seed)).tolist()
    assert sorted(tracks) == list(range(len(named)))
    for user, trace in enumerate(known.traces.region.tolist()):
        own = [named.index(user)] if user in named else range(len(named))
        assert tracks[user] in own
        allowed = [
            [described_cells(cells, trace, track, step, threshold) for step in range(cells.n_steps)]
            for track in own
        ]
        answer = inferred[user].tolist()
        assert any(all(map(set.__contains__, track, answer)) for track in allowed)


def described_cells(cells, trace, track, step, threshold):
    """What a user's region may be at a step, as the published program is described."""
    # most_common has equals in the order in which they came first
    ((region, count),) = Counter(trace[step % 3 :: 3]).most_common(1)
    shown = shown_regions(cells, cells.code[track, step])
    return {region} if count >= threshold or not shown else set(shown)


def test_users_who_are_not_named_get_any_of_the_tracks_that_are_left():
    named = np.array([2, 2, 0, 2], np.int32)
    found = {tuple(first_named(named, np.random.default_rng(seed))) for seed in range(20)}
    assert found == {(2, 1, 0, 3), (2, 3, 0, 1)}


def test_a_time_of_day_that_no_reference_has_is_read_off_the_release():
    known = Reference(TraceMatrix(np.array([[1, 1]], np.int32)), Rules(GRID, 3, 1))
    cells = Cells.of_regions(np.array([[4, 4, 4]], np.int32), 6)
    assert ProgramFrequentRegions(1).attack(known, cells, SOURCE).tolist() == [[1, 1, 4]]


def test_programs_are_tuned_as_what_is_printed():
    for days, threshold in ((2, 1), (20, 5)):
        reference = TraceMatrix(np.zeros((2, 20 * days), np.int32))
        assert team_attackers(reference, Rules())[1] == SwapFrequentRegions(threshold)
        assert team_programs(reference, Rules()) == [
            ProgramVisitVector(0.33, 1, 1),
            ProgramFrequentRegions(threshold),
        ]


@pytest.fixture
def team_001(published):
    """What team 004's program was run on, and the truth."""
    count = Rules().regions.count
    original, earlier = (
        read_traces(published(f"pwscup2019/{kind}traces_team001_data01_IDP.csv"), count)
        for kind in ("org", "ref")
    )
    release = read_public(published("pwscup2019/team004/a1_shuffled.csv.gz"), count)
    table = read_id_table(published("pwscup2019/team004/a1_ptable.csv"))
    return Reference(earlier, Rules()), release, original, table


def left(team, name, *parameters, seed=0):
    """Privacy that an attack leaves, and its answer."""
    known, release, original, table = team
    method = attacker(name, parameters)
    answer = method.attack(known, release, np.random.default_rng(seed))
    return privacy_left(method.answers, original, table, answer, known.rules).value, answer


def test_the_program_s_own_answers_are_ours(team_001, published):
    value, answer = left(team_001, "IF-P")
    theirs = read_inferred_ids(published("pwscup2019/team004/if_answers.csv"), team_001[-1])
    assert np.array_equal(answer, theirs.reshape(len(answer), -1)[:, 0])
    assert value == 0.8955
    assert left(team_001, "IF-P", 0.33, 0.5)[0] == 0.933
    assert left(team_001, "IF-P", 0.33, 1, 0)[0] == 0.8875
    assert left(team_001, "IF")[0] == 0.9045


@pytest.mark.parametrize(("threshold", "value"), [(5, 0.8459), (2, 0.8331), (1, 0.8025)])
def test_the_program_s_trace_scores_are_ours(team_001, threshold, value):
    """Who gets a track that is left is chance: the mean of ten, three deviations at most."""
    values = [left(team_001, "TS-P", threshold, seed=seed)[0] for seed in range(10)]
    assert np.mean(values) == pytest.approx(value, abs=max(3 * np.std(values, ddof=1), 5e-5))
    assert left(team_001, "TS", 1)[0] < min(values)
