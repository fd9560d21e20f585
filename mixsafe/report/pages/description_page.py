"""The page of a description: what would be read of a file, before anything is asked about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from mixsafe.geometry.grid import plane
from mixsafe.model.answer.wording import plural, share
from mixsafe.model.mobility.time_axis import moment
from mixsafe.report.base.page import cell, count_cell, numbers, share_cell, table
from mixsafe.report.base.sections import section, sections_page
from mixsafe.report.figures.fixes_figure import draw_fixes

Result = Mapping[str, Any]

_MARKS = {"\t": "tabs", " ": "blanks"}
_SPIKE = "spike"
_HOLDS = {"zones": "mix zones", "problems": "problems"}


def description_page(result: Result) -> str:
    """The page for what ``datasets describe --json`` wrote."""
    return sections_page(
        f"What is in {result['name']}",
        list(_sections(result)),
        word=word(result),
        sentence=sentence(result),
        meaning="This is what would be read of the data. Nothing was decided about them.",
        provenance=result.get("provenance"),
    )


def word(result: Result) -> str:
    """Whether the other commands read it as it is."""
    return "To settle" if result["refused"] else "Readable"


def sentence(result: Result) -> str:
    """What the source holds, in a sentence."""
    found, name = result["fixes"], result["name"]
    if found is not None:
        users = plural(found["users"], "user", "users")
        fixes = plural(found["fixes"], "fix", "fixes")
        return f"{name} has {fixes} of {users}, {_period(found)}."
    counts = ", ".join(
        f"{what}: {count:,}" if isinstance(count, int) else f"{what}: {count}"
        for what, count in result["counts"].items()
    )
    if result["what"] == "traces":
        return f"{name} has no fix ({counts})."
    return f"{name} holds {_HOLDS.get(result['what'], result['about'])} ({counts})."


def _period(found: Result) -> str:
    """First and last time."""
    zone = "" if found["tz"] is None else f" ({found['tz']})"
    steps = "steps " if found["tz"] is None else ""
    return f"{steps}{moment(found['first'])} to {moment(found['last'])}{zone}"


def _long(time: float, of_steps: bool = False) -> str:
    """A time in a unit that fits."""
    if of_steps:
        return f"{time:g} {'step' if time == 1 else 'steps'}"
    units = ((2 * 86_400, 86_400, "days"), (7200, 3600, "h"), (300, 60, "min"))
    size, unit = next(((size, unit) for least, size, unit in units if time >= least), (1, "s"))
    return f"{time / size:,.4g} {unit}"


def read_facts(result: Result) -> Iterator[tuple[str, str]]:
    """How the source is read."""
    yield "Format", f"{result['format']}: {result['about']}"
    form = result["dialect"]
    if form is not None:
        mark = _MARKS.get(form["separator"], f"“{form['separator']}”")
        header = "a header" if form["header"] else "no header"
        before = f", {form['lines_before']} lines before it" if form["lines_before"] else ""
        yield (
            "Written",
            f"{form['encoding']}, columns separated by {mark}, decimal mark"
            f" “{form['decimal']}”, {header}{before}",
        )
    if result["taken"]:
        yield "Columns read", ", ".join(_columns(result["taken"]))
        yield "Columns left", ", ".join(result["left"]) or "none"


def _columns(taken: Mapping[str, str]) -> Iterator[str]:
    """Columns with their meanings."""
    for what, name in taken.items():
        yield name if what == name else f"{name} as {what}"


def fix_facts(result: Result) -> Iterator[tuple[str, str]]:
    """People, times and gaps."""
    found = result["fixes"]
    if found is None:
        return
    more = ", …" if found["users"] > len(found["first_users"]) else ""
    absent = found["users_without_data"]
    without = f"; {absent:,} of them without data" if absent else ""
    yield "People", f"{found['users']:,} ({', '.join(found['first_users'])}{more}){without}"
    regions = found["places"]
    places = "coordinates" if regions is None else plural(regions, "region", "regions")
    yield "Fixes", f"{found['fixes']:,}; places: {places}"
    yield "Period", _period(found)
    if found["between_median"] is not None:
        of_steps = found["time_step"] is None
        median, most = (_long(found[key], of_steps) for key in ("between_median", "between_most"))
        yield "Time between fixes", f"median {median}; nine of ten are {most} or less"
    if found["share_of_steps"] is not None:
        step = "" if found["time_step"] is None else f" of {_long(found['time_step'])}"
        yield (
            "Steps with a fix",
            f"{share(found['share_of_steps'])} of all steps{step};"
            f" {share(found['share_of_steps_within'])} from each user's first fix to the last",
        )
    if found["metres_per_step"] is not None:
        step = "a step" if found["time_step"] is None else _long(found["time_step"])
        yield "Way", f"median {found['metres_per_step']:,.0f} m in {step}, of those who move"


def premise_facts(result: Result) -> Iterator[tuple[str, str]]:
    """Rows that are no data or may be none, and people who may be one."""
    for reason, number in result.get("skipped", {}).items():
        yield (
            "Skipped",
            f"{plural(number, 'row', 'rows')}: {reason}{_first(result, reason, number)}",
        )
    for reason, number in result.get("kept", {}).items():
        way = "; --drop-spikes 1000 drops them" if reason == _SPIKE else ""
        rows = plural(number, "fix", "fixes")
        yield "Kept", f"{rows}: {reason}{_first(result, reason, number)}{way}"
    together = result.get("together")
    if together is not None:
        pairs = together["pairs"]
        shown = ", ".join(f"{one} and {other}: {part:.1%}" for one, other, part in pairs[:3])
        more = ", …" if len(pairs) > 3 else ""
        become = "merged into one person each; --keep-together keeps them apart"
        yield (
            "Always together",
            f"{plural(len(pairs), 'pair', 'pairs')} ({shown}{more}):"
            f" {become if together['merged'] else 'not merged'}",
        )


def _first(result: Result, reason: str, number: int) -> str:
    """The first rows of a reason."""
    rows = result["examples"].get(reason, [])
    more = ", …" if number > len(rows) else ""
    return f" ({', '.join(rows)}{more})" if rows else ""


def refused_facts(result: Result) -> Iterator[tuple[str, str]]:
    """What other commands refuse, and what was assumed here."""
    for one in result["refused"]:
        taken = f" Described as with {one['taken_as']}." if one["taken_as"] else ""
        yield "To settle", f"{one['message']}.{taken}"


def size_sentence(result: Result) -> str:
    """What the table of sizes is about."""
    sizes = result["sizes"]
    sample = "" if sizes["sample"] is None else f" Of {sizes['sample']}."
    asked = f"k = {sizes['k']}, adversary {sizes['adversary']}.{sample}"
    if len(sizes["rows"]) == 1:
        return asked
    return (
        f"{asked} The sizes follow from how often there is a fix, and from how far people move in a"
        " step. Choose cells and steps in which nobody outside could follow a person."
    )


def size_name(row: Result) -> str:
    """A size of cells and steps."""
    cells = [] if row["cell_size"] is None else [f"{row['cell_size']:,g} m"]
    steps = [] if row["time_step"] is None else [_long(row["time_step"])]
    return ", ".join([*cells, *steps]) or "as they are"


def _sections(result: Result) -> Iterator[dict[str, Any]]:
    refused = list(refused_facts(result))
    if refused:
        text = "Other commands refuse this until an option says what is meant."
        yield section("To settle first", text, facts=refused)
    yield section("What would be read", facts=[*read_facts(result), *fix_facts(result)])
    premises = list(premise_facts(result))
    if premises:
        yield section("Rows and people to look at", facts=premises)
    if result["sizes"] is not None:
        yield section("Cells and steps", size_sentence(result), table=_sizes(result))
    if result["map"] is not None:
        caption = "The picture reaches to the middle 99% of the fixes."
        picture = (draw_fixes(result["map"]), "fixes", caption)
        yield section("Where", _map_words(result["map"]), figure=picture, map=_map(result["map"]))
    notes = list(further_notes(result))
    if notes:
        yield section("Notes", *notes)


def further_notes(result: Result) -> Iterator[str]:
    """Notes that no fact says already: those on skipped rows and on pairs do."""
    counts = {**result.get("skipped", {}), **result.get("kept", {})}
    for note in result["notes"]:
        about_rows = any(reason in note and f"{n:,}" in note for reason, n in counts.items())
        if not about_rows and not ("together" in result and "together in" in note):
            yield note


def _map_words(found: Result) -> str:
    """What the map shows."""
    other = plural(found["elsewhere"], "fix is", "fixes are")
    more = f" {other} in squares that are not drawn." if found["elsewhere"] else ""
    return f"Fixes in squares of {found['side']:,g} m, north up: the darker, the more.{more}"


def _map(found: Result) -> dict[str, Any]:
    """Squares for the script that draws maps, metres from their middle."""
    fixes, lat, lon = (np.array(found[name]) for name in ("fixes", "lat", "lon"))
    center = float(np.average(lat, weights=fixes)), float(lon[int(fixes.argmax())])
    east, north = plane(center, lat, lon)
    counts = [[number] for number in found["fixes"]]
    return {
        "unit": "metres",
        "side": found["side"],
        "x": east.round(1).tolist(),
        "y": north.round(1).tolist(),
        "outline": None,
        "background": None,
        "name": [f"{one:.5f}, {other:.5f}" for one, other in zip(lat, lon, strict=True)],
        "risk": counts,
        "present": counts,
        "safe": None,
    }


def _sizes(result: Result) -> dict[str, Any]:
    """The table of sizes."""
    rows = [
        [
            cell(size_name(row), place),
            count_cell(row["zones"]),
            count_cell(row["never_meet"]),
            share_cell(row["safe"]),
            share_cell(row["undecided"]),
        ]
        for place, row in enumerate(result["sizes"]["rows"])
    ]
    names = ("mix zones", "people in none", "time protected", "undecided")
    return table("What three sizes would give", ["cells and steps", *numbers(*names)], rows)
