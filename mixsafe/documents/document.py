"""What an answer says, as plain data: the words, numbers, tables and charts, each said once.

Each answer has a document beside it (``mixsafe/weigh/weighing_document.py``). Terminal, page,
picture and officer's page are made of it, each by one function for all answers; JSON holds it
without loss. The answers of one command have one document together. Values are written as people
read them, the same everywhere.
"""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, ClassVar, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from mixsafe.model.answer.wording import count, share
from mixsafe.model.mobility.time_axis import moment

Tone = Literal["plain", "safe", "weak pass", "undecided", "unsafe"]
"""What an answer means for the people in the data; ``plain``: no verdict."""

WORDS: Mapping[str, str] = {
    "safe": "Valid", "weak pass": "Weak pass", "unsafe": "Invalid", "undecided": "Undecided",
}  # fmt: skip
"""Words of verdicts."""

Unit = Literal[
    "text", "name", "verdict", "count", "share", "score", "seconds", "minutes", "metres", "moment"
]
"""What a value is, and so how it is printed."""

Value = str | int | float | None
"""A value of a table or a fact; None: unknown, or none."""

Look = Literal["line", "dashes", "dots", "discs", "hollow", "triangles", "hollow triangles",
               "crosses", "bars", "steps", "squares", "spans"]  # fmt: skip
"""Marks of a series."""

Criterion = Literal["data", "adversary", "singling_out", "linkability", "inference", "testing",
                    "residual", "measures", "secrets", "validity"]  # fmt: skip
"""Headings of the officer's page."""

Stands = Literal[
    "supports", "supports for some people", "supports in part", "open", "speaks against"
]
"""How evidence stands to a criterion. What is open counts as not met."""


