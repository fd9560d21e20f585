"""A minimum set of zones for people: what it costs, whether that is proven, and where it is."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from mixsafe_cli.render.printing import SHOWN, Written, console, facts, page_of, say_more

if TYPE_CHECKING:
    from mixsafe.optimize.answer import MinimumZones

STYLES = {
    "optimal": "bold green",
    "feasible": "bold yellow",
    "undecided": "bold yellow",
    "infeasible": "bold red",
}


def show(answers: list[MinimumZones], path: Path, written: Written) -> None:
    """Print what was found.

    Parameters
    ----------
    answers
        One per problem.
    path
        The source.
    written
        Where the answer went.
    """
    out = console()
    if len(answers) != 1:
        out.print(_many(answers))
        say_more(out, len(answers))
        return
    answer = answers[0]
    out.print(Text.assemble((answer.status.upper(), STYLES[answer.status]), f"  {said(answer)}"))
    if answer.rest is not None:
        asked = answer.rest.problem.requirements
        others = 0 if asked is None else len(asked)
        which = "for the other requirement" if others == 1 else f"for the {others:,} others"
        out.print(Text(f"{which}: {said(answer.rest)} ({answer.rest.status})"))
    out.print(facts(_facts(answer, path)))
    out.print()
    for step in _next_steps(answer, written):
        out.print(Text(step))


def _next_steps(answer: MinimumZones, written: Written) -> Iterable[str]:
    """What a person may want to do now."""
    if answer.status == "infeasible":
        yield "Next: ask for less there (--requirements), or let more users meet."
    elif answer.status != "optimal":
        yield "Next: a longer --time-limit may close the gap."
    else:
        yield "Next: exchange pseudonyms in these zones (mixsafe pseudonymize --zones minimum)."
    if written.output is not None:
        yield f"The zones are in {written.output}."
    elif answer.zones or (answer.rest is not None and answer.rest.zones):
        yield "All zones with time, place and members: --output zones.csv."
    yield page_of(written)


def said(answer: MinimumZones) -> str:
    """The answer in a sentence."""
    one = "zone" if answer.weight == "count" else "membership"
    unit = one if answer.minimum == 1 else f"{one}s"
    if answer.status == "infeasible":
        asked = answer.problem.requirements
        total = 0 if asked is None else len(asked)
        first = _requirement(answer, answer.unmet[0])
        if len(answer.unmet) == 1:
            return f"requirement {first} is not met even with all zones"
        many = f"{len(answer.unmet):,} of {total:,} requirements are not met even with all zones"
        return f"{many}; the first is {first}"
    if answer.minimum is None:
        return f"at least {answer.bound} {unit}, if the requirements can be met at all"
    if answer.status == "optimal":
        return f"{answer.minimum} {unit} {_are(answer)} enough, and no fewer"
    return f"{answer.minimum} {unit} {_are(answer)} enough; at least {answer.bound} are needed"


def _are(answer: MinimumZones) -> str:
    """The verb after the number of zones."""
    return "is" if answer.minimum == 1 else "are"


def _requirement(answer: MinimumZones, number: int) -> str:
    """A requirement as it would be written."""
    problem = answer.problem
    asked = problem.requirements
    if asked is None:
        return str(number)
    user = problem.zones.users[asked.row[number]]
    time = problem.zones.axis.label(int(asked.time[number]))
    return f"(user {user}, time {time}, k = {asked.k[number]})"


def _facts(answer: MinimumZones, path: Path) -> Iterable[tuple[str, str]]:
    problem = answer.problem
    zones = problem.zones
    asked = 0 if problem.requirements is None else len(problem.requirements)
    yield "Asked", f"{asked:,} requirements, {len(problem.knowledge):,} sightings"
    yield "Data", f"{path.name}: {zones.n_users:,} users, {len(zones):,} mix zones"
    for number in answer.unmet[1:SHOWN]:
        yield "Not met", _requirement(answer, number)
    if len(answer.unmet) > SHOWN:
        yield "", f"and {len(answer.unmet) - SHOWN:,} more; all of them: --json FILE"
    chosen = (answer.rest or answer).zones
    if chosen:
        more = "" if len(chosen) <= SHOWN else ", …"
        yield "Zones", ", ".join(map(str, chosen[:SHOWN])) + more
    yield "Search", f"method {answer.method}, {answer.seconds:.1f} s"


def _many(answers: list[MinimumZones]) -> Table:
    """A line per problem."""
    table = Table(box=None, pad_edge=False)
    table.add_column("problem")
    table.add_column("status")
    for heading in ("minimum", "bound", "seconds"):
        table.add_column(heading, justify="right")
    for answer in answers[:SHOWN]:
        numbers = ("-" if n is None else f"{n:,}" for n in (answer.minimum, answer.bound))
        table.add_row(
            Text(answer.problem.name),
            Text(answer.status, style=STYLES[answer.status]),
            *numbers,
            f"{answer.seconds:.2f}",
        )
    return table
