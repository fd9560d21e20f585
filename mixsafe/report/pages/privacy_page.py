"""The page about the privacy of a data set, for the person who decides on its publication."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mixsafe.model.answer.headline import standing
from mixsafe.model.answer.place_words import place_sentences
from mixsafe.report.base.drawing import inline_svg
from mixsafe.report.base.page import (
    capital,
    cell,
    count,
    count_cell,
    heading,
    moment,
    numbers,
    plural,
    render,
    share,
    share_cell,
    table,
    tone,
)
from mixsafe.report.base.words import (
    THINGS,
    adversary_words,
    apart_sentences,
    limits,
    sentences,
    zone_words,
)
from mixsafe.report.figures import protection_figure as figures
from mixsafe.report.pages.exposure_section import exposure_section
from mixsafe.report.view_models.audit_view import audited_sections

ViewModel = Mapping[str, Any]

NAMES = 100
"""Largest number of names of people without data, or without mix zones."""


def privacy_page(view_model: ViewModel) -> str:
    """The page for a view model; the same view model gives the same bytes."""
    auditor = view_model["view"] == "auditor"
    thing = THINGS[view_model["view"]]
    context = {
        "title": f"Location privacy of {view_model['name']}",
        **sentences(view_model),
        "apart": list(apart_sentences(view_model["apart"], NAMES)),
        "together": list(place_sentences(view_model.get("candidate_places"))),
        "next_steps": view_model["next_steps"],
        "numbers": _numbers(view_model),
        "assumed": list(_assumed(view_model)),
        "limits": limits(view_model),
        "thing": thing,
        "view": view_model["view"],
        "more": list(audited_sections(view_model)),
        "place_word": _place_word(view_model),
        **_pictures(view_model, thing["many"]),
        "least": list(_least(view_model)),
        "places": _places(view_model),
        "exposure": exposure_section(view_model.get("exposure")),
        "users": _users(view_model, auditor),
        "notes": view_model["data"]["notes"],
        "provenance": view_model["provenance"],
    }
    return render("privacy.html", context)


def _numbers(view_model: ViewModel) -> list[dict[str, Any]]:
    """People and time, by verdict."""
    people, time = view_model["people"], view_model["time"]
    total = max(sum(people.values()), 1)
    order = ("safe", "undecided", "unsafe")
    known = view_model["headline"]["share_of_time_known"]
    followed = max(time["unsafe"] - known, 0.0)
    place = view_model["headline"].get("share_of_time_shown", 1)
    shown = "" if place == 1 else f"; the release shows a place for {share(place)}"
    parts = zip(
        ("safe", "undecided", "known", "unsafe"),
        (time["safe"], time["undecided"], known, followed),
        strict=True,
    )
    return [
        {
            "name": f"People who pass by rule '{view_model['asked']['rule']}'",
            "value": f"{count(people['safe'])} of {count(total)}",
            "more": f"{count(people['unsafe'])} fail, {count(people['undecided'])} undecided",
            "parts": [(word, round(100 * people[word] / total, 2)) for word in order],
        },
        {
            "name": "Time of all people"
            if view_model["asked"]["times"] == "all"
            else "Requirements",
            "value": f"{share(time['safe'])} protected",
            "more": f"{share(known)} known by assumption, {share(followed)} followed,"
            f" {share(time['undecided'])} undecided{shown}",
            "parts": [(word, round(100 * part, 2)) for word, part in parts],
        },
        {
            "name": "Mix zones",
            "value": count(view_model["data"]["zones"]),
            "more": _never_met(view_model),
            "parts": [],
        },
    ]


def _assumed(view_model: ViewModel) -> Iterator[tuple[str, list[str]]]:
    """Assumptions behind the answer: paragraphs by name."""
    data, asked = view_model["data"], view_model["asked"]
    yield "The adversary", adversary_words(view_model)
    yield "A mix zone", [zone_words(view_model)]
    if asked["k"] is not None:
        needed = f"{asked['k']} or more {THINGS[view_model['view']]['many']} (k = {asked['k']})"
    else:
        needed = f"As many {THINGS[view_model['view']]['many']} as each requirement asks for"
    least = asked.get("distinct_places", 1)
    at = f", at {least} or more places at that time" if least > 1 else ""
    yield "Safe at a time", [f"{needed} are possible for the person{at}."]
    yield "Rule", [f"{capital(asked['rule_words'])} (rule '{asked['rule']}')."]
    span = f"{moment(data['first'])} to {moment(data['last'])}"
    if data["step_seconds"] is None:
        span = f"numbered {span}"
    steps = plural(data["steps"], "time step", "time steps")
    length = "" if data["step_seconds"] is None else f" of {data['step_seconds']} s, {data['tz']}"
    yield "The data", [f"{capital(_who(view_model))}, {steps}{length}, {span}."]


def _who(view_model: ViewModel) -> str:
    """Numbers of people and tracks."""
    data = view_model["data"]
    people = plural(data["users"], "person", "people")
    if view_model["view"] == "publisher":
        return people
    return f"{plural(data['tracks'], 'published track', 'published tracks')}, {people} known"


def _never_met(view_model: ViewModel) -> str:
    """Number of people or tracks in no mix zone."""
    if not view_model["data"]["zones"]:
        return "no mix zones"
    names = ("person is", "people are") if view_model["view"] == "publisher" else (
        "track is", "tracks are"
    )  # fmt: skip
    return f"{plural(view_model['data']['never_meet'], *names)} never in one"


def _pictures(view_model: ViewModel, things: str) -> dict[str, Any]:
    """Figures and captions."""
    line = view_model["timeline"]
    band = (
        "Each row is one person"
        if line["per_band"] == 1
        else f"Each row is the median of {line['per_band']} people with similar protection"
    )
    column = "each column one time step"
    if line["every"] > 1:
        column = f"each column one moment; {len(line['moments'])} are shown, evenly spread"
    gaps = view_model["headline"].get("share_of_time_without_data", 0) > 0
    blank = " Blank: nothing of the person is published then." if gaps else ""
    with_data = " with data at that time" if gaps else ""
    shown = {
        "timeline": inline_svg(
            figures.timeline(view_model), "timeline", f"Possible {things} of people over time."
        ),
        "timeline_caption": (
            f"{band}, {column}. The colour is the number of {things} proven possible; more is"
            f" better. The least protected people are on top.{blank}"
        ),
        "over_time": inline_svg(
            figures.over_time(view_model),
            "overtime",
            f"Share of people by their number of possible {things}, over time; overall"
            f" {share(view_model['time']['safe'])} of the time is safe.",
        ),
        "over_time_caption": (
            f"Share of the people{with_data} by their number of possible {things}."
        ),
        "map": None,
        "map_caption": "",
    }
    if figures.has_map(view_model):
        places, things_who = view_model["places"], THINGS[view_model["view"]]["who"]
        left = places["other"]
        more = f" {plural(left['places'], 'place', 'places')} not drawn." if left["places"] else ""
        shown["map"] = inline_svg(
            figures.zones_map(view_model),
            "map",
            "Map of the mix zones; the table below shows the same.",
        )
        shown["map_caption"] = (
            f"{places['words']} The larger a disc, the more {things_who}; and the stronger its"
            f" colour, the higher the value: {places['meaning']}.{more}"
        )
    return shown


def _least(view_model: ViewModel) -> Iterator[dict[str, Any]]:
    """Stories with the numbers of their users, in the same order."""
    users = view_model["users"]
    for place, story in enumerate(view_model["least"]):
        met = None if users["meetings"] is None else _how_often(users["meetings"][place])
        yield {
            **story,
            "tone": _tone(users, place),
            "rule": _PASSING[users["verdict"][place]],
            "safe": users["safe"][place],
            "met": met,
        }


_PASSING = {"safe": "passes", "unsafe": "fails", "undecided": "undecided"}
"""Words for a person's verdict by the rule."""


