"""Draws of assumed sightings: what is drawn, what it comes to, and how sure that is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings

from mixsafe.errors import InputError
from mixsafe.model.release import Cells, Sightings
from mixsafe.release.assume import Spread, audit_draw, draw_sightings
from mixsafe.release.evidence import Published
from tests.support.small_releases import cells_of, evidence_of, releases
from tests.support.track_stories import by_stories

HOW = {"exchanged": False}
REGION = np.array([[0, 1], [0, 2], [1, 1], [2, 2]], np.int32)
"""Where four users are at two times; the release shows them in this order."""


def everything() -> Sightings:
    user, step = np.indices(REGION.shape)
    return Sightings(
        np.arange(1, 5),
        user.ravel().astype(np.int32),
        (step.ravel() + 1).astype(np.int32),
        REGION.ravel().astype(np.int64),
    )


def published() -> Published:
    return Published.of_cells(Cells.of_regions(REGION, 3))


def test_a_draw_has_the_number_of_sightings_asked_for_of_each_user_and_no_other() -> None:
    reference = everything()
    whole = set(zip(reference.user, reference.step, reference.place, strict=True))
    seen = set()
    for seed in range(30):
        drawn = draw_sightings(reference, 1, np.random.default_rng(seed))
        assert np.array_equal(drawn.user, np.arange(4))
        pairs = set(zip(drawn.user, drawn.step, drawn.place, strict=True))
        assert pairs <= whole
        seen |= pairs
    assert seen == whole


def test_more_sightings_than_there_are_cannot_be_drawn() -> None:
    with pytest.raises(InputError, match="2 reference sightings, not 3"):
        draw_sightings(everything(), 3, np.random.default_rng(1))


def test_two_true_sightings_of_each_user_give_all_tracks_of_this_release_away() -> None:
    draw = audit_draw(published(), everything(), 2, **HOW)
    assert (draw.unsafe, draw.found, draw.contradicted, draw.guess) == (1, 1, 0, 1)
    assert draw.unsafe_low < 1 == draw.unsafe_high
    assert (draw.unsafe_time, draw.undecided_time) == (1, 0)


def test_one_sighting_leaves_those_who_were_together_in_doubt() -> None:
    at_first = everything().only(np.array([0, 2]))  # users 1 and 2, of whom tracks 1 and 2 fit
    draw = audit_draw(
        published(), at_first.of_users(np.array([True, True, False, False])), 2, **HOW
    )
    assert draw.unsafe == 0
    assert draw.found == 0
    assert draw.guess == pytest.approx(0.5)
    assert (draw.unsafe_time, draw.undecided_time) == (0, 0)


def test_time_is_counted_in_steps_not_in_stretches() -> None:
    """Each can be on both tracks at the first step, and on one at the ten that follow."""
    region = np.array([[0, 0] + [1] * 9, [0, 0] + [2] * 9], np.int32)
    later = Sightings(
        np.array([1, 2]),
        np.array([0, 1], np.int32),
        np.array([1, 1], np.int32),
        np.array([0, 0]),
    )
    how = {"exchanged": True}
    draw = audit_draw(Published.of_cells(Cells.of_regions(region, 3)), later, 2, **how)
    assert (draw.unsafe_time, draw.undecided_time) == (0, 0)
    seen = Sightings(
        np.array([1, 2]),
        np.array([0, 1], np.int32),
        np.array([3, 3], np.int32),
        np.array([1, 2]),
    )
    draw = audit_draw(Published.of_cells(Cells.of_regions(region, 3)), seen, 2, **how)
    assert draw.unsafe_time == pytest.approx(10 / 11)


def test_sightings_that_fit_no_track_are_counted_and_left_out() -> None:
    wrong = Sightings(
        np.array([1, 2]),
        np.array([0, 1], np.int32),
        np.array([1, 1], np.int32),
        np.array([7, 1]),
    )
    draw = audit_draw(published(), wrong, 2, **HOW)
    assert draw.contradicted == 0.5
    assert draw.found == 0.5  # one track alone is in region 1 then
    nobody = audit_draw(published(), wrong.of_users(np.array([True, False])), 2, **HOW)
    assert nobody.contradicted == 1


def test_without_exchanges_as_many_as_fit_together_are_kept() -> None:
    three = Sightings(
        np.arange(3), np.arange(3, dtype=np.int32), np.ones(3, np.int32), np.zeros(3, np.int64)
    )
    draw = audit_draw(published(), three, 2, **HOW)  # two tracks are in region 0 then
    assert draw.contradicted == pytest.approx(1 / 3)


def test_the_interval_of_a_spread_holds_its_mean_and_is_repeated_by_a_seed() -> None:
    shares = np.random.default_rng(3).random(40)
    one, two = (Spread.of(shares, np.random.default_rng(5)) for _ in range(2))
    assert one == two
    assert one.least <= one.low < one.mean < one.high <= one.most
    assert one.mean == pytest.approx(shares.mean())
    constant = Spread.of([0.25] * 9, np.random.default_rng(5))
    assert (constant.low, constant.high) == (0.25, 0.25)


@given(release=releases())
@settings(max_examples=60, deadline=None)
def test_a_follower_who_bets_expects_what_all_stories_say(release) -> None:
    """Of all in a static release, and of one person through mix zones, which both are exact."""
    tracks, seen, n_known = release
    assume(any(cell for track in tracks for cell in track))
    for exchanged, mine, n in (
        (False, seen, n_known),
        (True, [one for one in seen if one[0] == 0], 1),
    ):
        if {user for user, *_ in mine} != set(range(n)):
            continue
        beliefs = by_stories(tracks, mine, n, exchanged=exchanged)
        if beliefs is None:
            continue
        told = evidence_of(tracks, mine, n)
        sightings = Sightings(told.users, told.pins.token, told.pins.time, told.places)
        draw = audit_draw(Published.of_cells(cells_of(tracks)), sightings, 2, exchanged=exchanged)
        assert draw.contradicted == 0
        assert draw.named == pytest.approx(beliefs.max(axis=2).mean())
        assert (draw.named_error, draw.weighed) == (0, 1)


def test_of_nobody_whose_sightings_fit_nothing_is_believed() -> None:
    wrong = Sightings(np.array([1]), np.zeros(1, np.int32), np.ones(1, np.int32), np.array([7]))
    draw = audit_draw(published(), wrong, 2, **HOW)
    assert (draw.contradicted, draw.named) == (1, 0)
