"""The page of a description: what would be read of a file, before anything is asked about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mixsafe.model.answer.wording import plural, share
from mixsafe.model.mobility.time_axis import moment
from mixsafe.report.base.page import cell, count_cell, numbers, share_cell, table
from mixsafe.report.base.sections import section, sections_page
from mixsafe.report.figures.fixes_figure import draw_fixes

Result = Mapping[str, Any]

_MARKS = {"\t": "tabs", " ": "blanks"}
_SPIKE = "spike"
_NEXT = {"feed": "links", "links": "links"}


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
        users, fixes = plural(found["users"], "user", "users"), f"{found['fixes']:,} fixes"
        return f"{name} has {fixes} of {users}, {_period(found)}."
    counts = ", ".join(
        f"{what}: {count:,}" if isinstance(count, int) else f"{what}: {count}"
        for what, count in result["counts"].items()
    )
    kinds = {"traces": "traces", "zones": "mix zones", "problems": "problems"}
    takes = f"mixsafe {_NEXT.get(result['what'], 'verify')}"
    return f"{name} holds {kinds.get(result['what'], result['about'])} ({counts}), for {takes}."


def _period(found: Result) -> str:
    """First and last time."""
    zone = "" if found["tz"] is None else f" ({found['tz']})"
    steps = "steps " if found["tz"] is None else ""
    return f"{steps}{moment(found['first'])} to {moment(found['last'])}{zone}"


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
    places = "coordinates" if found["places"] is None else f"{found['places']:,} regions"
    yield "Fixes", f"{found['fixes']:,}, places are {places}"
    yield "Period", _period(found)
    if found["between_median"] is not None:
        unit = " steps" if found["time_step"] is None else " s"
        median, most = (f"{found[key]:,g}{unit}" for key in ("between_median", "between_most"))
        yield "Time between fixes", f"median {median}; nine of ten are {most} or less"
    if found["share_of_steps"] is not None:
        step = f" of {found['time_step']:,} s" if found["time_step"] is not None else ""
        yield (
            "Steps with a fix",
            f"{share(found['share_of_steps'])} of all steps{step};"
            f" {share(found['share_of_steps_within'])} from each user's first fix to the last",
        )
    if found["metres_per_step"] is not None:
        step = "a step" if found["time_step"] is None else f"{found['time_step']:,} s"
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
        yield "Refused elsewhere", f"{one['message']}.{taken}"


def size_sentence(result: Result) -> str:
    """What the table of sizes is about."""
    sizes = result["sizes"]
    sample = "" if sizes["sample"] is None else f" Of {sizes['sample']}."
    return (
        f"k = {sizes['k']}, adversary {sizes['adversary']}.{sample} The sizes follow from how often"
        " there is a fix, and from how far people move in a step. Choose cells and steps in which"
        " nobody outside could follow a person."
    )


def size_name(row: Result) -> str:
    """A size of cells and steps."""
    cells = [] if row["cell_size"] is None else [f"{row['cell_size']:,g} m"]
    steps = [] if row["time_step"] is None else [f"{row['time_step']:,} s"]
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
        caption = "Squares with fixes; the picture reaches to the middle 99% of them."
        yield section("Where", figure=(draw_fixes(result["map"]), "fixes", caption))
    if result["notes"]:
        yield section("Notes", *result["notes"])


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
