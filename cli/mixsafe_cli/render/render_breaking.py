"""How many further sightings break whom, for people."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from mixsafe.breaking.breaking_answer import written
from mixsafe_cli.render.printing import SHOWN, console, facts, say_more

if TYPE_CHECKING:
    from mixsafe.breaking.breaking_answer import BreakingNumbers, Number

_LISTED = 6
"""Sightings of a set that are told."""


def show(answers: list[BreakingNumbers], path: Path, adversary: str, output: Path | None) -> None:
    """Print what was found.

    Parameters
    ----------
    answers
        One per problem.
    path
        The source.
    adversary
        What she knows before, in a line.
    output
        Where the table was written.
    """
    out = console()
    for answer in answers[:SHOWN]:
        if len(answers) != 1:
            out.print(Text(answer.problem.name, style="bold"))
        out.print(Text.assemble((_word(answer), "bold"), f"  {said(answer)}"))
        out.print(facts(_facts(answer, path, adversary)))
        if answer.numbers:
            out.print()
            out.print(_first(answer))
        out.print()
    say_more(out, len(answers))
    if output is not None:
        out.print(Text(f"All numbers are in {output}."))
    else:
        out.print(Text("All numbers, with the sightings: --output numbers.csv."))


def _word(answer: BreakingNumbers) -> str:
    """The answer in a word."""
    found = answer.summary
    if not found["targets"]:
        return "NOTHING ASKED"
    if found["undecided"]:
        return "BOUNDS"
    return "EXACT"


def _noun(answer: BreakingNumbers) -> str:
    """What targets are called."""
    return "stretches" if answer.each else "users"


def said(answer: BreakingNumbers) -> str:
    """The answer in a sentence."""
    found, at_most = answer.summary, answer.asked["at_most"]
    return (
        f"of {found['targets']:,} {_noun(answer)}, {found['broken_by'][-1]:,} are broken by at most"
        f" {at_most} further sightings, {found['robust'] + found['never']:,} are not,"
        f" {found['undecided']:,} undecided"
    )


def _facts(answer: BreakingNumbers, path: Path, adversary: str) -> Iterable[tuple[str, str]]:
    asked, found, zones = answer.asked, answer.summary, answer.problem.zones
    k = "" if asked["k"] is None else f", k = {asked['k']}"
    yield "Target", f"{asked['target']}{k}"
    away = "" if asked["away"] is None else f", more than {asked['away']} steps away"
    yield "Sightings", f"of {asked['sightings']}{away}, beside those known before"
    yield "Adversary", adversary
    yield "Data", f"{path.name}: {zones.n_users:,} users, {len(zones):,} mix zones"
    counts = zip(found["broken_by"], found["perhaps_by"], strict=True)
    told = (f"{m}: {low:,}" if low == high else f"{m}: {low:,} to {high:,}"
            for m, (low, high) in enumerate(counts))  # fmt: skip
    yield "Broken by", "   ".join(told)
    if found["never"]:
        yield "Never", f"{found['never']:,}, whatever of the allowed sightings she has"
    yield "Time", f"{answer.seconds:.1f} s"


def _first(answer: BreakingNumbers) -> Table:
    """Who breaks first."""
    table = Table(title="Broken first", title_justify="left", box=None, pad_edge=False)
    table.add_column("user")
    if answer.each:
        table.add_column("from")
        table.add_column("to")
    for heading in ("at least", "at most"):
        table.add_column(heading, justify="right")
    table.add_column("by")
    if answer.asked.get("suppress"):
        table.add_column("takes one more without")
    zones = answer.problem.zones
    order = sorted(range(len(answer.numbers)), key=lambda i: answer.numbers[i].lower)
    for i in order[:SHOWN]:
        target, number = answer.targets[i], answer.numbers[i]
        told = answer.told(number)
        listed = [str(at) if user == zones.users[target.user] else f"{user}@{at}"
                  for user, at in told[:_LISTED]]  # fmt: skip
        more = [] if len(told) <= _LISTED else ["…"]
        times = [str(zones.axis.label(step)) for step in (target.start, target.end)]
        table.add_row(
            Text(str(zones.users[target.user])),
            *(times if answer.each else []),
            str(number.lower),
            "-" if number.upper is None else str(number.upper),
            Text(" ".join(listed + more) or ("nothing more" if number.upper == 0 else "-")),
            *([Text(_without(answer, number))] if answer.asked.get("suppress") else []),
        )
    return table


def _without(answer: BreakingNumbers, number: Number) -> str:
    """What to suppress, in a line."""
    found = number.suppress
    if found is None or found.upper is None:
        return "-" if found is None else f"at least {found.lower} sightings"
    stretches = [written(one) for one in answer.stretches(found)]
    told = " ".join([*stretches[:_LISTED], *(["…"] if len(stretches) > _LISTED else [])])
    return told if found.lower == found.upper else f"{told} (at least {found.lower} sightings)"


def show_curves(result: dict[str, Any]) -> None:
    """Print shares singled out, by number of sightings."""
    out = console()
    table = Table(title="Share singled out", title_justify="left", box=None, pad_edge=False)
    table.add_column("release")
    table.add_column("sightings")
    for m in range(result["at_most"] + 1):
        table.add_column(str(m), justify="right")
    for kind, curve in result["curves"].items():
        table.add_row(kind, "worst", *(f"{one:.1%}" for one in curve["worst"]))
        table.add_row(kind, "random", *(f"{one['mean']:.1%}" for one in curve["chance"]))
    out.print(Text(f"{result['people']:,} people, k = {result['k']}, {result['draws']} draws"))
    for kind, curve in result["curves"].items():
        if curve["drawn"] < result["people"]:
            out.print(Text(f"{kind}: the time was up after {curve['drawn']:,} people were drawn"))
    out.print(table)
