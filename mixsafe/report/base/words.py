"""Sentences of pages about verdicts, for readers who do not know the tool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mixsafe.documents.document import WORDS
from mixsafe.report.base.page import count, plural, tone

THINGS = {
    "publisher": {"many": "pseudonyms", "few": "few pseudonyms", "who": "people who meet"},
    "auditor": {"many": "tracks", "few": "few tracks", "who": "tracks that meet"},
}
"""Nouns for the candidates, by view."""

COMMON = (
    "Several candidates do not protect what they have in common: if every candidate goes to the"
    " same clinic, the visit is known."
)
"""What candidates alone leave open."""

PLACES = (
    "Candidates are at several places at the same time, but places are counted, not judged: two"
    " cells may be one building, and all of the places may be clinics."
)
"""What distinct places leave open."""

LIMITS = (
    "Candidates are counted, not weighed. One of them may be far more plausible than the others,"
    " from a home, a habit or a speed.",
    "The adversary knows the sightings above and no others. With more sightings, an adversary may"
    " find more.",
    COMMON,
)

EXCHANGES = {
    "publisher": (
        "The verdict holds if pseudonyms are exchanged at random in each mix zone. It does not"
        " check that they were."
    ),
    "auditor": (
        "The verdict holds if pseudonyms were exchanged at random wherever tracks meet. A release"
        " does not show whether they were."
    ),
}

APART = {
    "no_data": (
        "without any data in the period",
        "Nothing of them is published: they neither pass nor fail.",
    ),
    "no_zone": (
        "in no mix zone",
        "No pseudonym exchange can protect them: one sighting reveals all of their data. Remove"
        " them, generalize their places, or use larger cells or longer time steps.",
    ),
}
"""Users without any exchange: the reason, and the consequence."""


def helping_zones(hides: Mapping[str, int]) -> str:
    """Number of meetings that hide something from an auditor's adversary.

    Parameters
    ----------
    hides
        Numbers of mix zones that hide ``something``, ``nothing``, or are ``undecided``.
    """
    total, helping = sum(hides.values()), hides.get("something", 0)
    undecided = hides.get("undecided", 0)
    be = "is" if helping == 1 else "are"
    only = "Only " if helping < total else ""
    return (
        f"{only}{count(helping)} of {plural(total, 'meeting', 'meetings')} {be} proven to help"
        f" these people ({count(undecided)} open)"
    )


def apart_sentences(apart: Mapping[str, Any] | None, names: int) -> Iterator[tuple[str, str, str]]:
    """List the people without data and those in no mix zone.

    Parameters
    ----------
    apart
        From :func:`mixsafe.model.answer.headline.set_apart`; None for a release.
    names
        Largest number of names per kind.

    Yields
    ------
    tuple
        Number and kind, names, consequence.
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
    """Limits of the answer."""
    exchanged = view_model.get("exchanged", True)
    said = [*LIMITS, *([EXCHANGES[view_model["view"]]] if exchanged else [])]
    if view_model["asked"].get("distinct_places", 1) > 1:
        said[said.index(COMMON)] = PLACES
    return said


def sentences(view_model: Mapping[str, Any]) -> dict[str, Any]:
    """Word, sentences and meaning of the verdict.

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
    """Numbers of people by verdict, and whether the pass is weak."""
    people, asked = view_model["people"], view_model["asked"]
    default = "default " if asked["rule_by_default"] else ""
    weak = " This is a weak pass." if view_model["verdict"] == "weak pass" else ""
    return (
        f"By the {default}rule '{asked['rule']}', {count(people['safe'])} pass,"
        f" {count(people['unsafe'])} fail, {count(people['undecided'])} undecided.{weak}"
    )


def _meaning(view_model: Mapping[str, Any]) -> str:
    """The definition of protected."""
    thing, asked = THINGS[view_model["view"]], view_model["asked"]
    k = f"{asked['k']} or more" if asked["k"] is not None else "enough"
    places = asked.get("distinct_places", 1)
    also = f", and they are at {places} or more places at that time" if places > 1 else ""
    fewer = "otherwise" if also else "with fewer"
    return (
        f"A person is protected at a time if {k} {thing['many']} are consistent with everything"
        f" the adversary knows{also}; {fewer}, the person can be followed. Safe and unsafe"
        " verdicts are proven; undecided claims nothing either way."
    )


def adversary_words(view_model: Mapping[str, Any]) -> list[str]:
    """Sentences about the adversary and her sightings."""
    threats = view_model.get("threat_model")
    if threats:
        return list(threats)
    adversary = view_model["adversary"]
    seen = (
        f"In all, {plural(adversary['sightings'], 'sighting', 'sightings')} of"
        f" {plural(adversary['users'], 'person', 'people')}."
    )
    known = adversary["words"] or "The adversary has the published traces and saw some people"
    said = [
        f"{known}. {seen}" if adversary["sightings"] else f"{known}.",
        "The adversary also knows all traces under their pseudonyms, all mix zones, and how"
        " pseudonyms are exchanged there, but not which exchanges were made.",
    ]
    if adversary["sightings"] > adversary["users"]:
        said.append("The adversary may combine several sightings of one person.")
    if adversary.get("reading"):
        said.append(f"At sightings {adversary['reading']}.")
    return said


def zone_words(view_model: Mapping[str, Any]) -> str:
    """The definition of a mix zone."""
    if not view_model.get("exchanged", True):
        return "None: pseudonyms are assumed never to be exchanged."
    if view_model["view"] == "auditor":
        return (
            "Two or more published tracks that show one place in one time step. Any exchange of"
            " their pseudonyms may have happened there, invisible to the adversary."
        )
    return (
        "Two or more people in one place in one time step. Their pseudonyms are exchanged at"
        " random, invisible to the adversary."
    )
