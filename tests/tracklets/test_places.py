"""Vehicles without a position are nowhere in particular: in no cell, and excluded by no speed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mixsafe.io.gbfs.reading import read_feed
from mixsafe.model.tracklets import Moments, Tracklets
from mixsafe.tracklets.feed_numbers import areas
from mixsafe.tracklets.feeds import links
from mixsafe.tracklets.following import NOWHERE, cells_of
from tests.support.feeds import random_fleet, write_lines


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Tracklets:
    """Six vehicles, with their truth."""
    path = tmp_path_factory.mktemp("fleet") / "feed.jsonl"
    return read_feed(
        write_lines(path, *random_fleet(7, vehicles=6, steps=14)), truth="truth"
    ).tracklets


def without(moments: Moments, lost: np.ndarray) -> Moments:
    return replace(
        moments,
        lat=np.where(lost, np.nan, moments.lat),
        lon=np.where(lost, np.nan, moments.lon),
    )


def test_tracklets_without_a_position_are_in_no_cell(fleet: Tracklets) -> None:
    lost = np.arange(len(fleet)) % 2 == 0
    cells = cells_of(without(fleet.ends, lost), 100.0)
    assert ((cells.number == NOWHERE) == lost).all()
    assert len(cells_of(without(fleet.ends, lost | True), 100.0)) == 0


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.filterwarnings("error")
def test_without_positions_candidates_are_the_same_or_more(
    fleet: Tracklets, seed: int, tmp_path: Path
) -> None:
    random, share = np.random.default_rng(seed), seed / 7
    lost = random.random((2, len(fleet))) < share
    fewer = replace(fleet, begins=without(fleet.begins, lost[0]), ends=without(fleet.ends, lost[1]))
    feed = read_feed(write_lines(tmp_path / "feed.jsonl", *random_fleet(7, vehicles=6, steps=14)))
    whole, found = (links(replace(feed, tracklets=one), k=2) for one in (fleet, fewer))
    assert all(not one.excluded for one in found.checks)
    for before, after in zip(whole.followed.sides, found.followed.sides, strict=True):
        upper = dict(zip(after.which.tolist(), after.upper.tolist(), strict=True))
        assert all(
            upper[one] >= n
            for one, n in zip(before.which.tolist(), before.upper.tolist(), strict=True)
        )
        assert (after.places >= (after.lower > 0)).all()
        assert (after.places + after.nowhere >= after.one_place).all()
        assert not after.one_place[after.nowhere > 0].any()
    placed = ~lost[1][found.followed.ends.which]
    assert sum(one["rides"] for one in areas(found.followed)) == placed.sum()
