"""What is said first of an answer: the verdict, who is followed all the time, and for how long."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.model.answer.verdict import DECISIONS, UNDECIDED, UNSAFE, Verdict, overall
from mixsafe.model.answer.wording import duration, plural, share
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Names
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.requirement import Rule

NAMED = 1000
"""People set apart who are named, of each kind, at most."""

LISTED = 5
"""People who are named in a sentence, at most."""


@dataclass(frozen=True, eq=False)
class UserShares:
    """What was found about users who were asked about, (n,) each.

    Parameters
    ----------
    name
        What they are called.
    safe_share, undecided_share
        Of the steps asked about, 0 to 1.
    known_share
        Of the steps asked about, 0 to 1: those at which the user has fewer than k candidates and
        is in a segment in which the adversary saw her.
    weight
        Steps asked about.
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
    """Who can be followed for the largest share of the time that is not known by assumption.

    Parameters
    ----------
    user
        The first of them.
    others
        How many more there are for whom it is the same share.
    steps, of
        Steps at which the user can be followed, of those that are not known by assumption.
    """

    user: str
    others: int
    steps: int
    of: int


@dataclass(frozen=True)
class Question:
    """What was asked of everybody.

    Parameters
    ----------
    rule
        When a user passes.
    k
        Candidates that were asked for; None: not the same number everywhere.
    noun
        What candidates are: ``pseudonyms`` or ``tracks``.
    axis
        The time.
    whole
        All times were asked about, not some.
    """

    rule: Rule
    k: int | None
    noun: str
    axis: TimeAxis
    whole: bool

    @property
    def seen(self) -> str:
        """When somebody was seen whose time is known by assumption."""
        return "then" if self.noun == "tracks" else "between the same two mix zones"

    @property
    def candidates(self) -> str:
        """What a user should have."""
        return f"{self.k:,} candidate {self.noun}" if self.k else f"enough candidate {self.noun}"

    @property
    def passing(self) -> str:
        """When somebody passes who has the candidates."""
        if self.rule.kind == "share":
            return f"for at least {self.rule.percent} of {self.time}"
        return f"at {self.rule.kind} time" + ("" if self.whole else " asked about")

    @property
    def time(self) -> str:
        """What there is a share of."""
        return "the time" if self.whole else "the times asked about"

    def fails(self, number: int) -> str:
        """What somebody does who does not pass."""
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
    """The answer about all people, in a few sentences and numbers.

    A segment is the time between two mix zones of a user. Where the adversary saw the user in it,
    it is *known by assumption*; what she can follow beyond that is exposure. In an audit only the
    moments of sightings are: on which track a user is then, the adversary has to find out.

    Parameters
    ----------
    verdict
        On everybody, by the rule.
    asked
        The question.
    people
        How many were asked about.
    counts
        How many of them pass, fail and are undecided by the rule.
    failing
        Those who fail (or, if nobody does, are undecided), the first few.
    always
        Those who never have k candidates: they are followed all the time.
    followed
        Those who can be followed at some time that is not known by assumption.
    safe_share, known_share
        Of the time of all of them together, 0 to 1.
    followed_share, undecided_share
        Of the time of all of them together that is not known by assumption, 0 to 1.
    worst
        Whom it hits most; None: nobody can be followed beyond what is known by assumption.
    """

    verdict: Verdict
    asked: Question
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

    @classmethod
    def of(cls, users: UserShares, codes: npt.NDArray[np.integer], asked: Question) -> Headline:
        """The headline for what was found about users.

        Parameters
        ----------
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
        verdict = overall(counts, weak=weak)
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
        )

    @property
    def sentence(self) -> str:
        """The verdict: what the rule asks for, and how many people meet it."""
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
        return f"{who} {asked.candidates} {asked.passing}{but}."

    @property
    def exposure(self) -> str:
        """For how much of the time people are protected, known by assumption, and followed."""
        time, said = self.asked.time, []
        if self.always and self.asked.rule.kind != "some":
            said.append(f"{plural(self.always, 'person', 'people')} can be followed all the time.")
        said.append(f"On average a person is protected {share(self.safe_share)} of {time}.")
        when, of = "", time
        if self.known_share:
            when, of = " in the remaining time", "it"
            said.append(
                f"{share(self.known_share)} of {time} is known by assumption: the adversary saw the"
                f" person {self.asked.seen}."
            )
        open_ = f"{share(self.undecided_share)} of {of} is undecided"
        if self.worst is None:
            proven = "is proven to be" if self.undecided_share else "can be"
            also = f"; {open_}" if self.undecided_share else ""
            said.append(f"Nobody {proven} followed{when}{also}.")
        else:
            who = plural(self.followed, "person", "people")
            also = f" ({open_})" if self.undecided_share else ""
            what = f"{who} can be followed{when}, {share(self.followed_share)} of {of} in total"
            said.append(f"{what}{also}; worst: {self._worst(self.worst)}.")
        return " ".join(said)

    @property
    def _failing(self) -> str:
        """The first of those who do not pass, in brackets."""
        more = self.counts[Verdict.UNSAFE] or self.counts[Verdict.UNDECIDED]
        return f"({', '.join(self.failing)}{', …' if more > len(self.failing) else ''})"

    def _worst(self, worst: Worst) -> str:
        """Who it is, and for how long."""
        who = worst.user if not worst.others else f"{worst.others + 1:,} people"
        if not self.asked.whole:
            return f"{who}, at {worst.steps:,} of {plural(worst.of, 'time', 'times')}"
        if worst.steps == worst.of:
            return f"{who}, for all of it"
        long = duration(worst.steps, worst.of, self.asked.axis.step_seconds)
        return f"{who}, for {share(worst.steps / worst.of)} of it ({long})"

    def to_dict(self) -> dict[str, Any]:
        """The headline as a JSON object."""
        worst = self.worst
        return {
            "verdict": self.verdict.value,
            "sentence": self.sentence,
            "exposure": self.exposure,
            "always_followed": self.always,
            "followed": self.followed,
            "share_of_time_safe": round(self.safe_share, 6),
            "share_of_time_known": round(self.known_share, 6),
            "share_of_remaining_time_followed": round(self.followed_share, 6),
            "share_of_remaining_time_undecided": round(self.undecided_share, 6),
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
    """Whom it hits most, of (n,) steps at which users are followed, of the ``rest`` of each."""
    if not followed.any():
        return None
    part = followed / np.maximum(rest, 1)
    first = int(part.argmax())
    alike = int(np.count_nonzero(part == part[first])) - 1
    return Worst(str(name[first]), alike, int(followed[first]), int(rest[first]))


EXPOSED = 0.5
"""Share of the time for which somebody is followed who is badly exposed, or more."""


def standing(safe: float, undecided: float, known: float) -> Verdict:
    """How well somebody is protected, whatever the rule says: what colours a row about a person.

    Parameters
    ----------
    safe, undecided, known
        Shares of the time, 0 to 1, as in :class:`UserShares`; the rest is followed.

    Returns
    -------
    Verdict
        UNSAFE: never safe, or followed for half of the time or more; WEAK_PASS: followed for some
        of it; UNDECIDED: perhaps followed; SAFE: not beyond what is known by assumption.
    """
    followed = 1 - safe - undecided - known
    if followed >= EXPOSED or not (safe or undecided):
        return Verdict.UNSAFE
    if followed > _ROUNDING:
        return Verdict.WEAK_PASS
    return Verdict.UNDECIDED if undecided else Verdict.SAFE


_ROUNDING = 1e-3
"""Shares are told with four decimals."""


def set_apart(zones: MixZones) -> dict[str, Any]:
    """People who are no matter of exchanges: without data in the period, or in no mix zone.

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
