"""Documents go through JSON without loss, and damaged ones are refused."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.collections import PolyCollection

from mixsafe.documents.document import (
    Axis,
    Chart,
    Column,
    CriterionEvidence,
    Document,
    Fact,
    Map,
    Panel,
    Series,
    Table,
    Text,
    printed,
    several,
)
from mixsafe.report.chart_figure import draw_charts
from mixsafe.report.document_page import document_page
from mixsafe_cli.terminal import Unbroken, document_lines

VALUES = st.none() | st.text(max_size=9) | st.integers(-9, 10**6) | st.floats(0, 1)
COLUMNS = st.builds(Column, st.text(min_size=1, max_size=5), st.sampled_from(["text", "count"]))


@st.composite
def tables(draw: st.DrawFn) -> Table:
    columns = tuple(draw(st.lists(COLUMNS, min_size=1, max_size=3)))
    row = st.tuples(*[VALUES] * len(columns))
    rows = tuple(draw(st.lists(row, max_size=3)))
    return Table("a title", "a caption", columns, rows, pages_only=draw(st.booleans()))


CHARTS = st.builds(
    lambda y: Chart(
        "over time",
        "a-name",
        "a caption",
        (Panel((Series("all", "ink", tuple(y)),), Axis(moments=tuple(range(len(y)))), Axis()),),
    ),
    st.lists(st.none() | st.floats(0, 1), min_size=1, max_size=4),
)
MAPS = st.builds(
    lambda numbers, chart: Map(
        "where", 100.0, numbers, numbers, tuple(map(str, numbers)), numbers, chart
    ),
    st.lists(st.integers(0, 9), max_size=3).map(tuple),
    CHARTS,
)
DOCUMENTS = st.builds(
    lambda word, facts, parts: Document(
        "a title",
        word,
        "undecided",
        "A sentence.",
        "A meaning.",
        facts=tuple(facts),
        parts=tuple(parts),
        next_steps=("do more",),
        limits=("not this",),
        evidence=(CriterionEvidence("residual", ("It says so.",), names=("ann",)),),
    ),
    st.text(min_size=1, max_size=9),
    st.lists(st.builds(Fact, st.text(max_size=5), VALUES, st.just("text")), max_size=3),
    st.lists(tables() | CHARTS | MAPS | st.just(Text("more", ("in words",))), max_size=3),
)


@given(DOCUMENTS)
def test_json_holds_a_document_without_loss(document: Document) -> None:
    assert Document.from_dict(json.loads(json.dumps(document.to_dict()))) == document


@given(DOCUMENTS)
def test_terminal_and_page_say_the_same_first_sentence(document: Document) -> None:
    """Both are made of the document, which JSON may have held in between."""
    first = next(iter(document_lines([document])))
    assert str(first).endswith("  A sentence.")
    assert "</span> A sentence." in document_page(document)


@pytest.mark.parametrize(
    ("step", "shown"),
    [
        ("mixsafe verify '/home/ann b/town.csv' --k 3", "mixsafe verify town.csv --k 3"),
        (
            "settle that; then mixsafe links /srv/feed --k 3",
            "settle that; then mixsafe links feed --k",
        ),
        (
            "'mixsafe protect' finds /the largest/ group",
            "&#39;mixsafe protect&#39; finds /the largest/",
        ),
    ],
)
def test_a_page_goes_to_others_and_names_no_folders_in_commands(step: str, shown: str) -> None:
    document = Document("a", "Found", "plain", "b", "c", next_steps=(step,))
    page = document_page(document)
    assert shown in page
    assert not re.search("/home|/srv", page)
    assert any(step in str(line) for line in document_lines([document]))  # to be copied


def test_several_answers_are_a_row_each() -> None:
    some = [Document(f"of {name}", "Solved", "safe", f"{name} is.", "") for name in "abc"]
    bad = Document("of d", "Failed", "unsafe", "d is not.", "")
    together = several([*some, bad])
    page = document_page(together)
    assert all(f"{name} is." in page for name in "abc")
    assert (together.word, together.tone) == ("Failed", "unsafe")
    assert str(next(iter(document_lines([*some, bad])))) == "FAILED  3 solved, 1 failed."
    (table,) = together.parts
    assert isinstance(table, Table)
    assert [row[0] for row in table.rows] == ["of d", "of a", "of b", "of c"]


def test_several_answers_show_the_numbers_that_all_of_them_have() -> None:
    facts = (Fact("Seconds", 1.5, "seconds"), Fact("Who", "ann"), Fact("Share", 0.5, "share"))
    some = [Document("a", "w", "plain", "s", "m", facts=facts[number:]) for number in (0, 1)]
    (table,) = several(some).parts
    assert isinstance(table, Table)
    assert [(one.name, one.unit) for one in table.columns[3:]] == [("share", "share")]
    assert [row[3:] for row in table.rows] == [(0.5,), (0.5,)]


def test_a_command_among_the_next_steps_is_not_broken() -> None:
    command = "mixsafe verify " + "a-long-name.csv " * 9
    lines = list(document_lines([Document("t", "w", "plain", "s", "m", next_steps=(command,))]))
    assert lines[-1] == f"Next: {command}"
    assert isinstance(lines[-1], Unbroken)


def test_squares_are_as_large_as_the_axes_say() -> None:
    series = Series("some", "safe", (0, 1), (0, 3), "squares", size=0.5)
    panel = Panel((series,), Axis(low=-1, high=4), Axis(low=-1, high=2), equal=True)
    (axes,) = draw_charts([Chart("where", "where", "", (panel,))]).axes
    (squares,) = (one for one in axes.collections if isinstance(one, PolyCollection))
    sides = [path.vertices.max(axis=0) - path.vertices.min(axis=0) for path in squares.get_paths()]
    assert [side.tolist() for side in sides] == [[0.5, 0.5]] * 2


def damaged() -> list[dict[str, Any]]:
    whole = Document("t", "w", "plain", "s", "m", parts=(Text("a", ("b",)),)).to_dict()
    return [
        {**whole, "tone": "glad"},
        {**whole, "sentence": 3},
        {**whole, "facts": "none"},
        {**whole, "more": 1},
        {**whole, "parts": [{"kind": "drawing"}]},
        {**whole, "parts": [{"kind": "text", "title": "a"}]},
        {key: value for key, value in whole.items() if key != "word"},
    ]


@pytest.mark.parametrize("found", damaged())
def test_a_damaged_document_is_refused(found: dict[str, Any]) -> None:
    with pytest.raises((LookupError, TypeError, ValueError)):
        Document.from_dict(found)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (None, "share", "-"),
        (0.7546932211485019, "score", "0.755"),
        (0.5, "share", "50.0%"),
        (12345, "count", "12,345"),
        (3.0, "count", "3"),
        (3.5, "count", "3.5"),
        (7.25, "seconds", "7.2 s"),
        (0.0234, "seconds", "0.023 s"),
        (0.0, "seconds", "0 s"),
        ("2008-05-17T10:00:00Z", "moment", "2008-05-17 10:00"),
        (7, "moment", "7"),
    ],
)
def test_numbers_are_printed_for_people(value: Any, unit: Any, text: str) -> None:
    assert printed(value, unit) == text
