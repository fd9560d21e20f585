"""The page of a feed whose identifiers change: how many rides can be followed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mixsafe.report.base.page import (
    cell,
    count_cell,
    heading,
    numbers,
    plural,
    share,
    share_cell,
    table,
)
from mixsafe.report.base.sections import section, sections_page
from mixsafe.report.base.words import WORDS
from mixsafe.report.figures.feed_figure import draw_areas, draw_candidates, draw_remedies

Result = Mapping[str, Any]

_SIDES = {"ends": "seen from where they begin", "begins": "seen from where they end"}
"""From where rides are looked at: an identifier ends where a ride begins."""


def feed_page(result: Result) -> str:
    """The page for what ``links --json`` wrote of a feed."""
    ends = result["summary"]["ends"]
    return sections_page(
        f"Rides in {result['name']}",
        list(_sections(result)),
        word="Contradicted" if result["contradiction"] else WORDS[result["verdict"]],
        sentence=sentence(result),
        meaning=(
            "A ride is between the end of one identifier and the beginning of another."
            f" {plural(ends['followed'], 'ride', 'rides')} can be followed to where"
            f" {'it ends' if ends['followed'] == 1 else 'they end'}: there is one identifier that"
            " can continue the vehicle."
        ),
        tone=result["verdict"],
        provenance=result.get("provenance"),
    )


def sentence(result: Result) -> str:
    """The answer in a sentence."""
    if result["contradiction"]:
        return (
            f"{plural(len(result['contradiction']), 'identifier', 'identifiers')} cannot all"
            " continue: the fleet is not closed, or a rule excludes what happened."
        )
    sides = [result["summary"][side] for side in _SIDES]
    rides = sides[0]["rides"]
    kept = result["summary"]["kept"]
    if kept:
        return f"{plural(kept, 'identifier stays', 'identifiers stay')} the same through a ride."
    if not rides:
        return "There is no ride: no identifier can continue another one."
    enough, fewer = (
        ("if no vehicle leaves the fleet", "fewer")
        if result["closed"]
        else ("even if no vehicle leaves the fleet", "fewer even if any may")
    )
    (safe, also_safe), (unsafe, also_unsafe) = (
        [share(one[key] / one["rides"]) for one in sides] for key in ("safe", "unsafe")
    )
    return (
        f"Of {plural(rides, 'ride', 'rides')}, {safe} (seen from where they begin) and {also_safe}"
        f" (from where they end) have {result['k']} candidates {enough}; {unsafe} and {also_unsafe}"
        f" have {fewer}. Rule: {result['rule']}."
    )


def found(one: Mapping[str, Any]) -> str:
    """What was found in the data, and what to do about it."""
    return f"{one['sentence']} {one.get('advice', '')}".strip()


def _sections(result: Result) -> Iterator[dict[str, Any]]:
    caption = (
        "Whatever an adversary knows of who left the fleet, the truth is between the lines."
        if not result["closed"]
        else "The line is exact for a fleet that no vehicle leaves unseen."
    )
    if result["curve"]:
        drawn = (draw_candidates(result), "candidates", caption)
        yield section("How many candidates rides have", figure=drawn, table=_counts(result))
    if result["areas"]:
        caption = (
            f"The {plural(len(result['areas']), 'cell', 'cells')} of 500 m where most rides begin;"
            " larger circles have more rides."
        )
        yield section("Where", figure=(draw_areas(result), "areas", caption))
    if result["hours"]:
        yield section("When", table=_hours(result))
    if result["later"]:
        yield section(
            "Later",
            "Identifiers that a vehicle may have at a later time, over all rides until then, if no"
            " vehicle leaves the fleet.",
            table=_later(result),
        )
    yield section(
        "By what",
        "Each line leaves fields out: how many candidates rides would have without them.",
        table=_without(result),
    )
    if result.get("remedies"):
        yield _remedies(result)
    if result["findings"]:
        yield section("Found in the data", *map(found, result["findings"]))
    yield section(
        "Rules of the links",
        "An identifier can continue another one only if no rule excludes it.",
        _tested(result),
        table=_rules(result),
    )
    yield section("What was assumed", facts=list(_facts(result)))


def _counts(result: Result) -> dict[str, Any]:
    """Rides by verdict, seen from both sides."""
    columns = ("rides", "safe", "undecided", "unsafe", "followed", "one_place", "without_link")
    rows = [
        [word, *(count_cell(result["summary"][side][one]) for one in columns)]
        for side, word in _SIDES.items()
    ]
    names = ("rides", "safe", "undecided", "unsafe", "one candidate", "one place", "no ride")
    return table(f"Rides by verdict, k = {result['k']}", [heading("rides"), *numbers(*names)], rows)


def _hours(result: Result) -> dict[str, Any]:
    rows = [
        [
            cell(f"{one['hour']:02}:00", one["hour"]),
            count_cell(one["rides"]),
            share_cell(one["followed"] / one["rides"]),
            cell(f"{one['candidates']:g}", one["candidates"]),
        ]
        for one in result["hours"]
    ]
    names = ("hour", "rides", "one candidate", "candidates, median")
    return table("Rides by the hour at which they begin", numbers(*names), rows)


def _later(result: Result) -> dict[str, Any]:
    rows = [
        [
            one["time"],
            count_cell(one["identifiers"]),
            *(share_cell(one[key] / max(one["identifiers"], 1)) for key in ("safe", "unsafe")),
            f"{one['median_lower'] or 0:g} to {one['median_upper'] or 0:g}",
        ]
        for one in result["later"]
    ]
    names = ("identifiers before", "with k candidates", "with fewer", "candidates, median")
    return table("Candidates at later times", [heading("time"), *numbers(*names)], rows)


def _without(result: Result) -> dict[str, Any]:
    rows = [
        [one["rule"], cell(f"{one['median']:g}", one["median"]), share_cell(one["followed"])]
        for one in result["without"]
    ]
    names = ("candidates, median", "rides with one candidate")
    fleet = "no vehicle leaves the fleet" if result["closed"] else "any vehicle may leave"
    return table(f"Without some fields, if {fleet}", ["without", *numbers(*names)], rows)


def _tested(result: Result) -> str:
    """Whether the rules were tested, and what follows."""
    if not any(one["true_links"] for one in result["rules"]):
        return "The data do not say which vehicle is which, so the rules were not tested."
    if not result["unsound"]:
        return "Tested against the true vehicles: no rule excludes a true link."
    return (
        f"Tested against the true vehicles: {' and '.join(result['unsound'])} exclude true links."
        " So nothing is proven of any ride."
    )


def _rules(result: Result) -> dict[str, Any]:
    rows = []
    for one in result["rules"]:
        tested, rate = one["true_links"], one["rate"]
        said = "-" if not tested else f"{rate:.2%} ({one['low']:.2%} to {one['high']:.2%})"
        rows.append([one["name"], one["sentence"], count_cell(tested), cell(said, rate or 0)])
    names = ("true links", "excluded (95% interval)")
    heads = [heading("rule"), heading("says", wide=True), *numbers(*names)]
    return table("Rules, and how many true links they exclude", heads, rows)


def _remedies(result: Result) -> dict[str, Any]:
    found = result["remedies"]
    rows = [
        [one["change"], cell(str(one["steps"]), one["steps"]), share_cell(one["safe"])]
        for one in found["tried"]
    ]
    caption = "Grey: each combination that was tried. Blue: the best of as many steps or fewer."
    return section(
        "What to drop",
        found["sentence"],
        figure=(draw_remedies(result), "remedies", caption),
        table=table(
            "Changes to the feed, the mildest first",
            [heading("change", wide=True), *numbers("steps", "rides with k candidates")],
            rows,
        ),
    )


def _facts(result: Result) -> Iterator[tuple[str, str]]:
    found = result["summary"]
    yield "Data", f"{found['tracklets']:,} identifiers, {found['links']:,} links"
    if result["closed"]:
        yield "Fleet", "closed: no vehicle leaves or joins unseen, but where the options say so"
    else:
        yield "Fleet", "two bounds: no vehicle leaves or joins unseen, and any may"
    if result["left_out"]:
        yield (
            "Left out",
            f"{len(result['left_out']):,} identifiers cannot all continue or have come, so vehicles"
            " did leave or join; no ride that this may concern is called safe",
        )
    zone = result.get("tz", "UTC")
    yield "Time zone", f"{zone}: of all times and hours here, and of the table"
    for reason, count in result.get("skipped", {}).items():
        if reason == "no position":
            said = "without a position: nowhere in particular, so that no speed excludes them"
        else:
            said = "skipped"
        yield reason.capitalize(), f"{count:,} {said}"
    for note in result.get("notes", ()):
        yield "Note", note
    yield "Adversary", "has the feed, the rules and any computer, and no other data"
