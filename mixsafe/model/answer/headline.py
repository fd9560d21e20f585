"""What is said first of an answer: who can be followed, for how long, and only then the rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.answer.wording import duration, plural, share
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Names
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.requirement import Rule

WEAK = "weak"
"""A pass by rule ``some`` of people who are not proven safe all the time."""


@dataclass(frozen=True)
class Worst:
    """Who can be followed for the largest share of her time.

    Parameters
    ----------
    user
        The first of them.
    others
        How many more there are for whom it is the same share.
    steps, asked
        Steps at which she can be followed, of those that were asked about.
    """

    user: str
    others: int
    steps: int
    asked: int


@dataclass(frozen=True)
class Headline:
    """The answer about all people, in one sentence and a word.

    Parameters
    ----------
    verdict
        On everybody, by the rule.
    rule
        When a user passes.
    people
        How many were asked about.
    followed
        Those who can be followed at some time: fewer than k candidates are proven.
    unsafe_share, undecided_share
        Of the time of all of them together, 0 to 1.
    worst
        Whom it hits most; None: nobody can be followed.
    step_seconds
        Length of a step; None: steps are only numbered.
    whole
        They were asked about at all times, not at some.
    """

    verdict: Verdict
    rule: Rule
    people: int
    followed: int
    unsafe_share: float
    undecided_share: float
    worst: Worst | None
    step_seconds: int | None
    whole: bool

    @classmethod
    def of(
        cls, users: UserShares, verdict: Verdict, rule: Rule, axis: TimeAxis, whole: bool
    ) -> Headline:
        """The headline for what was found about users."""
        weight = users.weight
        undecided = np.rint(users.undecided_share * weight)
        unsafe = np.rint((1 - users.safe_share - users.undecided_share) * weight)
        total = max(float(weight.sum()), 1.0)
        worst = None
        if unsafe.any():
            part = unsafe / np.maximum(weight, 1)
            first = int(part.argmax())
            alike = int(np.count_nonzero(part == part[first])) - 1
            steps, asked = int(unsafe[first]), int(weight[first])
            worst = Worst(str(users.name[first]), alike, steps, asked)
        return cls(
            verdict,
            rule,
            len(weight),
            int(np.count_nonzero(unsafe)),
            float(unsafe.sum()) / total,
            float(undecided.sum()) / total,
            worst,
            axis.step_seconds,
            whole,
        )

    @property
    def weak(self) -> bool:
        """Everybody passes by rule ``some``, and yet is not proven safe at all times."""
        open_time = self.unsafe_share > 0 or self.undecided_share > 0
        return self.verdict is Verdict.SAFE and self.rule.kind == "some" and open_time

    @property
    def word(self) -> str:
        """``safe``, ``weak``, ``unsafe`` or ``undecided``."""
        return WEAK if self.weak else self.verdict.value

    @property
    def sentence(self) -> str:
        """Who can be followed, for how much of the time, and at worst who and how long."""
        of_time = "their time" if self.whole else "the times asked about"
        undecided = f"{share(self.undecided_share)} of {of_time}"
        if self.worst is None:
            if self.undecided_share:
                return f"Nobody is proven to be followed, but {undecided} is undecided."
            when = "at any time" if self.whole else "at any time asked about"
            return f"Nobody of {plural(self.people, 'person', 'people')} can be followed {when}."
        who = f"{self.followed:,} of {plural(self.people, 'person', 'people')}"
        said = f"{who} can be followed, for {share(self.unsafe_share)} of {of_time}"
        if self.undecided_share:
            said += f" ({share(self.undecided_share)} undecided)"
        return f"{said}; at worst {self._worst(self.worst)}."

    def _worst(self, worst: Worst) -> str:
        """Who it is, and for how long."""
        who = worst.user
        if worst.others:
            who = f"{worst.others + 1:,} people, one of them {worst.user}, each"
        if not self.whole:
            return f"{who} at {worst.steps:,} of {plural(worst.asked, 'time', 'times')} asked about"
        if worst.steps == worst.asked:
            return f"{who} all the time"
        long = duration(worst.steps, worst.asked, self.step_seconds)
        return f"{who} for {share(worst.steps / worst.asked)} of it ({long})"

    def to_dict(self) -> dict[str, Any]:
        """The headline as a JSON object."""
        worst = self.worst
        return {
            "word": self.word,
            "sentence": self.sentence,
            "followed": self.followed,
            "share_of_time_followed": round(self.unsafe_share, 6),
            "share_of_time_undecided": round(self.undecided_share, 6),
            "worst": None
            if worst is None
            else {
                "user": worst.user,
                "others_alike": worst.others,
                "share_of_time_followed": round(worst.steps / worst.asked, 6),
            },
        }


@dataclass(frozen=True, eq=False)
class UserShares:
    """What was found about users who were asked about, (n,) each.

    Parameters
    ----------
    name
        What they are called.
    safe_share, undecided_share
        Of the steps asked about, 0 to 1.
    weight
        Steps asked about.
    """

    name: Names
    safe_share: npt.NDArray[np.float64]
    undecided_share: npt.NDArray[np.float64]
    weight: npt.NDArray[np.int64]


NAMED = 1000
"""People set apart who are named, of each kind, at most."""


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
