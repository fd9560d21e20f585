"""Pages of breaking numbers of a problem and of unicity curves of a release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.figure import Figure

from mixsafe.report.base import colours
from mixsafe.report.base.drawing import canvas, plain, style
from mixsafe.report.base.page import Heading, cell, heading, numbers, plural, share, table
from mixsafe.report.base.sections import section, sections_page

_SHOWN = 50
"""Targets that are listed, those first that break first."""

_WHOSE = {"self": "Of the person", "anybody": "Of anybody"}
"""Whose sightings count, as ``--sightings`` says it."""

_STYLES = {"static": colours.UNSAFE[0], "exchanged": colours.SAFE}
_NAMES = {
    "static": "pseudonyms that never change",
    "exchanged": "pseudonyms exchanged wherever tracks meet",
}


def breaking_page(result: Mapping[str, Any]) -> str:
    """The page for what ``breaking --json`` wrote of one problem."""
    found, asked = result["summary"], result["asked"]
    at_most, total = asked["at_most"], max(found["targets"], 1)
    targets = "stretches" if asked["target"] == "each" else "people"
    caption = "Share broken by the worst m sightings; paler above it, the share that is undecided."
    return sections_page(
        f"What breaks {result['name']}",
        [
            section("How many it takes", figure=(draw_numbers(result), "numbers", caption)),
            section(
                "Fewest sightings first",
                "Seen at all of the listed times, the person is no longer protected (places in"
                " brackets, if known). Where both numbers are equal, no smaller set exists.",
                table=_first(result["breaking"], asked["target"] == "each"),
            ),
            section("What was asked", facts=_asked(result)),
        ],
        word="What it takes",
        sentence=(
            f"At most {plural(at_most, 'further sighting', 'further sightings')} break"
            f" {share(found['broken_by'][-1] / total)} of the {targets}."
        ),
        meaning=(
            f"{found['robust'] + found['never']:,} of {found['targets']:,} {targets} are proven to"
            f" withstand any {at_most}; {found['undecided']:,} are undecided."
        ),
        provenance=result.get("provenance"),
    )


@style
def draw_numbers(result: Mapping[str, Any]) -> Figure:
    """Shares that the worst m sightings break, proven and perhaps."""
    found = result["summary"]
    total = max(found["targets"], 1)
    figure, axes = canvas(7.2, 3.2)
    steps = range(len(found["broken_by"]))
    axes.bar(steps, [n / total for n in found["perhaps_by"]], color=colours.FAINT, width=0.6)
    axes.bar(steps, [n / total for n in found["broken_by"]], color=colours.UNSAFE[0], width=0.6)
    axes.set(xlabel="further sightings, the worst ones", ylabel="share broken", ylim=(0, 1.02))
    axes.set_xticks(list(steps))
    plain(axes)
    return figure


def _first(rows: list[Mapping[str, Any]], each: bool) -> dict[str, Any]:
    """Table of those who break first."""
    first = sorted(rows, key=lambda row: (row["lower"], row["upper"] is None))[:_SHOWN]
    return table(
        f"The first {_SHOWN}" if len(rows) > _SHOWN else "All of them",
        [*_targets(each), *numbers("at least", "at most"), "seen"],
        [
            [
                *_target(row, each),
                cell(str(row["lower"]), row["lower"]),
                "-" if row["upper"] is None else cell(str(row["upper"]), row["upper"]),
                "; ".join(map(_seen, row["sightings"] or ())) or "-",
            ]
            for row in first
        ],
    )


def _targets(each: bool) -> list[Heading]:
    """Headings of the columns for user and time of a row."""
    return [heading("user", names=True), *(("from", "to") if each else ())]


def _target(row: Mapping[str, Any], each: bool) -> list[str]:
    """User and time of a row."""
    return [str(row[name]) for name in ("user_id", "from_time", "to_time")[: 3 if each else 1]]


def _seen(one: Mapping[str, Any]) -> str:
    """A sighting: who, when, and where if that is known."""
    place = f" ({one['place']})" if one.get("place") else ""
    return f"{one['user']} at {one['time']}{place}"


def _asked(result: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Facts about the data and the search behind the numbers."""
    asked = result["asked"]
    away = asked["away"]
    near = "" if away is None else f" Only those more than {away} steps from the wire count."
    k = "" if asked["k"] is None else f", k = {asked['k']}"
    return [
        ("Target", f"{asked['target']}{k}"),
        ("Known before", f"{result.get('adversary', 'The sightings of the problem')}."),
        ("Further sightings", f"{_WHOSE.get(asked['sightings'], 'Those of a list')}.{near}"),
    ]


