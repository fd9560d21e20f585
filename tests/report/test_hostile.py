"""Every kind of page, made of names that are code: they stay text."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mixsafe.compare.comparison import Comparison, EngineRun
from mixsafe.compare.comparison_document import comparison_document
from mixsafe.compare.engine_runs import AnswerBounds
from mixsafe.compare.experiment import Question
from mixsafe.compare.isolated import Ended
from mixsafe.documents.atlas import Context
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.question.adversary import Knowledge, Pins
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Requirements
from mixsafe.optimize.minimum import minimum_zones
from mixsafe.optimize.minimum_document import minimum_document
from mixsafe.release.audit import audit
from mixsafe.release.audit_document import audit_document
from mixsafe.release.evidence import Evidence
from mixsafe.report.result import page_of, read_result
from mixsafe.verify.verification import Verification, verify
from mixsafe.verify.verification_document import verification_document
from tests.support.pages import HOSTILE, show
from tests.support.results import (
    SCORES,
    TOURNAMENT,
    assumed,
    checked,
    held,
    scored,
    write,
)

TURNED = "\u202a\u202d\u202e\u2066\u2069\u200e\u200f\u061c\u200d\x85\x1b\xad"
"""Marks that turn writing around, or have no shape at all."""

MORE = f'"><img src=x onerror=alert(1)>{HOSTILE}'
PROVENANCE = {
    "command": f"mixsafe verify {MORE}",
    "versions": {MORE: MORE},
    "inputs": [{"what": MORE, "name": MORE, "bytes": 1, "sha256": MORE}],
    "parameters": {MORE: MORE},
    "seed": MORE,
}
NAMED = ("name", "problem", "note", "attacker", "victim", "s_R_min_by", "s_T_min_by", "by")


def hostile(content: Any) -> Any:
    """The same result, all free text in it code."""
    if isinstance(content, dict):
        return {
            key: MORE if key in NAMED else [MORE] if key == "teams" and isinstance(value[0], str)
            else hostile(value)
            for key, value in content.items()
        }  # fmt: skip
    return [hostile(value) for value in content] if isinstance(content, list) else content


def two_users() -> MixZones:
    """Two users with names that are code, who meet once."""
    return MixZones(
        np.array([HOSTILE, MORE], object),
        TimeAxis(3),
        np.array([2], np.int32),
        np.array([0, 2], np.int64),
        np.array([0, 1], np.int32),
        np.array([5], np.int64),
    )


def presolved(time: int = 3) -> Problem:
    """Both are seen at the start; one is asked to have two candidates at a time."""
    seen = Knowledge(np.array([0, 1], np.int32), np.zeros(2, np.int32))
    asked = Requirements(*(np.array([value], np.int32) for value in (0, time, 2)))
    return Problem(MORE, two_users(), seen, asked)


def told(answer: Verification) -> dict[str, Any]:
    """A verification as its command writes it."""
    document = verification_document(answer, None, Context(MORE, MORE)).to_dict()
    return {"schema": "verify 1", "document": document, "provenance": PROVENANCE}


def verified() -> dict[str, Any]:
    return told(verify(presolved(), keep_proof_data=True))


def verified_lines() -> str:
    """Two problems, a line each."""
    return f"{json.dumps(verified())}\n" * 2


def optimized(time: int) -> dict[str, Any]:
    answer = replace(minimum_zones(presolved(time)), notes=(MORE,))
    assert answer.status == ("optimal" if time > 1 else "infeasible")
    document = minimum_document(answer, Context(MORE, MORE)).to_dict()
    return {"schema": "optimize 1", "document": document, "provenance": PROVENANCE}


def compared() -> dict[str, Any]:
    bounds = AnswerBounds("decided", np.array([1.0]), np.array([1.0]), {}, (MORE,))
    ended = Ended("returned", bounds, 1.0, 1.0)
    run = EngineRun(Question(presolved(), 0), 0, "auto", "decided", ended, bounds)
    document = comparison_document(Comparison("verify", ("auto",), 20.0, (run,)))
    return {
        "schema": "compare 1", "document": document.to_dict(), "provenance": PROVENANCE
    }  # fmt: skip


def audited(exchanged: bool) -> dict[str, Any]:
    pins = Pins(
        np.array([0], np.int32), np.array([1], np.int32), np.array([0, 1], np.int64),
        np.array([1], np.int32),
    )  # fmt: skip
    evidence = Evidence(two_users(), np.array([MORE], object), pins)
    document = audit_document(audit(evidence, 2, exchanged=exchanged), Context(MORE)).to_dict()
    return {"schema": "audit 1", "document": document, "provenance": PROVENANCE}


def named(row: dict[str, Any]) -> dict[str, Any]:
    """A score of a run, whose names are code."""
    return {**row, "anonymiser": MORE, "attack": MORE}


def checked_claims() -> dict[str, Any]:
    """A certificate that says code of itself."""
    names = ("name", "adversary", "rule", "engine", "version", "problem_of", "certificate_sha256")
    return checked(**dict.fromkeys(names, MORE), unsafe_claimed=1, users_claimed=[MORE])


RESULTS = {
    "verify": verified,
    "verify, several problems": verified_lines,
    "audit": lambda: audited(exchanged=True),
    "audit of a static release": lambda: audited(exchanged=False),
    "audit --assume": lambda: {**assumed(name=MORE), "provenance": PROVENANCE},
    "check": checked_claims,
    "optimize": lambda: optimized(3),
    "optimize, infeasible": lambda: optimized(1),
    "compare": compared,
    "contest tournament": lambda: {**held(hostile(TOURNAMENT)), "provenance": PROVENANCE},
    "contest run": lambda: {**scored([*map(named, SCORES)]), "provenance": PROVENANCE},
}


def page_about(kind: str, folder: Path) -> str:
    """The page about a result of a kind, whose names are code."""
    return page_of(read_result(write(folder, RESULTS[kind](), "r.json")))


@pytest.mark.parametrize("kind", RESULTS)
def test_names_that_are_code_stay_text_on_every_page(
    browser: Any, tmp_path: Path, kind: str
) -> None:
    page = page_about(kind, tmp_path)
    assert show(browser, page, tmp_path) == []
    assert browser.title != "owned"
    assert browser.find_elements("css selector", "img") == []
    assert HOSTILE in browser.execute_script("return document.body.textContent")
    assert len(browser.find_elements("css selector", "h1")) == 1
    assert len(browser.find_elements("css selector", "main")) == 1
    captions = "return [...document.querySelectorAll('table')].every((one) => one.caption)"
    assert browser.execute_script(captions)
    names = "return [...document.querySelectorAll('figure svg')].every((one) => one.ariaLabel)"
    assert browser.execute_script(names)
    if kind not in ("verify, several problems", "check"):  # whose hashes are on the page
        assert "Provenance" in page


@pytest.mark.parametrize("kind", RESULTS)
def test_names_that_turn_writing_around_are_told_as_escapes_on_every_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """On pages and in their pictures; data files keep names as they are."""
    monkeypatch.setitem(globals(), "MORE", f"{TURNED}live")
    monkeypatch.setitem(globals(), "HOSTILE", f"{TURNED}more")
    page = page_about(kind, tmp_path)
    assert not set(TURNED) & set(page)
    assert "\\u202e" in page


def test_names_from_right_to_left_are_whole_and_set_apart(browser: Any, tmp_path: Path) -> None:
    """A number beside such a name stays beside it: what is read first comes first."""
    zones = two_users()
    zones = replace(zones, users=np.array(["שלום עולם", "مها"], object))
    seen = Knowledge(np.array([0, 1], np.int32), np.zeros(2, np.int32))
    answer = verify(Problem("town", zones, seen), k=5, keep_proof_data=True)
    page = page_of(read_result(write(tmp_path, told(answer), "r.json")))
    assert show(browser, page, tmp_path) == []
    apart = [one.text for one in browser.find_elements("css selector", "bdi")]
    assert {"שלום עולם", "مها"} <= set(apart)
    sentence = browser.find_element("css selector", ".sentence")
    names = [one.text for one in sentence.find_elements("css selector", "bdi")]
    assert names == ["שלום עולם", "مها"]


@pytest.mark.parametrize("kind", [*RESULTS, "the town"])
def test_axe_finds_nothing_that_keeps_people_from_using_a_page(
    browser: Any, axe: str, town_page: str, tmp_path: Path, kind: str
) -> None:
    show(browser, town_page if kind == "the town" else page_about(kind, tmp_path), tmp_path)
    for _ in range(2):  # the second time in the other colours
        browser.execute_cdp_cmd("Runtime.evaluate", {"expression": axe})
        found = browser.execute_async_script(
            "const done = arguments[0];"
            "axe.run(document).then((all) => done(all.violations.map((one) => one.id)))"
        )
        assert found == []
        browser.find_element("css selector", ".scheme").click()
