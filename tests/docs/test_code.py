"""Python on the documentation's pages runs as it stands."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import mixsafe

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(
    str(path.relative_to(DOCS))
    for path in DOCS.rglob("*.md")
    if path.name != "adding.md" and "```python" in path.read_text(encoding="utf-8")
)
"""Pages with code; that of adding.md has a test of its own."""


@pytest.mark.parametrize("name", PAGES)
def test_the_code_of_a_page_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for file in ("town.csv", "org.csv", "ref.csv"):  # files that readers bring along
        shutil.copy(mixsafe.sample("town"), file)
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / name).read_text("utf-8"), re.DOTALL)
    names: dict[str, object] = {"__name__": "page"}
    if "import mixsafe" not in "".join(blocks):  # it goes on from the README's example
        names |= {"mixsafe": mixsafe, "problem": mixsafe.pose(mixsafe.load("town.csv"))}
    for block in blocks:  # later ones go on from earlier ones
        exec(compile(block, name, "exec", dont_inherit=True), names)
