"""A minimum set of mix zones, as a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mixsafe.optimize.answer import MinimumZones
from mixsafe.report.page import cell, count, heading, moment, plural
from mixsafe.report.sections import section, sections_page

PEOPLE = 12
"""Members of a zone that are named."""

_TONES = {"optimal": "safe", "feasible": "plain", "infeasible": "unsafe", "undecided": "undecided"}
_WORDS = {
    "optimal": "Solved",
    "feasible": "Solved in part",
    "infeasible": "Impossible",
    "undecided": "Not known yet",
}


def minimum_digest(
    answer: MinimumZones, provenance: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """What there is to show of a minimum set of zones, as plain values.

    Parameters
    ----------
    provenance
        See :func:`mixsafe.report.provenance.provenance`.
    """
    problem = answer.problem
    zones, asked = problem.zones, problem.requirements
    written = problem.zone_index or tuple(range(len(zones)))
    place_of = {index: place for place, index in enumerate(written)}
    chosen = []
    for index in answer.zones:
        zone = place_of[index]
        rows = zones.members[zones.ptr[zone] : zones.ptr[zone + 1]]
        chosen.append(
            {
                "zone": index,
                "time": zones.axis.label(int(zones.time[zone])),
                "place": None if zones.place is None else int(zones.place[zone]),
                "people": [str(name) for name in zones.users[rows[:PEOPLE]].tolist()],
                "size": len(rows),
            }
        )
    unmet = [] if asked is None else [
        {
            "user": str(zones.users[asked.row[number]]),
            "time": zones.axis.label(int(asked.time[number])),
            "k": int(asked.k[number]),
        }
        for number in answer.unmet
    ]  # fmt: skip
    return {
        "format": 1,
        "kind": "minimum",
        "weight": answer.weight,
        "method": answer.method,
        "users": zones.n_users,
        "all_zones": len(zones),
        "requirements": 0 if asked is None else len(asked),
        "chosen": chosen,
        "unmet": unmet,
        "notes": list(answer.notes),
        "provenance": None if provenance is None else dict(provenance),
    }


def minimum_page(answer: Mapping[str, Any]) -> str:
    """The page for what ``optimize --json`` wrote; more of it with ``report`` in it."""
    status, more = answer["status"], answer.get("report") or {}
    sections = [section("In numbers", facts=_numbers(answer, more))]
    if more.get("unmet"):
        sections.append(section("What cannot be met", table=_unmet(more["unmet"])))
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
        word=_WORDS[status],
        sentence=_sentence(answer, more),
        meaning=(
            "A mix zone is a moment at which people are in one place; where pseudonyms are"
            " exchanged there, an adversary loses track. Each exchange costs something, so the"
            " question is how few are enough for everything that was required."
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
    headings = [
        heading("problem"),
        heading("status", filter="Show"),
        heading("cost found", number=True),
        heading("cost proven necessary", number=True),
    ]
    caption = f"{plural(len(answers), 'problem', 'problems')}, in the order of the file"
    solved = statuses.count("optimal") + statuses.count("infeasible")
    return sections_page(
        "Fewest mix zones",
        [section("Problems", table={"caption": caption, "headings": headings, "rows": rows})],
        word="Solved" if solved == len(answers) else "Solved in part",
        sentence=f"{count(solved)} of {plural(len(answers), 'problem is', 'problems are')} closed.",
        meaning="Closed: a set of zones is proven to be the cheapest, or that there is none.",
        tone="safe" if solved == len(answers) else "undecided",
    )


def _sentence(answer: Mapping[str, Any], more: Mapping[str, Any]) -> str:
    """The answer in one sentence."""
    zones = plural(len(answer["zones"]), "mix zone is", "mix zones are")
    members = more.get("weight") == "members"
    cost = f", with {answer['minimum']} members together," if members else ""
    if answer["status"] == "optimal":
        return f"{zones} enough{cost}, and nothing cheaper is: that is proven."
    if answer["status"] == "feasible":
        return f"{zones} enough{cost}; a set that costs {answer['bound']} is not ruled out."
    if answer["status"] == "infeasible":
        return "Not even all mix zones together meet the requirements."
    return "The time was up before a set of zones was found."


def _numbers(answer: Mapping[str, Any], more: Mapping[str, Any]) -> list[tuple[str, object]]:
    """Figures, those that are known."""
    cost = "members of zones" if more.get("weight") == "members" else "zones"
    rows: list[tuple[str, object]] = []
    if answer["minimum"] is not None:
        rows.append(("Cost found", f"{count(answer['minimum'])} {cost}"))
    if answer["bound"] is not None:
        rows.append(("Proven necessary", f"{count(answer['bound'])} {cost}"))
    if more:
        rows += [
            ("Zones in the data", count(more["all_zones"])),
            ("People in the data", count(more["users"])),
            ("Requirements", count(more["requirements"])),
            ("Method", more["method"]),
        ]
    return rows


def _unmet(unmet: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Table of requirements that no set of zones meets."""
    headings = [heading("person"), heading("time"), heading("candidates required", number=True)]
    return {
        "caption": "Requirements that are not met even if pseudonyms are exchanged in every zone",
        "headings": headings,
        "rows": [[part["user"], moment(part["time"]), part["k"]] for part in unmet],
    }


def _chosen(chosen: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Table of zones that are enough."""
    rows = []
    for zone in chosen:
        hidden = zone["size"] - len(zone["people"])
        people = ", ".join(zone["people"]) + (f" and {count(hidden)} more" if hidden else "")
        place = "" if zone["place"] is None else zone["place"]
        rows.append(
            [zone["zone"], moment(zone["time"]), place, cell(zone["size"], zone["size"]), people]
        )
    return {
        "caption": "Mix zones in which pseudonyms must be exchanged",
        "headings": [
            heading("zone", number=True),
            heading("time"),
            heading("place"),
            heading("members", number=True),
            heading("who"),
        ],
        "rows": rows,
    }