@dataclass(frozen=True)
class Fact:
    """A value with its label."""

    label: str
    value: Value
    unit: Unit = "text"


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Parameters
    ----------
    unit
        Of its values.
    filter
        What a page offers to filter by it; empty: it does not.
    wide
        It holds sentences.
    """

    name: str
    unit: Unit = "text"
    filter: str = ""
    wide: bool = False


@dataclass(frozen=True)
class Text:
    """Paragraphs under a title."""

    kind: ClassVar = "text"
    title: str
    paragraphs: Sequence[str]
    pages_only: bool = False


@dataclass(frozen=True)
class Table:
    """Rows of values.

    Parameters
    ----------
    text
        Paragraphs before it.
    folded
        A page shows it when a reader asks for it.
    """

    kind: ClassVar = "table"
    title: str
    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Value]]
    text: Sequence[str] = ()
    pages_only: bool = False
    folded: bool = False


@dataclass(frozen=True)
class Axis:
    """An axis of a chart.

    Parameters
    ----------
    label
        What it shows, with its unit; one that begins with "share" is of percent.
    moments
        Labels of the columns 0, 1, … of an axis of time.
    low, high
        Its ends; None: those of the data.
    log
        Whether its scale is logarithmic.
    names
        Of the rows 0, 1, … from the top, of a vertical axis of things; an empty one is not shown.
    ticks
        Where it has labels; empty: at round numbers.
    """

    label: str = ""
    moments: Sequence[str | int] = ()
    low: float | None = None
    high: float | None = None
    log: bool = False
    names: Sequence[str] = ()
    ticks: Sequence[float] = ()


@dataclass(frozen=True)
class Series:
    """Marks of one kind in a chart.

    Parameters
    ----------
    label
        In the legend; empty: it is not there.
    colour
        A name of :data:`mixsafe.report.colours.VARIABLES`.
    y
        Values; None: there is none. A series without any is in the legend alone.
    x
        Their places; empty: the columns 0, 1, ….
    low, high
        Ends of intervals around the values; empty: there are none. Of spans, where they begin and
        end from left to right.
    bottom
        Where bars begin; empty: at 0.
    look
        ``discs`` are dots with an edge, for marks that lie upon each other; ``spans`` fill the rows
        of an axis of names from their left to their right ends.
    size
        Of marks, points, one for all or one for each; of lines, their width; of squares, their
        side, as the axes have it.
    names
        Beside marks, where there is room for them, the first ones first; empty: there are none.
    """

    label: str
    colour: str
    y: Sequence[float | None]
    x: Sequence[float] = ()
    look: Look = "line"
    low: Sequence[float | None] = ()
    high: Sequence[float | None] = ()
    bottom: Sequence[float] = ()
    size: float | Sequence[float] = 1.6
    faint: bool = False
    names: Sequence[str] = ()


@dataclass(frozen=True)
class Panel:
    """A pair of axes with marks; its height in inches."""

    series: Sequence[Series]
    x: Axis
    y: Axis
    height: float = 3.6
    equal: bool = False
    legend: str = ""


@dataclass(frozen=True)
class Chart:
    """Panels above each other, under one title.

    Parameters
    ----------
    name
        Unique in the document: identifies the picture in a page.
    """

    kind: ClassVar = "chart"
    title: str
    name: str
    caption: str
    panels: Sequence[Panel]
    pages_only: bool = True


@dataclass(frozen=True)
class Squares:
    """Squares with numbers, the background of a map.

    Parameters
    ----------
    side, x, y, numbers
        As those of a map.
    """

    side: float
    x: Sequence[float]
    y: Sequence[float]
    numbers: Sequence[int]


@dataclass(frozen=True)
class Exposure:
    """Time at risk at the places of a map; readers choose what its colours show, and when.

    Parameters
    ----------
    slots
        Names of the times of the day, or of parts of the data.
    slot
        What a slot is.
    step_seconds
        Length of a step; None: steps are only numbered.
    risk, present
        For each place, steps in each slot: at risk, and in all.
    helps
        For each place, a share of all that helps.
    helps_words, share_words
        What is chosen to see that share, and what is said after it.
    """

    slots: Sequence[str]
    slot: str
    step_seconds: int | None
    risk: Sequence[Sequence[int]]
    present: Sequence[Sequence[int]]
    helps: Sequence[float]
    helps_words: str
    share_words: str


@dataclass(frozen=True)
class Map:
    """Squares with numbers on a map that readers can move; one in a document.

    Parameters
    ----------
    side
        Of a square, metres (or regions).
    x, y
        Of the middles of squares: metres east and north of the middle of the map, or regions.
    names, numbers
        Of squares.
    chart
        Shown in its place where no scripts run; None: the table after it says the same.
    text
        Paragraphs before it.
    unit
        ``metres`` or ``regions``.
    outlines
        Rings of corners of each place, None for a square; empty: all are squares.
    background
        Under the places; None: the places are all.
    exposure
        What is shown instead of the numbers; None: these are.
    """

    kind: ClassVar = "map"
    title: str
    side: float
    x: Sequence[float]
    y: Sequence[float]
    names: Sequence[str]
    numbers: Sequence[int]
    chart: Chart | None = None
    text: Sequence[str] = ()
    unit: Literal["metres", "regions"] = "metres"
    outlines: Sequence[Sequence[Sequence[Sequence[float]]] | None] = ()
    background: Squares | None = None
    exposure: Exposure | None = None
    pages_only: bool = True


Part = Text | Table | Chart | Map


@dataclass(frozen=True)
class CriterionEvidence:
    """What an answer says under a heading of the officer's page.

    Parameters
    ----------
    criterion
        The heading.
    sentences
        Paragraphs without any name.
    stands
        None: the reader must judge.
    judged
        How many people of how many it is about; empty: it does not say.
    title
        What the named people are, such as "Those who fail".
    names
        People, for the internal edition only.
    tables
        After the paragraphs.
    """

    criterion: Criterion
    sentences: Sequence[str]
    stands: Stands | None = None
    judged: str = ""
    title: str = ""
    names: Sequence[str] = ()
    tables: Sequence[Table] = ()


@dataclass(frozen=True)
class Document:
    """What an answer says.

    Parameters
    ----------
    title
        Of the page.
    word
        The answer in a word or two.
    tone
        What the word means.
    sentence
        The answer in a sentence: the first line of terminal and page.
    meaning
        What was asked and what the answer means, for readers who do not know the tool.
    facts
        In the order in which they are shown.
    parts
        Sections of the page; the terminal shows those that are not for pages only.
    next_steps
        What to do with the answer.
    limits
        What it does not claim.
    evidence
        What it says on the officer's page.
    """

    title: str
    word: str
    tone: Tone
    sentence: str
    meaning: str
    facts: Sequence[Fact] = ()
    parts: Sequence[Part] = ()
    next_steps: Sequence[str] = ()
    limits: Sequence[str] = ()
    evidence: Sequence[CriterionEvidence] = ()

    def __repr__(self) -> str:
        return f"<Document {self.title}: {self.word}. {self.sentence}>"

    @property
    def charts(self) -> list[Chart]:
        """The charts among its parts."""
        return [part for part in self.parts if isinstance(part, Chart)]

    def to_dict(self) -> dict[str, Any]:
        """The document as JSON holds it."""
        parts = [{"kind": part.kind, **_plain(part)} for part in self.parts]
        return {**_plain(replace(self, parts=())), "parts": parts}

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Document:
        """The document that JSON holds.

        Raises
        ------
        LookupError, TypeError, ValueError
            It is damaged.
        """
        parts = [_record(_KINDS[part["kind"]], part, skip=("kind",)) for part in found["parts"]]
        return _record(cls, {**found, "parts": parts})


_KINDS: Mapping[str, type[Part]] = {one.kind: one for one in (Text, Table, Chart, Map)}
_Record = TypeVar("_Record")


def _plain(value: Any) -> Any:  # noqa: ANN401 -- whatever a field holds
    """Records as objects; lists without records are not copied, however long they are."""
    if is_dataclass(value):
        return {one.name: _plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, list | tuple) and value and is_dataclass(value[0]):
        return [_plain(one) for one in value]
    return value


def _record(kind: type[_Record], found: Mapping[str, Any], skip: Sequence[str] = ()) -> _Record:
    """A record of JSON's values.

    Raises
    ------
    TypeError, ValueError
        A field is missing, unknown, or not what it should be.
    """
    hints = get_type_hints(kind)
    named = {name: value for name, value in found.items() if name not in skip}
    unknown = named.keys() - {one.name for one in fields(kind)}  # type: ignore[arg-type]
    if unknown:
        raise ValueError(f"{kind.__name__} has no {sorted(unknown)[0]}")
    return kind(**{name: _value(hints[name], value) for name, value in named.items()})


def _value(hint: Any, value: Any) -> Any:  # noqa: ANN401 -- whatever a field holds
    """A value of JSON as its field has it.

    Raises
    ------
    TypeError, ValueError
        It is not of that kind.
    """
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        if value not in inner:
            raise ValueError(f"{value!r} is not one of {', '.join(map(str, inner))}")
        return value
    if origin is Sequence:
        if not isinstance(value, list | tuple):
            raise TypeError(f"{value!r} is no list")
        return tuple(_value(inner[0], one) for one in value)
    if origin in (Union, types.UnionType):
        return _value_of_union(inner, value)
    if hasattr(hint, "__dataclass_fields__") and isinstance(value, Mapping):
        return _record(hint, value)
    if hint is float and isinstance(value, int):
        return value
    if not isinstance(value, hint):
        raise TypeError(f"{value!r} is not of type {hint.__name__}")
    return value


def _value_of_union(hints: Sequence[Any], value: Any) -> Any:  # noqa: ANN401
    """A value that is of one of several kinds, the first that fits."""
    for hint in hints:
        try:
            return _value(hint, value)
        except (TypeError, ValueError):
            continue
    raise TypeError(f"{value!r} fits none of {hints}")


NUMBERS = ("count", "share", "score", "seconds", "minutes", "metres")
"""Units of numbers, which stand flush right."""


def printed(value: Value, unit: Unit) -> str:
    """A value of a document as text; one that is not there is a dash."""
    if value is None:
        return "-"
    if unit == "moment":
        return moment(value) if isinstance(value, str) else str(value)
    if isinstance(value, str):
        return value
    if unit == "share":
        return share(value)
    if unit == "seconds":
        return f"{value:,.1f} s" if value >= 1 else f"{value:.2g} s"
    if unit == "minutes":
        return f"{value:,.1f} min"
    if unit == "metres":
        return f"{value:,.0f} m"
    if unit == "score":
        return f"{value:.3f}"
    return count(int(value) if value == int(value) else value)  # a median may be a half


_WORST_FIRST: tuple[Tone, ...] = ("unsafe", "undecided", "weak pass", "safe", "plain")


def several(documents: Sequence[Document]) -> Document:
    """A row for each answer, the worst first, with the numbers that all of them have.

    The word and the tone are those of the worst.
    """
    words = [document.word for document in documents]
    counts = ", ".join(f"{words.count(word):,} {word.lower()}" for word in dict.fromkeys(words))
    ordered = sorted(documents, key=lambda one: _WORST_FIRST.index(one.tone))
    many = f"{len(documents):,} answers"
    numbers = [_numbers(document) for document in ordered]
    shared = [name for name in numbers[0] if all(name in one for one in numbers)] if numbers else []
    rows: list[tuple[Value, ...]] = [
        (one.title, one.word, one.sentence, *(found[name].value for name in shared))
        for one, found in zip(ordered, numbers, strict=True)
    ]
    return Document(
        title=many,
        word=ordered[0].word if ordered else many,
        tone=ordered[0].tone if ordered else "plain",
        sentence=f"{counts}.".capitalize() if documents else "There is no problem.",
        meaning=ordered[0].meaning if ordered else "",
        parts=(
            Table(
                "Problems",
                f"{many}, the worst first",
                (
                    Column("problem"),
                    Column("answer", filter="Answer"),
                    Column("in a sentence", wide=True),
                    *(Column(name.lower(), numbers[0][name].unit) for name in shared),
                ),
                rows,
            ),
        ),
    )


def _numbers(document: Document) -> dict[str, Fact]:
    """Facts that are numbers, by their label."""
    return {fact.label: fact for fact in document.facts if fact.unit in NUMBERS}
