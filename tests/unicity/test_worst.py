"""The fewest sightings that single a track out are those of which an audit says so."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from mixsafe.errors import InputError
from mixsafe.model.answer.gaps import Gaps
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.course import SolveLimits
from mixsafe.model.release import Cells, Sightings
from mixsafe.release.audit import audit
from mixsafe.release.evidence import Evidence, Published
from mixsafe.unicity.worst import fewest_sightings
from tests.support.releases_with_gaps import GappyRelease


def drawn(random: np.random.Generator) -> Published:
    """Random tracks over three regions, some cells deleted, some generalized to two of them."""
    sizes = int(random.integers(2, 5)), int(random.integers(2, 4))
    code = random.integers(0, 3, sizes)
    other = random.random(sizes)
    code[other < 0.15] = 3
    code[other > 0.85] = 4
    cells = Cells(code.astype(np.int32), 3, np.array([0, 2]), np.array([0, 2], np.int32))
    return Published.of_cells(cells)


def least(
    published: Published,
    track: int,
    k: int,
    exchanged: bool,
    most: int,
    gaps: Gaps | None = None,
) -> int | None:
    """Fewest of a track's places and times with which one person fails an audit by rule some."""
    of_track = published.row == track
    step, place = published.step[of_track], published.place[of_track]
    sure = np.flatnonzero(np.bincount(step)[step] == 1)
    for size in range(1, most + 1):
        for some in itertools.combinations(sure.tolist(), size):
            chosen = np.array(some)
            seen = Sightings(
                np.array(["she"]), np.zeros(size, np.int32), step[chosen], place[chosen]
            )
            evidence = Evidence.of(published, seen, gaps)
            found = audit(evidence, k, exchanged=exchanged, engine="dp", by_gaps=False)
            if found.verdict is Verdict.UNSAFE:
                return size
    return None


def test_fewest_sightings_are_those_of_which_audits_say_so() -> None:
    random = np.random.default_rng(0)
    for _ in range(3):
        published, exchanged = drawn(random), bool(random.integers(2))
        k = int(random.integers(2, published.n_tracks + 1))
        told = fewest_sightings(published, k, exchanged=exchanged, at_most=2)
        for track, singled in enumerate(told):
            expected = least(published, track, k, exchanged, 2)
            assert singled.upper == expected
            assert singled.lower == (3 if expected is None else expected)
            assert expected is None or len(singled.steps) == expected


@pytest.mark.parametrize("gaps", [None, *Gaps])
def test_gaps_of_other_tracks_are_read_as_an_audit_reads_them(gaps: Gaps | None) -> None:
    tracks = (0, None, 3, 9), (None, 1, 1, None), (0, None, None, 9)
    published = GappyRelease(tracks, (), 1, 21.3).published
    for exchanged, k in ((False, 2), (True, 2), (False, 3)):
        told = fewest_sightings(published, k, exchanged=exchanged, at_most=2, gaps=gaps)
        for track, singled in enumerate(told):
            assert singled.upper == least(published, track, k, exchanged, 2, gaps)


def test_where_there_are_fewer_tracks_than_asked_for_nothing_needs_to_be_seen() -> None:
    published = drawn(np.random.default_rng(4))
    found = fewest_sightings(published, published.n_tracks + 1)
    assert {one.upper for one in found} == {0}


def test_what_time_does_not_allow_has_bounds_only() -> None:
    published = drawn(np.random.default_rng(4))
    found = fewest_sightings(published, limits=SolveLimits(seconds=1e-9))
    assert {one[:2] for one in found} == {(0, None)}


def test_fewer_than_no_sightings_are_refused() -> None:
    with pytest.raises(InputError, match="too small"):
        fewest_sightings(drawn(np.random.default_rng(4)), at_most=-1)
