"""Terminal output of breaking numbers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

from mixsafe_cli.render.printing import (
    SHOWN,
    Part,
    Written,
    data_line,
    facts,
    headline,
    more_than_shown,
    table,
)

if TYPE_CHECKING:
    from mixsafe.breaking.breaking_answer import BreakingNumbers, Number
    from mixsafe.breaking.targets import BreakingTarget

_LISTED = 6
"""Sightings of a set that are listed."""


def show(
    answers: list[BreakingNumbers], path: Path, adversary: str, files: Written
) -> Iterator[Part]:
    """What was found; parameters as for :func:`mixsafe_cli.render.render_verify.show`."""
    for answer in answers[:SHOWN]:
        if len(answers) != 1:
            yield Text(answer.problem.name, style="bold")
        yield headline(_word(answer), "bold", said(answer))
        yield facts(_facts(answer, path, adversary))
        if answer.numbers:
            yield ""
            yield _first(answer)
        yield ""
    yield from more_than_shown(len(answers))
    yield files.where("All numbers with their sightings", "numbers.csv")
    yield files.page("breaking.json")


def _word(answer: BreakingNumbers) -> str:
    """The status in a word."""
    found = answer.summary
    if not found["targets"]:
        return "NOTHING ASKED"
    if found["undecided"]:
        return "BOUNDS"
    return "EXACT"


def _noun(answer: BreakingNumbers) -> str:
    """The noun for targets."""
    return "stretches" if answer.each else "users"


def said(answer: BreakingNumbers) -> str:
    """The answer in a sentence."""
    found, at_most = answer.summary, answer.asked["at_most"]
    return (
        f"of {found['targets']:,} {_noun(answer)}, {found['broken_by'][-1]:,} are broken by at most"
        f" {at_most} further sightings, {found['robust'] + found['never']:,} are not,"
        f" {found['undecided']:,} undecided"
    )


def _facts(answer: BreakingNumbers, path: Path, adversary: str) -> Iterator[tuple[str, str]]:
    asked, found, zones = answer.asked, answer.summary, answer.problem.zones
    k = "" if asked["k"] is None else f", k = {asked['k']}"
    yield "Target", f"{asked['target']}{k}"
    away = "" if asked["away"] is None else f", more than {asked['away']} steps away"
    yield "Sightings", f"of {asked['sightings']}{away}, in addition to those known"
    yield "Adversary", adversary
    yield "Data", data_line(path.name, zones)
    counts = zip(found["broken_by"], found["perhaps_by"], strict=True)
    numbers = (f"{m}: {low:,}" if low == high else f"{m}: {low:,} to {high:,}"
            for m, (low, high) in enumerate(counts))  # fmt: skip
    yield "Broken by", "   ".join(numbers)
    if found["never"]:
        yield "Never", f"{found['never']:,} are broken by no set of the allowed sightings"
    yield "Time", f"{answer.seconds:.1f} s"


def _first(answer: BreakingNumbers) -> Part:
    """The targets with the smallest numbers."""
    ends = ("from", "to") if answer.each else ()
    order = sorted(range(len(answer.numbers)), key=lambda i: answer.numbers[i].lower)
    rows = (_row(answer, answer.targets[i], answer.numbers[i]) for i in order[:SHOWN])
    headings = ("user", *ends, ">at least", ">at most", "by")
    return table(headings, rows, "Broken first")


def _row(answer: BreakingNumbers, target: BreakingTarget, number: Number) -> Iterator[str]:
    """A target in a line."""
    zones = answer.problem.zones
    yield str(zones.users[target.user])
    if answer.each:
        yield str(zones.axis.label(target.start))
        yield str(zones.axis.label(target.end))
    yield str(number.lower)
    yield "-" if number.upper is None else str(number.upper)
    sightings = answer.sightings_of(number)
    listed = [str(at) if user == zones.users[target.user] else f"{user}@{at}"
              for user, at in sightings[:_LISTED]]  # fmt: skip
    more = [] if len(sightings) <= _LISTED else ["…"]
    yield " ".join(listed + more) or ("nothing more" if number.upper == 0 else "-")


def show_curves(result: dict[str, Any]) -> Iterator[Part]:
    """Shares singled out, by number of sightings."""
    yield f"{result['people']:,} people, k = {result['k']}, {result['draws']} draws"
    rows = []
    for kind, curve in result["curves"].items():
        if curve["drawn"] < result["people"]:
            yield f"{kind}: the time limit was reached after {curve['drawn']:,} people"
        rows.append((kind, "worst", *(f"{one:.1%}" for one in curve["worst"])))
        rows.append((kind, "random", *(f"{one['mean']:.1%}" for one in curve["chance"])))
    numbers = (f">{m}" for m in range(result["at_most"] + 1))
    yield table(("release", "sightings", *numbers), rows, "Share singled out")
