"""Terminal output of a minimum set of zones: cost, proof and zones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

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
    from mixsafe.optimize.answer import Budget, MinimumZones

STYLES = {
    "optimal": "bold green",
    "feasible": "bold yellow",
    "undecided": "bold yellow",
    "infeasible": "bold red",
}

_NEXT = {
    "optimal": "Next: exchange pseudonyms in these zones, all others are not needed.",
    "feasible": "Next: a longer --time-limit may close the gap.",
    "undecided": "Next: a longer --time-limit may close the gap.",
    "infeasible": "Next: lower these requirements (--requirements), or let more users meet.",
}
"""Advice by status."""

_OTHER_METHOD = "Next: --method auto; the search of this method ended before its time limit."

_AT_PLACES = "Next: exchange pseudonyms at these places (--map places.geojson shows them)."


def show(answers: list[MinimumZones], path: Path, written: Written) -> Iterator[Part]:
    """What was found; parameters as for :func:`mixsafe_cli.render.render_verify.show`."""
    if len(answers) != 1:
        headings = ("problem", "status", ">minimum", ">bound", ">seconds")
        yield table(headings, map(_row, answers[:SHOWN]))
        yield from more_than_shown(len(answers))
        return
    answer = answers[0]
    yield headline(answer.status.upper(), STYLES[answer.status], said(answer))
    if answer.rest is not None:
        asked = answer.rest.problem.requirements
        others = 0 if asked is None else len(asked)
        which = "for the other requirement" if others == 1 else f"for the {others:,} others"
        yield f"{which}: {said(answer.rest)} ({answer.rest.status})"
    yield facts(_facts(answer, path))
    yield ""
    yield _next(answer)
    if written.output is not None or (answer.rest or answer).zones or answer.zones:
        yield written.where("Zones with time, place and members", "zones.csv")
    yield written.page()


def _next(answer: MinimumZones) -> str:
    """What to do with the answer."""
    if answer.status == "optimal" and answer.places is not None:
        return _AT_PLACES
    if answer.status in ("feasible", "undecided") and not answer.out_of_time:
        return _OTHER_METHOD
    return _NEXT[answer.status]


def said(answer: MinimumZones) -> str:
    """The answer in a sentence."""
    if answer.budget is not None:
        return _budget_said(answer.budget, answer.minimum or 0)
    if answer.places is not None and answer.status in ("optimal", "feasible"):
        return _places_said(answer, len(answer.places))
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
        if answer.places is not None:
            unit = "for places"
        return f"at least {answer.bound} {unit}, if the requirements can be met at all"
    if answer.status == "optimal":
        return f"{answer.minimum} {unit} {_are(answer)} enough, and no fewer"
    return f"{answer.minimum} {unit} {_are(answer)} enough; at least {answer.bound} are needed"


def _budget_said(budget: Budget, cost: int) -> str:
    """Whom a budget protects, in a sentence."""
    proven = budget.most == budget.protected
    least = "and no more can be" if proven else f"and no more than {budget.most:,} can be"
    return (
        f"{budget.protected:,} of {budget.asked:,} people are protected at a cost of {cost:,},"
        f" {least} for {budget.limit:,}"
    )


def _places_said(answer: MinimumZones, n: int) -> str:
    """Chosen places in a sentence."""
    many = "1 place is" if n == 1 else f"{n:,} places are"
    proven = "and nothing costs less" if answer.status == "optimal" else ""
    least = proven or f"and nothing costs less than {answer.bound:,}"
    return f"{many} enough, at a cost of {answer.minimum:,}, {least}"


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


def _facts(answer: MinimumZones, path: Path) -> Iterator[tuple[str, str]]:
    problem = answer.problem
    zones = problem.zones
    asked = 0 if problem.requirements is None else len(problem.requirements)
    yield "Asked", f"{asked:,} requirements, {len(problem.knowledge):,} sightings"
    yield "Data", data_line(path.name, zones)
    for number in answer.unmet[1:SHOWN]:
        yield "Not met", _requirement(answer, number)
    if len(answer.unmet) > SHOWN:
        yield "", f"and {len(answer.unmet) - SHOWN:,} more (all with --json FILE)"
    chosen = (answer.rest or answer).zones
    if chosen:
        more = "" if len(chosen) <= SHOWN else ", …"
        yield "Zones", ", ".join(map(str, chosen[:SHOWN])) + more
    places = (answer.rest or answer).places
    if places:
        more = "" if len(places) <= SHOWN else "; …"
        yield "Places", "; ".join(map(str, places[:SHOWN])) + more
    yield "Search", f"method {answer.method}, {answer.seconds:.1f} s"


def _row(answer: MinimumZones) -> Iterator[str | Text]:
    """A problem in a line."""
    yield answer.problem.name
    yield Text(answer.status, style=STYLES[answer.status])
    for number in (answer.minimum, answer.bound):
        yield "-" if number is None else f"{number:,}"
    yield f"{answer.seconds:.2f}"
