"""One answer to "is everybody protected?", of a verification of traces or an audit of a release.

What it says on the officer's page is here, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.documents.document import Criterion, CriterionEvidence, Stands
from mixsafe.model.answer.headline import Headline
from mixsafe.model.answer.verdict import DECISIONS, UNDECIDED, UNSAFE, Verdict
from mixsafe.model.answer.wording import count, plural, share
from mixsafe.model.mobility.time_axis import moment
from mixsafe.model.mobility.traces import Names
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.verify.privacy.decided import Decided, Ints
from mixsafe.verify.privacy.exposure import PlaceWeight
from mixsafe.verify.rows import UserRows

_WORDS = {"safe": "passes", "unsafe": "fails", "undecided": "undecided"}
"""A person's verdict by the rule, in words."""

NAMES = 50
"""Names of people that are listed, at most."""


@dataclass(frozen=True, eq=False)
class PrivacyNumbers:
    """The numbers of the answer, which its document shows.

    Parameters
    ----------
    name
        Of the data, for people.
    zones
        Mix zones.
    headline
        The answer about all people.
    names
        Of all people, by number.
    users
        What was found about those who were asked about.
    best
        (n_users,) the largest number of candidates that is proven of each.
    make_questions
        Makes the questions with their bounds, which only pages show.
    next_steps
        Advice on the verdict.
    notes
        What was merged, dropped or assumed in the data.
    places
        How often all candidates are at one place (``summary["places"]``); None: not counted.
    meetings
        (n_users,) mix zones of each; None: nobody knows whose they are.
    weight
        What colours places; None: the safe time that begins there.
    """

    name: str
    zones: MixZones
    headline: Headline
    names: Names
    users: UserRows
    best: npt.NDArray[np.integer]
    make_questions: Callable[[], Decided]
    next_steps: Sequence[str]
    notes: Sequence[str] = ()
    places: Mapping[str, Any] | None = None
    meetings: npt.NDArray[np.integer] | None = None
    weight: PlaceWeight | None = None

    @cached_property
    def questions(self) -> Decided:
        """The questions with their bounds."""
        return self.make_questions()

    @cached_property
    def order(self) -> Ints:
        """Rows of ``users``, the least protected first.

        Those who fail come first, then those who are safe for less of the time; of equal ones those
        in no mix zone, whom no exchange can protect.
        """
        users = self.users
        severity = np.zeros(len(users.user), np.int64)
        severity[users.verdict == UNSAFE], severity[users.verdict == UNDECIDED] = -2, -1
        meets = np.ones(len(users.user), bool)
        if self.meetings is not None:
            meets = ~np.isin(users.user, self.zones.alone)
        keys = (users.user, self.best[users.user], meets, users.safe_share, severity)
        return np.lexsort(keys).astype(np.int64)

    def people(self, most: int) -> list[tuple[Any, ...]]:
        """Rows of the ``most`` least protected people.

        Returns
        -------
        list
            Name; shares of the time that are safe, known by assumption, followed and undecided; the
            verdict by the rule in a word; fewest and most candidates; mix zones, if they are known.
        """
        found = self.users.those(self.order[:most])
        followed = 1 - found.safe_share - found.undecided_share - found.known_share
        shares = (found.safe_share, found.known_share, followed, found.undecided_share)
        columns = [
            [str(name) for name in self.names[found.user].tolist()],
            *(np.abs(one.round(4)).tolist() for one in shares),
            [_WORDS[DECISIONS[code].value] for code in found.verdict.tolist()],
            found.lower.tolist(),
            self.best[found.user].tolist(),
        ]
        if self.meetings is not None:
            columns.append(self.meetings[found.user].tolist())
        return list(zip(*columns, strict=True))

    def failing(self, most: int) -> list[str]:
        """Names of those who fail by the rule, the least protected first."""
        found = self.users.those(self.order)
        fails = found.user[found.verdict == UNSAFE][:most]
        return [str(name) for name in self.names[fails].tolist()]


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
