"""What a verdict means, in the words of people who have never seen the tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mixsafe.report.page import count, plural

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
    "Pseudonyms must really be exchanged at random in each mix zone, as the definition says; this"
    " is a statement about what the exchange makes possible, not about whether it was done.",
)

_WORDS = {"safe": "Yes", "unsafe": "No", "undecided": "Not known yet"}


def sentences(digest: Mapping[str, Any]) -> dict[str, str]:
    """The verdict as a word, in one sentence, and what it means.

    Returns
    -------
    dict
        ``word``, ``sentence`` and ``meaning``.
    """
    people, verdict = digest["people"], digest["verdict"]
    total = sum(people.values())
    everybody = plural(total, "person", "people")
    if verdict == "safe":
        sentence = f"All {everybody} are protected." if total != 1 else "The person is protected."
    elif verdict == "unsafe":
        verb = "is" if people["unsafe"] == 1 else "are"
        sentence = f"{count(people['unsafe'])} of {everybody} {verb} not protected."
        if people["undecided"]:
            sentence = sentence[:-1] + f", and {count(people['undecided'])} could not be decided."
    else:
        sentence = (
            f"Nobody was found unprotected, but {count(people['undecided'])} of {everybody} could"
            " not be decided in the time that was given."
        )
    return {"word": _WORDS[verdict], "sentence": sentence, "meaning": _meaning(digest)}


def _meaning(digest: Mapping[str, Any]) -> str:
    """What being protected means here."""
    thing, asked = THINGS[digest["view"]], digest["asked"]
    k = f"{asked['k']} or more" if asked["k"] is not None else "as many as asked for, or more,"
    rule, _, part = asked["rule"].partition(":")
    when = {
        "every": "at every time that was asked about",
        "some": "at one time at least",
        "share": f"for {float(part):.0%} of the time or more" if part else "",
    }[rule]
    return (
        f"Protected means: whatever the adversary concludes from what she knows, {k}"
        f" {thing['many']} remain that may be the person's, {when}. Every verdict is proven;"
        " where it says undecided, nothing is claimed."
    )


def adversary_words(digest: Mapping[str, Any]) -> str:
    """Who she is and what she saw."""
    adversary = digest["adversary"]
    seen = (
        f" In all, {plural(adversary['sightings'], 'sighting', 'sightings')} of"
        f" {plural(adversary['users'], 'person', 'people')}."
    )
    known = adversary["words"] or "somebody who has the published traces and saw some people"
    return (
        f"{known}.{seen} She also knows all traces under their pseudonyms, all mix zones, and how"
        " pseudonyms are exchanged; if she saw a person twice, she may use both sightings together."
    )


def zone_words(digest: Mapping[str, Any]) -> str:
    """What a mix zone is."""
    if not digest.get("exchanged", True):
        return "there is none: pseudonyms are taken never to be exchanged, wherever people meet."
    return (
        "two or more people in one place in one time step; their pseudonyms are exchanged among"
        " them at random, and she cannot see how."
    )
