"""Audits, as the page tells them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from mixsafe.documents.atlas import Atlas
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Positions
from mixsafe.model.question.adversary import Pins
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.release.cells import Cells
from mixsafe.model.release.sightings import Sightings
from mixsafe.release.audit import Audit, audit
from mixsafe.release.evidence import Evidence, Published
from mixsafe.report.pages.privacy_page import privacy_page
from mixsafe.report.view_models.audit_view import audit_view, decided_by_audit


@pytest.fixture
def found() -> Audit:
    """Three tracks of six steps: 11 and 12 meet at step 3; two users seen at step 1, one at 6."""
    zones = MixZones(
        np.array([11, 12, 13]),
        TimeAxis(6),
        np.array([3], np.int32),
        np.array([0, 2], np.int64),
        np.array([0, 1], np.int32),
        np.array([7], np.int64),
    )
    pins = Pins(
        np.array([0, 1, 1], np.int32),
        np.array([1, 1, 6], np.int32),
        np.array([0, 1, 2, 3], np.int64),
        np.array([0, 2, 2], np.int32),
    )
    names = np.array(["<i>ann", "bob"], dtype=object)
    return audit(Evidence(zones, names, pins), 2, exhaustive=True)


def test_stretches_are_those_of_the_intervals(found: Audit) -> None:
    asked = decided_by_audit(found)
    table = found.intervals
    assert asked.start.tolist() == table["from_time"].tolist()
    assert asked.end.tolist() == table["to_time"].tolist()
    assert [str(asked.users[row]) for row in asked.row] == table["user_id"].tolist()
    assert asked.weight.tolist() == found.steps.tolist()


def test_the_page_tells_tracks_zones_and_what_no_exchange_would_mean(found: Audit) -> None:
    shown = audit_view(found)
    assert shown["people"] == found.summary["users"]
    assert shown["time"]["safe"] == pytest.approx(found.summary["share_of_time_safe"], abs=1e-5)
    assert shown["places"]["place"] == [7]
    page = privacy_page(shown)
    assert "&lt;i&gt;ann" in page
    assert "<i>ann" not in page
    assert "<p>1 of 1 meeting is proven to help these people (0 open).</p>" in page
    assert "If pseudonyms were never exchanged, 0% of the known people" in page


def test_candidates_are_the_tracks_that_can_be_hers(found: Audit) -> None:
    asked = decided_by_audit(found)
    assert found.candidates is not None
    for question in range(len(asked.row)):
        names, proven, possible = asked.candidates(question, 99)
        assert len(names) == proven == asked.lower[question]
        assert possible == asked.upper[question]
    ann = found.candidates[found.candidates["user_id"] == "<i>ann"]
    assert set(ann.loc[ann["from_time"] >= 3, "pse_id"]) == {11, 12}
    assert isinstance(ann, pd.DataFrame)


def test_a_static_release_names_the_track_without_asking_for_all_candidates() -> None:
    zones = MixZones(
        np.array([11, 12]), TimeAxis(2), np.zeros(0, np.int32), np.zeros(1, np.int64),
        np.zeros(0, np.int32),
    )  # fmt: skip
    pins = Pins(
        np.array([0], np.int32), np.array([1], np.int32), np.array([0, 1], np.int64),
        np.array([1], np.int32),
    )  # fmt: skip
    static = audit(Evidence(zones, np.array(["ann"], object), pins), 2, exchanged=False)
    assert static.candidates is None
    shown = audit_view(static)
    assert shown["least"][0]["stretches"][0]["candidates"] == ["12"]
    page = privacy_page(shown)
    assert "pseudonyms are assumed never to be exchanged" in page
    assert "Pseudonyms are never exchanged in this release" in page


def test_the_map_has_the_tracks_that_can_be_those_of_people_who_can_be_followed(
    found: Audit,
) -> None:
    """Place by place, against a walk through all tracks, steps and people."""
    zones = found.evidence.zones
    row, step = (part.ravel() for part in np.indices((3, 6)))
    place = 7 + (row + step // 2) % 3
    where = Positions(
        zones.users, zones.axis, row.astype(np.int32), (step + 1).astype(np.int32), place
    )
    shown = audit_view(found, atlas=Atlas(None, where))["exposure"]
    assert found.findings is not None
    risk = Counter[str]()
    for track, when, at in zip(row, step + 1, place, strict=True):
        options = [found.findings.tracks(user, int(when))[1] for user in range(2)]
        risk[str(at)] += any(len(one) < found.k and track in one for one in options)
    assert 0 < sum(risk.values()) < len(row)
    assert {name: sum(by) for name, by in zip(shown["name"], shown["risk"], strict=True)} == risk
    assert sum(map(sum, shown["present"])) == len(row)
    assert dict(zip(shown["name"], shown["safe"], strict=True)) == {"7": 1, "8": 0, "9": 0}
    page = privacy_page(audit_view(found, atlas=Atlas(None, where)))
    assert "of the mix zones that hide something are here" in page


@pytest.mark.parametrize(
    ("least", "at_risk"),
    [(1, {1: [0, 1, 2], 2: [2], 3: []}), (2, {1: [0, 1, 2], 2: [0, 1, 2], 3: [1, 2]})],
)
def test_with_distinct_places_the_map_has_tracks_of_people_who_are_at_too_few(
    least: int, at_risk: dict[int, list[int]]
) -> None:
    """1 and 2 meet at step 2, then 2 and 3: then both tracks that can be 3's are at one place."""
    cells = Cells.of_regions(np.array([[0, 3, 0], [1, 3, 4], [2, 2, 4]]), 1024)
    user = np.arange(3, dtype=np.int32)
    seen = Sightings(user + 1, user, np.ones(3, np.int32), np.arange(3))
    published = Published.of_cells(cells)
    answer = audit(Evidence.of(published, seen), 2, exhaustive=True, distinct_places=least)
    assert answer.findings is not None
    for step, tracks in at_risk.items():
        when = np.full(3, step, np.int32)
        found = answer.findings.can_be_followed(user, when, 2, least)
        assert np.flatnonzero(found).tolist() == tracks
    zones, place = published.zones, published.place + 1
    where = Positions(zones.users, zones.axis, published.row, published.step, place)
    shown = audit_view(answer, atlas=Atlas(None, where))["exposure"]
    assert sum(map(sum, shown["risk"])) == sum(map(len, at_risk.values()))
    assert ("or at fewer than 2 places" in shown["words"]["about"]) == (least == 2)