def _tone(users: ViewModel, place: int) -> str:
    """Colour of a person's row, by the share of protected time."""
    shares = (users[name][place] for name in ("safe", "undecided", "known"))
    return tone(standing(*shares).value)


def _how_often(met: int) -> str:
    """Number of mix zones of a person, in words."""
    return f"in {plural(met, 'mix zone', 'mix zones')}" if met else "never in a mix zone"


def _place_word(view_model: ViewModel) -> str:
    """The noun for a place."""
    return "place" if not view_model["places"] or view_model["places"]["unit"] == "km" else "region"


def _places(view_model: ViewModel) -> dict[str, Any] | None:
    """Table of the places of mix zones."""
    places = view_model["places"]
    if not places:
        return None
    columns = zip(places["name"], places["people"], places["zones"], places["safe"], strict=True)
    left = places["other"]["places"]
    further = f"; {plural(left, 'further place', 'further places')} not listed" if left else ""
    who = "people" if view_model["view"] == "publisher" else "tracks"
    return table(
        f"Places of mix zones, those with most safety first{further}",
        [_place_word(view_model), *numbers(who, "meetings", places["meaning"])],
        [
            [place, count_cell(people), count_cell(zones), share_cell(safe)]
            for place, people, zones, safe in columns
        ],
    )


def _users(view_model: ViewModel, auditor: bool) -> dict[str, Any]:
    """Table of all users, with links to the stories of the first."""
    users, met = view_model["users"], view_model["users"]["meetings"]
    stories = len(view_model["least"])
    what = "tracks" if auditor else "pseudonyms"
    rows = [
        [
            cell(name, link=f"story-{place}" if place < stories else None),
            cell(share(users["safe"][place]), users["safe"][place], tone=_tone(users, place)),
            share_cell(users["known"][place]),
            share_cell(users["undecided"][place]),
            _PASSING[users["verdict"][place]],
            users["least"][place],
            users["best"][place],
            *([] if met is None else [count_cell(met[place])]),
        ]
        for place, name in enumerate(users["user"])
    ]
    left = users["other"]
    better = f"; {count(left)} better protected people are not listed" if left else ""
    return table(
        f"All people, the least protected first{better}."
        f" The first {stories} names link to their details above.",
        [
            heading("person", names=True),
            *numbers("protected for", "known by assumption", "undecided for"),
            heading("by the rule", filter="By the rule"),
            *numbers(f"fewest {what}", f"most {what}"),
            *([] if met is None else numbers("meetings")),
        ],
        rows,
    )
