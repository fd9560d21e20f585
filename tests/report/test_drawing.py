"""Pictures as files and as parts of a page."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from pathlib import Path
from xml.etree import ElementTree

import pytest
from matplotlib.figure import Figure

from mixsafe.documents.document import Document
from mixsafe.errors import InputError
from mixsafe.report import colours
from mixsafe.report.chart_figure import draw_charts
from mixsafe.report.drawing import inline_svg, legend_above, moment_ticks, picture_of, save


@pytest.mark.parametrize(("ending", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_the_same_digest_makes_the_same_bytes(
    town_document: Document, tmp_path: Path, ending: str, magic: bytes
) -> None:
    made = []
    for number in range(5):
        save(draw_charts(town_document.charts), tmp_path / f"{number}.{ending}")
        made.append((tmp_path / f"{number}.{ending}").read_bytes())
    assert len(set(made)) == 1
    assert made[0].startswith(magic)


def test_another_ending_is_refused(town_document: Document, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\.png or \.svg"):
        save(draw_charts(town_document.charts[:1]), tmp_path / "picture.bmp")
    assert not list(tmp_path.iterdir())


def test_a_picture_in_a_page_is_an_image_with_a_name_in_the_colours_of_the_page(
    town_document: Document,
) -> None:
    svg = inline_svg(draw_charts(town_document.charts[-1:]), "map", 'a "map" <of> it')
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


def ticks(moments: list[str]) -> dict[float, str]:
    """Labels of an axis by their places."""
    axes = Figure().subplots()
    moment_ticks(axes, moments)
    labels = [one.get_text() for one in axes.get_xticklabels()]
    return dict(zip(axes.get_xticks(), labels, strict=True))


def test_axes_of_time_are_labelled_at_round_hours() -> None:
    begin = datetime.fromisoformat("2026-03-01T07:20:00+01:00")
    columns = [(begin + timedelta(minutes=20 * n)).isoformat() for n in range(30)]
    found = ticks(columns)
    hours = ("08:00", "10:00", "12:00", "14:00", "16:00")
    assert list(found.values()) == [f"2026-03-01\n{hour}" for hour in hours]
    assert list(found) == pytest.approx([2, 8, 14, 20, 26])


def test_long_axes_of_time_are_labelled_by_days() -> None:
    begin = datetime.fromisoformat("2026-03-01T00:00:00Z")
    found = ticks([(begin + timedelta(hours=6 * n)).isoformat() for n in range(48)])
    assert found == {8.0 * n: f"2026-03-{1 + 2 * n:02}" for n in range(7)}
    assert len(ticks([(begin + timedelta(days=90 * n)).isoformat() for n in range(200)])) <= 7


@pytest.mark.parametrize(
    ("steps", "labels"),
    [
        (range(1, 41), ["1", "10", "20", "30", "40"]),
        (range(5, 15), ["5", "6", "8", "10", "12", "14"]),
        (range(0, 1000, 5), ["0", "200", "400", "600", "800"]),
        (range(7, 9), ["7", "8"]),
    ],
)
def test_steps_that_are_numbers_are_labelled_at_the_first_and_at_round_ones(
    steps: range, labels: list[str]
) -> None:
    """A label stands in the middle of the column of its step."""
    axes = Figure().subplots()
    moment_ticks(axes, list(steps))
    assert [label.get_text() for label in axes.get_xticklabels()] == labels
    columns = [(int(label) - steps.start) / steps.step + 0.5 for label in labels]
    assert list(axes.get_xticks()) == pytest.approx(columns)
    assert axes.get_xlabel() == "time step"


def test_a_legend_is_read_row_by_row() -> None:
    """Matplotlib fills columns: with three of them, the second row would come first."""
    axes = Figure().subplots()
    for name in "abcd":
        axes.plot([0], [0], label=name)
    legend_above(axes, columns=3)
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names == ["a", "d", "b", "c"]


def test_what_no_font_has_is_drawn_without_a_warning() -> None:
    """Warnings are errors here; a name may be in any writing, or hold what is none."""
    figure = Figure()
    figure.text(0, 0, "\U0001f600\x1b")
    assert picture_of(figure, "png").startswith(b"\x89PNG")