def test_beside_the_protected_time_the_page_says_how_much_the_release_shows() -> None:
    """A quarter of the cells is suppressed: whoever was seen then may be on either track."""
    code = np.array([[0, 1], [2, 1024]])
    seen = Sightings(np.array([1]), np.zeros(1, np.int32), np.full(1, 2, np.int32), np.array([1]))
    for cells, said in ((code, True), (np.minimum(code, 2), False)):
        published = Published.of_cells(Cells.of_regions(cells, 1024))
        page = privacy_page(audit_view(audit(Evidence.of(published, seen), 2)))
        assert ("undecided; the release shows a place for 75.0%" in page) == said


@pytest.mark.parametrize("places", [(5, 6), (6, 8), (8, 9)], ids=["above", "around", "below"])
def test_a_mix_zone_at_a_place_that_is_not_on_the_map_is_credited_to_no_other(
    found: Audit, places: tuple[int, int]
) -> None:
    """The zone is at place 7, whichever other places there are."""
    zones = found.evidence.zones
    row, step = np.array([0, 1], np.int32), np.array([3, 3], np.int32)
    where = Positions(zones.users, zones.axis, row, step, np.array(places))
    shown = audit_view(found, atlas=Atlas(None, where))["exposure"]
    assert dict(zip(shown["name"], shown["safe"], strict=True)) == dict.fromkeys(
        map(str, places), 0
    )
