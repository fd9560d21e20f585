"""A follower who bets on tracks: how often the track that she names is the person's.

An audit says which tracks are possible. A follower need not rule out the others: she names for each
person at each time the track that she believes in most (:mod:`mixsafe.release.track_beliefs`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.model.answer.time_followed import BELIEFS, CERTAIN, HIGH, TimeFollowed
from mixsafe.model.answer.wording import plural, share
from mixsafe.model.mobility.traces import Names
from mixsafe.model.release import TrueTracks
from mixsafe.release.evidence import Evidence
from mixsafe.release.findings import Findings
from mixsafe.release.track_beliefs import TrackBeliefs
from mixsafe.release.true_tracks import Bets
from mixsafe.verify.auditor.paths import FIRST

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

_SURE, _WIDE = 0.999, 0.5  # intervals that are told begin below the one, and are less wide

_ROUNDING = 1e-9

_NORMAL = 1.96  # standard deviations to either side of which 95% lie


@dataclass(frozen=True, eq=False)
class TrackFollower:
    """What a follower believes of the known users of a release.

    Parameters
    ----------
    beliefs
        The tracks that she names.
    users, tracks
        Names of the known users, and of the tracks.
    step_seconds
        Length of a step, seconds; None: steps are only numbered.
    possible
        (n_known, n_events) tracks that are possible for each known user.
    events
        (n_events,) number of steps of each.
    truth
        The true tracks of the known users; None: they are not known.
    """

    beliefs: TrackBeliefs
    users: Names
    tracks: Names
    step_seconds: int | None
    possible: npt.NDArray[np.int32]
    events: Ints
    truth: TrueTracks | None = None

    @classmethod
    def of(
        cls, evidence: Evidence, found: Findings, truth: TrueTracks | None = None
    ) -> TrackFollower:
        """What she believes, beside what an audit found, and the truth where it is known."""
        return cls(
            TrackBeliefs.of(evidence),
            evidence.users,
            evidence.zones.users,
            evidence.zones.axis.step_seconds,
            found.upper.count[:, FIRST:],
            found.lasts[FIRST:],
            truth,
        )

    def __repr__(self) -> str:
        return (
            f"<TrackFollower: right for {self.expected:.0%} of {len(self.users):,} people's time>"
        )

    @property
    def n_users(self) -> int:
        """Number of people whose tracks are weighed."""
        return len(self.beliefs.user)

    @cached_property
    def expected(self) -> float:
        """Share of these people's time for which she expects to name the right track."""
        return float(self.beliefs.of_user.mean())

    @cached_property
    def bets(self) -> Bets | None:
        """Her bets beside the truth, as far as it is told; None: it is not known."""
        return None if self.truth is None else Bets.of(self.beliefs, self.truth)

    @property
    def counted(self) -> float | None:
        """Share of the time that the truth tells for which she names the right track."""
        return None if self.bets is None else self.bets.share_right()

    @property
    def right(self) -> float:
        """Share of the time for which she names the right track: the greater of both shares."""
        return max(self.expected, self.counted or 0.0)

    @cached_property
    def interval(self) -> tuple[float, float]:
        """95% interval of the share of everybody's time for which she names the right track.

        Somebody's track is taken to be right all the time or never, which is the widest.
        """
        each, n = self.beliefs.of_user, self.n_users
        variance = float((each * (1 - each)).sum()) / n**2
        if n < self.beliefs.n_known:
            variance += float(each.var(ddof=min(n - 1, 1))) / n * (1 - n / self.beliefs.n_known)
        off = _NORMAL * float(np.sqrt(variance)) + self.beliefs.error
        return max(self.expected - off, 0.0), min(self.expected + off, 1.0)

    @property
    def certain(self) -> tuple[float, float | None]:
        """Share of the time with a belief of 0.9 or more, and of that the share that is right."""
        sure = (self.beliefs.belief >= HIGH) @ self.beliefs.lasts
        right = None if self.bets is None else self.bets.share_right(self.bets.belief >= HIGH)
        return float(sure.mean()) / max(self.beliefs.n_steps, 1), right

    @property
    def alone(self) -> float:
        """Share of the time for which ruling out leaves one track."""
        one = (self.possible == 1) @ self.events
        return float(one.mean()) / max(int(self.events.sum()), 1)

    @property
    def n_possible(self) -> int:
        """Tracks that are possible for a person at a time: the median over people and time."""
        order = np.argsort(self.possible, axis=None)
        weight = np.broadcast_to(self.events, self.possible.shape).ravel()[order]
        middle = np.searchsorted(np.cumsum(weight), weight.sum() / 2)
        return int(self.possible.ravel()[order[min(middle, len(order) - 1)]])

    def followed(self, belief: float) -> TimeFollowed:
        """The longest time of each person with such a belief at each step: of them all."""
        return self._time(self.beliefs.belief >= belief - _ROUNDING, self.beliefs.lasts)

    @property
    def followed_certainly(self) -> TimeFollowed:
        """The same for times at which ruling out leaves one track."""
        return self._time(self.possible == 1, self.events)

    @property
    def times(self) -> dict[str, TimeFollowed]:
        """For how long people are followed: with certainty, and by belief."""
        found = {f"{belief:g}": self.followed(belief) for belief in BELIEFS}
        return {CERTAIN: self.followed_certainly, **found}

    def _time(self, holds: Bools, lasts: Ints) -> TimeFollowed:
        longest = longest_runs(holds, lasts) * (self.step_seconds or 1)
        if not len(longest):
            return TimeFollowed(0.0, 0.0)
        return TimeFollowed(float(longest.max()), float(np.median(longest)))

    @cached_property
    def named(self) -> list[dict[str, Any]]:
        """A row per person, the surest first: the track named for longest, and the mean belief."""
        found, lasts, bets = self.beliefs, self.beliefs.lasts, self.bets
        rows = []
        longest = longest_runs(found.belief >= BELIEFS[1] - _ROUNDING, lasts) * (
            self.step_seconds or 1
        )
        for one in np.argsort(-found.of_user, kind="stable").tolist():
            steps = np.bincount(found.track[one], lasts)
            rows.append(
                {
                    "user_id": str(self.users[found.user[one]]),
                    "pse_id": str(self.tracks[int(steps.argmax())]),
                    "share_named": float(steps.max()) / max(found.n_steps, 1),
                    "belief": float(found.of_user[one]),
                    "longest_followed": float(longest[one]),
                    "right": None if bets is None else bets.share_right(bets.user == one),
                }
            )
        return rows

    @property
    def sentence(self) -> str:
        """How often she is right, beside what ruling out leaves."""
        return (
            f"A follower who bets names the right track for {share(self.right)} of the time"
            f" ({self._how}); ruling out alone does for {share(self.alone)}. Possible:"
            f" {plural(self.n_possible, 'track', 'tracks')}."
        )

    @property
    def _how(self) -> str:
        """Where the share comes from; of the expected and the counted one the greater is first."""
        low, high = self.interval
        told = low < _SURE and high - low < _WIDE
        also = f", {share(low)} to {share(high)}" if told else ""
        if not self.beliefs.learned:
            also = "; the release teaches too little of gaps"
        if self.bets is None or self.counted is None:
            return f"expected{also}"
        part = "" if self.bets.told >= _SURE else f" for {share(self.bets.told)} of the time"
        if self.counted >= self.expected:
            return f"counted{part}; expected: {share(self.expected)}{also}"
        return f"expected{also}; counted{part}: {share(self.counted)}"

    @property
    def about(self) -> str:
        """What her beliefs rest on, in a sentence or two."""
        found = self.beliefs
        said = (
            "A track that shows nothing when a person was seen explains it as often as fixes of the"
            " release, taken out, would have been there."
            if found.learned
            else "There are too few fixes to learn from: in gaps, people are taken to be anywhere,"
            " as often as tracks are."
        )
        if self.n_users < found.n_known:
            said += f" A sample of {self.n_users:,} of {plural(found.n_known, 'person', 'people')}."
        if not found.together:
            said += " Each person is weighed as if nothing was known of the others."
        if found.error:
            said += f" Beliefs are of drawn stories; they are {found.error:.3f} off."
        sure, right = self.certain
        if right is not None:
            said += (
                f" For {share(sure)} of the time a belief is {HIGH:g} or more; by the truth the"
                f" named track is right for {share(right)} of that."
            )
        return said

    def to_dict(self) -> dict[str, Any]:
        """The beliefs in numbers, as JSON."""
        low, high = self.interval
        sure, right = self.certain
        return {
            "sentence": self.sentence,
            "about": self.about,
            "people": self.n_users,
            "expected": self.expected,
            "low": low,
            "high": high,
            "right": self.counted,
            "told": None if self.bets is None else self.bets.told,
            "certain": {"belief": HIGH, "share": sure, "right": right},
            "ruling_out": self.alone,
            "possible_tracks": self.n_possible,
            "learned": self.beliefs.learned,
            "together": self.beliefs.together,
            "sampling_error": self.beliefs.error,
            "calibration": [] if self.bets is None else self.bets.calibration(),
            "followed": {key: time._asdict() for key, time in self.times.items()},
            "named": self.named,
        }


def longest_runs(holds: Bools, lasts: Ints) -> Ints:
    """(n,) longest time without a break for which something holds.

    Parameters
    ----------
    holds
        (n, n_stretches) whether it holds in each stretch.
    lasts
        (n_stretches,) length of each.
    """
    upto = np.cumsum(np.where(holds, lasts, 0), axis=1)
    before_break = np.maximum.accumulate(np.where(holds, 0, upto), axis=1)
    runs: Ints = (upto - before_break).max(axis=1, initial=0)
    return runs
