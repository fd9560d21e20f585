"""What the gallery says of a picture is what its page said when the picture was taken."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PIL import Image

DOCS = Path(__file__).parents[2] / "docs"
GALLERY = (DOCS / "gallery.md").read_text(encoding="utf-8")
ALTERNATIVES = {
    name: " ".join(text.split())
    for text, name in re.findall(r"!\[([^\]]*)\]\(figures/(page_\w+\.png)\)", GALLERY)
}


def test_the_gallery_shows_all_pictures_of_pages() -> None:
    assert sorted(ALTERNATIVES) == sorted(path.name for path in DOCS.glob("figures/page_*.png"))


@pytest.mark.parametrize("name", ALTERNATIVES)
def test_the_first_sentence_of_a_page_is_told_to_those_who_do_not_see_it(name: str) -> None:
    with Image.open(DOCS / "figures" / name) as picture:
        sentence = picture.text["Description"]
    assert sentence in ALTERNATIVES[name], "run: python docs/figures/page_pictures.py"
