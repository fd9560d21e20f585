"""Headline of an answer: the verdict, the exposed users, and the share of time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.model.answer.gaps import GapVerdicts
from mixsafe.model.answer.verdict import DECISIONS, UNDECIDED, UNSAFE, Verdict, overall
from mixsafe.model.answer.wording import duration, plural, share
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Names
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.requirement import Rule

NAMED = 1000
"""Maximum number of names per kind of excluded user."""

LISTED = 5
"""Maximum number of names in a sentence."""


@dataclass(frozen=True, eq=False)
class UserShares:
    """Results for the users asked about, (n,) each.

    Parameters
    ----------
    name
        Names of the users.
    safe_share, undecided_share
        Shares of the steps asked about, 0 to 1.
    known_share
        Share of the steps asked about, 0 to 1, at which the user has fewer than k candidates and is
        in a segment with a sighting of her.
    weight
        Number of steps asked about.
    """

    name: Names
    safe_share: npt.NDArray[np.float64]
    undecided_share: npt.NDArray[np.float64]
    known_share: npt.NDArray[np.float64]
    weight: npt.NDArray[np.int64]

    @property
    def steps(self) -> tuple[npt.NDArray[np.int64], ...]:
        """(n,) int64 each: steps that are safe, undecided, known by assumption, and followed."""
        safe, undecided, known = (
            np.rint(part * self.weight).astype(np.int64)
            for part in (self.safe_share, self.undecided_share, self.known_share)
        )
        return safe, undecided, known, self.weight - safe - undecided - known


@dataclass(frozen=True)
class Worst:
    """The user who can be followed for the largest share of the time not known by assumption.

    Parameters
    ----------
    user
        Name of the first such user.
    others
        Number of other users with the same share.
    steps, of
        Steps at which the user can be followed, of those that are not known by assumption.
    number
        Place of the first such user among those asked about.
    """

    user: str
    others: int
    steps: int
    of: int
    number: int = 0


@dataclass(frozen=True)
class HeadlineQuestion:
    """The question asked about all users.

    Parameters
    ----------
    rule
        When a user passes.
    k
        Number of candidates required; None: it varies.
    noun
        Kind of candidates: ``pseudonyms`` or ``tracks``.
    axis
        Time axis.
    whole
        True: all times were asked about.
    places
        Number of distinct places required of them.
    gaps
        Whether there are steps in which nothing of a person is published.
    """

    rule: Rule
    k: int | None
    noun: str
    axis: TimeAxis
    whole: bool
    places: int = 1
    gaps: bool = False

    @property
    def why_known(self) -> str:
        """Why the adversary knows where a person is, as a clause: known by assumption."""
        if self.noun == "tracks":
            return "she saw the person then"
        return "she saw the person, and nobody was met in between"

    @property
    def nobody(self) -> str:
        """That nobody can be followed, as a clause: a follower who bets may, all the same."""
        return "Ruling out alone follows nobody"

    @property
    def candidates(self) -> str:
        """The candidates required, as a phrase."""
        number = f"{self.k:,}" if self.k else "enough"
        at = f" at {self.places:,} or more places" if self.places > 1 else ""
        noun = self.noun.removesuffix("s") if self.k == 1 else self.noun
        return f"{number} candidate {noun}{at}"

    @property
    def passing(self) -> str:
        """The times required by the rule, as a phrase."""
        if self.rule.kind == "share":
            return f"for at least {self.rule.percent} of {self.time}"
        return f"at {self.rule.kind} time" + ("" if self.whole else " asked about")

    @property
    def time(self) -> str:
        """The time that shares refer to, as a phrase."""
        if not self.whole:
            return "the times asked about"
        return "the published time" if self.gaps else "the time"

    @property
    def not_published(self) -> str:
        """What the share of time without data is a share of, as a predicate."""
        if not self.whole:
            return "of these times are steps in which nothing of the person is published"
        return "of all steps have no data of the person, and are not counted"

    def fails(self, number: int) -> str:
        """Predicate for users who fail."""
        has = "has" if number == 1 else "have"
        if self.rule.kind == "share":
            return f"{has} {self.candidates} for less than {self.rule.percent} of {self.time}"
        if self.rule.kind == "every":
            do = "does" if number == 1 else "do"
            return f"{do} not have {self.candidates} {self.passing}"
        if self.whole:
            return f"never {has} {self.candidates}"
        return f"{has} {self.candidates} at no time asked about"


@dataclass(frozen=True)
class Headline:
    """Summary of the answer about all people.

    A segment is the time between two mix zones of a user. A segment with a sighting of the user is
    *known by assumption*; what the adversary can follow beyond that is exposure. In an audit only
    the steps of sightings are known by assumption: the adversary must still find the user's track.

    Parameters
    ----------
    verdict
        Verdict on all people, by the rule.
    asked
        The question.
    people
        Number of people asked about.
    counts
        Numbers of people who pass, fail and are undecided by the rule.
    failing
        First few names of those who fail or, if none fails, are undecided.
    always
        Number of people who never have k candidates: they are followed all the time.
    followed
        Number of people who can be followed at some time not known by assumption.
    safe_share, known_share
        Shares of the total time of all people, 0 to 1.
    followed_share, undecided_share
        Shares of the total time not known by assumption, 0 to 1.
    worst
        The most exposed user; None: nobody can be followed beyond the time known by assumption.
    without_data
        Share of all steps in which nothing of the person is published, 0 to 1. Those are not in the
        time; where some steps were asked about, they are.
    shown_share
        In an audit, share of the time of all tracks at which the release shows a place, 0 to 1;
        None: it is not known, or pseudonyms are counted.
    gaps
        In an audit, the verdict by each reading of gaps; None: not known.
    """

    verdict: Verdict
    asked: HeadlineQuestion
    people: int
    counts: dict[Verdict, int]
    failing: tuple[str, ...]
    always: int
    followed: int
    safe_share: float
    known_share: float
    followed_share: float
    undecided_share: float
    worst: Worst | None
    without_data: float = 0.0
    shown_share: float | None = None
    gaps: GapVerdicts | None = None

    @classmethod
    def of(
        cls,
        users: UserShares,
        codes: npt.NDArray[np.integer],
        asked: HeadlineQuestion,
        without_data: float = 0.0,
        shown_share: float | None = None,
        gaps: GapVerdicts | None = None,
    ) -> Headline:
        """Build the headline from results for users.

        Parameters
        ----------
        users, asked, without_data, shown_share
            Shares of time of the users, the question, the share of steps without data of the
            person, and of tracks' time with a place.
        codes
            (n,): 0 for a user who passes by the rule, 1 for one who fails, 2 for undecided.
        """
        safe, undecided, known, followed = users.steps
        total, rest = max(int(users.weight.sum()), 1), users.weight - known
        all_rest = max(int(rest.sum()), 1)
        weak = (
            asked.rule.by_default
            and asked.rule.kind == "some"
            and bool(np.any(safe < users.weight))
        )
        counts = {one: int(np.count_nonzero(codes == n)) for n, one in enumerate(DECISIONS)}
        verdict = overall(counts, weak=weak) if gaps is None else gaps.verdict
        shown = UNDECIDED if verdict is Verdict.UNDECIDED else UNSAFE
        failing = users.name[codes == shown][:LISTED]
        return cls(
            verdict,
            asked,
            len(users.weight),
            counts,
            tuple(map(str, failing)),
            int(np.count_nonzero((known + followed == users.weight) & (users.weight > 0))),
            int(np.count_nonzero(followed)),
            int(safe.sum()) / total,
            int(known.sum()) / total,
            int(followed.sum()) / all_rest,
            int(undecided.sum()) / all_rest,
            _worst(users.name, followed, rest),
            without_data,
            shown_share,
            gaps,
        )

    @property
    def sentence(self) -> str:
        """The verdict: what the rule requires, and how many people meet it."""
        asked, everybody = self.asked, plural(self.people, "person", "people")
        if self.verdict is Verdict.UNSAFE:
            failing = self.counts[Verdict.UNSAFE]
            return f"{failing:,} of {everybody} {asked.fails(failing)} {self._failing}."
        if self.verdict is Verdict.UNDECIDED:
            number = self.counts[Verdict.UNDECIDED]
            return (
                f"It is undecided whether {number:,} of {everybody}"
                f" {'has' if number == 1 else 'have'} {asked.candidates} {asked.passing}"
                f" {self._failing}; nobody is proven not to."
            )
        who = f"Each of {everybody} has" if self.people > 1 else f"{everybody} has"
        but = ", but not at every time" if self.verdict is Verdict.WEAK_PASS else ""
        if self.gaps is not None and self.verdict.passes and self.gaps.but:
            but = f", but {self.gaps.but}"
        return f"{who} {asked.candidates} {asked.passing}{but}."

    @property
    def exposure(self) -> str:
        """Shares of the time protected, known by assumption, and followed, in sentences."""
        time, said = self.asked.time, []
        if self.always and self.asked.rule.kind != "some":
            said.append(f"{plural(self.always, 'person', 'people')} can be followed all the time.")
        said.append(f"On average a person is protected {share(self.safe_share)} of {time}.")
        if self.shown_share is not None and self.shown_share < 1:
            said.append(
                f"For {share(1 - self.shown_share)} of everybody's time tracks show no place."
            )
        if self.gaps is not None and self.gaps.sentence:
            said.append(self.gaps.sentence)
        if self.known_share:
            said.append(
                f"For {share(self.known_share)} the adversary knows where the person is:"
                f" {self.asked.why_known}."
            )
        rest = 1 - self.known_share
        undecided = f"{share(self.undecided_share * rest)} of {time} is undecided"
        if self.worst is not None:
            who = plural(self.followed, "person", "people")
            all_other = "" if self.undecided_share or rest == self.followed_share else "the other "
            also = f"; {undecided}" if self.undecided_share else ""
            part = f"{all_other}{share(self.followed_share * rest)} of {time}"
            said.append(f"{who} can be followed, for {part}{also}.")
            said.append(f"Most exposed: {self._worst(self.worst)}.")
        elif self.undecided_share:
            said.append(f"Nobody is proven to be followed; {undecided}.")
        elif not self.known_share:
            said.append(f"{self.asked.nobody}.")
        elif rest:
            said.append(f"{self.asked.nobody} at any other time.")
        if self.without_data:
            said.append(f"{share(self.without_data)} {self.asked.not_published}.")
        return " ".join(one[:1].upper() + one[1:] for one in said)

    @property
    def _failing(self) -> str:
        """First names of those who do not pass, in brackets."""
        more = self.counts[Verdict.UNSAFE] or self.counts[Verdict.UNDECIDED]
        return f"({', '.join(self.failing)}{', …' if more > len(self.failing) else ''})"

    def _worst(self, worst: Worst) -> str:
        """The most exposed user, and for how long beyond what is known by assumption."""
        who = worst.user if not worst.others else f"{worst.others + 1:,} people"
        other, seconds = "other " * bool(self.known_share), self.asked.axis.step_seconds
        if not self.asked.whole:
            times = "time" if worst.of == 1 else "times"
            return f"{who} can be followed at {worst.steps:,} of {worst.of:,} {other}{times}"
        if worst.steps == worst.of:
            return f"{who} can be followed for all of the {other}time"
        if seconds is None:
            return f"{who} can be followed for {worst.steps:,} of {worst.of:,} {other}steps"
        long = duration(worst.steps, worst.of, seconds)
        return f"{who} can be followed for {long}{' more' if other else ''}"

    @property
    def _gaps(self) -> dict[str, float]:
        """The time without data; in an audit, nobody knows how much of a person's that is."""
        if self.asked.noun == "tracks":
            return {}
        return {"share_of_time_without_data": round(self.without_data, 6)}

    def to_dict(self) -> dict[str, Any]:
        """The headline as a JSON object."""
        worst, shown = self.worst, self.shown_share
        return {
            "verdict": self.verdict.value,
            "sentence": self.sentence,
            "exposure": self.exposure,
            "always_followed": self.always,
            "followed": self.followed,
            "share_of_time_safe": round(self.safe_share, 6),
            "share_of_time_known": round(self.known_share, 6),
            **self._gaps,
            "share_of_remaining_time_followed": round(self.followed_share, 6),
            "share_of_remaining_time_undecided": round(self.undecided_share, 6),
            **({} if shown is None else {"share_of_time_shown": round(shown, 6)}),
            "worst": None
            if worst is None
            else {
                "user": worst.user,
                "others_alike": worst.others,
                "share_of_remaining_time_followed": round(worst.steps / worst.of, 6),
            },
        }


def _worst(
    name: Names, followed: npt.NDArray[np.int64], rest: npt.NDArray[np.int64]
) -> Worst | None:
    """The user with the largest share of followed steps in ``rest``, (n,) steps each."""
    if not followed.any():
        return None
    part = followed / np.maximum(rest, 1)
    first = int(part.argmax())
    alike = int(np.count_nonzero(part == part[first])) - 1
    return Worst(str(name[first]), alike, int(followed[first]), int(rest[first]), first)


def set_apart(zones: MixZones) -> dict[str, Any]:
    """People whom exchanges cannot affect: without data in the period, or in no mix zone.

    Returns
    -------
    dict
        For ``no_data`` and ``no_zone``: ``count``, and the names of the first ``NAMED`` of them.
    """
    return {
        kind: {
            "count": len(rows),
            "users": [str(one) for one in zones.users[rows[:NAMED]].tolist()],
        }
        for kind, rows in (("no_data", zones.absent), ("no_zone", zones.alone))
    }
