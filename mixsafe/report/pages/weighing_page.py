"""How likely candidates are, as a page."""

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
    "What was sampled is an estimate with an interval; it is never called safe. What has not"
    " settled is left out, and how much that is, is said.",
    "Exchanges are taken to be as the law says, and independent; habits, homes and speeds are not"
    " weighed.",
)


def weighing_page(found: Mapping[str, Any]) -> str:
    """The page for what ``weigh --json`` wrote of one problem."""
    weights, shown = found["weights"], found["shown"]
    sections = [
        section(
            "Of those with many candidates, who has one that is likely",
            table=_levels(weights["levels"]),
        ),
        section(
            "Over time",
            figure=(
                draw_weights(
                    shown["over_time"],
                    {
                        "best": "right, if she always bets on the likeliest",
                        "counted": "what one over the number of candidates says",
                        "bet_on": f"people with a candidate above {weights['bet']:g}",
                    },
                ),
                "weights-over-time",
                "How often an adversary who always bets on the likeliest is right, beside what"
                " the number of candidates alone says.",
            ),
        ),
        section("People with many candidates but one likely", table=_people(shown["people"])),
    ]
    if shown["places"]:
        words = shown["places"]["words"]
        text = (words,) if words else ()
        sections.append(section("Places", *text, table=_places(shown["places"])))
    sections.append(section("How it was weighed", *LIMITS, facts=_facts(found)))
    right = weights["follower_right"]
    return sections_page(
        f"Weighed candidates: {found['name']}",
        sections,
        word=_word(right, weights["settled"]),
        sentence=_sentence(weights),
        meaning=(
            f"{shown['adversary']}. Of every person at every time she may bet on the pseudonym that"
            " is likeliest; this is how often that comes true. To count candidates says how many"
            " pseudonyms are possible, not how likely each is."
        ),
        provenance=found.get("provenance"),
    )


def tracks_page(found: Mapping[str, Any]) -> str:
    """The page for what ``weigh --audit --json`` wrote: which published tracks are whose."""
    shown, right, missing = found["shown"], found["follower_right"], found["share_not_settled"]
    guess = share(found["random_guess"])
    sentence = _unsettled(found)
    if right is not None:
        of = "people's time"
        if missing:
            of = f"the time that is settled, which is {share(1 - missing)} of it"
        sentence += (
            f"An adversary who always bets on the likeliest track is right {share(right)} of {of};"
            f" a track at random would be right {guess}."
        )
    words = (
        "How often she is right who always bets on the likeliest track, and what is not settled."
    )
    lines = {"best": "right, if she bets on the likeliest track", "not_settled": "not settled"}
    sections = [
        section(
            "Over time", figure=(draw_weights(shown["over_time"], lines), "tracks-over-time", words)
        ),
        section("People", table=_known_people(shown["people"])),
        section("How it was weighed", *LIMITS, facts=_track_facts(found)),
    ]
    if "same_person" in found:
        sections.insert(0, section("One person", _one_person(found["same_person"])))
    return sections_page(
        f"Whose tracks: {found['name']}",
        sections,
        word=_word(right, found["settled"]),
        sentence=sentence,
        meaning=(
            "She has the release and saw some people at some times. For each of them, at every"
            " time, she may bet on the published track that is likeliest hers; this is how often"
            " that comes true. Any person may begin on any track, and all exchanges happen."
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
        f"{one} and {other} are one person with a chance of {share(chance['chance'])} (95% interval"
        f" {low} to {high})."
    )


def _known_people(people: Mapping[str, Any]) -> dict[str, Any]:
    """A row per known person, whom bets find most often first."""
    names = ("mean", "highest", "not_settled")
    rows = [
        [user, *("-" if one is None else share_cell(one) for one in parts)]
        for user, *parts in zip(people["user"], *(people[name] for name in names), strict=True)
    ]
    shown = f"{count(len(rows))} of {plural(people['of'], 'person', 'people')}"
    shares = numbers("best guess, mean", "best guess, at most", "not settled")
    headings = [heading("person", names=True), *shares]
    return table(f"{shown}, the likeliest found first", headings, rows)


def _track_facts(found: Mapping[str, Any]) -> list[tuple[str, object]]:
    """What was weighed."""
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
    of = "people's time"
    if weights["share_not_settled"]:
        of = f"the time that is settled, which is {share(1 - weights['share_not_settled'])} of it"
    return _unsettled(weights) + (
        f"An adversary who always bets on the likeliest pseudonym is right {share(right)} of"
        f" {of}; counting candidates alone would have said {share(counting)}."
    )


def _unsettled(found: Mapping[str, Any]) -> str:
    """Where too little of the time settled: how much, and how much longer it would take."""
    if found["settled"]:
        return ""
    longer = found["times_as_long"]
    times = (
        "much longer" if longer is None else f"about {count(max(2, round(longer)))} times as long"
    )
    settled = share(1 - found["share_not_settled"])
    return f"Only {settled} of people's time settled, 90% is needed: weigh for {times}. "


def _levels(levels: list[Mapping[str, Any]]) -> dict[str, Any]:
    """Of wires with so many candidates, how many have a likely one."""
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
        "Stretches of time of one person without a meeting (wires)",
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
        "of her time with 3 candidates or more and one likely",
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
                "times that somebody left one",
                "left with a likely candidate",
                "best guess then, mean",
            ),
        ],
        rows,
    )


def _facts(found: Mapping[str, Any]) -> list[tuple[str, object]]:
    """What was weighed, and by what."""
    weights = found["weights"]
    exchanges = "all happen, all permutations alike" if found["uniform"] else "as --exchange says"
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
        ("bets_right", "then right"),
        ("counting_says_of_bets", "counting candidates would say then"),
    ):
        if weights[name] is not None:
            facts.append((words, share(weights[name])))
    return facts
