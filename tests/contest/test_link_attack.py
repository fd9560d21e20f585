"""LINK against all paths of tiny releases, and on an exchange that it can see through."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.contest.attacks import HomeProbTraces
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.link_attack import LinkIds, LinkTraces, MeetingPlaces, Search
from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import Regions, TraceMatrix
from mixsafe.model.release import Cells

GRID = Regions(1, 3, 35.65, 139.68, 0.003, 0.004, np.zeros(3, bool))
SOURCE = np.random.default_rng(0)


def follows(place, path):
    """Whether each piece of a path begins where the one before it ends."""
    return all(
        place[step, before] == place[step, after]
        for step, (before, after) in enumerate(pairwise(path), 1)
    )


def naive_best(place, gain, free):
    """Value of the best path of one user among all sequences of tracks."""
    n_steps, n_tracks = place.shape
    values = [
        sum(gain[step, track] for step, track in enumerate(path))
        for path in product(range(n_tracks), repeat=n_steps)
        if follows(place, path) and all(free[step, track] for step, track in enumerate(path))
    ]
    return max(values)


@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_the_best_path_is_the_best_of_all_paths(n_users, n_steps, seed):
    random = np.random.default_rng(seed)
    release = Cells.of_regions(random.integers(4, size=(n_users, n_steps)), 3)
    ratio = random.normal(size=(n_users, 2, 4)).astype(np.float32)
    places = MeetingPlaces.of_release(release)
    step_of_day = np.arange(n_steps) % 2
    finder = Search(places, ratio, step_of_day)
    paths, score = finder.all_paths
    for user in range(n_users):
        gain = ratio[user, step_of_day[:, None], release.code.T]
        free = np.ones(places.of_track.shape, bool)
        assert follows(places.of_track, paths[user])
        assert score[user] == pytest.approx(naive_best(places.of_track, gain, free), abs=1e-5)


@given(st.integers(1, 6), st.integers(1, 5), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_disjoint_paths_cover_the_release(n_users, n_steps, seed):
    random = np.random.default_rng(seed)
    release = Cells.of_regions(random.integers(4, size=(n_users, n_steps)), 3)
    ratio = random.normal(size=(n_users, 2, 4)).astype(np.float32)
    finder = Search(MeetingPlaces.of_release(release), ratio, np.arange(n_steps) % 2)
    paths = finder.disjoint_paths()
    assert np.array_equal(np.sort(paths, axis=0), np.arange(n_users)[:, None] + 0 * paths)
    assert all(follows(finder.places.of_track, path) for path in paths)


def value_over_free(place, gain, free):
    """Value of the best path of one user over free pieces, step by step."""
    value = np.zeros(place.max() + 1)
    for step in range(len(place)):
        came, value = value, np.full_like(value, 0 if step == 0 else -np.inf)
        if step:
            kept = free[step - 1]
            np.maximum.at(value, place[step, kept], came[place[step - 1, kept]])
        there = np.full_like(value, -np.inf)
        there[place[step]] = gain[step]
        value = value + there
    return value[place[-1, free[-1]]].max()


@pytest.mark.parametrize("n_users", [3, 5, 160])
def test_each_path_is_the_best_over_what_those_before_her_left(n_users):
    """Also after pieces that were taken were dropped, which is done every 64 paths."""
    random = np.random.default_rng(n_users)
    release = Cells.of_regions(random.integers(4, size=(n_users, 4)), 3)
    ratio = random.normal(size=(n_users, 2, 4)).astype(np.float32)
    step_of_day = np.arange(4) % 2
    finder = Search(MeetingPlaces.of_release(release), ratio, step_of_day)
    place, (best, score), chosen = finder.places.of_track, finder.all_paths, finder.disjoint_paths()
    free, waiting, steps = np.ones(place.shape, bool), [], np.arange(4)
    for user in np.argsort(-score, kind="stable"):
        if free[steps, best[user]].all():
            assert np.array_equal(chosen[user], best[user])
            free[steps, best[user]] = False
        else:
            waiting.append(user)
    assert waiting
    for user in waiting:
        gain = ratio[user, step_of_day[:, None], release.code.T]
        expected = value_over_free(place, gain, free)
        assert gain[steps, chosen[user]].sum() == pytest.approx(expected, abs=1e-5)
        free[steps, chosen[user]] = False


def test_an_exchange_between_users_with_other_habits_is_undone():
    """Two users with homes 0 and 2 meet in region 1 at noon, and leave with each other's names."""
    reference = TraceMatrix(np.array([[0, 1, 0], [2, 1, 2]], np.int32))
    release = Cells.of_regions(np.array([[0, 1, 2], [2, 1, 0]], np.int32), 3)
    known = Reference(reference, Rules(GRID, steps_per_day=3, home_steps=1))
    assert LinkIds().attack(known, release, SOURCE)[:, [0, 2]].tolist() == [[0, 1], [1, 0]]
    assert LinkTraces().attack(known, release, SOURCE).tolist() == reference.region.tolist()
    # An attacker who follows the pseudonyms gets the evenings wrong.
    assert HomeProbTraces().attack(known, release, SOURCE).tolist() == [[0, 1, 2], [2, 1, 0]]


