"""The document of a verification agrees with the answer that it is made of."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from mixsafe.documents.atlas import Context
from mixsafe.documents.document import Chart, Document, Map, Table
from mixsafe.model.answer.verdict import SAFE, UNSAFE
from mixsafe.verify.privacy.privacy import PrivacyNumbers
from mixsafe.verify.verification import Verification, verify
from mixsafe.verify.verification_document import decided, privacy_of, verification_document


def part(document: Document, title: str) -> Table:
    """A table of a document."""
    (found,) = (one for one in document.parts if one.title == title and isinstance(one, Table))
    return found


def chart(document: Document, name: str) -> Chart:
    """A chart of a document."""
    (found,) = (one for one in document.charts if one.name == name)
    return found


def test_people_have_the_figures_of_the_answer_in_order_of_protection(
    town: Verification, town_document: Document
) -> None:
    people = part(town_document, "All people")
    assert len(people.rows) == 200
    known = town.users.assign(name=town.users["user_id"].astype(str)).set_index("name")
    known = known.loc[[row[0] for row in people.rows]]
    columns = list(zip(*people.rows, strict=True))
    words = {"safe": "passes", "unsafe": "fails", "undecided": "undecided"}
    assert columns[1] == pytest.approx(known["safe_share"].tolist(), abs=1e-4)
    assert columns[2] == pytest.approx(known["known_share"].tolist(), abs=1e-4)
    assert [sum(row[1:5]) for row in people.rows] == pytest.approx([1.0] * 200, abs=3e-4)
    assert list(columns[5]) == known["verdict"].map(words).tolist()
    assert list(columns[6]) == known["lower"].tolist()
    assert town.wires is not None
    best = town.wires.groupby(town.wires["user_id"].astype(str))["lower"].max()
    assert list(columns[7]) == best.loc[list(columns[0])].tolist()
    intervals = part(town_document, "The least protected people")
    assert list(dict.fromkeys(row[0] for row in intervals.rows)) == list(columns[0][:20])


def test_requirements_are_shown_at_their_times_only(walkers: Verification) -> None:
    document = verification_document(walkers, None, Context())
    (timeline,) = chart(document, "timeline").panels
    assert timeline.x.moments == [4, 5]
    drawn = {(one.label, *where) for one in timeline.series
             for where in zip(one.y, one.low, one.high, strict=True)}  # fmt: skip
    assert sorted(drawn) == [
        ("as many as asked, or more", 0, 0, 1), ("as many as asked, or more", 1, 1, 2)
    ] or sorted(drawn) == [
        ("as many as asked, or more", 0, 1, 2), ("as many as asked, or more", 1, 0, 1)
    ]  # fmt: skip
    (over,) = chart(document, "over-time").panels
    assert [one.y for one in over.series] == [[1.0, 1.0]]


def test_json_can_hold_it(town_document: Document) -> None:
    text = json.dumps(town_document.to_dict(), allow_nan=False)
    again = Document.from_dict(json.loads(text)).to_dict()
    assert json.loads(json.dumps(again)) == json.loads(text)


def test_without_kept_candidates_nobody_is_named(walkers: Verification) -> None:
    document = verification_document(verify(walkers.problem), None, Context())
    candidates = {row[5] for row in part(document, "The least protected people").rows}
    assert candidates == {"not known"}


def test_one_person_is_shown_with_meetings_and_sightings(
    town: Verification, town_document: Document
) -> None:
    (panel,) = chart(town_document, "most-exposed").panels
    worst = town.headline.worst
    assert worst is not None
    assert list(panel.y.names) == [worst.user, "mix zones", "seen"]
    steps = town.problem.zones.axis.steps
    scale = steps / len(panel.x.moments)
    long = {
        one.label: sum(high - low for low, high in zip(one.low, one.high, strict=True)) * scale
        for one in panel.series
        if one.look == "spans"
    }
    row = town.users[town.users["user_id"].astype(str) == worst.user].iloc[0]
    assert long.get("protected", 0) == pytest.approx(row["safe_share"] * row["weight"], abs=0.1)
    assert long["known by assumption"] == pytest.approx(row["known_share"] * row["weight"], abs=0.1)
    assert long["followed"] == pytest.approx(worst.steps, abs=0.1)


def test_shares_of_the_picture_are_those_of_the_sentence(town: Verification) -> None:
    asked = decided(town)
    known = asked.weight[asked.standing > 2].sum() / asked.weight.sum()
    assert known == pytest.approx(town.headline.known_share, abs=1e-6)


def test_the_map_is_small_and_says_what_it_leaves_out(town_document: Document) -> None:
    (shown,) = (one for one in town_document.parts if isinstance(one, Map))
    assert shown.exposure is not None
    assert len(shown.exposure.risk) == len(shown.names) <= 1500 + 300
    table = part(town_document, "Exposed places")
    assert sum(shown.exposure.risk[0]) == table.rows[0][1]


def test_who_fails_comes_first_and_of_equals_who_meets_nobody(town: Verification) -> None:
    found = privacy_of(town)
    verdicts = found.users.verdict[found.order]
    assert np.all(np.flatnonzero(verdicts == UNSAFE) < np.flatnonzero(verdicts == SAFE).min())
    verdict = np.full(len(found.users.user), SAFE, np.int8)
    verdict[1] = UNSAFE
    other: PrivacyNumbers = replace(found, users=found.users._replace(verdict=verdict))
    assert other.order[0] == 1
