"""Whose tracks are whose, against all stories of tiny releases."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

import mixsafe
from mixsafe.contest.posterior.exchanged import user_of_track
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.problem import Problem
from mixsafe.model.release import Sightings
from mixsafe.release.evidence import Evidence, Published
from mixsafe.weigh import plan
from mixsafe.weigh.whose_tracks import weigh_tracks
from tests.support.audit_oracle import Cell, Sighting, agrees, stories
from tests.support.budgets import budgets
from tests.support.oracles import zones_of
from tests.support.relations import with_pairs
from tests.support.small_releases import cells_of, evidence_of

A, B, C = (frozenset([region]) for region in range(3))
TRACKS: list[list[Cell]] = [[A, B, B, A], [A, C, B, C], [B, B, C, None]]
SEEN: list[Sighting] = [(0, 1, 0), (1, 2, 1), (0, 4, 2)]


def evidence() -> Evidence:
    user, step, place = np.array(SEEN, np.int64).T
    seen = Sightings(np.arange(2), user.astype(np.int32), step.astype(np.int32), place)
    return Evidence.of(Published.of_cells(cells_of(TRACKS)), seen)


def test_tracks_are_weighed_as_all_stories_say() -> None:
    with budgets(plan, most_draws=640):
        found = weigh_tracks(evidence(), error=0.03)
    told = [story for story in stories(TRACKS, exchanged=True) if agrees(story, TRACKS, SEEN)]
    pseudonyms = evidence().zones.users.tolist()
    first = evidence().zones.axis.first
    settled = 0
    for row in found.tracks.itertuples():
        for time in range(row.from_time, row.to_time + 1):
            on = Counter(story[time - first + 1].index(row.user_id) for story in told)
            if row.by != "not settled":
                share = on[pseudonyms.index(row.pse_id)] / len(told)
                assert row.best_guess == pytest.approx(share, abs=0.08)
                settled += 1
    assert settled > 5
    same = sum(story[1][0] == story[4][0] for story in told) / len(told)
    linked = found.same_person((0, 1), (0, 4))
    assert linked is not None
    assert linked.chance == pytest.approx(same, abs=0.08)
    assert found.summary["follower_right"] > found.summary["random_guess"]


@pytest.mark.parametrize("seed", range(12))
def test_where_pairs_are_not_possible_no_story_has_weight_that_takes_them(seed: int) -> None:
    """Four tracks that meet at all times, by some pairs only; each of three people seen once."""
    random = np.random.default_rng(seed)
    tracks: list[list[Cell]] = [[A, A, B]] * 3 + [[A, C, B]]
    seen = [(user, int(random.integers(3)) + 1) for user in range(3)]
    places = [(user, t, (0, 0, 1)[t - 1]) for user, t in seen]
    told = evidence_of(tracks, places, 3)
    allowed = [
        {pair for pair in itertools.permutations(members, 2) if random.random() < 0.5}
        for _, members in zones_of(Problem("", told.zones, Knowledge.from_pairs([])))
    ]
    may = {t: pairs for t, pairs in zip(told.zones.time.tolist(), allowed, strict=True)}
    told = replace(told, zones=with_pairs(told.zones, allowed))
    every = stories(tracks, exchanged=True, may=lambda t, *pair: pair in may[t])
    possible = [story for story in every if agrees(story, tracks, places)]
    with budgets(plan, most_draws=640):
        found = weigh_tracks(told, error=0.03)
    first, pseudonyms, settled = told.zones.axis.first, told.zones.users.tolist(), 0
    for row in found.tracks.itertuples():
        for time in range(row.from_time, row.to_time + 1):
            on = Counter(story[time - first + 1].index(row.user_id) for story in possible)
            track = pseudonyms.index(row.pse_id) if row.by != "not settled" else -1
            if track >= 0:
                assert row.low - 0.05 <= on[track] / len(possible) <= row.high + 0.05
                settled += 1
    assert settled > 2


def test_without_habits_the_attack_that_links_pieces_believes_the_same() -> None:
    release, told = cells_of(TRACKS), evidence()
    ratio = np.zeros((4, release.n_contents, 3), np.float32)  # by step, content and user
    for user, time, region in SEEN:
        elsewhere = [c for c in range(release.n_contents) if c not in (region, release.deleted)]
        ratio[time - 1, elsewhere, user] = -80.0
    every = np.arange(4)
    believed = user_of_track(release, ratio, np.ones(4, np.float32), every, True)
    found = weigh_tracks(told, error=0.03).tracks
    pseudonyms, first = told.zones.users.tolist(), told.zones.axis.first
    settled = found[found["by"] != "not settled"]
    assert len(settled) > 3
    for row in settled.itertuples():
        for time in range(row.from_time, row.to_time + 1):
            chance = believed[time - first, pseudonyms.index(row.pse_id), row.user_id]
            assert row.low - 0.03 <= chance <= row.high + 0.03


def test_what_was_seen_where_no_track_was_is_refused() -> None:
    seen = Sightings(
        np.arange(1), np.zeros(1, np.int32), np.ones(1, np.int32), np.array([2], np.int64)
    )
    with pytest.raises(mixsafe.InputError) as raised:
        weigh_tracks(Evidence.of(Published.of_cells(cells_of(TRACKS)), seen))
    assert "\n" not in str(raised.value)


def test_nobody_known_is_refused() -> None:
    empty = Sightings(
        np.arange(0), *(np.zeros(0, np.int32) for _ in range(2)), np.zeros(0, np.int64)
    )
    nobody = Evidence.of(Published.of_cells(cells_of(TRACKS)), empty)
    with pytest.raises(mixsafe.InputError, match="nobody is known"):
        weigh_tracks(nobody)
