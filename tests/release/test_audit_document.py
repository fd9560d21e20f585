"""Audits, as their documents tell them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from mixsafe.documents.atlas import Atlas, Context
from mixsafe.documents.document import Document, Table
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Positions
from mixsafe.model.question.adversary import Pins
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.release import Cells, Sightings
from mixsafe.release.audit import Audit, audit
from mixsafe.release.audit_document import audit_document, decided, exposed, intervals
from mixsafe.release.evidence import Evidence, Published
from mixsafe.report.document_page import document_page


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
    asked = intervals(found)
    table = found.intervals
    assert asked.start.tolist() == table["from_time"].tolist()
    assert asked.end.tolist() == table["to_time"].tolist()
    assert [str(asked.users[row]) for row in asked.row] == table["user_id"].tolist()
    assert asked.weight.tolist() == found.steps.tolist()


def test_the_page_tells_tracks_zones_and_what_no_exchange_would_mean(found: Audit) -> None:
    document = audit_document(found, Context())
    assert table(document, "Places of mix zones").rows[0][0] == "7"
    page = document_page(document)
    assert "&lt;i&gt;ann" in page
    assert "<i>ann" not in page
    assert "<p>1 of 1 meeting is proven to help these people (0 open).</p>" in page
    assert "If pseudonyms were never exchanged, 0% of the known people" in page


def table(document: Document, title: str) -> Table:
    """A table of a document."""
    (found,) = (one for one in document.parts if one.title == title and isinstance(one, Table))
    return found


def test_shares_of_the_pictures_are_those_of_the_sentence(found: Audit) -> None:
    """A sighting is a question of its own: its step alone is known by assumption."""
    asked = decided(found)
    known = asked.weight[asked.standing > 2].sum() / asked.weight.sum()
    assert known == pytest.approx(found.headline.known_share)
    assert known > 0
    assert asked.weight[asked.verdict == 0].sum() / asked.weight.sum() == pytest.approx(
        found.headline.safe_share
    )


def test_the_most_exposed_person_is_shown_with_meetings_of_tracks_that_can_be_hers(
    found: Audit,
) -> None:
    """With three candidates wanted, all can be followed; the tracks of both meet at step 3."""
    asked = audit(found.evidence, 3, exhaustive=True)
    document = audit_document(asked, Context())
    (chart,) = (one for one in document.charts if one.name == "most-exposed")
    (panel,) = chart.panels
    assert list(panel.y.names)[1:] == ["mix zones", "seen"]
    assert next(one for one in panel.series if one.y[0] == 1).x == [2.5]


def test_candidates_are_the_tracks_that_can_be_hers(found: Audit) -> None:
    asked = intervals(found)
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
    document = audit_document(static, Context())
    assert table(document, "The least protected people").rows[0][5] == "12"
    page = document_page(document)
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
    shown = exposed(found, Atlas(None, where))
    assert shown is not None
    assert found.findings is not None
    risk = Counter[str]()
    for track, when, at in zip(row, step + 1, place, strict=True):
        options = [found.findings.tracks(user, int(when))[1] for user in range(2)]
        risk[str(at)] += any(len(one) < found.k and track in one for one in options)
    assert 0 < sum(risk.values()) < len(row)
    assert {name: sum(by) for name, by in zip(shown["name"], shown["risk"], strict=True)} == risk
    assert sum(map(sum, shown["present"])) == len(row)
    assert dict(zip(shown["name"], shown["safe"], strict=True)) == {"7": 1, "8": 0, "9": 0}
    page = document_page(audit_document(found, Context(atlas=Atlas(None, where))))
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
    shown = exposed(answer, Atlas(None, where))
    assert shown is not None
    assert sum(map(sum, shown["risk"])) == sum(map(len, at_risk.values()))
    page = document_page(audit_document(answer, Context(atlas=Atlas(None, where))))
    assert ("or at fewer than 2 places" in page) == (least == 2)


def test_beside_the_protected_time_the_page_says_how_much_the_release_shows() -> None:
    """A quarter of the cells is suppressed: whoever was seen then may be on either track."""
    code = np.array([[0, 1], [2, 1024]])
    seen = Sightings(np.array([1]), np.zeros(1, np.int32), np.full(1, 2, np.int32), np.array([1]))
    for cells, said in ((code, True), (np.minimum(code, 2), False)):
        published = Published.of_cells(Cells.of_regions(cells, 1024))
        document = audit_document(audit(Evidence.of(published, seen), 2), Context())
        facts = {fact.label: fact.value for fact in document.facts}
        hidden = "For 25.0% of everybody's time tracks show no place."
        assert (hidden in str(facts["Time"])) == said
        shown = "The release shows a place for 75.0% of everybody's time."
        assert (shown in str(document.evidence)) == said


@pytest.mark.parametrize("places", [(5, 6), (6, 8), (8, 9)], ids=["above", "around", "below"])
def test_a_mix_zone_at_a_place_that_is_not_on_the_map_is_credited_to_no_other(
    found: Audit, places: tuple[int, int]
) -> None:
    """The zone is at place 7, whichever other places there are."""
    zones = found.evidence.zones
    row, step = np.array([0, 1], np.int32), np.array([3, 3], np.int32)
    where = Positions(zones.users, zones.axis, row, step, np.array(places))
    shown = exposed(found, Atlas(None, where))
    assert shown is not None
    assert dict(zip(shown["name"], shown["safe"], strict=True)) == dict.fromkeys(
        map(str, places), 0
    )
