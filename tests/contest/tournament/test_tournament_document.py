"""Tournaments in words: by rank, with why a release or an attack does not count."""

from __future__ import annotations

from typing import Any

from mixsafe.contest.tournament.tournament_document import tournament_document
from mixsafe.documents.document import Chart, Document, Table


def team(name: str, rank: int | None, left: float, problem: str | None = None) -> dict[str, Any]:
    return {
        "name": name, "rank": rank, "valid": problem is None, "problem": problem, "utility": 0.8,
        "s_R_min": left, "s_R_min_by": "I3", "s_T_min": left / 2, "s_T_min_by": "T3",
        "s_R_sum": 1.25, "s_T_sum": 2.5,
    }  # fmt: skip


def attack(attacker: str, victim: str, value: float | None, problem: str | None = None) -> Any:
    score = None if value is None else {"value": value}
    return {
        "attacker": attacker, "victim": victim, "answers": "ids", "team": attacker != "I3",
        "score": score, "problem": problem,
    }  # fmt: skip


IDP: dict[str, Any] = {
    "challenge": "IDP",
    "ranked_by": "s_R",
    "teams": [team("b", 2, 0.5), team("out", None, 0.0, "too little is left"), team("a", 1, 0.6)],
    "benchmark": {**team("pseudonyms only", None, 0.1)},
    "awards": {"anonymization": {"by": "highest s_R,min", "teams": ["a"]}},
    "correlation": 0.5,
    "attacks": [
        attack("a", "b", 0.9), attack("I3", "b", 0.5), attack("I3", "a", 0.6),
        attack("b", "a", None, "line 3: no user"),
    ],
}  # fmt: skip
TRP = {**IDP, "challenge": "TRP", "ranked_by": "s_T", "correlation": None}


def tables(document: Document) -> dict[str, Table]:
    return {part.title: part for part in document.parts if isinstance(part, Table)}


def test_the_sentence_names_the_most_private_release_of_each_challenge() -> None:
    said = tournament_document([IDP, TRP]).sentence
    assert said == (
        "Most private: a in IDP (40.0% of the owners found), a in TRP (70.0% of the places found)."
    )
    nobody = {**IDP, "teams": [team("out", None, 0.0, "late")]}
    assert tournament_document([nobody]).sentence == "Most private: nobody in IDP."


def test_tables_follow_the_ranks_and_have_the_strongest_attack_first() -> None:
    found = tables(tournament_document([IDP]))
    assert [row[:2] for row in found["IDP: teams"].rows] == [
        (1, "a"), (2, "b"), (None, "out"), (None, "pseudonyms only"),
    ]  # fmt: skip
    assert [row[0] for row in found["IDP: attackers"].rows] == ["a", "b", "out"]
    assert [row[:2] for row in found["IDP: attacks"].rows] == [
        ("I3", "a"), ("b", "a"), ("I3", "b"), ("a", "b"),
    ]  # fmt: skip


def test_remarks_say_what_does_not_count_and_who_must_do_better() -> None:
    document = tournament_document([IDP])
    remarks = {row[1]: row[-1] for row in tables(document)["IDP: teams"].rows}
    assert remarks == {
        "a": "",
        "b": "attack on a: line 3: no user",
        "out": "not valid: too little is left",
        "pseudonyms only": "the judge's benchmark",
    }
    assert document.next_steps == ("Better releases of out: the remarks say why.",)


def test_each_challenge_has_a_picture_with_its_correlation() -> None:
    charts = [part for part in tournament_document([IDP, TRP]).parts if isinstance(part, Chart)]
    assert [chart.panels[0].legend for chart in charts] == ["IDP, R = 0.500", "TRP"]
    labels = [series.label for series in charts[0].panels[0].series if not series.y]
    assert labels == ["team", "benchmark"]
    names = [name for series in charts[0].panels[0].series for name in series.names]
    assert names == ["a", "b", "pseudonyms only"]


def test_awards_and_the_correlation_are_facts() -> None:
    facts = {fact.label: fact.value for fact in tournament_document([IDP]).facts}
    assert facts["IDP"] == "3 teams, 2 with a valid release; 4 attacks"
    assert facts["IDP, best anonymization"] == "a (highest s_R,min)"
    assert facts["IDP, correlation of s_R and s_T over the teams"] == 0.5
