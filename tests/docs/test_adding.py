"""What the page on adding shows does work: each piece of code runs, and leaves nothing behind."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mixsafe.extract.adversaries import ADVERSARIES
from mixsafe.io.formats import FORMATS
from mixsafe.report.page_kinds import PAGES
from mixsafe.solver.registry import ENGINES

LISTS = (ENGINES, ADVERSARIES, FORMATS, PAGES)
PAGE = Path(__file__).parents[2] / "docs/develop/adding.md"


def examples() -> dict[str, str]:
    """Code of each section of the page."""
    sections = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return {
        section.partition("\n")[0]: "\n".join(
            re.findall(r"```python\n(.*?)```", section, re.DOTALL)
        )
        for section in sections
    }


def test_the_page_has_each_kind_of_addition() -> None:
    kinds = (
        "A question",
        "An engine",
        "An adversary",
        "A format",
        "An attack",
        "A measure",
        "A page",
    )
    assert tuple(examples()) == kinds
    assert all(examples().values())


@pytest.mark.parametrize("what", examples())
def test_the_code_of_a_section_runs(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = [choices.names() for choices in LISTS]
    code = compile(examples()[what], f"adding.md: {what}", "exec", dont_inherit=True)
    exec(code, {"__name__": "adding"})
    assert [choices.names() for choices in LISTS] == before