def curves_page(result: Mapping[str, Any]) -> str:
    """The page for what ``breaking --draws --json`` wrote."""
    at_most, static, exchanged = (
        result["at_most"],
        result["curves"]["static"],
        result["curves"]["exchanged"],
    )
    caption = (
        "Lines: the worst sightings of each person. Dots: as many drawn at random, with the 95%"
        " interval of the mean over the draws."
    )
    return sections_page(
        f"What singles people out of {result['name']}",
        [
            section("Curves", figure=(draw_curves(result), "curves", caption)),
            section("Shares", table=_shares(result)),
            section("What was asked", facts=_curve_facts(result)),
        ],
        word="What it takes",
        sentence=(
            f"{plural(at_most, 'random sighting singles', 'random sightings single')} out"
            f" {share(static['chance'][-1]['mean'])} of the people if pseudonyms never change, and"
            f" {share(exchanged['chance'][-1]['mean'])} if they are exchanged wherever tracks meet."
        ),
        meaning=(
            f"The worst {at_most} single out {share(static['worst'][-1])} and"
            f" {share(exchanged['worst'][-1])}. Singled out: fewer than k = {result['k']} tracks"
            " are possible at every step."
        ),
        provenance=result.get("provenance"),
    )


@style
def draw_curves(result: Mapping[str, Any]) -> Figure:
    """Shares singled out by m sightings, at worst and by chance, for both kinds of release."""
    figure, axes = canvas(7.2, 3.6)
    steps = list(range(result["at_most"] + 1))
    for kind, curve in result["curves"].items():
        colour, name = _STYLES[kind], _NAMES[kind]
        axes.plot(steps, curve["worst"], "-", color=colour, label=f"worst, {name}")
        means = [one["mean"] for one in curve["chance"]]
        axes.plot(steps, means, "o", color=colour, ms=5, label=f"random, {name}")
        axes.vlines(
            steps,
            [one["low"] for one in curve["chance"]],
            [one["high"] for one in curve["chance"]],
            color=colour,
        )
    axes.set(xlabel="sightings of a person", ylabel="share singled out", ylim=(-0.02, 1.02))
    axes.set_xticks(steps)
    axes.legend(frameon=False, fontsize=8)
    plain(axes)
    return figure


def _shares(result: Mapping[str, Any]) -> dict[str, Any]:
    """Table of both curves."""
    rows = []
    for kind, curve in result["curves"].items():
        for m in range(result["at_most"] + 1):
            chance, wilson = curve["chance"][m], curve["wilson"][m]
            shares = curve["worst"][m], curve["perhaps"][m], chance["mean"], chance["low"]
            shares = *shares, chance["high"], *wilson, curve["contradicted"][m]
            rows.append([_NAMES[kind], cell(str(m), m), *(cell(f"{s:.2%}", s) for s in shares)])
    bounds = ("from", "to", "Wilson from", "to")
    return table(
        "Shares of the people; random ones with their 95% bootstrap interval over draws",
        [
            heading("release", wide=True),
            *numbers("sightings", "worst", "at most", "random", *bounds, "contradicted"),
        ],
        rows,
    )


def _drawn_in_time(result: Mapping[str, Any]) -> str:
    """Of how many people sightings were drawn, where not of all."""
    drawn = {kind: curve["drawn"] for kind, curve in result["curves"].items()}
    if all(number == result["people"] for number in drawn.values()):
        return ""
    return (
        ", "
        + " and ".join(
            f"of {plural(number, 'person', 'people')} with {_NAMES[kind]}"
            for kind, number in drawn.items()
        )
        + ": the time was up"
    )


def _curve_facts(result: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Facts about the data behind the curves."""
    habit = "their reference" if result["habit"] else "their own tracks"
    return [
        ("Data", f"{result['people']:,} people, {result['steps']:,} steps"),
        (
            "The adversary",
            f"The adversary has the whole release and saw one person at places and times of"
            f" {habit}, and no other people. A track that shows nothing at a step was not"
            " there.",
        ),
        ("Draws", f"{result['draws']} for each person{_drawn_in_time(result)}"),
    ]
