"""Statistics of releases in words: each measure of each file, and what it means."""

from __future__ import annotations

from typing import Any

from mixsafe.contest.measure.measures import MEASURES
from mixsafe.contest.measure.utility_document import utility_document
from mixsafe.documents.document import Document, Table

ANSWER: dict[str, Any] = {
    "original": "org.csv",
    "others": [
        {"file": "one.csv", "TM-EMD": 1.23456, "VF-TV": 0.5},
        {"file": "two.csv", "TM-EMD": 0.0, "VF-TV": 0.25},
    ],
}
MORE = {
    "diversity": {"Same-TV": 0.25, "pairs": 6},
    "expected_error": {
        "km": {"e1.csv": 2.5, "e2.csv": 0.0},
        "correlation with s_T": {"hospital weight 10": 0.75},
    },
}


def tables(document: Document) -> dict[str, Table]:
    return {part.title: part for part in document.parts if isinstance(part, Table)}


def test_each_file_has_a_row_and_each_measure_a_column() -> None:
    document = utility_document(ANSWER)
    assert document.sentence == "2 files are compared with org.csv by 2 measures."
    found = tables(document)["Measures"]
    assert [column.name for column in found.columns] == ["file", "TM-EMD", "VF-TV"]
    assert found.rows == [["one.csv", 1.23456, 0.5], ["two.csv", 0.0, 0.25]]
    assert document.facts == ()
    assert Document.from_dict(document.to_dict()).sentence == document.sentence


def test_what_was_asked_for_besides_is_told() -> None:
    document = utility_document({**ANSWER, **MORE})
    assert {fact.label: (fact.value, fact.unit) for fact in document.facts} == {
        "Diversity of the first two, Same-TV": (0.25, "score"),
        "Diversity of the first two, pairs": (6, "count"),
        "Correlation of the expected error with s_T, hospital weight 10": (0.75, "score"),
    }
    errors = tables(document)["Attacks"]
    assert [column.name for column in errors.columns] == ["file", "expected error, km"]
    assert errors.rows == [["e1.csv", 2.5], ["e2.csv", 0.0]]


def test_every_measure_is_explained() -> None:
    rows = tables(utility_document(ANSWER))["Names"].rows
    assert [row[0] for row in rows] == [measure.name for measure in MEASURES]
