"""What curves say: whom a few sightings single out, without and with exchanges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

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
)
from mixsafe.model.answer.wording import count, plural, share
from mixsafe.unicity.curves import Curves

_RELEASES = {
    "static": "pseudonyms that never change",
    "exchanged": "pseudonyms exchanged wherever tracks meet",
}
_LABELS = {"static": "never changed", "exchanged": "exchanged"}
_COLOURS = {"static": "unsafe-1", "exchanged": "safe"}


def curves_document(answer: Curves, name: str) -> Document:
    """The document of curves.

    Parameters
    ----------
    name
        Of the data.
    """
    found = answer.to_dict()
    static, exchanged = (found["curves"][kind] for kind in ("static", "exchanged"))
    sightings = plural(answer.at_most, "random sighting singles", "random sightings single")
    worst = "one singles" if answer.at_most == 1 else f"{count(answer.at_most)} single"
    return Document(
        title=f"What singles people out of {name}",
        word="What it takes",
        tone="plain",
        sentence=(
            f"{sightings} out {share(static['chance'][-1]['mean'])} of the people if pseudonyms"
            f" never change, and {share(exchanged['chance'][-1]['mean'])} if they are exchanged"
            " wherever tracks meet."
        ),
        meaning=(
            f"The worst {worst} out {share(static['worst'][-1])} and"
            f" {share(exchanged['worst'][-1])}. Singled out: fewer than k = {answer.k} tracks are"
            " possible at every step."
        ),
        facts=tuple(_facts(found)),
        parts=(_chart(found), _shares_by_number(found), _shares(found)),
        evidence=(evidence(found),),
    )


def _facts(found: Mapping[str, Any]) -> Iterator[Fact]:
    people = plural(found["people"], "person", "people")
    yield Fact("Data", f"{people}, {plural(found['steps'], 'step', 'steps')}")
    yield Fact("Singled out", f"fewer than k = {found['k']} tracks are possible")
    habit = "their reference" if found["habit"] else "their own tracks"
    yield Fact(
        "Adversary",
        f"The adversary has the whole release and saw one person at places and times of {habit},"
        " and no other people. A track that shows nothing at a step was not there.",
    )
    yield Fact("Draws", f"{found['draws']} for each person{_drawn_in_time(found)}")


def _drawn_in_time(found: Mapping[str, Any]) -> str:
    """Of how many people sightings were drawn, where not of all."""
    drawn = {kind: curve["drawn"] for kind, curve in found["curves"].items()}
    if all(number == found["people"] for number in drawn.values()):
        return ""
    parts = (
        f"of {plural(number, 'person', 'people')} with {_RELEASES[kind]}"
        for kind, number in drawn.items()
    )
    return f", {' and '.join(parts)}: the time was up"


def _chart(found: Mapping[str, Any]) -> Chart:
    """Shares singled out by m sightings, at worst and by chance, for both kinds of release."""
    numbers = tuple(range(found["at_most"] + 1))
    series = []
    for kind, curve in found["curves"].items():
        colour, chance = _COLOURS[kind], curve["chance"]
        low, mean, high = ([one[end] for one in chance] for end in ("low", "mean", "high"))
        series += [
            Series(f"worst, {_LABELS[kind]}", colour, curve["worst"], numbers),
            Series(f"random, {_LABELS[kind]}", colour, mean, numbers, "dots", low, high, size=5.0),
        ]
    panel = Panel(
        tuple(series),
        Axis("sightings of a person", ticks=numbers),
        Axis("share singled out", low=-0.02, high=1),
        legend="pseudonyms that never change, or that are exchanged wherever tracks meet",
    )
    caption = (
        "Lines: the worst sightings of each person. Dots: as many drawn at random, with the 95%"
        " interval of the mean over the draws."
    )
    return Chart("Curves", "curves", caption, (panel,))


def _shares_by_number(found: Mapping[str, Any]) -> Table:
    """Shares singled out, a column for each number of sightings."""
    rows: list[tuple[Value, ...]] = []
    for kind, curve in found["curves"].items():
        rows.append((_RELEASES[kind], "worst", *curve["worst"]))
        rows.append((_RELEASES[kind], "random", *(one["mean"] for one in curve["chance"])))
    numbers = (Column(str(m), "share") for m in range(found["at_most"] + 1))
    return Table(
        "Share singled out",
        "Share singled out, by the number of sightings",
        (Column("release", wide=True), Column("sightings"), *numbers),
        rows,
    )


def _shares(found: Mapping[str, Any]) -> Table:
    """Both curves with their intervals."""
    rows: list[tuple[Value, ...]] = []
    for kind, curve in found["curves"].items():
        for m in range(found["at_most"] + 1):
            chance = curve["chance"][m]
            shares = (curve["worst"][m], curve["perhaps"][m], chance["mean"])
            ends = (chance["low"], chance["high"], *curve["wilson"][m])
            rows.append((_RELEASES[kind], m, *shares, *ends, curve["contradicted"][m]))
    names = ("worst", "at most", "random", "from", "to", "Wilson from", "to", "contradicted")
    return Table(
        "Shares",
        "Shares of the people; random ones with their 95% bootstrap interval over draws",
        (
            Column("release", wide=True),
            Column("sightings", "count"),
            *(Column(name, "share") for name in names),
        ),
        rows,
        pages_only=True,
    )


def evidence(found: Mapping[str, Any]) -> CriterionEvidence:
    """What an officer is told: whom the worst sightings single out, and random ones."""
    static, exchanged = (found["curves"][kind] for kind in ("static", "exchanged"))
    worst = plural(found["at_most"], "sighting singles", "sightings single")
    sentence = (
        f"By how many sightings. Of {plural(found['people'], 'person', 'people')}, the worst"
        f" {worst} out {_range(exchanged)} if pseudonyms are exchanged wherever tracks meet, and"
        f" {_range(static)} if they never change. As many random ones single out"
        f" {share(exchanged['chance'][-1]['mean'])} and {share(static['chance'][-1]['mean'])}."
        f" Singled out means: fewer than {count(found['k'])} tracks are possible at every time."
    )
    return CriterionEvidence("singling_out", (sentence,))


def _range(curve: Mapping[str, Any]) -> str:
    """The proven share, and the share that is not excluded."""
    return f"{share(curve['worst'][-1])} to {share(curve['perhaps'][-1])}"
