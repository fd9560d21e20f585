"""Readings of gaps: verdicts by each against all stories, and which one counts."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mixsafe.errors import InputError
from mixsafe.model.answer.gaps import READINGS, Gaps
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.course import SolveLimits
from mixsafe.model.question.requirement import Rule
from mixsafe.release import readings
from mixsafe.release.audit import Audit, audit
from mixsafe.release.evidence import Evidence
from tests.support.releases_with_gaps import GappyRelease, gappy_releases
from tests.support.small_releases import evidence_of

ONE_WORKER = SolveLimits(workers=1)
QUESTIONS = {
    "k": st.integers(2, 3),
    "rule": st.sampled_from(["every", "some"]),
    "exchanged": st.booleans(),
}


def audited(release: GappyRelease, gaps: Gaps | None = None, **asked) -> Audit | None:
    """An audit; None: the sightings contradict the release."""
    asked["rule"] = Rule.parse(asked["rule"])
    try:
        evidence = Evidence.of(release.published, release.seen, gaps)
        return audit(evidence, asked.pop("k"), limits=ONE_WORKER, **asked)
    except InputError:
        return None


def expected(release: GappyRelease, k: int, rule: str, *, exchanged: bool) -> dict[Gaps, str]:
    """The verdict by each reading, of all stories; None: contradicted."""
    return {one: release.verdict(one.value, k, rule, exchanged=exchanged) for one in READINGS}


@given(release=gappy_releases(most_tracks=3, most_steps=3), **QUESTIONS)
@settings(max_examples=80, deadline=None)
def test_the_verdict_by_each_reading_is_that_of_all_stories(release, k, rule, exchanged):
    assume(not release.is_close)
    truth = expected(release, k, rule, exchanged=exchanged)
    answer = audited(release, k=k, rule=rule, exchanged=exchanged)
    if answer is None:
        assert truth[Gaps.ANYWHERE] is None
        return
    found = answer.gaps.to_dict()
    for reading, verdict in truth.items():
        assert found[reading.value] == (verdict or "contradicted")


@given(release=gappy_releases(most_tracks=3, most_steps=3), **QUESTIONS)
@settings(max_examples=80, deadline=None)
def test_by_default_an_answer_is_never_better_than_by_the_strictest_consistent_reading(
    release, k, rule, exchanged
):
    assume(not release.is_close)
    truth = expected(release, k, rule, exchanged=exchanged)
    answer = audited(release, k=k, rule=rule, exchanged=exchanged)
    strictest = next((one for one in truth.values() if one is not None), None)
    if answer is None:
        assert strictest is None
    elif strictest == "unsafe":
        assert answer.verdict is Verdict.UNSAFE
    if truth[Gaps.ABSENT] is not None:
        assert answer.verdict.value == truth[Gaps.ABSENT]


@given(
    release=gappy_releases(most_tracks=3, most_steps=3),
    gaps=st.sampled_from(READINGS),
    **QUESTIONS,
)
@settings(max_examples=80, deadline=None)
def test_a_reading_that_is_asked_for_says_valid_only_if_the_strictest_does(
    release, gaps, k, rule, exchanged
):
    assume(not release.is_close)
    asked = {"k": k, "rule": rule, "exchanged": exchanged}
    truth = expected(release, **asked)
    answer, default = audited(release, gaps, **asked), audited(release, **asked)
    if truth[gaps] is None:
        assert answer is None
    elif truth[gaps] == "unsafe":
        assert answer.verdict is Verdict.UNSAFE
    else:
        passes = default.verdict is Verdict.SAFE
        assert answer.verdict is (Verdict.SAFE if passes else Verdict.WEAK_PASS)
    if answer is not None:
        tracks = audit(
            Evidence.of(release.published, release.seen, gaps),
            2,
            exchanged=exchanged,
            exhaustive=True,
            limits=ONE_WORKER,
            by_gaps=False,
        )
        for (user, step), rows in release.candidates(gaps.value, exchanged=exchanged).items():
            for found in tracks.findings.tracks(user, step):
                assert set(found.tolist()) == rows


def test_sightings_that_fit_no_track_together_are_read_more_widely_as_far_as_they_must():
    """Each sighting of person 0 fits a track, but no track fits both; person 1 keeps her reading.

    The person was seen in cell 0 and, after that, in cell 1: only the gap of the third track can
    hide her then, if a gap hides anybody who gets there in time.
    """
    release = GappyRelease(
        ((0, 3, 3), (9, 9, 1), (0, None, None), (40, 40, 40)),
        ((0, 1, 0), (0, 3, 1), (1, 2, 40)),
        2,
        93.7,
    )
    answer = audited(release, k=2, rule="some", exchanged=False)
    assert answer.evidence.level.tolist() == [1, 0, 1]  # by time: person 0, person 1, person 0
    assert answer.gaps.verdicts[Gaps.ABSENT] is None
    assert answer.gaps.to_dict()["absent"] == "contradicted"
    assert answer.verdict is Verdict.UNSAFE


def test_a_reading_is_not_decided_again_where_it_follows_from_another(monkeypatch):
    release = GappyRelease(((0, 0), (0, 0), (0, None)), ((0, 2, 0),), 1, 21.3)
    calls = []
    monkeypatch.setattr(
        readings, "initial_solution", lambda *_, **__: calls.append(1) or (None, None)
    )
    answer = audited(release, k=2, rule="every", exchanged=False)
    assert set(answer.gaps.verdicts.values()) == {Verdict.SAFE}
    assert not calls


def test_a_reading_that_leaves_no_track_names_the_sighting_and_the_way_out():
    release = GappyRelease(((0, None), (0, None)), ((0, 2, 40),), 1, 93.7)
    with pytest.raises(InputError, match="where no track is, read as 'absent'") as error:
        Evidence.of(release.published, release.seen, Gaps.ABSENT)
    assert "leave out the reading" in error.value.hint


def test_a_release_without_exchanges_that_one_sighting_gives_away_is_not_valid_for_its_gaps():
    """Three cabs have a fix in half of the steps; each sighting fits the fix of one of them."""
    tracks = (
        (0, None, 1, None, 3, None),
        (None, 9, None, 9, None, 9),
        (40, None, 40, None, 40, None),
    )
    release = GappyRelease(tracks, ((0, 1, 0), (0, 3, 1), (0, 5, 3)), 1, 93.7)
    answer = audited(release, k=2, rule="some", exchanged=False)
    assert answer.verdict is Verdict.UNSAFE
    assert answer.gaps.verdicts[Gaps.ANYWHERE] is Verdict.SAFE
    assert "'anywhere': VALID" in answer.headline.exposure


def test_a_pass_that_needs_tracks_of_which_nothing_is_shown_is_weak():
    """Two of four tracks are suppressed from end to end: whoever is known may be on them."""
    track = frozenset([0]), frozenset([1])
    other = frozenset([2]), frozenset([2])
    tracks = [track, other, (None, None), (None, None)]
    asked = {"exchanged": False, "rule": Rule.parse("every"), "limits": ONE_WORKER}
    answer = audit(evidence_of(tracks, [(0, 1, 0), (0, 2, 1)], 1), 3, **asked)
    assert answer.summary["share_of_time_safe"] == 1
    assert answer.verdict is Verdict.WEAK_PASS
    assert answer.gaps.to_dict()["without_suppressed_tracks"] == "unsafe"
    assert "only as tracks that show nothing at all are counted" in answer.headline.sentence
    shown = [track, track, track, (None, None)]
    answer = audit(evidence_of(shown, [(0, 1, 0), (0, 2, 1)], 1), 3, **asked)
    assert answer.verdict is Verdict.SAFE


def test_a_person_who_fits_suppressed_tracks_only_may_be_on_them():
    tracks = [(frozenset([2]), frozenset([2])), (None, None), (None, None)]
    answer = audit(
        evidence_of(tracks, [(0, 1, 0)], 1),
        2,
        exchanged=False,
        rule=Rule.parse("every"),
        limits=ONE_WORKER,
    )
    assert answer.verdict is Verdict.SAFE
