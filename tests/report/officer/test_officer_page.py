"""The officer's page: each number is a result's, nothing is claimed without a command."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from mixsafe.errors import InputError
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.answer.wording import count, share
from mixsafe.report.officer.headings import ASSUMPTIONS, HEADINGS, MISSING
from mixsafe.report.officer.kinds import KINDS
from mixsafe.report.officer.officer_page import Statements, officer_report
from tests.support.officer_results import (
    ALL,
    ANN,
    AUDIT,
    AUDIT_JUDGED,
    BREAKING,
    COMPARE,
    FILE,
    PROTECT,
    PSEUDONYMIZE,
    REID,
    RELEASE,
    SCORES,
    TRACE,
    VERIFY,
    VERIFY_JUDGED,
    WEIGH,
    audited,
    changed,
    computed,
    judged_of,
    protected,
    verified,
    written,
)

BY_NAME = {kind.name: kind for kind in KINDS}


@pytest.fixture
def results(tmp_path: Path) -> list[Path]:
    """One of each kind."""
    return written(tmp_path, *ALL.values())


def evidence(page: str) -> str:
    """Sentences and tables about results, without marks, assumptions and commands."""
    found = " ".join(re.findall(r'<div class="evidence">(.*?)<p class="from">', page, re.DOTALL))
    found = re.sub(r"<p>Evidence for criterion .*?</p>|<code>.*?</code>", " ", found)
    found = re.sub(r'<p class="from">.*?</p>', " ", found, flags=re.DOTALL)
    return unescape(re.sub(r"<[^>]*>", " ", found)).replace("95% confidence", "")


def numbers_in(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w.-])\d[\d,]*(?:\.\d+)?%?", text))


def leaves(value: Any) -> list[float]:
    """All numbers of a JSON value."""
    if isinstance(value, dict):
        return [leaf for one in value.values() for leaf in leaves(one)]
    if isinstance(value, list):
        return [leaf for one in value for leaf in leaves(one)]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return [value] if is_number else []


def shown(number: float) -> set[str]:
    """How a page may show a number."""
    texts = {count(number), str(number)}
    return texts | {share(number)} if number <= 1 else texts


def test_each_kind_speaks_to_headings_that_there_are_and_rests_on_assumptions_that_are_told() -> (
    None
):
    keys = {one.key for one in HEADINGS}
    for found in ALL.values():
        assert {one["criterion"] for one in found["document"]["evidence"]} <= keys
    for kind in KINDS:
        assert set(kind.assumes) <= ASSUMPTIONS.keys()
    assert ALL.keys() == BY_NAME.keys()


COMPUTED = {
    "breaking": [504 + 505, 503 + 506, (503 + 506) / 5020],  # withstand, do not, and their share
    "compare": [len(COMPARE["engines"]), len(COMPARE["runs"])],
    "pseudonymize": [len(PSEUDONYMIZE["users_failing"]), 807 / 8060],
    **{
        name: [1 - found["value"], 1 - found["baseline"], *(1 - end for end in found["interval"])]
        for name, found in (("reid", REID), ("trace", TRACE))
    },
    "contest": [3, *(1 - row[key] for row in SCORES for key in ("value", "baseline"))],  # attacks
    "verify": computed(VERIFY_JUDGED),
    "audit": computed(AUDIT_JUDGED),
}
"""Numbers that a document computes of its answer, by the kind of results."""


@pytest.mark.parametrize("name", ALL)
def test_each_number_of_the_evidence_is_of_the_result_or_of_a_named_function(
    name: str, tmp_path: Path
) -> None:
    found = ALL[name]
    computed_of_it = leaves(COMPUTED.get(name, []))
    allowed = {text for one in (*leaves(found), *computed_of_it) for text in shown(one)}
    paths = written(tmp_path, found)
    if name == "assumed":
        allowed |= {str(len(found["draws"]))}
    if name == "check":
        paths = written(tmp_path, VERIFY, found)
        allowed |= {text for one in leaves(VERIFY) for text in shown(one)}
        allowed |= {text for one in computed(VERIFY_JUDGED) for text in shown(one)}
    text = evidence(officer_report(paths, edition="external"))
    found_numbers = numbers_in(text)
    assert found_numbers, text
    assert found_numbers <= allowed


@pytest.mark.parametrize("key", list(PROTECT["remedies"][0]))
def test_everything_that_a_remedy_costs_is_shown(key: str, tmp_path: Path) -> None:
    row = PROTECT["remedies"][0]
    other = {"remedy": "hide", "verdict": "unsafe", "rotate": "weekly",
             "users": {"safe": 1, "unsafe": 2, "undecided": 3}}.get(key)  # fmt: skip
    pages = [
        officer_report(written(tmp_path, protected(one)), edition="external")
        for one in (row, row | {key: row[key] * 0.5 if other is None else other})
    ]
    assert pages[0] != pages[1]


def test_every_piece_of_evidence_has_its_command_and_its_assumptions(results: list[Path]) -> None:
    page = officer_report(results)
    pieces = page.split('<div class="evidence">')[1:]
    read = [json.loads(path.read_text()) for path in results]
    documents = [one["document"]["evidence"] for one in read]
    assert len(pieces) == sum(map(len, documents))
    for piece in pieces:
        assert re.search(r'href="#R\d+">R\d+</a>, of the (data|release): <code>mixsafe ', piece)
    for number, one in enumerate(HEADINGS, 1):
        said = f"Evidence for criterion {number} under assumptions A"
        assert (said in page) == one.criterion


def test_the_external_edition_names_nobody_and_no_file(results: list[Path]) -> None:
    internal, external = officer_report(results), officer_report(results, edition="external")
    assert ANN in internal
    assert FILE in internal
    for secret in (ANN, FILE, "bob-the-safe", str(results[0].parent)):
        assert secret not in external
    digests = set(re.findall(r"\b[0-9a-f]{64}\b", external))
    assert digests == {RELEASE}
    assert len(set(re.findall(r"\b[0-9a-f]{64}\b", internal))) > 3
    assert "--k 3" in external


@pytest.mark.parametrize("edition", ["internal", "external"])
def test_nothing_is_called_anonymous(results: list[Path], edition: str) -> None:
    page = officer_report(results, edition=edition)
    body = page[page.index("<body>") : page.index("<script>")]
    said = re.sub(r"<cite>.*?</cite>", "", body, flags=re.DOTALL)
    assert "anonym" not in said.replace("pseudonymis", "").lower()
    assert "anonym" in body


def test_what_was_not_computed_is_missing_with_its_command(tmp_path: Path) -> None:
    page = officer_report(written(tmp_path, ALL["utility"]))
    assert page.count('<div class="missing">') == len(MISSING)
    for one in MISSING:
        assert one.what in page
        for command in one.commands:
            assert f"<code>{command}</code>" in page


def test_what_is_there_is_not_missing(results: list[Path]) -> None:
    page = officer_report(results, Statements("A city", "Buses", "A university", "In a safe"))
    assert '<div class="missing">' not in page
    assert "Missing:" not in page
    for said in ("A city", "Buses", "A university", "In a safe"):
        assert said in page


def test_statements_are_quoted_or_said_to_be_missing(tmp_path: Path) -> None:
    paths = written(tmp_path, VERIFY)
    page = officer_report(paths, Statements(purpose="<b>Buses</b>"))
    assert "&lt;b&gt;Buses&lt;/b&gt;" in page
    for name in ("controller", "recipient", "secrets"):
        assert f"Missing: state it with --{name} TEXT." in page


def test_undecided_neither_passes_nor_fails(tmp_path: Path) -> None:
    found = judged_of("pseudonyms", 100, (5, 0, 2), verdict=Verdict.UNDECIDED)
    page = officer_report(written(tmp_path, verified(found)))
    assert "Of 7 people, 2 are not shown to be protected: 0 fail, which is proven, and 2" in page
    assert "it leaves the criterion open, which counts as not met" in page
    residual = page[page.index('id="residual"') : page.index('id="measures"')]
    assert "it leaves the criterion open" in residual
    assert "speaks against" not in residual


def test_an_undecided_remedy_does_not_count_as_failing(tmp_path: Path) -> None:
    row = PROTECT["remedies"][0] | {
        "verdict": "undecided",
        "users": {"safe": 0, "unsafe": 0, "undecided": 59},
        "share_of_time_safe": None,
    }
    page = officer_report(written(tmp_path, protected(row)))
    cells = "".join(f'<td class="number" data-order="{one}">{one}</td>' for one in (0, 0, 59))
    assert f"{cells}<td>undecided</td><td>undecided</td>" in page
    assert "No remedy that was tried is proven to make everybody pass." in page


@pytest.mark.parametrize(
    ("known", "word", "words"),
    [
        (1, "Supports for some people: R1 (the release; 1 known person judged, of 60 tracks)",
         "it supports the criterion for some people only (1 known person judged, of 60 tracks)"),
        (60, "Supports: R1 (the release)",
         "it supports the criterion (60 known people judged, of 60 tracks)"),
    ],
)  # fmt: skip
def test_an_audit_says_of_how_many_people_it_is(
    known: int, word: str, words: str, tmp_path: Path
) -> None:
    found = judged_of("tracks", 200, (known, 0, 0), every=60, verdict=Verdict.SAFE)
    page = unescape(officer_report(written(tmp_path, audited(found))))
    assert word in page
    assert f"<strong>{words}</strong>" in page


def test_a_verdict_says_how_many_people_were_judged(tmp_path: Path) -> None:
    for judged, words in ((2, "for some people only (2 of 59 people"), (59, "(59 of 59 people")):
        found = judged_of("pseudonyms", 100, (judged, 0, 0), every=59, verdict=Verdict.SAFE)
        page = officer_report(written(tmp_path, verified(found)))
        assert (
            f"it supports the criterion{words if words[0] == ' ' else ' ' + words} judged" in page
        )


def test_time_without_data_is_told_apart(tmp_path: Path) -> None:
    found = judged_of("pseudonyms", 100, without_data=0.683)
    page = officer_report(written(tmp_path, verified(found)))
    assert "68.3% of all steps have no data of the person, and are not counted" in page


def test_the_same_command_twice_is_shown_twice(tmp_path: Path) -> None:
    other = verified(judged_of("pseudonyms", 100, (91, 92, 93)), "verify --rule every")
    page = officer_report(written(tmp_path, VERIFY, other))
    assert "Of 309 people, 207 are" in page
    assert "Of 276 people, 185 are" in page
    assert "R1</a>, of the data: <code>mixsafe verify secretfile.csv" in page
    assert "R2</a>, of the data: <code>mixsafe verify --rule every secretfile.csv" in page


def test_without_counted_places_inference_is_missing(tmp_path: Path) -> None:
    page = officer_report(written(tmp_path, verified(judged_of("pseudonyms", 100, places=None))))
    assert "Evidence for criterion 5: <strong>missing</strong>" in page
    assert "--distinct-places" in page
    places = {**VERIFY["summary"]["places"], "sensitive": None}
    page = officer_report(written(tmp_path, verified(judged_of("pseudonyms", 100, places=places))))
    assert "at one place for 2.2%" in page
    assert "marked as sensitive" not in page


def test_places_that_were_required_are_part_of_what_safe_means(tmp_path: Path) -> None:
    for number, required in ((1, False), (2, True)):
        places = {**VERIFY["summary"]["places"], "distinct": number}
        found = judged_of("pseudonyms", 100, places=places)
        page = officer_report(written(tmp_path, verified(found)))
        assert ("at 2 or more places at the same time" in page) == required
        assert ("or to candidates at fewer than 2 places" in page) == required


def test_evidence_stands_as_the_result_says(tmp_path: Path) -> None:
    for verdict, words in {
        "safe": "it supports the criterion (5 of 5 people judged)<",
        "weak pass": "it supports the criterion in part",
        "undecided": "it leaves the criterion open",
        "unsafe": "it speaks against the criterion",
    }.items():
        counts = (5, int(verdict == "unsafe"), 0)
        found = judged_of("pseudonyms", 100, counts, verdict=Verdict(verdict), every=counts[0])
        page = officer_report(written(tmp_path, verified(found)))
        section = page[page.index('id="singling_out"') : page.index('id="linkability"')]
        assert words in section, verdict


@pytest.mark.parametrize("found", [VERIFY, AUDIT, WEIGH, BREAKING, PROTECT, PSEUDONYMIZE])
def test_a_damaged_result_is_refused_in_one_line(found: dict[str, Any], tmp_path: Path) -> None:
    parts = ("document", "remedies", "summary", "cells")
    part = next(key for key in parts if key in found)
    for damaged in ("text", 3):
        with pytest.raises(InputError) as refused:
            officer_report(written(tmp_path, changed(found, part, damaged)))
        assert "\n" not in str(refused.value)


def test_the_same_results_give_the_same_bytes(results: list[Path]) -> None:
    assert officer_report(results) == officer_report(results)


def test_a_page_asks_nothing_of_the_network(results: list[Path]) -> None:
    page = officer_report(results)
    assert not re.search(r'(?:src|href)="(?!data:|#)', page)
