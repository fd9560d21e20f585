"""What a description says: how a source is read, who is in it and when, what cells would give."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from mixsafe.describing.description import Description, FixFacts, FixMap, SizeRow, SizeTable
from mixsafe.documents.document import (
    Axis,
    Chart,
    Column,
    Document,
    Fact,
    Map,
    Panel,
    Series,
    Table,
)
from mixsafe.geometry.grid import plane
from mixsafe.model.answer.wording import count, plural, share
from mixsafe.model.mobility.premises import Premises
from mixsafe.model.mobility.time_axis import moment

Floats = npt.NDArray[np.float64]

_MARKS = {"\t": "tabs", " ": "blanks"}
_SPIKE = "spike"
_HOLDS = {"zones": "mix zones", "problems": "problems"}

_SHADES = ("amount-0", "amount-1", "amount-2", "amount-3")

_MIDDLE = 0.99
"""Share of the fixes that the picture reaches to in each direction: one far-off fix must not make a
dot of a city."""


def description_document(
    answer: Description, words: Sequence[str], *, pages: bool = True
) -> Document:
    """The document of a description.

    Parameters
    ----------
    words
        The files, and the options with which they were read.
    pages
        With the parts that only pages show.
    """
    parts: list[Table | Map] = []
    if answer.sizes is not None:
        parts.append(_sizes(answer.sizes))
    if pages and answer.map is not None:
        parts.append(_map(answer.map))
    return Document(
        title=f"What is in {answer.source.name}",
        word="To settle" if answer.refused else "Readable",
        tone="undecided" if answer.refused else "plain",
        sentence=_sentence(answer),
        meaning=(
            "This is what would be read of the data. Nothing was decided about them."
            + " Other commands refuse what is to settle until an option says what is meant."
            * bool(answer.refused)
        ),
        facts=tuple(_facts(answer)),
        parts=tuple(parts),
        next_steps=(_next_step(answer, words),),
    )


def _sentence(answer: Description) -> str:
    """What the source holds."""
    source, fixes = answer.source, answer.fixes
    if fixes is not None:
        number, users = plural(fixes.fixes, "fix", "fixes"), plural(fixes.users, "user", "users")
        return f"{source.name} has {number} of {users}, {_period(fixes)}."
    counts = ", ".join(
        f"{what}: {number if isinstance(number, str) else count(number)}"
        for what, number in answer.counts.items()
    )
    if source.what == "traces":
        return f"{source.name} has no fix ({counts})."
    return f"{source.name} holds {_HOLDS.get(source.what, source.about)} ({counts})."


def _period(fixes: FixFacts) -> str:
    """First and last time."""
    if fixes.tz is None:
        return f"steps {fixes.first} to {fixes.last}"
    return f"{moment(str(fixes.first))} to {moment(str(fixes.last))} ({fixes.tz})"


def _long(time: float, of_steps: bool = False) -> str:
    """A time in a unit that fits."""
    if of_steps:
        return f"{time:g} {'step' if time == 1 else 'steps'}"
    units = ((2 * 86_400, 86_400, "days"), (7200, 3600, "h"), (300, 60, "min"))
    size, unit = next(((size, unit) for least, size, unit in units if time >= least), (1, "s"))
    return f"{time / size:,.4g} {unit}"


def _facts(answer: Description) -> Iterator[Fact]:
    for refused in answer.refused:
        taken = f" Described as with {refused.taken_as}." if refused.taken_as else ""
        yield Fact("To settle", f"{refused.message}.{taken}")
    yield from _facts_of_source(answer)
    if answer.fixes is not None:
        yield from _facts_of_fixes(answer.fixes)
    yield from _facts_of_rows(answer.premises)
    yield from (Fact("Note", note) for note in _further_notes(answer))


def _facts_of_source(answer: Description) -> Iterator[Fact]:
    """How the source is read."""
    source = answer.source
    yield Fact("Format", f"{source.format}: {source.about}")
    form = source.dialect
    if form is not None:
        mark = _MARKS.get(form.separator, f"“{form.separator}”")
        header = "a header" if form.header else "no header"
        before = f", {form.lines_before} lines before it" if form.lines_before else ""
        yield Fact(
            "Written",
            f"{form.encoding}, columns separated by {mark}, decimal mark “{form.decimal}”,"
            f" {header}{before}",
        )
    if source.taken:
        columns = source.taken.items()
        read = (name if what == name else f"{name} as {what}" for what, name in columns)
        yield Fact("Columns read", ", ".join(read))
        yield Fact("Columns left", ", ".join(source.left) or "none")


def _facts_of_fixes(fixes: FixFacts) -> Iterator[Fact]:
    """People, times and gaps."""
    more = ", …" if fixes.users > len(fixes.first_users) else ""
    absent = fixes.users_without_data
    without = f"; {count(absent)} of them without data" if absent else ""
    yield Fact("People", f"{count(fixes.users)} ({', '.join(fixes.first_users)}{more}){without}")
    regions = fixes.places
    places = "coordinates" if regions is None else plural(regions, "region", "regions")
    yield Fact("Fixes", f"{count(fixes.fixes)}; places: {places}")
    yield Fact("Period", _period(fixes))
    if fixes.between_median is not None and fixes.between_most is not None:
        of_steps = fixes.time_step is None
        median = _long(fixes.between_median, of_steps)
        most = _long(fixes.between_most, of_steps)
        yield Fact("Time between fixes", f"median {median}; nine of ten are {most} or less")
    if fixes.share_of_steps is not None and fixes.share_of_steps_within is not None:
        step = "" if fixes.time_step is None else f" of {_long(fixes.time_step)}"
        yield Fact(
            "Steps with a fix",
            f"{share(fixes.share_of_steps)} of all steps{step};"
            f" {share(fixes.share_of_steps_within)} from each user's first fix to the last",
        )
    if fixes.metres_per_step is not None:
        step = "a step" if fixes.time_step is None else _long(fixes.time_step)
        yield Fact("Way", f"median {fixes.metres_per_step:,.0f} m in {step}, of those who move")


def _facts_of_rows(premises: Premises) -> Iterator[Fact]:
    """Rows that are no data or may be none, and people who may be one."""
    for rows in premises.skipped:
        number = plural(rows.count, "row", "rows")
        yield Fact("Skipped", f"{number}: {rows.reason}{_first(rows.count, rows.examples)}")
    for rows in premises.kept:
        way = "; --drop-spikes 1000 drops them" if rows.reason == _SPIKE else ""
        number = plural(rows.count, "fix", "fixes")
        yield Fact("Kept", f"{number}: {rows.reason}{_first(rows.count, rows.examples)}{way}")
    together = premises.together
    if together is not None and together.pairs:
        pairs = together.pairs
        shown = ", ".join(f"{one} and {other}: {part:.1%}" for one, other, part in pairs[:3])
        more = ", …" if len(pairs) > 3 else ""
        become = "merged into one person each; --keep-together keeps them apart"
        yield Fact(
            "Always together",
            f"{plural(len(pairs), 'pair', 'pairs')} ({shown}{more}):"
            f" {become if together.merged else 'not merged'}",
        )


def _first(number: int, examples: Sequence[str]) -> str:
    """The first rows of a reason."""
    more = ", …" if number > len(examples) else ""
    return f" ({', '.join(examples)}{more})" if examples else ""


def _further_notes(answer: Description) -> Iterator[str]:
    """Notes that no fact says already: those on skipped rows and on pairs do."""
    premises = answer.premises
    rows = (*premises.skipped, *premises.kept)
    paired = premises.together is not None and bool(premises.together.pairs)
    for note in answer.notes:
        about_rows = any(one.reason in note and count(one.count) in note for one in rows)
        if not about_rows and not (paired and "together in" in note):
            yield note


def _sizes(sizes: SizeTable) -> Table:
    """What sizes of cells and steps would give."""
    sample = "" if sizes.sample is None else f" Of {sizes.sample}."
    text = f"k = {sizes.k}, adversary {sizes.adversary}.{sample}"
    if len(sizes.rows) > 1:
        text += (
            " The sizes follow from how often there is a fix, and from how far people move in a"
            " step. Choose cells and steps in which nobody outside could follow a person."
        )
    return Table(
        "Cells and steps",
        "What sizes would give",
        (
            Column("cells and steps"),
            Column("mix zones", "count"),
            Column("people in none", "count"),
            Column("time protected", "share"),
            Column("undecided", "share"),
        ),
        [(_size(row), row.zones, row.never_meet, row.safe, row.undecided) for row in sizes.rows],
        text=(text,),
    )


def _size(row: SizeRow) -> str:
    """A size of cells and steps."""
    cells = [] if row.cell_size is None else [f"{row.cell_size:,g} m"]
    steps = [] if row.time_step is None else [_long(row.time_step)]
    return ", ".join([*cells, *steps]) or "as they are"


def _next_step(answer: Description, words: Sequence[str]) -> str:
    """The command that asks."""
    settle = "settle what is said above; then " if answer.refused else ""
    if answer.source.what in ("feed", "links"):
        return settle + shlex.join(["mixsafe", "links", *words, "--k", "3"])
    if answer.source.what == "problems" and answer.counts.get("requirements", 1):
        return settle + shlex.join(["mixsafe", "verify", *words])
    chosen = []
    if answer.sizes is not None:
        row = answer.sizes.rows[answer.sizes.suggested]
        chosen += [] if row.cell_size is None else ["--cell-size", f"{row.cell_size:g}"]
        chosen += [] if row.time_step is None else ["--time-step", str(row.time_step)]
    return settle + shlex.join(["mixsafe", "verify", *words, "--k", "3", *chosen])


def _map(fixes: FixMap) -> Map:
    """Squares with fixes."""
    east, north = _on_plane(fixes)
    more = ""
    if fixes.elsewhere:
        more = f" {plural(fixes.elsewhere, 'fix is', 'fixes are')} in squares that are not drawn."
    return Map(
        "Where",
        fixes.side,
        east.round(1).tolist(),
        north.round(1).tolist(),
        [f"{lat:.5f}, {lon:.5f}" for lat, lon in zip(fixes.lat, fixes.lon, strict=True)],
        fixes.fixes,
        fixes_chart(fixes),
        text=(f"Fixes in squares of {fixes.side:,g} m, north up: the darker, the more.{more}",),
    )


def fixes_chart(fixes: FixMap) -> Chart:
    """The squares with fixes, darker where there are more."""
    east, north = (metres / 1000 for metres in _on_plane(fixes))
    numbers, side = np.array(fixes.fixes), fixes.side / 1000
    ends = _classes(int(numbers.max()))
    place = np.searchsorted(ends, numbers)
    series = [
        Series(
            f"{'to' if rank else 'up to'} {count(end)}",
            shade,
            north[place == rank].round(4).tolist(),
            east[place == rank].round(4).tolist(),
            "squares",
            size=side,
        )
        for rank, (end, shade) in enumerate(zip(ends, _SHADES[-len(ends) :], strict=True))
    ]
    panel = Panel(
        series,
        _axis("west to east (km)", east, numbers, side),
        _axis("south to north (km)", north, numbers, side),
        height=5.4,
        equal=True,
        legend=f"fixes in a square of {fixes.side:,g} m",
    )
    caption = "The picture reaches to the middle 99% of the fixes."
    return Chart("Where", "map", caption, (panel,))


def _on_plane(fixes: FixMap) -> tuple[Floats, Floats]:
    """East and north of squares, metres from the middle of the map."""
    lat, lon, numbers = (np.array(values) for values in (fixes.lat, fixes.lon, fixes.fixes))
    center = float(np.average(lat, weights=numbers)), float(lon[int(numbers.argmax())])
    return plane(center, lat, lon)


def _classes(most: int) -> list[int]:
    """Up to four classes, each reaching about three times as far as the one before."""
    return sorted({-(-most // 3**power) for power in range(4)})


def _axis(label: str, at: Floats, fixes: npt.NDArray[np.int64], side: float) -> Axis:
    """An axis that reaches to the middle ``_MIDDLE`` of the fixes."""
    order = np.argsort(at)
    part = np.cumsum(fixes[order]) / fixes.sum()
    off = (1 - _MIDDLE) / 2
    low, high = np.searchsorted(part, (off, 1 - off))
    most = at[order][min(high, len(at) - 1)]
    return Axis(label, low=float(at[order][low] - side), high=float(most + side))
