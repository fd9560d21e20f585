"""Scores in words."""

from __future__ import annotations

from typing import Any

import pytest

from mixsafe.contest.score_document import score_document


def score(kind: str, value: float, **more: Any) -> dict[str, Any]:
    interval = [value - 0.1, value + 0.1]
    return {"score": kind, "value": value, "interval": interval, "attempts": 40.0,
            "baseline": 0.95, **more}  # fmt: skip


@pytest.mark.parametrize(
    ("found", "known", "word", "sentence"),
    [
        (
            score("reid", 0.75469),
            {},
            "Scored",
            "Re-identification privacy s_R is 0.755: the attack names the owner of 24.5% of the"
            " pseudonyms (guessing: 5.0%).",
        ),
        (
            score("trace", 0.8),
            {"answers": 3},
            "Scored",
            "Trace inference privacy s_T is 0.800: the strongest of 3 attacks gets 20.0% of the"
            " score for right places (guessing: 5.0%).",
        ),
        (
            score("utility", 0.8, valid=True),
            {"required": 0.7},
            "Useful",
            "Utility s_U is 0.800; a valid release has 0.7 or more.",
        ),
        (
            score("utility", 0.6, valid=False),
            {"required": 0.7},
            "Not useful",
            "Utility s_U is 0.600; a valid release has 0.7 or more.",
        ),
    ],
)
def test_a_score_is_a_sentence(
    found: dict[str, Any], known: dict[str, Any], word: str, sentence: str
) -> None:
    document = score_document(found, **known)
    assert (document.word, document.sentence) == (word, sentence)


@pytest.mark.parametrize(
    ("value", "stands"), [(0.5, "speaks against"), (0.9, "open"), (0.95, "supports")]
)
def test_an_attack_speaks_against_a_release_beyond_its_interval(value: float, stands: str) -> None:
    for kind, criteria in (("reid", ["testing"]), ("trace", ["inference", "testing"])):
        evidence = score_document(score(kind, value)).evidence
        assert [one.criterion for one in evidence] == criteria
        assert {one.stands for one in evidence} == {stands}


@pytest.mark.parametrize("key", ["value", "interval", "attempts", "baseline"])
@pytest.mark.parametrize("kind", ["reid", "trace"])
def test_each_number_is_told_to_the_officer(kind: str, key: str) -> None:
    found = score(kind, 0.5)
    other = [0.41, 0.62] if key == "interval" else found[key] * 0.8
    told = [score_document(one).evidence[0].sentences for one in (found, found | {key: other})]
    assert told[0] != told[1]
