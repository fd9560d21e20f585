"""True tracks beside named ones: counted step by step, and a truth that an audit excludes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.errors import InputError
from mixsafe.model.release import TrueTracks
from mixsafe.release.audit import never
from mixsafe.release.track_beliefs import TrackBeliefs
from mixsafe.release.true_tracks import Bets, check_truth
from tests.support.small_releases import evidence_of
from tests.support.walkers_with_gaps import WalkersWithGaps

A, B, C = (frozenset([region]) for region in range(3))


@st.composite
def bets(draw: st.DrawFn) -> tuple[TrackBeliefs, TrueTracks]:
    """Beliefs in some of three tracks, and the truth of some steps, or of all."""
    random = np.random.default_rng(draw(st.integers(0, 999)))
    steps = draw(st.integers(1, 8))
    later = draw(st.sets(st.integers(2, 8).filter(lambda one: one <= steps)))
    first = np.array(sorted({1, *later}), np.int64)
    user = np.array(sorted(draw(st.sets(st.integers(0, 3), min_size=1))), np.int64)
    shape = len(user), len(first)
    track = random.integers(0, 3, shape).astype(np.int32)
    belief = random.random(shape)
    beliefs = TrackBeliefs(user, 4, first, steps, track, belief, True, True, 0.0)
    if draw(st.booleans()):
        return beliefs, TrueTracks(np.arange(4), random.integers(0, 3, 4))
    who, step = np.nonzero(random.random((4, steps)) < 0.7)
    return beliefs, TrueTracks(who, random.integers(0, 3, len(who)), step + 1)


@given(bets())
@settings(max_examples=200, deadline=None)
def test_shares_and_calibration_are_those_of_a_count_step_by_step(drawn) -> None:
    beliefs, truth = drawn
    static = truth.step is None
    table = {}
    for number, who in enumerate(truth.user.tolist()):
        steps = range(1, beliefs.n_steps + 1) if static else [int(truth.step[number])]
        table |= {(who, step): int(truth.track[number]) for step in steps}
    rows = []
    for number, who in enumerate(beliefs.user.tolist()):
        for step in range(1, beliefs.n_steps + 1):
            if (who, step) in table:
                stretch = np.flatnonzero(beliefs.first <= step)[-1]
                right = beliefs.track[number, stretch] == table[who, step]
                rows.append((number, beliefs.belief[number, stretch], right))
    found = Bets.of(beliefs, truth)
    assert found.told == pytest.approx(len(rows) / (len(beliefs.user) * beliefs.n_steps))
    if not rows:
        assert found.share_right() is None
        return
    assert found.share_right() == pytest.approx(np.mean([right for *_, right in rows]))
    for number in range(len(beliefs.user)):
        mine = [right for one, _, right in rows if one == number]
        share = found.share_right(found.user == number)
        assert share == (pytest.approx(np.mean(mine)) if mine else None)
    told = found.calibration()
    assert sum(one["steps"] for one in told) == len(rows)
    assert sum(one["steps"] * one["belief"] for one in told) == pytest.approx(
        sum(belief for _, belief, _ in rows)
    )
    least = [one["from"] for one in told]
    for one, end in zip(told, [*least[1:], 1.1], strict=True):
        inside = [right for _, belief, right in rows if one["from"] <= belief < end]
        assert one["right"] == pytest.approx(np.mean(inside))


@pytest.mark.parametrize("exchanged", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_only_a_truth_that_contradicts_a_sighting_is_refused(seed: int, exchanged: bool) -> None:
    """Walkers whose devices report now and then; any two of them are taken for each other."""
    walkers = WalkersWithGaps.of(seed, kept=0.9, side=30, steps=80)
    walkers = walkers.exchanged() if exchanged else walkers
    told = walkers.seen(8, 3)
    told = told if exchanged else replace(told, zones=never(told.zones))
    track = np.argsort(walkers.person, axis=1)
    steps = np.tile(np.arange(1, 81), 8)
    user = np.repeat(np.arange(8), 80)
    truth = TrueTracks(user, track[steps - 1, user], steps)
    check_truth(told, truth, exchanged=exchanged)
    published, pins, places = told.published, told.pins, told.places
    assert published is not None
    assert places is not None
    entries = zip(published.row, published.step, published.place, strict=True)
    shown = {(int(row), int(step)): int(place) for row, step, place in entries}
    seen = list(zip(pins.token.tolist(), pins.time.tolist(), places.tolist(), strict=True))
    refused = 0
    for one in range(7):
        swapped = {one: one + 1, one + 1: one}
        wrong = sum(
            shown.get((int(track[step - 1, swapped[who]]), step), place) != place
            for who, step, place in seen
            if who in swapped
        )
        other = TrueTracks(np.array([swapped.get(who, who) for who in user]), truth.track, steps)
        if not wrong:
            check_truth(told, other, exchanged=exchanged)
            continue
        refused += 1
        with pytest.raises(InputError, match=f"was seen at time .*\\({wrong} such sighting"):
            check_truth(told, other, exchanged=exchanged)
    assert refused > 3
    if not exchanged:
        check_truth(told, TrueTracks(np.arange(8), np.arange(8)), exchanged=False)


def test_a_pseudonym_that_changes_where_tracks_do_not_meet_is_refused() -> None:
    """Both tracks are in region 0 at step 1 and meet at step 2 only; user 0 was not seen later."""
    told = evidence_of([[A, B, A, A], [A, B, C, C], [C, C, B, B]], [(0, 1, 0)], 1)
    steps = np.arange(1, 5)
    zeros = np.zeros(4, np.int64)
    check_truth(told, TrueTracks(zeros, np.array([0, 1, 1, 1]), steps))
    check_truth(told, TrueTracks(zeros[:2], np.array([0, 1]), np.array([1, 4])))
    for tracks, where in (([0, 0, 1, 1], 43), ([0, 2, 2, 2], 42)):
        with pytest.raises(InputError, match=f"changes from pseudonym .* at time {where}, where"):
            check_truth(told, TrueTracks(zeros, np.array(tracks), steps))
    static = replace(told, zones=never(told.zones))
    with pytest.raises(InputError, match="leave out --exchange none"):
        check_truth(static, TrueTracks(zeros, np.array([0, 1, 1, 1]), steps), exchanged=False)
