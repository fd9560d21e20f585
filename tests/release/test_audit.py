"""Audits against all stories that a small release allows, and against the publisher's view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mixsafe
from mixsafe.errors import InputError
from mixsafe.model.course import SolveLimits
from mixsafe.model.question.requirement import Rule
from mixsafe.model.release import Cells, Sightings
from mixsafe.release import audit as audits
from mixsafe.release.audit import audit
from mixsafe.release.evidence import Evidence, Published
from tests.support.audit_oracle import Cell, Sighting, tracks_of
from tests.support.audit_tables import found_tracks
from tests.support.small_releases import evidence_of, releases

ONE_WORKER = SolveLimits(workers=1)


@pytest.mark.parametrize("exchanged", [True, False])
@pytest.mark.parametrize("engine", ["auto", "cpsat", "dp"])
@given(release=releases())
@settings(max_examples=25)
def test_the_tracks_of_a_user_are_those_of_some_story(engine, exchanged, release):
    tracks, sightings, n_known = release
    truth = tracks_of(tracks, sightings, n_known, exchanged=exchanged)
    try:
        answer = audit(
            evidence_of(tracks, sightings, n_known),
            2,
            exchanged=exchanged,
            engine=engine,
            exhaustive=True,
            limits=ONE_WORKER,
        )
    except InputError:
        assert not any(truth.values())
        return
    for proven in (True, False):
        assert found_tracks(answer, len(tracks[0]), proven=proven) == truth


@given(release=releases(), k=st.integers(2, 4), engine=st.sampled_from(["auto", "bounds"]))
@settings(max_examples=40)
def test_bounds_enclose_the_truth_and_verdicts_follow_from_it(release, k, engine):
    tracks, sightings, n_known = release
    truth = tracks_of(tracks, sightings, n_known, exchanged=True)
    try:
        answer = audit(evidence_of(tracks, sightings, n_known), k, engine=engine, limits=ONE_WORKER)
    except InputError:
        assert not any(truth.values())
        return
    for row in answer.intervals.itertuples():
        for t in range(row.from_time - 40, row.to_time - 40 + 1):
            size = len(truth[row.user_id, t])
            assert row.lower <= size <= row.upper
            if engine == "auto" or row.verdict != "undecided":
                assert row.verdict == ("safe" if size >= k else "unsafe")


@given(release=releases())
@settings(max_examples=40)
def test_the_share_of_time_shown_is_that_of_cells_that_show_a_place_or_several(release):
    tracks, sightings, _ = release
    cells = [cell for track in tracks for cell in track]
    share = sum(cell is not None for cell in cells) / len(cells)
    published = evidence_of(tracks, sightings[:0], 0).published
    assert published.shown_share == pytest.approx(share)


def test_a_town_half_of_which_is_suppressed_is_protected_there_and_the_answer_says_so():
    """All sightings fall where nothing is shown: each person may be on any track then."""
    town = mixsafe.town(40, days=1, random=np.random.default_rng(3))
    cells = Cells.of_regions(town.region, 1024)
    code = cells.code.copy()
    code[:, code.shape[1] // 2 :] = cells.deleted
    published = Published.of_cells(replace(cells, code=code))
    user = np.arange(3, dtype=np.int32)
    last = code.shape[1]
    seen = Sightings(user + 1, user, np.full(3, last, np.int32), cells.code[user, -1].astype(int))
    answer = audit(Evidence.of(published, seen), 3, limits=ONE_WORKER)
    assert answer.summary["share_of_time_safe"] == 1
    assert answer.headline.to_dict()["share_of_time_shown"] == published.shown_share == 0.5
    said = "For 50.0% of everybody's time tracks show no place. A track that hides its cell may"
    assert said in answer.headline.exposure
    whole = audit(Evidence.of(Published.of_cells(cells), seen), 3, limits=ONE_WORKER)
    assert whole.headline.to_dict()["share_of_time_shown"] == 1
    assert "show no place" not in whole.headline.exposure
    assert whole.summary["share_of_time_safe"] < 1


@given(release=releases())
@settings(max_examples=40)
def test_a_track_is_tied_to_a_user_at_the_times_at_which_she_is_on_no_other(release):
    tracks, sightings, n_known = release
    truth = tracks_of(tracks, sightings, n_known, exchanged=True)
    if not all(truth.values()):
        return
    n_steps = len(tracks[0])
    answer = audit(evidence_of(tracks, sightings, n_known), 2, limits=ONE_WORKER).tracks
    for track, row in enumerate(answer.itertuples()):
        times = [sum(truth[u, t] == {track} for t in range(1, n_steps + 1)) for u in range(n_known)]
        assert row.tied_share == pytest.approx(sum(times) / n_steps)
        assert row.user_share == pytest.approx(max(times) / n_steps)
        assert row.undecided_share == 0
        assert (row.user_id is None) == (max(times) == 0)


@given(release=releases())
@settings(max_examples=40)
def test_a_zone_hides_nothing_when_nobody_gains_a_track_by_it(release):
    tracks, sightings, n_known = release
    truth = tracks_of(tracks, sightings, n_known, exchanged=True)
    if not all(truth.values()):
        return
    evidence = evidence_of(tracks, sightings, n_known)
    found = audit(evidence, 2, exhaustive=True, limits=ONE_WORKER).zones["hides"].tolist()
    zones = evidence.zones
    for zone, hides in enumerate(found):
        t = int(zones.time[zone])
        members = zones.members[zones.ptr[zone] : zones.ptr[zone + 1]].tolist()
        if t == 1:  # what could be before the first time is not in the stories' sets
            continue
        gained = any(
            track in truth[user, t] - truth[user, t - 1]
            for user in range(n_known)
            for track in members
        )
        assert hides == ("something" if gained else "nothing")


@given(
    release=releases(),
    rule=st.sampled_from(["some", "every", "share:0.5"]),
    k=st.integers(2, 4),
    exchanged=st.booleans(),
)
@settings(max_examples=60)
def test_a_user_passes_by_the_share_of_times_at_which_she_may_be_on_k_tracks(
    release, rule, k, exchanged
):
    tracks, sightings, n_known = release
    n_steps = len(tracks[0])
    truth = tracks_of(tracks, sightings, n_known, exchanged=exchanged)
    asked = evidence_of_or_none(tracks, sightings, n_known)
    if asked is None or not all(truth.values()):
        return
    answer = audit(asked, k, exchanged=exchanged, rule=Rule.parse(rule), limits=ONE_WORKER)
    needed = {"some": 1, "every": n_steps, "share:0.5": n_steps / 2}[rule]
    for row in answer.users.itertuples():
        safe = sum(len(truth[row.user_id, t]) >= k for t in range(1, n_steps + 1))
        assert row.verdict == ("safe" if safe >= needed else "unsafe")
        assert row.safe_share == pytest.approx(safe / n_steps)


def evidence_of_or_none(
    tracks: Sequence[Sequence[Cell]], sightings: Sequence[Sighting], n_known: int
) -> Evidence | None:
    """Evidence, unless a sighting fits no track."""
    try:
        return evidence_of(tracks, sightings, n_known)
    except InputError:
        return None


@pytest.mark.parametrize("engine", ["auto", "cpsat"])
def test_a_limit_of_time_ends_it_and_leaves_bounds(engine):
    """CP-SAT alone would be at it for hours."""
    random = np.random.default_rng(3)
    tracks = [[frozenset([int(r)]) for r in random.integers(3, size=30)] for _ in range(40)]
    sightings = [(user, 30, int(next(iter(tracks[user][29])))) for user in range(40)]
    answer = audit(
        evidence_of(tracks, sightings, 40),
        3,
        engine=engine,
        exhaustive=True,
        limits=SolveLimits(0.2, workers=1),
    )
    lower, upper = answer.intervals["lower"], answer.intervals["upper"]
    assert np.all(lower <= upper)
    assert engine == "auto" or np.any(lower < upper)


def test_an_audit_and_the_static_one_beside_it_share_one_limit_of_time(monkeypatch):
    used = []

    def noted(evidence, question, course):
        used.append(course.deadline)
        return find(evidence, question, course)

    find = audits.find
    monkeypatch.setattr(audits, "find", noted)
    tracks = [[frozenset([0]), frozenset([0])], [frozenset([0]), frozenset([1])]]
    answer = audit(evidence_of(tracks, [(0, 1, 0), (0, 2, 1)], 1), 2, limits=SolveLimits(60.0))
    assert answer.static is not None
    assert len(used) > 1
    assert len(set(used)) == 1


def slowed(evidence: Evidence, factor: int) -> Evidence:
    """The same evidence with ``factor`` steps for each one, the first of them the eventful one."""
    zones, pins = evidence.zones, evidence.pins

    def later(step):
        return (
            (step.astype(np.int64) - 1) * factor + (step > 0) * 1 + (step == 0) * factor
        ).astype(np.int32)

    return replace(
        evidence,
        zones=replace(
            zones, axis=replace(zones.axis, steps=zones.axis.steps * factor), time=later(zones.time)
        ),
        pins=replace(pins, time=later(pins.time)),
    )


@pytest.mark.parametrize("engine", ["auto", "bounds", "cpsat", "dp"])
@given(release=releases())
@settings(max_examples=10)
def test_endless_empty_time_changes_nothing_and_takes_no_time(engine, release):
    tracks, sightings, n_known = release
    factor = 400_000_000
    try:
        found, long = (
            audit(one, 2, engine=engine, exhaustive=True, limits=ONE_WORKER)
            for evidence in [evidence_of(tracks, sightings, n_known)]
            for one in (evidence, slowed(evidence, factor))
        )
    except InputError:
        return
    first = found.evidence.zones.axis.first
    for one, other in ((found.intervals, long.intervals), (found.candidates, long.candidates)):
        same = [name for name in one.columns if name not in ("from_time", "to_time")]
        assert one[same].equals(other[same])
        assert (first + factor * (one["from_time"] - first)).equals(other["from_time"])
        assert (first + factor * (one["to_time"] - first + 1) - 1).equals(other["to_time"])
    assert np.array_equal(found.steps * factor, long.steps)
    assert found.tracks.equals(long.tracks)
    assert found.zones["hides"].equals(long.zones["hides"])
    other = ["weight", "known_share"]  # moments of sightings are as short as ever
    assert found.users.drop(columns=other).equals(long.users.drop(columns=other))
