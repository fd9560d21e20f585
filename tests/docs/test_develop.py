"""The pages for those who carry on: what they name is there."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

CITED = re.compile(r"\bfacts? (\d+)((?:, \d+)*)(?: and (\d+))?")


def cited_facts(text: str) -> set[int]:
    """Numbers of the facts that a text cites."""
    numbers = " ".join(" ".join(filter(None, groups)) for groups in CITED.findall(text))
    return {int(number) for number in re.findall(r"\d+", numbers)}


def test_citations_of_one_fact_and_of_several_are_found() -> None:
    assert cited_facts("by fact 5, and (facts 3 and 4); facts 7, 8 and 9") == {3, 4, 5, 7, 8, 9}
    assert cited_facts("artefact 11, a factor 12, fact checking") == set()


def test_every_fact_that_is_cited_is_on_the_page_of_facts(root: Path) -> None:
    page = (root / "docs/develop/facts.md").read_text(encoding="utf-8")
    there = [int(number) for number in re.findall(r"^### Fact (\d+): ", page, re.MULTILINE)]
    assert there == list(range(1, len(there) + 1))
    cited = {
        (str(path.relative_to(root)), number)
        for folder, ending in (("mixsafe", "py"), ("cli", "py"), ("tests", "py"), ("docs", "md"))
        for path in (root / folder).rglob(f"*.{ending}")
        for number in cited_facts(" ".join(path.read_text(encoding="utf-8").split()))
    }
    assert len(cited) > 20
    assert {one for one in cited if one[1] not in there} == set()


def test_no_page_is_cited_that_readers_do_not_have(root: Path) -> None:
    wrong = [
        str(path.relative_to(root))
        for folder in ("mixsafe", "cli", "tests", "benchmarks")
        for path in (root / folder).rglob("*.py")
        if "DESIGN" + "," in path.read_text(encoding="utf-8")
    ]
    assert not wrong


def rows(root: Path) -> list[tuple[str, str]]:
    """Word and module of each row of the glossary."""
    page = (root / "docs/develop/glossary.md").read_text(encoding="utf-8")
    return re.findall(r"^\| (.+?) \| .+ \| `(mixsafe[\w.]*)` \|$", page, re.MULTILINE)


def test_the_glossary_has_a_word_once(root: Path) -> None:
    words = [word for words, _ in rows(root) for word in words.split(", ")]
    assert len(words) > 40
    assert len(set(words)) == len(words)


def test_what_the_glossary_names_lives_where_it_says(root: Path) -> None:
    gone = [(word, module) for word, module in rows(root) if not is_there(module)]
    assert not gone


def is_there(module: str) -> bool:
    """Whether a module can be found."""
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def test_the_site_has_all_pages_and_newcomers_are_led_to_them(root: Path) -> None:
    site = (root / "mkdocs.yml").read_text(encoding="utf-8")
    door = (root / "CONTRIBUTING.md").read_text(encoding="utf-8")
    pages = sorted(path.name for path in (root / "docs/develop").glob("*.md"))
    assert len(pages) >= 5
    for page in pages:
        assert f"develop/{page}" in site
        assert f"(docs/develop/{page})" in door


def test_every_test_that_a_page_names_is_there(root: Path) -> None:
    """What users are promised is held by tests; a promise whose test is gone is none."""
    page = (root / "docs/develop/usability.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", page)
    assert len(named) > 50
    gone = [
        f"{file}::{name}"
        for file, name in named
        if not (root / file).exists() or f"def {name}(" not in (root / file).read_text("utf-8")
    ]
    assert gone == []


def test_nobody_is_told_to_install_a_package_of_this_name_from_an_index(root: Path) -> None:
    """There is none: whoever registers the name could give people anything."""
    wrong = re.compile(r"pip install\b[^\n`]*[\s'\"]mixsafe\b|\bmixsafe\[(?!\w*\.)[a-z,]+\]")
    files = [root / "README.md", root / "CONTRIBUTING.md", root / "CHANGELOG.md"]
    for folder in ("mixsafe", "cli", "tests", "benchmarks", "datasets", "docs"):
        for ending in ("py", "md", "ipynb", "html", "toml", "json"):
            files += (root / folder).rglob(f"*.{ending}")
    told = [str(one) for one in files if wrong.search(one.read_text(encoding="utf-8"))]
    assert told == []
