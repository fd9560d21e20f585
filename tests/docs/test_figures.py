"""Figures in the pages are those of the version of mixsafe that the pages belong to."""

from __future__ import annotations

import re
from pathlib import Path

import mixsafe

CASES = {"endpoints": "Osaka, endpoints, k 3", "home": "Osaka, home, k 3"}
_TAKES = re.compile(r"take (\d+) s on two cores with `endpoints` and (\d+) s with `home`")


def measured(page: str) -> dict[str, tuple[int, float]]:
    """Undecided wires and seconds of each case of the first table of the benchmark page."""
    table = page.split("## Whole commands")[1].split("\n## ")[0]
    rows = re.findall(r"^\| ([^|]+) \| [\d,]+ \| ([\d,]+)[^|]* \| ([\d.]+) \|", table, re.MULTILINE)
    return {case: (int(open_.replace(",", "")), float(seconds)) for case, open_, seconds in rows}


def test_the_page_of_benchmarks_was_measured_with_this_version(root: Path) -> None:
    """A release whose figures were not measured again must not carry the old ones."""
    page = (root / "docs/benchmarks.md").read_text(encoding="utf-8")
    assert re.findall(r"; mixsafe ([\w.]+),", page) == [mixsafe.__version__]


def test_no_page_names_figures_of_another_version(root: Path) -> None:
    pages = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    named = {
        (str(page.relative_to(root)), version)
        for page in pages
        for version in re.findall(r"\bmixsafe (\d+\.\d+\.\d+)\b", page.read_text(encoding="utf-8"))
    }
    assert {version for _, version in named} == {mixsafe.__version__}


def test_the_readme_quotes_the_page_of_benchmarks(root: Path) -> None:
    page = measured((root / "docs/benchmarks.md").read_text(encoding="utf-8"))
    readme = " ".join((root / "README.md").read_text(encoding="utf-8").split())
    quoted = _TAKES.search(readme)
    assert quoted is not None
    for seconds, case in zip(quoted.groups(), CASES.values(), strict=True):
        undecided, measured_seconds = page[case]
        assert undecided == 0
        assert int(seconds) == round(measured_seconds)
