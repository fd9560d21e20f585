"""Kinds of results on the officer's page: the facts of each, and the headings that it speaks to.

The sentences are macros of ``templates/officer_sentences.html``, named ``kind_heading``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mixsafe.report.officer import derived
from mixsafe.report.officer.facts import Derived, Fact, Stated, maybe, stated

Facts = Mapping[str, Any]

SUPPORTS, FOR_SOME = "supports", "supports for some people"
IN_PART, OPEN, AGAINST = "supports in part", "open", "speaks against"
"""How evidence stands to a criterion. What is open counts as not met."""


@dataclass(frozen=True)
class OfficerKind:
    """A kind of results.

    Parameters
    ----------
    name
        Begins the names of its macros.
    command
        That writes such results.
    about
        What such a result is, in a few words.
    of
        ``the data``, as they were given, or ``the release``, as it is published.
    assumes
        Marks of the assumptions that it rests on.
    facts
        By the name that sentences have for them; none if the result has a document, whose evidence
        is shown.
    says
        Headings with a macro of this kind; if the value is a fact's name, only if that is known.
    stands
        How the evidence stands to the criterion of a heading, from the facts.
    recognizes
        Whether an object of the command is of this kind.
    judged
        Names of the facts that say how many people the evidence is about, and of how many people
        or tracks; None: no result says it.
    """

    name: str
    command: str
    about: str
    of: str
    assumes: tuple[str, ...]
    facts: Mapping[str, Fact] = field(default_factory=dict)
    says: Mapping[str, str | None] = field(default_factory=dict)
    stands: Mapping[str, Callable[[Facts], str]] = field(default_factory=dict)
    recognizes: Callable[[Facts], bool] = lambda found: True
    judged: tuple[str, str] | None = None

    def how(self, heading: str, facts: Facts) -> str | None:
        """How the evidence stands to the criterion of a heading; None: the reader must judge."""
        stands = self.stands.get(heading)
        how = None if stands is None else stands(facts)
        if how == SUPPORTS and self.judged is not None:
            some, every = (facts[name] for name in self.judged)
            return FOR_SOME if every is not None and some < every else how
        return how


def _under(*always: str, **needing: str) -> dict[str, str | None]:
    """Headings that a kind speaks to: always, or where a fact is known."""
    return {**dict.fromkeys(always), **needing}


def _by_verdict(facts: Facts) -> str:
    verdicts = {"safe": SUPPORTS, "weak pass": IN_PART, "undecided": OPEN, "unsafe": AGAINST}
    return verdicts[facts["verdict"]]


def _if_none(*bad: str, unknown: tuple[str, ...] = ()) -> Callable[[Facts], str]:
    """Against if one of some facts is not 0; open if one of ``unknown`` is not."""

    def stands(facts: Facts) -> str:
        if any(facts[name] for name in bad):
            return AGAINST
        return OPEN if any(facts[name] for name in unknown) else SUPPORTS

    return stands


def _of_places(facts: Facts) -> str:
    """Against if all candidates are at one place, or at sensitive ones, in some safe time."""
    if facts["one_place_time"] is None:
        return OPEN
    return _if_none(
        "one_place_time", "sensitive_time", unknown=("one_place_open", "sensitive_open")
    )(facts)


def _with_report(found: Facts) -> bool:
    """Whether a result is of one problem, and whole."""
    return isinstance(found.get("report"), dict)


_HEADLINE: dict[str, Fact] = {
    "verdict": stated("report.verdict"),
    "k": maybe("report.asked.k"),
    "rule": stated("report.asked.rule_words"),
    "failing": stated("report.people.unsafe"),
    "undecided": stated("report.people.undecided"),
    "passing": stated("report.people.safe"),
    "people": Derived(derived.together, ("failing", "undecided", "passing")),
    "not_shown": Derived(derived.together, ("failing", "undecided")),
    "steps": stated("report.data.steps"),
    "first": stated("report.data.first"),
    "last": stated("report.data.last"),
    "zones": stated("report.data.zones"),
    "safe_time": stated("report.headline.share_of_time_safe"),
    "known_time": stated("report.headline.share_of_time_known"),
    "without_data": maybe("report.headline.share_of_time_without_data"),
    "undecided_time": stated("report.time.undecided"),
    "unsafe_time": stated("report.time.unsafe"),
    "followed_time": Derived(derived.without, ("unsafe_time", "known_time")),
    "followed": stated("report.headline.followed"),
    "worst": Stated("report.headline.worst", names=True),
    "worst_time": Derived(derived.at_worst, ("worst",)),
    "worst_name": Derived(derived.who_worst, ("worst",), names=True),
    "users": Stated("report.users", names=True),
    "failing_names": Derived(derived.who_fails, ("users",), names=True),
    "places": maybe("summary.places.distinct"),
    "one_place": maybe("summary.places.one_place"),
    "one_place_time": maybe("summary.places.one_place.share_of_safe_time"),
    "one_place_open": maybe("summary.places.one_place.undecided_share_of_safe_time"),
    "sensitive_time": maybe("summary.places.sensitive.share_of_safe_time"),
    "sensitive_open": maybe("summary.places.sensitive.undecided_share_of_safe_time"),
}  # fmt: skip

_COUNTED = ("A1", "A2", "A3", "A4", "A5")
_WEIGHED = ("A1", "A2", "A3", "A5", "A6")
_ATTACKED = ("A5", "A7")

VERIFY = OfficerKind(
    "verify",
    "verify",
    "who has enough candidate pseudonyms, and when",
    "the data",
    _COUNTED,
    {
        **_HEADLINE,
        "sightings": stated("report.adversary.sightings"),
        "seen": stated("report.adversary.users"),
        "alone": stated("report.apart.no_zone.count"),
        "absent": stated("report.apart.no_data.count"),
        "users_of_data": maybe("report.data.users"),
        "with_data": Derived(derived.with_data, ("people", "users_of_data", "absent")),
        "adversary": maybe("report.provenance.parameters.adversary"),
        "seen_words": Derived(derived.seen_of, ("adversary",)),
        "words": Stated("report.adversary.words", names=True),
        "lasting": maybe("lasting.safe"),
        "sealed": maybe("report.provenance.parameters.sealed"),
    },
    _under(
        "data",
        "adversary",
        "singling_out",
        "linkability",
        "residual",
        "validity",
        inference="one_place",
    ),
    {
        "singling_out": _by_verdict,
        "linkability": _if_none("followed", unknown=("undecided_time",)),
        "inference": _of_places,
        "residual": _if_none("failing", unknown=("undecided",)),
    },
    _with_report,
    ("people", "with_data"),
)

AUDIT = OfficerKind(
    "audit",
    "audit",
    "what an outsider finds in the finished release",
    "the release",
    _COUNTED,
    {
        **_HEADLINE,
        "tracks": stated("tracks"),
        "threats": stated("threat_model"),
        "exchange": stated("exchange"),
        "tied": stated("summary.share_of_tracks_tied"),
        "tied_open": stated("summary.share_of_tracks_undecided"),
        "hides": maybe("zones_that_hide.something"),
        "hides_nothing": maybe("zones_that_hide.nothing"),
        "hides_open": maybe("zones_that_hide.undecided"),
        "static_time": maybe("without_exchange.share_of_time_safe"),
        "shown_time": maybe("report.headline.share_of_time_shown"),
        "gaps_said": maybe("gaps.sentence"),
    },
    _under("data", "adversary", "singling_out", "linkability", "testing", inference="one_place"),
    {
        "singling_out": _by_verdict,
        "linkability": _if_none("tied", unknown=("tied_open",)),
        "inference": _of_places,
        "testing": _by_verdict,
    },
    _with_report,
    ("people", "tracks"),
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
