"""Snapshots that are missing, and identifiers that are nearly alike, are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from mixsafe.io.gbfs.reading import read_feed
from mixsafe.model.tracklets import Feed
from mixsafe.tracklets.feeds import links
from mixsafe.tracklets.links_document import feed_document
from tests.support.feeds import bike, free_bike_status, write_lines


def feed(path: Path, times: list[int], *names: str) -> Feed:
    """A feed in which each of the vehicles is in every snapshot but for the last."""
    shown = [[bike(name, 50.0 + at / 100, 8.0) for at, name in enumerate(names)] for _ in times]
    shown[-1] = shown[-1][:1]
    lines = [free_bike_status(time, *some) for time, some in zip(times, shown, strict=True)]
    return read_feed(write_lines(path / "feed.jsonl", *lines))


def test_gaps_are_on_the_first_lines(tmp_path: Path) -> None:
    """Protects a reader from a feed with an outage in it, whose rides look safe."""
    times = [*range(0, 3000, 300), *range(9000, 12000, 300)]
    found = feed(tmp_path, times, "a", "b", "c")
    assert found.gaps is not None
    assert found.gaps == (1, 6300, pytest.approx(6300 / 11700), 300)
    facts = [fact.label for fact in feed_document(links(found), "feed").facts]
    assert facts[:2] == ["Data", "Gaps"]


def test_a_feed_without_gaps_says_nothing(tmp_path: Path) -> None:
    """Protects from false alarms: single snapshots may be late."""
    assert feed(tmp_path, [0, 300, 600, 1500, 1800], "a", "b", "c").gaps is None


def test_identifiers_that_differ_only_in_case_are_told(tmp_path: Path) -> None:
    """Protects from taking one vehicle for two without a word."""
    notes = feed(tmp_path, [0, 300, 600], "aB", "Ab", "c").notes
    assert any("'Ab' and 'aB'" in note for note in notes)
    assert not any("only in case" in one for one in feed(tmp_path, [0, 300, 600], "a", "b").notes)
