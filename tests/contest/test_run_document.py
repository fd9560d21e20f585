"""Runs of the contest in words: the strongest attacks, and those that were not run."""

from __future__ import annotations

from typing import Any

import pytest

from mixsafe.contest.run_document import release_chart, releases_of, run_document
from mixsafe.documents.document import Document, Table

Row = dict[str, Any]


def release(name: str, kind: str, scores: dict[str, float], *, valid: bool = True) -> list[Row]:
    """Rows of a release under some attacks, whose baseline is 0.95."""
    found = {"utility": 0.8, **scores}
    return [
        {
            "anonymiser": name,
            "pseudonymization": kind,
            "valid": valid,
            "attack": attack,
            "score": {"u": "utility", "T": "trace", "P": "trace"}.get(attack[0], "reid"),
            "value": value,
            "low": value - 0.05,
            "high": value + 0.05,
            "attempts": 40.0,
            "baseline": 0.95,
            "seconds": 0.1,
        }
        for attack, value in found.items()
    ]


SHUFFLED = release("A1", "shuffle", {"I1": 0.9, "I3": 0.6, "T3": 0.5})
EXCHANGED = release("A4-4-1", "mixzone", {"I3": 0.7, "T3": 0.4})
USELESS = release("A2-0", "mixzone", {"I3": 0.99, "T3": 0.99}, valid=False)
ALL = SHUFFLED + USELESS + EXCHANGED


def table(document: Document, title: str) -> Table:
    (found,) = (one for one in document.parts if isinstance(one, Table) and one.title == title)
    return found


def test_the_sentence_is_of_the_most_private_valid_release() -> None:
    sentence = "In the most private release the best attack names the owner of {} of the pseudonyms"
    assert run_document(ALL).sentence == f"{sentence.format('30.0%')} (guessing: 5.0%)."
    assert run_document(SHUFFLED).sentence == f"{sentence.format('40.0%')} (guessing: 5.0%)."


@pytest.mark.parametrize(
    ("scores", "sentence"),
    [
        (USELESS, "No release is useful enough."),
        (release("A1", "shuffle", {}), "No valid release was attacked."),
        (
            release("A1", "shuffle", {"T3": 0.5}),
            "In the most private release the best attack finds 50.0% of where people were"
            " (guessing: 5.0%).",
        ),
    ],
)
def test_what_was_not_attacked_or_is_not_useful_is_said(scores: list[Row], sentence: str) -> None:
    document = run_document(scores)
    assert document.sentence == sentence
    assert Document.from_dict(document.to_dict()).sentence == sentence


def test_releases_are_in_the_order_of_their_privacy_the_valid_ones_first() -> None:
    names = [(row[0], row[2], row[5]) for row in table(run_document(ALL), "Releases").rows]
    assert names == [("A4-4-1", "yes", "I3"), ("A1", "yes", "I3"), ("A2-0", "no", "I3")]
    unattacked = release("A9", "shuffle", {})
    assert [one["name"] for one in releases_of(unattacked + SHUFFLED)] == ["A1", "A9"]


def test_the_strongest_attacks_that_were_not_run_are_named() -> None:
    document = run_document(ALL)
    safer = "without which releases look safer than they are."
    said = f"Not run: POST and POST-T, {safer}"
    assert said in document.limits
    assert said in document.evidence[0].sentences
    assert document.next_steps == (f"Run POST and POST-T, too (--attacks all), {safer}",)
    only = EXCHANGED + release("A4-4-1", "mixzone", {"POST-T": 0.3})
    assert run_document(only).next_steps == (f"Run POST, too (--attacks all), {safer}",)
    complete = only + release("A4-4-1", "mixzone", {"POST": 0.3})
    assert run_document(complete).next_steps == ()
    assert not any("POST" in line for line in run_document(complete).limits)


def test_what_was_not_run_stands_on_the_page_and_in_the_json_of_either_kind_of_release() -> None:
    """Readers of a page see no standard error: the limits of the answer go with it."""
    for scores in (SHUFFLED, EXCHANGED):
        limits = run_document(scores).to_dict()["limits"]
        assert (
            "Not run: POST and POST-T, without which releases look safer than they are." in limits
        )
    both = release("A1", "shuffle", {"POST": 0.3, "POST-T": 0.3})
    assert "POST" not in str(run_document(both).limits)
    assert "Not run: POST and POST-T" in str(run_document(both + EXCHANGED).limits)


def test_releases_that_are_not_useful_enough_are_hollow_and_the_legend_says_so() -> None:
    (chart,) = release_chart(releases_of(ALL))
    looks = {name: series.look for series in chart.panels[0].series for name in series.names}
    assert looks == {"A1": "dots", "A4-4-1": "triangles", "A2-0": "hollow triangles"}
    legend = [series.label for series in chart.panels[0].series if not series.y]
    assert legend == ["shuffle", "mixzone", "A1", "A2", "A4", "hollow: not useful enough"]
    valid = [one for one in releases_of(ALL) if one["valid"]]
    (chart,) = release_chart(valid)
    assert "hollow: not useful enough" not in [one.label for one in chart.panels[0].series]
    assert release_chart(releases_of(release("A1", "shuffle", {"I3": 0.5}))) == []


def test_every_release_is_a_point_at_its_scores() -> None:
    (chart,) = release_chart(releases_of(ALL))
    points = {
        name: (x, y)
        for series in chart.panels[0].series
        for name, x, y in zip(series.names, series.x, series.y, strict=True)
    }
    assert points == {"A1": (0.6, 0.5), "A4-4-1": (0.7, 0.4), "A2-0": (0.99, 0.99)}


def test_an_officer_sees_the_least_private_release_first_beside_a_guess() -> None:
    (evidence,) = run_document(ALL).evidence
    assert evidence.stands == "speaks against"
    assert [row[0] for row in evidence.tables[0].rows] == ["A4-4-1 (mixzone)", "A1 (shuffle)"]
    assert evidence.tables[0].rows[0][3] == "60.0% found by T3; a guess: 5.0%"
    guessed = release("A1", "shuffle", {"I1": 0.95, "T1": 0.96})
    assert run_document(guessed).evidence[0].stands == "supports"
    assert run_document(USELESS).evidence[0].stands == "open"
