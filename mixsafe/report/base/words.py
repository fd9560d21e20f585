"""What a verdict means, in the words of people who have never seen the tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mixsafe.report.base.page import count, plural, share

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

WORDS = {"safe": "Passed", "unsafe": "Failed", "undecided": "Not decided"}
"""What is said of a whole result first."""


def limits(digest: Mapping[str, Any]) -> list[str]:
    """What the answer does not promise."""
    exchanged = digest.get("exchanged", True)
    return [*LIMITS, *([EXCHANGES[digest["view"]]] if exchanged else [])]


def sentences(digest: Mapping[str, Any]) -> dict[str, str]:
    """The verdict as a word, in one sentence, and what it means.

    Returns
    -------
    dict
        ``word``, ``sentence`` and ``meaning``.
    """
    people, verdict, asked = digest["people"], digest["verdict"], digest["asked"]
    total = sum(people.values())
    everybody = plural(total, "person", "people")
    passing, failing = _when(asked)
    if verdict == "safe":
        who = f"All {everybody} are" if total != 1 else "The person is"
        said = f"{who} protected {passing}"
    elif verdict == "unsafe":
        verb = "is" if people["unsafe"] == 1 else "are"
        said = f"{count(people['unsafe'])} of {everybody} {verb} {failing}"
        if people["undecided"]:
            said += f", and {count(people['undecided'])} could not be decided"
    else:
        said = (
            f"Nobody was found unprotected, but {count(people['undecided'])} of {everybody} could"
            " not be decided"
        )
    what = "everybody's time" if asked["times"] == "all" else "all requirements"
    return {
        "word": WORDS[verdict],
        "sentence": f"{said}; {share(digest['time']['safe'])} of {what} is safe.",
        "meaning": _meaning(digest),
    }


def _when(asked: Mapping[str, Any]) -> tuple[str, str]:
    """When those are protected who pass, and what is said of those who do not."""
    rule, _, part = asked["rule"].partition(":")
    whole = asked["times"] == "all"
    if rule == "every":
        return ("all the time", "not protected all the time") if whole else (
            "at every time asked", "not protected at every time asked"
        )  # fmt: skip
    if rule == "some":
        if whole:
            return "at one time or more", "never protected"
        return "at one time asked or more", "protected at no time asked"
    what = "of the time" if whole else "of the times asked"
    return (
        f"for {float(part):.0%} {what} or more",
        f"protected for less than {float(part):.0%} {what}",
    )


def _meaning(digest: Mapping[str, Any]) -> str:
    """What being protected means here."""
    thing, asked = THINGS[digest["view"]], digest["asked"]
    k = f"{asked['k']} or more" if asked["k"] is not None else "as many as asked for, or more,"
    return (
        f"Protected at a time means: whatever the adversary concludes from what she knows, {k}"
        f" {thing['many']} remain that may be the person's then. Every verdict is proven; where it"
        " says undecided, nothing is claimed."
    )


def adversary_words(digest: Mapping[str, Any]) -> list[str]:
    """Who she is and what she saw, a sentence or two each."""
    told = digest.get("threat_model")
    if told:
        return list(told)
    adversary = digest["adversary"]
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


def zone_words(digest: Mapping[str, Any]) -> str:
    """What a mix zone is."""
    if not digest.get("exchanged", True):
        return "There is none: pseudonyms are taken never to be exchanged, wherever people meet."
    if digest["view"] == "auditor":
        return (
            "Two or more published tracks that visibly show one place in one time step; any"
            " exchange of their pseudonyms among them may have happened there, and she cannot see"
            " which."
        )
    return (
        "Two or more people in one place in one time step; their pseudonyms are exchanged among"
        " them at random, and she cannot see how."
    )
