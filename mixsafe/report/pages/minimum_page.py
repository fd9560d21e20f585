"""A minimum set of mix zones, as a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mixsafe.report.base.page import (
    capital,
    cell,
    count,
    heading,
    moment,
    numbers,
    plural,
    table,
)
from mixsafe.report.base.sections import section, sections_page
from mixsafe.report.base.words import adversary_words, zone_words
from mixsafe.report.figures.minimum_figure import draw_minimum
from mixsafe.report.figures.protection_figure import has_map

_TONES = {"optimal": "safe", "feasible": "plain", "infeasible": "unsafe", "undecided": "undecided"}
_WORDS = {
    "optimal": "Solved",
    "feasible": "Solved in part",
    "infeasible": "Impossible",
    "undecided": "Not known yet",
}


def minimum_page(answer: Mapping[str, Any]) -> str:
    """The page for a result of ``optimize --json``; with ``report`` it shows more."""
    status, more = answer["status"], answer.get("report") or {}
    sections = [section("In numbers", facts=_numbers(answer, more))]
    if more:
        sections.append(section("Assumptions", facts=_assumed(more)))
        figure = (draw_minimum(more), "zones", _caption(more))
        sections.append(section("The zones over time", figure=figure))
    if more.get("unmet"):
        sections.append(section("Requirements that cannot be met", table=_unmet(more["unmet"])))
    places = (more.get("rest") or answer).get("places")
    if places:
        sections.append(section("The places", f"{'; '.join(map(str, places))}."))
    if more.get("chosen"):
        sections.append(section("The zones", table=_chosen(more["chosen"])))
    elif answer["zones"]:
        listed = ", ".join(str(zone) for zone in answer["zones"])
        sections.append(section("The zones", f"By their place in the problem: {listed}."))
    if more.get("notes"):
        sections.append(section("Notes", *more["notes"]))
    return sections_page(
        f"Fewest mix zones for {answer['name']}",
        sections,
        word="Possible in part" if more.get("rest") else _WORDS[status],
        sentence=_sentence(answer, more),
        meaning=(
            "A mix zone is a time step at which several people are in one place. An exchange of"
            " their pseudonyms there hides who continues as whom, and has a cost. The answer is the"
            " cheapest set of mix zones that meets the requirements."
        ),
        tone=_TONES[status],
        provenance=more.get("provenance"),
    )


def minima_page(answers: Sequence[Mapping[str, Any]]) -> str:
    """The page for many problems."""
    statuses = [answer["status"] for answer in answers]
    rows = [
        [
            answer["name"],
            answer["status"],
            "" if answer["minimum"] is None else answer["minimum"],
            "" if answer["bound"] is None else answer["bound"],
        ]
        for answer in answers
    ]
    listed = table(
        f"{plural(len(answers), 'problem', 'problems')}, in the order of the file",
        [
            "problem",
            heading("status", filter="Status"),
            *numbers("cost found", "cost proven necessary"),
        ],
        rows,
    )
    solved = statuses.count("optimal") + statuses.count("infeasible")
    return sections_page(
        "Fewest mix zones",
        [section("Problems", table=listed)],
        word="Solved" if solved == len(answers) else "Solved in part",
        sentence=f"{count(solved)} of {plural(len(answers), 'problem is', 'problems are')} closed.",
        meaning="A problem is closed when a set of zones is proven cheapest, or impossible.",
        tone="safe" if solved == len(answers) else "undecided",
    )


def _sentence(answer: Mapping[str, Any], more: Mapping[str, Any]) -> str:
    """The answer in one sentence."""
    if "budget" in answer:
        return _budget_sentence(answer)
    if "places" in answer and answer["status"] in ("optimal", "feasible"):
        return _places_sentence(answer)
    zones = plural(len(answer["zones"]), "mix zone is", "mix zones are")
    members = more.get("weight") == "members"
    cost = f", with {answer['minimum']} members together," if members else ""
    if answer["status"] == "optimal":
        return f"{zones} enough{cost}. No cheaper set is enough, which is proven."
    if answer["status"] == "feasible":
        least = f"{count(answer['bound'])} {'members' if members else 'zones'}"
        return f"{zones} enough{cost}; at least {least} are needed. The gap is open."
    if answer["status"] == "infeasible":
        if not more.get("unmet"):
            return "All mix zones together do not meet the requirements."
        total = plural(more["requirements"], "requirement", "requirements")
        said = (
            f"{count(len(more['unmet']))} of {total} cannot be met, not even with all mix zones"
            " together."
        )
        rest = more.get("rest")
        if rest is None:
            return said
        others = plural(rest["requirements"], "other", "others")
        return f"{said} For the {others}: {_sentence(rest, {**more, 'unmet': [], 'rest': None})}"
    return "The time limit was reached before a set of zones was found."


def _budget_sentence(answer: Mapping[str, Any]) -> str:
    """Whom the budget protects, and how many it might."""
    budget = answer["budget"]
    people = plural(budget["asked"], "person", "people")
    most = budget["most"]
    return (
        f"Of {people}, {count(budget['protected'])} are protected at a cost of"
        f" {count(answer['minimum'])}. With a budget of {count(budget['limit'])}, no more than"
        f" {count(most)} can be, which is proven."
    )


def _places_sentence(answer: Mapping[str, Any]) -> str:
    """Chosen places in one sentence, and whether they are proven cheapest."""
    places = plural(len(answer["places"]), "place is", "places are")
    zones = plural(len(answer["zones"]), "mix zone", "mix zones")
    said = f"{places} enough, with {zones}, at a cost of {count(answer['minimum'])}"
    if answer["status"] == "optimal":
        return f"{said}. No cheaper places are enough, which is proven."
    return f"{said}; at least {count(answer['bound'])} is needed. The gap is open."


def _assumed(more: Mapping[str, Any]) -> list[tuple[str, object]]:
    """Assumptions behind the answer, in sentences."""
    least, most = more["k"]
    k = f"{most}" if least == most else f"{least} to {most}, as each requirement says,"
    steps, first, last = more["steps"]
    zone = f", {more['tz']}" if more.get("tz") else ""
    seen = {**more, "view": "publisher"}
    people = plural(more["users"], "person", "people")
    return [
        ("The adversary", " ".join(adversary_words(seen))),
        ("A mix zone", zone_words(seen)),
        ("Requirements", f"At given times, a person needs at least k = {k} candidate pseudonyms."),
        (
            "The data",
            f"{capital(people)}, {plural(steps, 'time step', 'time steps')}, {moment(first)} to"
            f" {moment(last)}{zone}.",
        ),
    ]


def _caption(more: Mapping[str, Any]) -> str:
    """Caption of the figure."""
    said = (
        "Each dot stands for mix zones of that many people at that time; below, how many"
        " requirements there are at each time."
    )
    if has_map(more):
        said += f" {more['places']['words']}"
        if more["places"]["other"]:
            said += f" {plural(more['places']['other'], 'place', 'places')} not drawn."
    return said


def _numbers(answer: Mapping[str, Any], more: Mapping[str, Any]) -> list[tuple[str, object]]:
    """Numbers that are known."""
    cost = "members of zones" if more.get("weight") == "members" else "zones"
    if "places" in answer:
        cost = "for places"
    rows: list[tuple[str, object]] = []
    if more.get("rest"):
        answer = more["rest"]
    if answer["minimum"] is not None:
        rows.append(("Cost found", f"{count(answer['minimum'])} {cost}"))
    if answer["bound"] is not None:
        rows.append(("Proven necessary", f"{count(answer['bound'])} {cost}"))
    if more:
        rows += [
            ("Zones in the data", count(more["all_zones"])),
            ("People in the data", count(more["users"])),
            ("Requirements", _asked(more)),
            ("Method", more["method"]),
        ]
    return rows


def _asked(more: Mapping[str, Any]) -> str:
    """Number of requirements, and of those that the cost is for."""
    rest = more.get("rest")
    of_these = f", of which {count(rest['requirements'])} can be met" if rest else ""
    return f"{count(more['requirements'])}{of_these}"


def _unmet(unmet: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Table of requirements that no set of zones meets."""
    return table(
        "Requirements that are not met even if pseudonyms are exchanged in every zone",
        [heading("person", names=True), "time", *numbers("candidates required")],
        [[part["user"], moment(part["time"]), part["k"]] for part in unmet],
    )


def _chosen(chosen: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Table of the chosen zones."""
    rows = []
    for zone in chosen:
        hidden = zone["size"] - len(zone["people"])
        people = ", ".join(zone["people"]) + (f" and {count(hidden)} more" if hidden else "")
        place = "" if zone["place"] is None else zone["place"]
        rows.append(
            [zone["zone"], moment(zone["time"]), place, cell(zone["size"], zone["size"]), people]
        )
    return table(
        "Mix zones that meet all feasible requirements if pseudonyms are exchanged in them",
        [*numbers("zone"), "time", "place", *numbers("people"), heading("who", wide=True)],
        rows,
    )
