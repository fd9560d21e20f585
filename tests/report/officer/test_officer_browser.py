"""The officer's page in a browser: it asks nothing, keeps nobody out, and names stay names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mixsafe.report.officer.officer_page import Statements, officer_report
from tests.support.officer_results import ALL, ANN, FILE, written
from tests.support.pages import HOSTILE, show

MORE = f'"><img src=x onerror=alert(1)>{HOSTILE}'


def hostile(value: Any) -> Any:
    """The same result with names of people and files that are code."""
    if isinstance(value, dict):
        return {key: hostile(one) for key, one in value.items()}
    if isinstance(value, list):
        return [hostile(one) for one in value]
    return value.replace(ANN, MORE).replace(FILE, "'$(x)'") if isinstance(value, str) else value


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    return written(tmp_path, *map(hostile, ALL.values()))


@pytest.mark.parametrize("edition", ["internal", "external"])
def test_names_that_are_code_stay_text(
    browser: Any, files: list[Path], tmp_path: Path, edition: str
) -> None:
    page = officer_report(files, Statements(MORE, MORE, MORE, MORE), edition=edition)
    assert show(browser, page, tmp_path) == []
    assert browser.title == "Evidence for a data protection officer"
    assert HOSTILE in browser.find_element("tag name", "main").text


def test_axe_finds_nothing_that_keeps_people_from_using_it(
    browser: Any, axe: str, files: list[Path], tmp_path: Path
) -> None:
    show(browser, officer_report(files), tmp_path)
    browser.execute_cdp_cmd("Runtime.evaluate", {"expression": axe})
    found = browser.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "axe.run(document).then((all) => done(all.violations.map((one) => one.id)))"
    )
    assert found == []
