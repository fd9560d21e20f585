"""Tracks that may be those of a person who was seen, against their definition."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import assume, given, settings

from mixsafe.model.answer.gaps import READINGS
from mixsafe.release.possible_tracks import PossibleTracks
from tests.support.releases_with_gaps import GappyRelease, gappy_releases
from tests.support.small_releases import evidence_of, releases


def tracks_by_reading(release: GappyRelease) -> list[list[set[int]]]:
    """For each reading and sighting the tracks that an audit takes to be possible."""
    seen = release.seen
    found = release.published.fitting(seen.step, seen.place)
    return [sets_of(found, reading.level) for reading in READINGS]


def sets_of(found: PossibleTracks, level: int) -> list[set[int]]:
    ptr, rows = found.by(np.full(len(found), level, np.int8))
    return [set(rows[a:b].tolist()) for a, b in itertools.pairwise(ptr)]


@given(release=gappy_releases())
@settings(max_examples=300, deadline=None)
def test_by_each_reading_the_tracks_of_a_sighting_are_those_of_the_definition(release):
    assume(not release.is_close)
    for reading, found in zip(READINGS, tracks_by_reading(release), strict=True):
        assert found == [
            release.possible(step, cell, reading.value) for _, step, cell in release.sightings
        ]


@given(release=gappy_releases())
@settings(max_examples=200, deadline=None)
def test_a_wider_reading_of_gaps_never_takes_a_track_away(release):
    absent, reachable, anywhere = tracks_by_reading(release)
    for some in zip(absent, reachable, anywhere, strict=True):
        assert some[0] <= some[1] <= some[2]


@given(release=gappy_releases())
@settings(max_examples=200, deadline=None)
def test_the_strictest_reading_of_a_sighting_is_the_first_that_leaves_a_track(release):
    seen, by_reading = release.seen, tracks_by_reading(release)
    strictest = release.published.fitting(seen.step, seen.place).strictest.tolist()
    for number, level in enumerate(strictest):
        left = [bool(sets[number]) for sets in by_reading]
        assert level == (left.index(True) if any(left) else len(READINGS))


@given(release=releases())
@settings(max_examples=50, deadline=None)
def test_a_cell_that_is_hidden_on_purpose_may_hide_anybody_by_every_reading(release):
    tracks, sightings, n_known = release
    published = evidence_of(tracks, [], n_known).published
    step, place = np.array([one[1:] for one in sightings], np.int64).reshape(-1, 2).T
    found = published.fitting(step.astype(np.int32), place)
    expected = [
        {row for row, track in enumerate(tracks) if not track[t - 1] or at in track[t - 1]}
        for _, t, at in sightings
    ]
    for reading in READINGS:
        assert sets_of(found, reading.level) == expected


@given(release=gappy_releases())
@settings(max_examples=100, deadline=None)
def test_sightings_of_several_releases_keep_their_tracks_on_other_rows(release):
    seen, n_tracks = release.seen, len(release.tracks)
    found = release.published.fitting(seen.step, seen.place)
    order = np.arange(n_tracks)[::-1].copy()
    both = PossibleTracks.joined([found, found.on_rows(order)])
    for level, sets in enumerate(tracks_by_reading(release)):
        moved = [{n_tracks - 1 - row for row in rows} for rows in sets]
        assert sets_of(both, level) == sets + moved
        assert sets_of(both.those(np.arange(len(both))[::-1]), level) == (sets + moved)[::-1]
