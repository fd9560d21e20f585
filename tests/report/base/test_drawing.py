"""Pictures as files and as parts of a page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from mixsafe.errors import InputError
from mixsafe.report.base import colours
from mixsafe.report.base.drawing import inline_svg, picture_of, save
from mixsafe.report.figures import protection_figure as figures


@pytest.mark.parametrize(("ending", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_the_same_digest_makes_the_same_bytes(
    town_view: dict[str, Any], tmp_path: Path, ending: str, magic: bytes
) -> None:
    made = []
    for name in ("one", "two"):
        save(figures.overview(town_view), tmp_path / f"{name}.{ending}")
        made.append((tmp_path / f"{name}.{ending}").read_bytes())
    assert made[0] == made[1]
    assert made[0].startswith(magic)


def test_another_ending_is_refused(town_view: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\.png or \.svg"):
        save(figures.timeline(town_view), tmp_path / "picture.bmp")
    assert not list(tmp_path.iterdir())


def test_a_picture_in_a_page_is_an_image_with_a_name_in_the_colours_of_the_page(
    town_view: dict[str, Any],
) -> None:
    svg = inline_svg(figures.zones_map(town_view), "map", 'a "map" <of> it')
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img"
    assert root.get("aria-label") == 'a "map" <of> it'
    assert root.get("viewBox")
    assert root.get("width") is None
    assert "var(--amount-0)" in svg
    assert not set(re.findall(r": (#[0-9a-f]{6})", svg)) & set(colours.VARIABLES)
    ids = re.findall(r'\bid="([^"]*)"', svg)
    assert len(ids) == len(set(ids))
    assert all(name.startswith("map-") for name in ids)
    for target in re.findall(r'(?:url\(|href=")#([^")]*)', svg):
        assert target in ids


def test_every_share_falls_into_the_class_that_names_it() -> None:
    for top in (0.00005, 0.004, 0.02, 0.76, 1.0):
        shares = [0.0, top / 1000, top / 11, top / 3.2, top]
        names, code = figures.amounts(shares)
        assert code.tolist() == sorted(code.tolist())
        assert (code[0], len(names)) == (0, 4)
        for share, place in zip(shares[1:], code[1:], strict=True):
            ends = [float(text) / 100 for text in re.findall(r"([\d.]+)%", names[place])]
            low, high = ends if len(ends) == 2 else (0.0, ends[0])
            assert low - 1e-9 <= share <= high + 1e-9, (top, share, names)


def test_where_places_are_not_known_there_is_no_map(town_view: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="no map"):
        figures.zones_map({**town_view, "places": None})


def test_what_no_font_has_is_drawn_without_a_warning() -> None:
    """Warnings are errors here; a name may be in any writing, or hold what is none."""
    from matplotlib.figure import Figure

    figure = Figure()
    figure.text(0, 0, "\U0001f600\x1b")
    assert picture_of(figure, "png").startswith(b"\x89PNG")
