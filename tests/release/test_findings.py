"""Tracks of known users at several places, against all stories of small releases."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.errors import InputError
from mixsafe.model.course import SolveLimits
from mixsafe.release.audit import audit
from tests.support.audit_oracle import tracks_of
from tests.support.small_releases import evidence_of, releases
from tests.support.track_places import bounds_on_places, verdict_of

ONE_WORKER = SolveLimits(workers=1)


def shown(tracks):
    """The place of each track where it shows a single region."""
    return {
        (row, t): min(cell)
        for row, track in enumerate(tracks)
        for t, cell in enumerate(track, 1)
        if cell is not None and len(cell) == 1
    }


@given(
    release=releases(),
    k=st.integers(2, 3),
    least=st.integers(1, 3),
    exchanged=st.booleans(),
    exhaustive=st.booleans(),
)
@settings(max_examples=60)
def test_verdicts_are_those_that_follow_from_all_stories(release, k, least, exchanged, exhaustive):
    tracks, sightings, n_known = release
    truth, where = tracks_of(tracks, sightings, n_known, exchanged=exchanged), shown(tracks)
    how = {"exchanged": exchanged, "exhaustive": exhaustive, "limits": ONE_WORKER}
    try:
        answer = audit(evidence_of(tracks, sightings, n_known), k, distinct_places=least, **how)
    except InputError:
        assert not any(truth.values())
        return
    alone, time = 0, 0
    for row in answer.intervals.itertuples():
        steps = range(row.from_time - 40, row.to_time - 40 + 1)
        candidates = truth[row.user_id, steps[0]]
        at = [bounds_on_places(where, candidates, t) for t in steps]
        assert row.verdict == verdict_of(len(candidates), k, at, least)
        assert row.places_lower <= min(low for low, _ in at)
        assert row.places_upper >= min(high for _, high in at)
        alone += sum(high == 1 for _, high in at)
        time += len(steps)
    found = answer.summary["places"]["one_place"]
    if exhaustive:
        assert found["share_of_time"] == round(alone / time, 6)
    else:
        assert found["share_of_time"] <= round(alone / time, 6)


@given(release=releases(), k=st.integers(2, 3))
@settings(max_examples=20)
def test_one_place_changes_no_verdict(release, k):
    tracks, sightings, n_known = release
    try:
        plain = audit(evidence_of(tracks, sightings, n_known), k, limits=ONE_WORKER)
    except InputError:
        return
    one = audit(evidence_of(tracks, sightings, n_known), k, distinct_places=1, limits=ONE_WORKER)
    assert one.intervals["verdict"].tolist() == plain.intervals["verdict"].tolist()
    assert one.users.equals(plain.users)
