"""What a comparison says: whether engines agree, and how long each took."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mixsafe.compare.comparison import FINISHED, Comparison
from mixsafe.documents.document import (
    Axis,
    Chart,
    Column,
    CriterionEvidence,
    Document,
    Fact,
    Panel,
    Series,
    Table,
    Value,
    printed,
)
from mixsafe.model.answer.wording import count, plural
from mixsafe.solver.registry import ENGINES

_ASKED = {"verify": "decide who is safe", "optimize": "find a minimum set of mix zones"}
_COLOURS = 7
"""Number of colours for things of different kinds."""

_WIDTH = 0.03  # engines stand side by side by this share of a factor of ten

Row = Mapping[str, Any]


def comparison_document(answer: Comparison, *, pages: bool = True) -> Document:
    """The document of a comparison.

    Parameters
    ----------
    pages
        With the parts that only pages show.
    """
    found = answer.to_dict()
    parts: list[Table | Chart] = [_medians(answer.engines, found["summary"])]
    if pages:
        parts = [_times(found), *parts, _quartiles(found), _runs(found["runs"])]
    return Document(
        title="Engines side by side",
        word=answer.word.capitalize(),
        tone="safe" if answer.word == "AGREE" else "undecided",
        sentence=answer.sentence,
        meaning=(
            f"{', '.join(answer.engines)} were asked to {_ASKED[answer.task]}; each run had"
            f" {answer.limit:g} s and a separate process. An engine that does not finish has proven"
            " less, but nothing different."
        ),
        facts=(
            Fact("Limit", f"{answer.limit:g} s for each run"),
            *(Fact(engine, way) for engine, way in found["ways"].items()),
        ),
        parts=tuple(parts),
        next_steps=(
            "Every run is in --output runs.csv, the times as a picture in --plot times.svg.",
        ),
        evidence=(evidence(found),),
    )


def evidence(found: Mapping[str, Any]) -> CriterionEvidence:
    """What an officer is told: how many engines were asked, and whether they agree."""
    engines = plural(len(found["engines"]), "engine was", "engines were")
    runs = plural(len(found["runs"]), "run", "runs")
    sentence = f"{engines} asked the same questions, in {runs}. {found['sentence']}"
    return CriterionEvidence("validity", (sentence,))


def _late(row: Row) -> bool:
    """Whether the median run did not finish: its time is at least the limit."""
    return bool(row["finished"] * 2 <= row["runs"])


def _median(row: Row) -> Value:
    """The median; one that is at least the limit says so."""
    return f"> {printed(row['median'], 'seconds')}" if _late(row) else row["median"]


def _medians(engines: Sequence[str], summary: Sequence[Row]) -> Table:
    """Medians of all engines, a row for each number of people."""
    rows: dict[int, list[Value]] = {}
    for row in summary:
        cells = rows.setdefault(row["users"], [row["users"]])
        cells += [_median(row), f"{count(row['finished'])} of {count(row['runs'])}"]
    columns = [
        column
        for engine in engines
        for column in (Column(f"{engine}: median", "seconds"), Column("finished"))
    ]
    return Table(
        "Medians",
        "Median time by number of people; > : most runs did not finish",
        (Column("people", "count"), *columns),
        list(rows.values()),
    )


def _quartiles(found: Mapping[str, Any]) -> Table:
    """Quartiles of the times."""
    times = ("lower quartile", "median", "upper quartile")
    rows = [
        (
            row["engine"],
            row["users"],
            row["runs"],
            row["finished"],
            row["lower_quartile"],
            row["median"],
            row["upper_quartile"],
        )
        for row in found["summary"]
    ]
    return Table(
        "Quartiles",
        f"Runs that did not finish count with the limit, {found['limit']:g} s",
        (
            Column("engine", filter="Engine"),
            *(Column(name, "count") for name in ("people", "runs", "finished")),
            *(Column(name, "seconds") for name in times),
        ),
        rows,
        pages_only=True,
    )


def _runs(runs: Sequence[Row]) -> Table:
    names = ("name", "engine", "status", "users", "zones", "seconds", "memory_mb", "note")
    return Table(
        "Runs",
        "All runs",
        (
            Column("question"),
            Column("engine", filter="Engine"),
            Column("status"),
            Column("people", "count"),
            Column("mix zones", "count"),
            Column("time", "seconds"),
            Column("memory, MB", "count"),
            Column("note", wide=True),
        ),
        [tuple(run[name] for name in names) for run in runs],
        pages_only=True,
    )


def _times(found: Mapping[str, Any]) -> Chart:
    """Seconds of each run by number of people, on scales of powers of ten."""
    engines, runs, limit = found["engines"], found["runs"], found["limit"]
    users = sorted({run["users"] for run in runs})
    seconds = [run["seconds"] for run in runs]
    low, high = users[0] / 1.3, users[-1] * 1.3
    series = [Series(f"limit: {limit:g} s", "faint", (limit, limit), (low, high), "dashes", size=1)]
    for place, engine in enumerate(engines):
        shift = 10 ** (_WIDTH * (place - (len(engines) - 1) / 2))
        series += _of_engine(engine, engines, found, shift)
    panel = Panel(
        tuple(series),
        Axis("people", low=low, high=high, log=True, ticks=users),
        Axis(
            f"seconds to {_ASKED[found['task']]}",
            low=max(min(seconds), 1e-4) / 2,
            high=2 * max(limit, *seconds),
            log=True,
        ),
        height=5.0,
        legend="median and quartiles; x: not finished; hollow: median not finished",
    )
    caption = (
        "Seconds by number of people, both on scales of powers of ten. Small marks are runs, lines"
        " join medians, bars reach from the lower to the upper quartile; crosses at the limit did"
        " not finish, and a hollow median lies above it."
    )
    return Chart("Times", "times", caption, (panel,))


def _of_engine(
    engine: str, engines: Sequence[str], found: Mapping[str, Any], shift: float
) -> Iterator[Series]:
    """Runs of an engine, those that did not finish, and medians."""
    colour, limit = _colour(engine, engines), found["limit"]
    runs = [run for run in found["runs"] if run["engine"] == engine]
    rows = [row for row in found["summary"] if row["engine"] == engine]
    done = [run for run in runs if run["status"] in FINISHED]
    late = [run["users"] * shift for run in runs if run["status"] not in FINISHED]
    people = [run["users"] * shift for run in done]
    yield Series("", colour, [run["seconds"] for run in done], people, "dots", size=3, faint=True)
    if late:
        yield Series("", colour, [limit] * len(late), late, "crosses", size=7)
    finished, of = (sum(row[name] for row in rows) for name in ("finished", "runs"))
    yield Series(
        f"{engine}: {count(finished)} of {plural(of, 'run', 'runs')} finished",
        colour,
        [row["median"] for row in rows],
        [row["users"] * shift for row in rows],
        low=[row["lower_quartile"] for row in rows],
        high=[row["upper_quartile"] for row in rows],
    )
    for look, hollow in (("dots", False), ("hollow", True)):
        medians = [row for row in rows if _late(row) == hollow]
        if medians:
            at = [row["users"] * shift for row in medians]
            yield Series("", colour, [row["median"] for row in medians], at, look, size=7)  # type: ignore[arg-type]


def _colour(engine: str, engines: Sequence[str]) -> str:
    """Colour of an engine, the same in every picture; unregistered engines follow."""
    known = ENGINES.names()
    order = [*known, *(one for one in engines if one not in known)]
    return f"series-{order.index(engine) % _COLOURS}"
