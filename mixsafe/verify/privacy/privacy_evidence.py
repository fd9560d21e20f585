"""What an answer to "is everybody protected?" says on the officer's page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mixsafe.documents.document import Criterion, CriterionEvidence, Stands
from mixsafe.model.answer.headline import Headline
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.answer.wording import count, plural, share
from mixsafe.model.mobility.time_axis import moment
from mixsafe.verify.privacy.privacy import PrivacyNumbers

NAMES = 50
"""Names of people that are listed, at most."""


@dataclass(frozen=True)
class Judged:
    """The answer about all people, as an officer reads it.

    Parameters
    ----------
    headline
        The answer.
    failing
        Names of those who fail, the least protected first.
    places
        How often all candidates are at one place (``summary["places"]``); None: not counted.
    every
        Number of people with data, or of published tracks; None: unknown.
    steps, first, last
        Number of time steps, and labels of the first and the last.
    zones
        Number of mix zones.
    """

    headline: Headline
    failing: Sequence[str]
    places: Mapping[str, Any] | None
    every: int
    steps: int
    first: str
    last: str
    zones: int

    @classmethod
    def of(cls, found: PrivacyNumbers, every: int) -> Judged:
        """What an answer says of ``every`` people with data, or tracks."""
        axis = found.zones.axis
        first, last = (moment(axis.label(step)) for step in (1, axis.steps))
        failing = found.failing(NAMES)
        return cls(
            found.headline, failing, found.places, every, axis.steps, first, last, len(found.zones)
        )

    @property
    def n_failing(self) -> int:
        """Number of people who fail."""
        return self.headline.counts[Verdict.UNSAFE]

    @property
    def n_undecided(self) -> int:
        """Number of people about whom it is undecided."""
        return self.headline.counts[Verdict.UNDECIDED]

    @property
    def n_people(self) -> int:
        """Number of people who were judged."""
        return sum(self.headline.counts.values())

    @property
    def not_shown(self) -> int:
        """Number of people who are not shown to be protected."""
        return self.n_failing + self.n_undecided

    @property
    def undecided_time(self) -> float:
        """Share of the time, 0 to 1."""
        return self.headline.undecided_share * (1 - self.headline.known_share)

    @property
    def followed_time(self) -> float:
        """Share of the time, 0 to 1."""
        return self.headline.followed_share * (1 - self.headline.known_share)

    @property
    def judged(self) -> str:
        """How many people of how many it is about."""
        if self.headline.asked.noun == "tracks":
            people = plural(self.n_people, "known person", "known people")
            return f"{people} judged, of {plural(self.every, 'track', 'tracks')}"
        return f"{count(self.n_people)} of {plural(self.every, 'person', 'people')} judged"

    @property
    def by_verdict(self) -> Stands:
        """How the verdict stands to a criterion that everybody passes."""
        return {
            Verdict.SAFE: self.supports,
            Verdict.WEAK_PASS: "supports in part",
            Verdict.UNDECIDED: "open",
            Verdict.UNSAFE: "speaks against",
        }[self.headline.verdict]

    @property
    def supports(self) -> Stands:
        """Support for the criterion, for as many people as were judged."""
        return "supports for some people" if self.n_people < self.every else "supports"

    def if_none(self, bad: float, unknown: float) -> Stands:
        """Against if there is anything bad; open if that is unknown."""
        if bad:
            return "speaks against"
        return "open" if unknown else self.supports

    def evidence(self, criterion: Criterion, stands: Stands, *sentences: str) -> CriterionEvidence:
        """Evidence for or against a criterion."""
        return CriterionEvidence(criterion, sentences, stands, self.judged)


def are(number: int) -> str:
    """A number with its verb."""
    return f"{count(number)} {'is' if number == 1 else 'are'}"


def people(number: int) -> str:
    """A number of people."""
    return plural(number, "person", "people")


def who_is_not_shown(judged: Judged) -> str:
    """How many people are not shown to be protected, in a sentence."""
    known = " whom the adversary knows" if judged.headline.asked.noun == "tracks" else ""
    if not judged.not_shown:
        some = people(judged.n_people)
        return f"{some[:1].upper()}{some[1:]}{known}: nobody fails, and nobody is undecided."
    fails = plural(judged.n_failing, "fails", "fail")
    return (
        f"Of {people(judged.n_people)}{known}, {are(judged.not_shown)} not shown to be protected:"
        f" {fails}, which is proven, and {are(judged.n_undecided)} undecided."
    )


def singling_out(judged: Judged) -> CriterionEvidence:
    """At worst and on average."""
    headline, sentences = judged.headline, [_maximum(judged)]
    worst, names, title = headline.worst, list(judged.failing[:NAMES]), "Those who fail"
    if worst is not None:
        sentences.append(
            f"{people(headline.followed)} can be followed at some time. The most exposed person can"
            f" be followed for {share(worst.steps / max(worst.of, 1))} of the time that is not"
            " known by assumption."
        )
        names = [f"{worst.user} (the most exposed)", *(one for one in names if one != worst.user)]
        title = "The most exposed person, and those who fail"
    return CriterionEvidence(
        "singling_out", (*sentences, _average(judged)), judged.by_verdict, judged.judged, title,
        names,
    )  # fmt: skip


def _maximum(judged: Judged) -> str:
    asked = judged.headline.asked
    needed = "as many as required" if asked.k is None else f"at least {count(asked.k)}"
    at = f", at {count(asked.places)} or more places at the same time," if asked.places > 1 else ""
    return (
        f"Maximum. {who_is_not_shown(judged)} The rule:"
        f" {asked.rule.words.replace('user', 'person')}. A person is safe at a time if {needed}"
        f" {asked.noun}{at} can be the person's, whatever the adversary works out."
    )


def _average(judged: Judged) -> str:
    headline = judged.headline
    sentence = (
        f"Average. A person is protected for {share(headline.safe_share)} of the time. For"
        f" {share(headline.known_share)} the adversary knows where the person is:"
        f" {headline.asked.why_known}. For {share(judged.followed_time)} the person can be"
        f" followed. For {share(judged.undecided_time)} it is undecided."
    )
    if headline.without_data:
        sentence += (
            " Time is what is published of a person:"
            f" {share(headline.without_data)} {headline.asked.not_published}."
        )
    if headline.shown_share is not None:
        sentence += (
            f" The release shows a place for {share(headline.shown_share)} of everybody's time."
        )
    if headline.gaps is not None and headline.gaps.sentence:
        sentence += f" {headline.gaps.sentence}"
    return sentence


def inference(judged: Judged) -> Iterator[CriterionEvidence]:
    """Whether all candidates are at one place; nothing if places were not counted."""
    if judged.places is None:
        return
    one, marked = judged.places["one_place"], judged.places["sensitive"]
    sentence = "Several candidates do not hide the place if all of them are there. "
    stands: Stands = "open"
    if one["share_of_safe_time"] is None:
        sentence += "There is no time in which there are enough candidates."
    else:
        sentence += (
            "Of the time in which there are enough candidates, all candidate"
            f" {judged.headline.asked.noun} are at one place for"
            f" {share(one['share_of_safe_time'])}, so that the place is known; for"
            f" {share(one['undecided_share_of_safe_time'])} it is undecided."
        )
        counted = [one, *([marked] if marked is not None else [])]
        bad, unknown = (
            max(part[name] or 0 for part in counted)
            for name in ("share_of_safe_time", "undecided_share_of_safe_time")
        )
        stands = judged.if_none(bad, unknown)
    sentences = [sentence]
    if marked is not None and marked["share_of_safe_time"] is not None:
        sentences.append(
            f"For {share(marked['share_of_safe_time'])} of the safe time, all candidates are at"
            " places that the controller marked as sensitive; for"
            f" {share(marked['undecided_share_of_safe_time'])} it is undecided."
        )
    yield judged.evidence("inference", stands, *sentences)
