"""What a verdict means, in the words of people who have never seen the tool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mixsafe.report.base.page import count, plural, tone

THINGS = {
    "publisher": {"many": "pseudonyms", "few": "few pseudonyms", "who": "people who meet"},
    "auditor": {"many": "tracks", "few": "few tracks", "who": "tracks that meet"},
}
"""What the adversary has to choose among."""

LIMITS = (
    "The adversary follows logic, not likelihood: candidates are counted, not weighed. One of them"
    " may be far more plausible than the others, from a home, a habit or a speed.",
    "She is assumed to know no more than is said above. An adversary who saw people at other times"
    " may find more.",
    "Being one of several people is no protection where all of them do the same thing: if every"
    " candidate goes to the same clinic, the visit is known.",
)

EXCHANGES = {
    "publisher": (
        "Pseudonyms must really be exchanged at random in each mix zone, as the definition says:"
        " this is a statement about what the exchange makes possible, not about whether it was"
        " done."
    ),
    "auditor": (
        "A release does not show whether pseudonyms were exchanged: this is a statement about what"
        " exchanges make possible, if they were made at random wherever tracks meet."
    ),
}

WORDS = {"safe": "Valid", "weak pass": "Weak pass", "unsafe": "Invalid", "undecided": "Undecided"}
"""What is said of a whole result first."""

SHARES = {
    "unsafe": "people not protected",
    "undecided": "people undecided",
    "unsafe_time": "time with fewer than k tracks",
    "undecided_time": "time in which that is undecided",
    "found": "people on one track only, at some time",
    "contradicted": "people whose sightings fit no track",
    "guess": "chance of a guess among a person's tracks",
}
"""Of each draw of sightings: what is told with its spread."""

WEAK_PASS = (
    "That is a weak pass: the default rule asks for one safe moment, and says nothing of the rest"
    " of the time. Ask for more with --rule every or --rule share:0.9, or say --rule some if one"
    " moment is what you want."
)

APART = {
    "no_data": (
        "without any data in the period",
        "Nothing of them is published, so there is nothing to follow: they neither pass nor fail.",
    ),
    "no_zone": (
        "in no mix zone",
        "They meet nobody, so no exchange can protect them: one sighting gives all of their data"
        " away. Leave them out, generalize their places, or let more people meet (larger cells,"
        " longer time steps).",
    ),
}
"""People who are no matter of exchanges: what they are, and what follows."""


def told_apart(apart: Mapping[str, Any] | None, names: int) -> Iterator[tuple[str, str, str]]:
    """People who are set apart, of each kind that there is.

    Parameters
    ----------
    apart
        Of :func:`mixsafe.model.answer.headline.set_apart`; None: there are no such kinds.
    names
        Of them that are named, at most.

    Yields
    ------
    tuple
        How many of which kind; who they are; what follows.
    """
    for kind, (what, follows) in APART.items():
        found = (apart or {}).get(kind)
        if not found or not found["count"]:
            continue
        listed = ", ".join(found["users"][:names])
        more = found["count"] - len(found["users"][:names])
        who = f"{listed} and {count(more)} more" if more else listed
        yield f"{plural(found['count'], 'person', 'people')} {what}", who, follows


def limits(view_model: Mapping[str, Any]) -> list[str]:
    """What the answer does not promise."""
    exchanged = view_model.get("exchanged", True)
    return [*LIMITS, *([EXCHANGES[view_model["view"]]] if exchanged else [])]


def sentences(view_model: Mapping[str, Any]) -> dict[str, Any]:
    """The verdict as a word and a sentence, who can be followed, and what it means.

    Returns
    -------
    dict
        ``word``, ``sentence``, ``followed``, ``tone``, ``rule`` (who passes by it) and ``meaning``.
    """
    headline = view_model["headline"]
    return {
        "word": WORDS[headline["verdict"]],
        "tone": tone(headline["verdict"]),
        "sentence": headline["sentence"],
        "followed": headline["exposure"],
        "rule": _by_rule(view_model),
        "meaning": _meaning(view_model),
    }


def _by_rule(view_model: Mapping[str, Any]) -> str:
    """How many pass by the rule, and what a weak pass is worth."""
    people, asked = view_model["people"], view_model["asked"]
    chosen = ", which nobody chose" if asked["rule_by_default"] else ""
    weak = f" {WEAK_PASS}" if view_model["verdict"] == "weak pass" else ""
    return (
        f"By the rule '{asked['rule']}'{chosen}, {count(people['safe'])} pass,"
        f" {count(people['unsafe'])} fail and {count(people['undecided'])} are undecided.{weak}"
    )


def _meaning(view_model: Mapping[str, Any]) -> str:
    """What being protected means here."""
    thing, asked = THINGS[view_model["view"]], view_model["asked"]
    k = f"{asked['k']} or more" if asked["k"] is not None else "as many as asked for, or more,"
    return (
        f"Protected at a time means: whatever the adversary concludes from what she knows, {k}"
        f" {thing['many']} remain that may be the person's then; where fewer remain, the person can"
        " be followed. Every verdict is proven; where it says undecided, nothing is claimed."
    )


def adversary_words(view_model: Mapping[str, Any]) -> list[str]:
    """Who she is and what she saw, a sentence or two each."""
    told = view_model.get("threat_model")
    if told:
        return list(told)
    adversary = view_model["adversary"]
    seen = (
        f"In all, {plural(adversary['sightings'], 'sighting', 'sightings')} of"
        f" {plural(adversary['users'], 'person', 'people')}."
    )
    known = adversary["words"] or "She has the published traces and saw some people"
    said = [
        f"{known}. {seen}" if adversary["sightings"] else f"{known}.",
        "She also knows all traces under their pseudonyms, all mix zones, and the rule by which"
        " pseudonyms are exchanged there, but not which exchanges were made.",
    ]
    if adversary["sightings"] > adversary["users"]:
        said.append("If she saw a person twice, she may use both sightings together.")
    return said


def zone_words(view_model: Mapping[str, Any]) -> str:
    """What a mix zone is."""
    if not view_model.get("exchanged", True):
        return "There is none: pseudonyms are taken never to be exchanged, wherever people meet."
    if view_model["view"] == "auditor":
        return (
            "Two or more published tracks that visibly show one place in one time step; any"
            " exchange of their pseudonyms among them may have happened there, and she cannot see"
            " which."
        )
    return (
        "Two or more people in one place in one time step; their pseudonyms are exchanged among"
        " them at random, and she cannot see how."
    )
