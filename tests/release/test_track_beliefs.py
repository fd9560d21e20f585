"""Beliefs in tracks, against all stories of tiny releases and against truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mixsafe.model.question.mix_zones import MixZones
from mixsafe.release import track_beliefs
from mixsafe.release.audit import never
from mixsafe.release.evidence import Evidence
from mixsafe.release.sighting_likelihoods import SightingLikelihoods
from mixsafe.release.track_beliefs import TrackBeliefs
from tests.support.audit_oracle import Cell, Sighting
from tests.support.budgets import budgets
from tests.support.relations import with_pairs
from tests.support.small_releases import evidence_of, releases
from tests.support.track_stories import by_stories
from tests.support.walkers_with_gaps import WalkersWithGaps


def evidence(
    tracks: Sequence[Sequence[Cell]], seen: Sequence[Sighting], n_known: int, *, exchanged: bool
) -> Evidence:
    told = evidence_of(tracks, seen, n_known)
    return told if exchanged else replace(told, zones=never(told.zones))


def matches(beliefs: TrackBeliefs, truth: np.ndarray, close: float) -> None:
    """Beliefs are those of the likeliest tracks, and the tracks that are named have them."""
    for number, user in enumerate(beliefs.user.tolist()):
        for stretch, first in enumerate(beliefs.first.tolist()):
            for step in range(first, first + int(beliefs.lasts[stretch])):
                of_step = truth[user, step - 1]
                assert beliefs.belief[number, stretch] == pytest.approx(of_step.max(), abs=close)
                named = of_step[beliefs.track[number, stretch]]
                assert named == pytest.approx(of_step.max(), abs=2 * close)


@given(release=releases())
@settings(max_examples=100, deadline=None)
def test_without_exchanges_beliefs_are_those_of_all_placements(release) -> None:
    tracks, seen, n_known = release
    assume(any(cell for track in tracks for cell in track))
    truth = by_stories(tracks, seen, n_known, exchanged=False)
    assume(truth is not None)
    beliefs = TrackBeliefs.of(evidence(tracks, seen, n_known, exchanged=False))
    assert beliefs.together
    assert not beliefs.error
    matches(beliefs, truth, 1e-9)


@given(release=releases())
@settings(max_examples=100, deadline=None)
def test_one_person_is_followed_through_zones_as_all_stories_say(release) -> None:
    tracks, seen, _ = release
    assume(any(cell for track in tracks for cell in track))
    mine = [(0, step, place) for user, step, place in seen if user == 0]
    truth = by_stories(tracks, mine, 1, exchanged=True)
    assume(truth is not None)
    beliefs = TrackBeliefs.of(evidence(tracks, mine, 1, exchanged=True))
    matches(beliefs, truth, 1e-9)


A, B, C = (frozenset([region]) for region in range(3))
TRACKS: list[list[Cell]] = [[A, B, B, A], [A, C, B, C], [B, B, C, None], [C, A, None, A]]


@pytest.mark.parametrize(
    "seen",
    [
        [(0, 1, 0), (1, 2, 1), (0, 4, 2)],
        [(0, 1, 1), (1, 4, 2)],
        [(0, 2, 1), (1, 2, 1)],
        [(0, 1, 0), (1, 1, 0), (2, 1, 1), (2, 4, 0)],
    ],
)
def test_several_people_are_followed_together_by_drawing_their_paths(seen: list[Sighting]) -> None:
    n_known = max(user for user, *_ in seen) + 1
    truth = by_stories(TRACKS, seen, n_known, exchanged=True)
    assert truth is not None
    with budgets(track_beliefs, sweeps=(24, 600)):
        beliefs = TrackBeliefs.of(evidence(TRACKS, seen, n_known, exchanged=True))
    assert beliefs.together
    matches(beliefs, truth, 0.05)


@pytest.mark.parametrize("seed", range(8))
def test_where_pairs_are_not_possible_nobody_is_believed_to_take_them(seed: int) -> None:
    """Four tracks that meet at two steps, by some pairs only; one person, seen at each end."""
    random = np.random.default_rng(seed)
    tracks: list[list[Cell]] = [[A, A, B]] * 3 + [[A, C, B]]
    told = evidence(tracks, [(0, 1, 0), (0, 3, 1)], 1, exchanged=True)
    allowed = [
        {
            (int(a), int(b))
            for a in told.zones.members[slice(*told.zones.ptr[zone : zone + 2])]
            for b in told.zones.members[slice(*told.zones.ptr[zone : zone + 2])]
            if a != b and random.random() < 0.5
        }
        for zone in range(len(told.zones))
    ]
    may = dict(zip(told.zones.time.tolist(), allowed, strict=True))
    truth = by_stories(
        tracks, [(0, 1, 0), (0, 3, 1)], 1, exchanged=True, may=lambda t, *pair: pair in may[t]
    )
    assert truth is not None
    matches(TrackBeliefs.of(replace(told, zones=with_pairs(told.zones, allowed))), truth, 1e-9)


def reliability(belief: np.ndarray, right: np.ndarray, bins: Sequence[float]) -> None:
    """In each bin the share that is right is what is believed, within what chance allows."""
    place = np.searchsorted(bins, belief, side="right")
    told = 0
    for number in np.unique(place):
        some = place == number
        mean, share = belief[some].mean(), right[some].mean()
        off = np.sqrt((belief[some] * (1 - belief[some])).sum()) / some.sum()
        assert abs(mean - share) < 3 * off + 0.01, (bins, number, some.sum(), mean, share)
        told += some.sum() > 20
    assert told >= 4


@pytest.mark.parametrize(("kept", "n_known", "worlds"), [(0.6, 8, 15), (0.2, 40, 8)])
def test_beliefs_are_right_as_often_as_they_say(kept: float, n_known: int, worlds: int) -> None:
    """Static releases of walkers whose devices report now and then; people seen at any time."""
    belief, right = [], []
    for seed in range(worlds):
        for n_seen in (1, 2):
            walkers = WalkersWithGaps.of(seed, kept=kept)
            told = walkers.seen(n_known, n_seen)
            found = TrackBeliefs.of(replace(told, zones=never(told.zones)))
            assert found.learned
            belief.append(found.belief[:, 0])
            right.append(found.track[:, 0] == found.user)
    said, true = np.concatenate(belief), np.concatenate(right)
    reliability(said, true, (0.3, 0.5, 0.7, 0.9, 0.99))
    off = 1.96 * np.sqrt((said * (1 - said)).sum()) / len(said)
    assert abs(said.mean() - true.mean()) < off
    assert 0.5 < true.mean() < 0.97


@pytest.mark.parametrize("n_known", [1, 4])
def test_beliefs_through_zones_are_right_as_often_as_they_say(n_known: int) -> None:
    """Pseudonyms are exchanged where walkers meet; the likeliest track is named at each step."""
    belief, right = [], []
    for seed in range(40 // n_known):
        walkers = WalkersWithGaps.of(seed, kept=0.6, side=30, steps=80).exchanged()
        found = TrackBeliefs.of(walkers.seen(n_known, 3))
        step = found.first - 1
        true = np.argmax(walkers.person[step][:, None, :] == found.user[:, None], axis=2).T
        belief.append(found.belief[:, ::20].ravel())
        right.append((found.track == true)[:, ::20].ravel())
    said, true_ = np.concatenate(belief), np.concatenate(right)
    # Steps of one person depend on each other: the error is that of as many people.
    off = 3 * np.sqrt(said.mean() * (1 - said.mean()) / 40)
    assert abs(said.mean() - true_.mean()) < off
    sure, unsure = said > 0.9, said < 0.5
    assert true_[sure].mean() > 0.85
    assert true_[unsure].mean() < 0.55


def test_a_fix_at_the_place_explains_a_sighting_better_than_a_gap() -> None:
    walkers = WalkersWithGaps.of(1, kept=0.6)
    told = walkers.seen(10, 3)
    assert told.published is not None
    assert told.places is not None
    tracks = told.tracks
    sure = SightingLikelihoods.of(told.published)
    found = sure.of_sightings(
        tracks.rows.astype(np.int64),
        told.pins.time[tracks.sighting].astype(np.int64),
        told.places[tracks.sighting],
    )
    reached = tracks.shown & (found == 1)
    assert reached.any()
    assert np.all(found[~tracks.shown] < 1)
    assert np.all(found > 0)


def test_chances_of_all_places_in_a_gap_add_up_to_about_1() -> None:
    walkers = WalkersWithGaps.of(2, kept=0.6)
    published = walkers.published
    sure = SightingLikelihoods.of(published)
    places = sure.shown.places
    steps = published.zones.axis.steps
    shown = set(zip(published.row.tolist(), published.step.tolist(), strict=True))
    gaps = [(row, step) for row in range(8) for step in range(2, steps) if (row, step) not in shown]
    for row, step in gaps[::37]:
        chances = sure.of_sightings(np.full(len(places), row), np.full(len(places), step), places)
        assert chances.sum() == pytest.approx(1, abs=0.15)


def test_too_little_to_learn_from_is_said() -> None:
    told = evidence([[A, None], [B, None], [None, None]], [(0, 2, 0)], 1, exchanged=False)
    assert not TrackBeliefs.of(told).learned
    sure = evidence([[A, A], [B, A], [B, B]], [(0, 2, 0)], 1, exchanged=False)
    assert TrackBeliefs.of(sure).learned  # nothing had to be learned


def test_a_sample_is_taken_of_too_many_people() -> None:
    walkers = WalkersWithGaps.of(3, kept=0.6)
    told = walkers.seen(30, 2)
    told = replace(told, zones=never(told.zones))
    whole = TrackBeliefs.of(told)
    assert len(whole.user) == whole.n_known == 30
    with budgets(track_beliefs, pairs=10 * told.zones.n_users):
        some = TrackBeliefs.of(told)
    assert len(some.user) == 10
    assert some.n_known == 30


def test_where_drawing_is_too_much_work_each_person_is_weighed_alone() -> None:
    seen = [(0, 1, 0), (1, 2, 1), (0, 4, 2)]
    told = evidence(TRACKS, seen, 2, exchanged=True)
    with budgets(track_beliefs, kept=1):
        found = TrackBeliefs.of(told)
    assert not found.together
    for user in (0, 1):
        mine = [(0, step, place) for who, step, place in seen if who == user]
        alone = by_stories(TRACKS, mine, 1, exchanged=True)
        assert alone is not None
        of_user = replace(found, user=np.zeros(1, np.int64), track=found.track[[user]])
        matches(replace(of_user, belief=found.belief[[user]]), alone, 1e-9)


def test_a_sighting_before_the_first_zone_and_one_at_its_step_are_told_apart() -> None:
    """At step 2 both tracks meet: who was seen before it is on either afterwards."""
    tracks: list[list[Cell]] = [[A, B, A], [C, B, C]]
    found = TrackBeliefs.of(evidence(tracks, [(0, 1, 0)], 1, exchanged=True))
    assert isinstance(evidence(tracks, [(0, 1, 0)], 1, exchanged=True).zones, MixZones)
    assert found.belief[0].tolist() == [1.0, 0.5]


@given(
    holds=st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=1, max_size=3),
    lasts=st.lists(st.integers(1, 5), min_size=4, max_size=4),
)
def test_the_longest_run_is_that_of_a_search(holds, lasts) -> None:
    from mixsafe.release.track_follower import longest_runs

    found = longest_runs(np.array(holds), np.array(lasts))
    for row, longest in zip(holds, found.tolist(), strict=True):
        best = now = 0
        for one, long in zip(row, lasts, strict=True):
            now = now + long if one else 0
            best = max(best, now)
        assert longest == best


def test_somebody_who_was_seen_where_no_track_ever_is_is_weighed() -> None:
    """By a gap at first, and then in the same gap; with enough fixes to learn from."""
    random = np.random.default_rng(0)
    cells = [frozenset([int(one)]) for one in random.integers(0, 2, 400)]
    tracks: list[list[Cell]] = [[*cells, None, None, A], [*cells[::-1], None, None, B]]
    told = evidence(tracks, [(0, 401, 2), (0, 402, 2)], 1, exchanged=False)
    found = TrackBeliefs.of(told)
    assert found.learned
    assert found.belief[0, 0] == pytest.approx(0.5, abs=0.4)
