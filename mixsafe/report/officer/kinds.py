"""Kinds of results on the officer's page: what each is about, and its assumptions.

What a result says under a heading is the evidence of its document.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

SUPPORTS, FOR_SOME = "supports", "supports for some people"
IN_PART, OPEN, AGAINST = "supports in part", "open", "speaks against"
"""How evidence stands to a criterion. What is open counts as not met."""


@dataclass(frozen=True)
class OfficerKind:
    """A kind of results.

    Parameters
    ----------
    name
        Of the kind.
    command
        That writes such results.
    about
        What such a result is, in a few words.
    of
        ``the data``, as they were given, or ``the release``, as it is published.
    assumes
        Marks of the assumptions that it rests on.
    recognizes
        Whether an object of the command is of this kind.
    """

    name: str
    command: str
    about: str
    of: str
    assumes: tuple[str, ...]
    recognizes: Callable[[Mapping[str, Any]], bool] = lambda found: True


_COUNTED = ("A1", "A2", "A3", "A4", "A5")
_WEIGHED = ("A1", "A2", "A3", "A5", "A6")
_ATTACKED = ("A5", "A7")

VERIFY = OfficerKind(
    "verify",
    "verify",
    "who has enough candidate pseudonyms, and when",
    "the data",
    _COUNTED,
)

AUDIT = OfficerKind(
    "audit",
    "audit",
    "what an outsider finds in the finished release",
    "the release",
    _COUNTED,
    recognizes=lambda found: "per_user" in found,
)

ASSUMED = OfficerKind(
    "assumed",
    "audit",
    "what an outsider with random sightings finds in the finished release",
    "the release",
    _COUNTED,
    recognizes=lambda found: (
        {"sightings_per_user", "draws", "shares", "random_guess"} <= found.keys()
    ),
)

WEIGH = OfficerKind(
    "weigh",
    "weigh",
    "how likely the likeliest candidate is",
    "the data",
    _WEIGHED,
    recognizes=lambda found: "weights" in found,
)

BREAKING = OfficerKind(
    "breaking",
    "breaking",
    "how many further sightings undo the protection of each person",
    "the data",
    _COUNTED,
    recognizes=lambda found: {"asked", "summary", "breaking"} <= found.keys(),
)

CURVES = OfficerKind(
    "curves",
    "breaking",
    "whom a few sightings single out, at worst and at random",
    "the data",
    _COUNTED,
    recognizes=lambda found: {"curves", "people", "at_most", "draws"} <= found.keys(),
)

PROTECT = OfficerKind(
    "protect",
    "protect",
    "remedies, what each costs, and what is protected afterwards",
    "the data",
    _COUNTED,
)

PSEUDONYMIZE = OfficerKind(
    "pseudonymize",
    "pseudonymize",
    "the release, and how its pseudonyms were assigned",
    "the release",
    _COUNTED,
)

REID = OfficerKind(
    "reid",
    "contest score",
    "an attack that guesses whose pseudonyms are",
    "the release",
    _ATTACKED,
    recognizes=lambda found: found.get("score") == "reid",
)

TRACE = OfficerKind(
    "trace",
    "contest score",
    "an attack that guesses where people were",
    "the release",
    _ATTACKED,
    recognizes=lambda found: found.get("score") == "trace",
)

UTILITY = OfficerKind(
    "utility",
    "contest score",
    "how useful the published places still are",
    "the release",
    (),
    recognizes=lambda found: found.get("score") == "utility",
)

CONTEST = OfficerKind(
    "contest",
    "contest run",
    "releases against many attacks",
    "the release",
    _ATTACKED,
)

OPTIMIZE = OfficerKind(
    "optimize",
    "optimize",
    "the fewest mix zones that are enough",
    "the data",
    _COUNTED,
)

COMPARE = OfficerKind(
    "compare",
    "compare",
    "the same questions to several engines",
    "the data",
    (),
)

CHECK = OfficerKind(
    "check",
    "check",
    "a certificate, replayed by the checker",
    "the data",
    _COUNTED,
)

KINDS = (
    VERIFY, AUDIT, ASSUMED, WEIGH, BREAKING, CURVES, PROTECT, PSEUDONYMIZE, REID, TRACE, UTILITY,
    CONTEST, OPTIMIZE, COMPARE, CHECK,
)  # fmt: skip
"""All kinds; the first that recognizes an object of its command is the kind of it."""
