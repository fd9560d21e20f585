"""The page about weighed candidates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mixsafe.report.base.page import (
    cell,
    count,
    count_cell,
    heading,
    numbers,
    plural,
    share,
    share_cell,
    table,
)
from mixsafe.report.base.sections import section, sections_page
from mixsafe.report.figures.weighing_figure import draw_weights

LIMITS = (
    "Sampled values are estimates with an interval and are never called safe. Times that have not"
    " settled are left out; their share is given.",
    "Exchanges follow the exchange model independently; habits, homes and speeds are not weighed.",
)


def weighing_page(found: Mapping[str, Any]) -> str:
    """The page for a result of ``weigh --json`` about one problem."""
    weights, shown = found["weights"], found["shown"]
    sections = [
        section(
            "Likely candidates among many",
            table=_levels(weights["levels"]),
        ),
        section(
            "Over time",
            figure=(
                draw_weights(
                    shown["over_time"],
                    {
                        "best": "right, betting on the likeliest",
                        "counted": "one over the number of candidates",
                        "bet_on": f"people with a candidate above {weights['bet']:g}",
                    },
                ),
                "weights-over-time",
                "Share of right bets on the likeliest candidate, compared with one over the number"
                " of candidates.",
            ),
        ),
        section("People with many candidates but one likely", table=_people(shown["people"])),
    ]
    if shown["places"]:
        words = shown["places"]["words"]
        text = (words,) if words else ()
        sections.append(section("Places", *text, table=_places(shown["places"])))
    sections.append(section("Method", *LIMITS, facts=_facts(found)))
    right = weights["follower_right"]
    return sections_page(
        f"Weighed candidates: {found['name']}",
        sections,
        word=_word(right, weights["settled"]),
        sentence=_sentence(weights),
        meaning=(
            f"{shown['adversary']}. For every person and time, the adversary bets on the likeliest"
            " pseudonym; the share says how often the bet is right. The number of candidates alone"
            " does not say how likely each is."
        ),
        provenance=found.get("provenance"),
    )


def tracks_page(found: Mapping[str, Any]) -> str:
    """The page for a result of ``weigh --audit --json``: the owners of published tracks."""
    shown, right = found["shown"], found["follower_right"]
    sentence = _unsettled(found)
    if right is not None:
        sentence += (
            f"Betting on the likeliest track is right {share(right)} of {_time(found)}; a random"
            f" track is right {share(found['random_guess'])} of it."
        )
    words = "Share of right bets on the likeliest track, and share of time that is not settled."
    lines = {"best": "right, betting on the likeliest track", "not_settled": "not settled"}
    sections = [
        section(
            "Over time", figure=(draw_weights(shown["over_time"], lines), "tracks-over-time", words)
        ),
        section("People", table=_known_people(shown["people"])),
        section("Method", *LIMITS, facts=_track_facts(found)),
    ]
    if "same_person" in found:
        sections.insert(0, section("One person", _one_person(found["same_person"])))
    return sections_page(
        f"Whose tracks: {found['name']}",
        sections,
        word=_word(right, found["settled"]),
        sentence=sentence,
        meaning=(
            "The adversary has the release and saw some people at some times. For each of them at"
            " every time, the adversary bets on the likeliest track; the share says how often the"
            " bet is right. Any person may begin on any track, and all exchanges happen."
        ),
        provenance=found.get("provenance"),
    )


def _one_person(same: Mapping[str, Any]) -> str:
    """Whether two pseudonyms at two times are of one person, in a sentence."""
    (one, other), chance = same["of"], same["found"]
    if chance is None:
        return f"Whether {one} and {other} are one person is not settled."
    low, high = share(chance["low"]), share(chance["high"])
    return (
        f"{one} and {other} are one person with probability {share(chance['chance'])} (95% interval"
        f" {low} to {high})."
    )


def _known_people(people: Mapping[str, Any]) -> dict[str, Any]:
    """A row per known person, the easiest to find first."""
    names = ("mean", "highest", "not_settled")
    rows = [
        [user, *("-" if one is None else share_cell(one) for one in parts)]
        for user, *parts in zip(people["user"], *(people[name] for name in names), strict=True)
    ]
    shown = f"{count(len(rows))} of {plural(people['of'], 'person', 'people')}"
    shares = numbers("best guess, mean", "best guess, at most", "not settled")
    headings = [heading("person", names=True), *shares]
    return table(f"{shown}, the easiest to find first", headings, rows)


def _track_facts(found: Mapping[str, Any]) -> list[tuple[str, object]]:
    """Facts about the release."""
    return [
        ("published tracks", count(found["tracks"])),
        ("people who were seen", count(found["users"])),
        ("time that is not settled", share(found["share_not_settled"])),
        ("a track at random", share(found["random_guess"])),
    ]


def _word(right: float | None, settled: bool) -> str:
    """The answer in a word or two; a number only where most of the time is settled."""
    if right is None or not settled:
        return "Not settled"
    return f"{share(right)} of the time right"


def _sentence(weights: Mapping[str, Any]) -> str:
    """The answer in a sentence."""
    right, counting = weights["follower_right"], weights["counting_says"]
    if right is None or counting is None:
        return _unsettled(weights)
    return _unsettled(weights) + (
        f"Betting on the likeliest pseudonym is right {share(right)} of {_time(weights)}; the"
        f" number of candidates alone suggests {share(counting)}.{_place(weights)}"
    )


def _time(found: Mapping[str, Any]) -> str:
    """The time that a share refers to."""
    missing = found["share_not_settled"]
    return f"the settled {share(1 - missing)} of people's time" if missing else "people's time"


def _place(weights: Mapping[str, Any]) -> str:
    """How often a bet on a place is right, where it is known where people are."""
    right = weights.get("places", {}).get("share_right")
    if right is None:
        return ""
    return f" Betting on the likeliest place is right {share(right)} of the time."


def _unsettled(found: Mapping[str, Any]) -> str:
    """A sentence about unsettled time, if too much of it is."""
    if found["settled"]:
        return ""
    longer = found["times_as_long"]
    times = (
        "much longer" if longer is None else f"about {count(max(2, round(longer)))} times as long"
    )
    settled = share(1 - found["share_not_settled"])
    return f"Only {settled} of people's time has settled; 90% is needed. Weigh {times}. "


def _levels(levels: list[Mapping[str, Any]]) -> dict[str, Any]:
    """Numbers of wires with a likely candidate, by candidates."""
    shares = [name for name in levels[0] if name.startswith("above_")]
    rows = []
    for level in levels:
        of = max(level["wires"], 1)
        row = [count_cell(level["k"]), count_cell(level["wires"])]
        for name in (*shares, "not_settled"):
            part = level[name] / of
            row.append(cell(f"{count(level[name])} ({share(part)})", part))
        rows.append(row)
    above = [f"best guess {name.replace('_', ' ')}" for name in shares]
    return table(
        "Wires: intervals of a person between two meetings",
        numbers("candidates proven, at least", "wires", *above, "not settled"),
        rows,
    )


def _people(people: Mapping[str, Any]) -> dict[str, Any]:
    """A row per person."""
    names = ("share", "highest", "mean", "not_settled")
    columns = zip(people["user"], *(people[name] for name in names), strict=True)
    rows = [[user, *map(share_cell, parts)] for user, *parts in columns]
    fooled = f"{count(people['fooled'])} of {plural(people['of'], 'person', 'people')}"
    shares = numbers(
        "time with 3 or more candidates and one likely",
        "likeliest then, at most",
        "best guess, mean",
        "not settled",
    )
    headings = [heading("person", names=True), *shares]
    return table(f"With such a time: {fooled}; the worst first", headings, rows)


def _places(places: Mapping[str, Any]) -> dict[str, Any]:
    """A row per place."""
    columns = (places[name] for name in ("name", "zones", "leaving", "likely", "mean"))
    rows = [
        [name, count_cell(zones), count_cell(leaving), share_cell(likely), share_cell(mean)]
        for name, zones, leaving, likely, mean in zip(*columns, strict=True)
    ]
    return table(
        f"{count(len(rows))} of {plural(places['of'], 'place', 'places')}",
        [
            "place",
            *numbers(
                "mix zones",
                "departures",
                "departures with a likely candidate",
                "best guess then, mean",
            ),
        ],
        rows,
    )


def _facts(found: Mapping[str, Any]) -> list[tuple[str, object]]:
    """Facts about the data and the method."""
    weights = found["weights"]
    exchanges = (
        "all happen, all permutations equally likely" if found["uniform"] else "as --exchange says"
    )
    facts: list[tuple[str, object]] = [("exchanges", exchanges)]
    for name, words in (
        ("alone", "wires with one possible pseudonym"),
        ("counted", "wires counted, exact"),
        ("sampled", "wires sampled, with an interval"),
        ("not settled", "wires not settled"),
    ):
        facts.append((words, count(weights[name])))
    if weights["median_effective"] is not None:
        facts.append(("effective number of candidates, median", weights["median_effective"]))
    for name, words in (
        ("share_bet_on", f"time with a candidate above {weights['bet']:g}"),
        ("bets_right", "of these, right"),
        ("counting_says_of_bets", "one over the number of candidates then"),
    ):
        if weights[name] is not None:
            facts.append((words, share(weights[name])))
    return facts