def test_users_who_show_nothing_meet_nobody():
    release = Cells.of_regions(np.array([[3, 0], [3, 0]], np.int32), 3)
    places = MeetingPlaces.of_release(release)
    assert places.count.tolist() == [2, 1]
    assert places.content[0].tolist() == [3, 3]


def test_evidence_of_sets_is_that_of_the_sets_that_were_asked_for():
    """It is kept for the next release, which may have others."""
    visits = TraceMatrix(np.array([[0, 1, 0], [2, 1, 2]], np.int32))
    kept = Reference(visits, Rules(GRID, steps_per_day=3, home_steps=1)).evidence
    code, ptr = np.array([[4, 1], [0, 1]], np.int32), np.array([0, 2])
    for pair in ([0, 1], [1, 2], [1, 2], [0, 1]):
        release = Cells(code, 3, ptr, np.array(pair, np.int32))
        fresh = Reference(visits, Rules(GRID, steps_per_day=3, home_steps=1)).evidence
        assert np.array_equal(kept.of_contents(release), fresh.of_contents(release))


def test_evidence_of_a_set_lies_between_that_of_its_regions():
    reference = TraceMatrix(np.array([[0, 0, 1], [2, 2, 2]], np.int32))
    cells = Cells(
        np.array([[4, 4], [4, 4]], np.int32), 3, np.array([0, 2]), np.array([0, 2], np.int32)
    )
    known = Reference(reference, Rules(GRID, steps_per_day=3))
    ratio = known.evidence.of_contents(cells)
    assert ratio.shape == (2, 3, 5)
    low, high = ratio[:, :, [0, 2]].min(axis=2), ratio[:, :, [0, 2]].max(axis=2)
    assert np.all((low <= ratio[:, :, 4]) & (ratio[:, :, 4] <= high))
    assert np.all(ratio[:, :, 3] == 0)


def test_a_release_of_other_users_is_refused(reference):
    with pytest.raises(InputError, match="6 users, the release 5 pseudonyms"):
        LinkIds().attack(reference, Cells.of_regions(np.zeros((5, 8), np.int32), 16), SOURCE)


def test_without_exchanges_whole_tracks_are_weighed(reference):
    release = Cells.of_regions(reference.traces.region[::-1], 16)
    assert LinkIds(0).attack(reference, release, SOURCE).tolist() == [5, 4, 3, 2, 1, 0]
    found = LinkTraces(0).attack(reference, release, SOURCE)
    assert np.array_equal(found, reference.traces.region)


def test_what_the_attacker_knows_is_yes_or_no():
    with pytest.raises(InputError, match="LINK takes 0 or 1, not 2"):
        LinkIds(2)


@given(st.integers(1, 200), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_whole_tracks_go_to_the_surest_users_first(n_users, seed):
    """Whoever did not get her best track lost it to somebody who was surer of it."""
    random = np.random.default_rng(seed)
    ratio = random.normal(size=(n_users, 1, n_users)).astype(np.float32)
    release = Cells.of_regions(np.arange(n_users, dtype=np.int32)[:, None], n_users)
    finder = Search(MeetingPlaces.of_release(release, 0), ratio, np.zeros(1, np.int64))
    scores, chosen = ratio[:, 0], finder.disjoint_paths()[:, 0]
    assert sorted(chosen.tolist()) == list(range(n_users))
    surest = int(scores.max(axis=1).argmax())
    assert chosen[surest] == scores[surest].argmax()
    happy = chosen == scores.argmax(axis=1)

    for user in np.flatnonzero(~happy):
        rival = int(np.flatnonzero(chosen == scores[user].argmax())[0])
        assert happy[rival]
        assert scores[rival].max() >= scores[user].max()


def test_tracks_that_never_exchange_meet_nobody():
    """What two of them show together is their sum along each, whatever they show."""
    release = Cells.of_regions(np.array([[1, 2], [1, 3], [0, 2]], np.int32), 3)
    places = MeetingPlaces.of_release(release, 0)
    assert places.of_track.tolist() == [[0, 1, 2], [0, 1, 2]]
    assert places.content.tolist() == release.code.T.tolist()


def test_whole_tracks_are_weighed_as_paths_without_any_meeting(reference):
    """Where nobody ever shows the same cell, paths are tracks, and both attacks are one."""
    random = np.random.default_rng(5)
    apart = np.stack([random.permutation(16)[:6] for _ in range(8)], axis=1).astype(np.int32)
    release = Cells.of_regions(apart, 16)
    by_path = LinkIds(1).attack(reference, release, SOURCE)
    by_track = LinkIds(0).attack(reference, release, SOURCE)
    assert np.array_equal(by_path, np.repeat(by_track[:, None], 8, axis=1))
    traces = [LinkTraces(known).attack(reference, release, SOURCE) for known in (0, 1)]
    assert np.array_equal(*traces)
