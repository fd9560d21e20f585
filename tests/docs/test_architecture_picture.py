"""The picture of the house: its folders and arrows are those of the code."""

from __future__ import annotations

import ast
import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def drawing() -> ModuleType:
    """The script that draws."""
    path = Path(__file__).parents[2] / "docs/develop/architecture_picture.py"
    spec = importlib.util.spec_from_file_location("architecture_picture", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_picture_is_that_of_the_house_as_it_is(root: Path, drawing: ModuleType) -> None:
    drawn = (root / "docs/develop/architecture.svg").read_text(encoding="utf-8")
    assert drawn == drawing.picture(root), "run: python docs/develop/architecture_picture.py"


def test_every_folder_is_a_box_and_every_import_goes_along_arrows(root: Path) -> None:
    drawn = (root / "docs/develop/architecture.svg").read_text(encoding="utf-8")
    boxes = set(re.findall(r'<g id="(\w+)">', drawn))
    arrows = set(re.findall(r'<path id="(\w+)-(\w+)"', drawn))
    there = {path.parent.name for path in (root / "mixsafe").glob("*/__init__.py")}
    assert boxes == there | {"mixsafe_cli"}

    def reached(folder: str) -> set[str]:
        ahead = {upper: {b for a, b in arrows if a == upper} for upper in boxes}
        found = set(ahead[folder])
        while more := set().union(*(ahead[one] for one in found)) - found:
            found |= more
        return found

    for folder in there:
        assert folder not in reached(folder)
        for path in (root / "mixsafe" / folder).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            imported = {
                node.module.split(".")[1]
                for node in ast.walk(ast.parse(text))
                if isinstance(node, ast.ImportFrom) and node.module.startswith("mixsafe.")
            }
            assert (imported & there) - {folder} <= reached(folder), path


def test_an_arrow_that_follows_from_others_is_left_out(drawing: ModuleType) -> None:
    arrows = {("a", "b"), ("b", "c"), ("a", "c"), ("a", "d")}
    assert drawing.reduced(arrows) == [("a", "b"), ("a", "d"), ("b", "c")]
    assert drawing.levels("abcd", drawing.reduced(arrows)) == {"a": 2, "b": 1, "c": 0, "d": 0}


def test_the_page_says_what_each_folder_holds(root: Path, drawing: ModuleType) -> None:
    page = (root / "docs/develop/architecture.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == set(drawing.folders(root))
