"""A follower who bets: of all candidates she names the likeliest, and how often she is right.

Counting candidates answers what is possible. A follower need not rule out anything: she learns how
vehicles move (:mod:`mixsafe.tracklets.ride_movement`), weighs all histories by it, and names for
each ride the candidate that she believes in most. No other rule names more rides correctly, if she
is right about the weights.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.answer.time_followed import BELIEFS, HIGH, TimeFollowed
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.course import Deadline
from mixsafe.model.tracklets import LinkProblem, Tracklets
from mixsafe.movement.calibration import by_belief
from mixsafe.tracklets.assignment import likeliest_history
from mixsafe.tracklets.following import FollowedRides
from mixsafe.tracklets.marginals import MOVES, Marginals, marginals
from mixsafe.tracklets.ride_movement import (
    RideLinks,
    RideModel,
    learn_by_beliefs,
    learn_from_truth,
    log_ratios_of,
)
from mixsafe.tracklets.rules import LinkRules, true_links

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]

_QUICK = 100  # moves for each end where many feeds are compared, or a rough answer does
_NORMAL = 1.96  # standard deviations to either side of which 95% lie
_CALIBRATION = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99)


class Named(NamedTuple):
    """What a follower names for each tracklet.

    Parameters
    ----------
    link
        (n,) the link that she believes in most; -1: there is none.
    belief
        (n,) her belief in it; 0: there is none.
    """

    link: Ints
    belief: Floats


COURSE_OFF = 0.13
"""By how much more a share may be off that is expected with headings and speeds: how many false
links compete with a true one is not learned. In simulated traffic of two towns with five rules of
changes it was off by up to 0.123 beyond chance (docs/rotating_ids.md)."""


@dataclass(frozen=True, eq=False)
class Follower:
    """What a follower believes of a feed.

    Parameters
    ----------
    tracklets, problem
        What is published, and the links that rules allow.
    model
        What she knows of movement.
    marginals
        Her beliefs.
    limit
        Greatest belief that is allowed in a candidate of a ride.
    apart
        Expected share of rides that she names correctly if she learns from one half of the time
        what she uses in the other; None: she learns from truth, or there is too little to learn.
    true
        (n_links,) links that are true, where the data say so.
    n_kept
        Identifiers that did not change in a ride: she follows them without looking.
    history
        (n,) the link of each end in the likeliest history as a whole, -1: none; None: not looked
        for.
    """

    tracklets: Tracklets
    problem: LinkProblem
    model: RideModel
    marginals: Marginals
    limit: float
    apart: float | None = None
    true: Bools | None = None
    n_kept: int = 0
    history: Ints | None = None

    def __repr__(self) -> str:
        return f"<Follower: right for {self.expected:.0%} of {self.n_rides:,} rides>"

    @property
    def n_rides(self) -> int:
        """Ends with a candidate, and identifiers that stay the same through a ride."""
        return int(np.count_nonzero(np.diff(self.problem.ptr))) + self.n_kept

    def named(self, side: str) -> Named:
        """What she names, seen from the ends of identifiers (``end``) or from the beginnings."""
        return self._from_ends if side == "end" else self._from_begins

    @cached_property
    def _from_ends(self) -> Named:
        return self._likeliest(self.problem.owner)

    @cached_property
    def _from_begins(self) -> Named:
        return self._likeliest(self.problem.to)

    def _likeliest(self, of: npt.NDArray[np.int32]) -> Named:
        """The likeliest link of each tracklet that links are ``of``; the first of equal ones."""
        belief, n = self.marginals.belief, len(self.problem)
        link, best = np.full(n, -1), np.zeros(n)
        np.maximum.at(best, of, belief)
        likeliest = np.flatnonzero(belief == best[of])[::-1]
        link[of[likeliest]] = likeliest  # of several the last one stays: the first link
        return Named(link, best)

    @property
    def expected(self) -> float:
        """Share of rides that she expects to name correctly."""
        named = self.named("end")
        return (float(named.belief.sum()) + self.n_kept) / max(self.n_rides, 1)

    @property
    def interval(self) -> tuple[float, float]:
        """95% interval of the share that she names correctly, if her model has learned enough.

        Beliefs that are learned from the same rides are a little too sure, and those learned from
        others, of which there are fewer, not sure enough: the interval holds both, chance, and by
        how much samples of histories differ. So it does if her model is that of another feed: she
        could learn from this one as well. With headings and speeds it has ``COURSE_OFF`` more.
        """
        belief = self.named("end").belief
        chance = float(np.sqrt((belief * (1 - belief)).sum())) / max(self.n_rides, 1)
        shares = (self.expected, self.expected if self.apart is None else self.apart)
        off = _NORMAL * chance + self.marginals.error
        if self.model.looks_at_course:
            off += COURSE_OFF
        low, high = min(shares) - off, max(shares) + off
        return max(low, 0.0), min(high, 1.0)

    def _right(self, some: Bools) -> float | None:
        """Share of some ends for which what she names is true; None: unknown, or there is none."""
        link = self.named("end").link[some]
        return None if self.true is None or not len(link) else float(self.true[link].mean())

    @property
    def counted(self) -> float | None:
        """Share of rides that she names correctly, by the truth; None: it is not known."""
        linked = self.named("end").link >= 0
        right = self._right(linked)
        if right is None:
            return None
        return (right * int(np.count_nonzero(linked)) + self.n_kept) / self.n_rides

    @property
    def assigned(self) -> tuple[float, float | None] | None:
        """Share of rides that the likeliest history as a whole names correctly.

        Returns
        -------
        The share as expected, and as counted by the truth, where it is known; None: the history was
        not looked for.
        """
        if self.history is None:
            return None
        links = self.history[self.history >= 0]
        expected = float(self.marginals.belief[links].sum()) + self.n_kept
        rides = max(self.n_rides, 1)
        if self.true is None:
            return expected / rides, None
        return expected / rides, (int(self.true[links].sum()) + self.n_kept) / rides

    @property
    def certain(self) -> tuple[float, float | None]:
        """Share of rides with a belief of 0.9 or more, and the share of these that is right."""
        sure = self.named("end").belief >= HIGH
        right = self._right(sure)
        n_sure = int(np.count_nonzero(sure))
        if right is not None and n_sure:
            right = (right * n_sure + self.n_kept) / (n_sure + self.n_kept)
        return (n_sure + self.n_kept) / max(self.n_rides, 1), right

    def allowed(self, share: float) -> bool:
        """Whether so large a share of rides, from either side, has no candidate above the limit."""
        above = [self.n_above(side) for side in ("end", "begin")]
        problem, n = self.problem, len(self.problem)
        rides = self.n_rides + int(np.count_nonzero(np.bincount(problem.to, minlength=n)))
        return rides - sum(above) - self.n_kept >= share * rides

    def n_above(self, side: str) -> int:
        """Rides, seen from a side, with a candidate that is believed more than is allowed."""
        return int(np.count_nonzero(self.named(side).belief > self.limit))

    def followed(self, belief: float) -> TimeFollowed:
        """For how long vehicles are followed, as long as she believes so much in each next one."""
        named = self.named("end")
        sure = (named.link >= 0) & (named.belief >= belief)
        after = np.full(len(sure), -1)
        after[sure] = self.problem.to[named.link[sure]]
        return self.time_of(after)

    def time_of(self, after: Ints) -> TimeFollowed:
        """For how long vehicles are followed from each identifier to the next one.

        Parameters
        ----------
        after
            (n,) next identifier; -1: none.
        """
        last = self.problem.last.astype(np.float64)
        upto = np.where(after < 0, np.arange(len(after)), after)
        while True:  # each round doubles the number of rides that are followed
            further = upto[upto]
            if np.array_equal(further, upto):
                break
            upto = further
        times = last[upto] - self.problem.first
        if not len(times):
            return TimeFollowed(0.0, 0.0)
        return TimeFollowed(float(times.max()), float(np.median(times)))

    def calibration(self) -> list[dict[str, float]]:
        """Links by belief: their number, their mean belief and the share that is true."""
        if self.true is None:
            return []
        one_each = np.ones(len(self.true), np.int64)
        found = by_belief(_CALIBRATION, self.marginals.belief, self.true, one_each)
        return [dict(zip(("from", "links", "belief", "true"), row, strict=True)) for row in found]

    @property
    def brier(self) -> float | None:
        """Sum of squares of belief less truth over all links, by rides; None: no truth is known."""
        if self.true is None:
            return None
        return float(((self.marginals.belief - self.true) ** 2).sum()) / max(self.n_rides, 1)

    def to_dict(self) -> dict[str, Any]:
        """The beliefs in numbers, as JSON."""
        low, high = self.interval
        share, right = self.certain
        return {
            "rides": self.n_rides,
            "expected": self.expected,
            "low": low,
            "high": high,
            "right": self.counted,
            "assigned": self._assigned(),
            "certain": {"belief": HIGH, "share": share, "right": right},
            "limit": self.limit,
            "above": {side + "s": self.n_above(side) for side in ("end", "begin")},
            "followed": {f"{p:g}": self.followed(p)._asdict() for p in reversed(BELIEFS)},
            "sampling_error": self.marginals.error,
            "calibration": self.calibration(),
            "brier": self.brier,
            "model": self.model.to_dict(),
        }

    def _assigned(self) -> dict[str, float | None] | None:
        """What the likeliest history as a whole names, as JSON."""
        if self.assigned is None:
            return None
        expected, right = self.assigned
        return {"expected": expected, "right": right}


@dataclass(frozen=True, eq=False)
class Betting:
    """How a follower bets.

    Parameters
    ----------
    limit
        Greatest belief that is allowed in a candidate of a ride, 0 to 1.
    model
        What she knows of movement: a model, ``truth`` (learned from the feed's own rides), or
        ``beliefs`` (learned from the feed without truth).

    Raises
    ------
    InputError
        A limit that is no share.
    """

    limit: float = 0.5
    model: RideModel | str = "beliefs"

    def __post_init__(self) -> None:
        if not 0 < self.limit <= 1:
            raise InputError(f"a belief of {self.limit:g} is not above 0 and at most 1")

    def on(
        self,
        tracklets: Tracklets,
        problem: LinkProblem,
        rules: LinkRules,
        *,
        n_kept: int = 0,
        quick: bool = False,
        deadline: Deadline | None = None,
    ) -> Follower | None:
        """What she believes.

        Parameters
        ----------
        tracklets, problem, rules
            What is published, and the links that are possible.
        n_kept
            Identifiers that do not change in a ride.
        quick
            With fewer drawn histories, and without the interval of what is learned.
        deadline
            When to stop drawing histories; None: when there are enough.

        Returns
        -------
        None if the time was up before she had learned how vehicles move.

        Raises
        ------
        InputError
            The model does not fit the feed, or it has no truth to learn from.
        """
        deadline = Deadline(None) if deadline is None else deadline
        nobody = np.zeros(len(problem), bool)
        problem = replace(problem, must_continue=nobody, must_come=nobody)
        links = RideLinks.of(tracklets, problem, rules)
        true = None if tracklets.truth is None else _true(tracklets, problem)
        model = self._model(links, true, deadline)
        apart = None
        if model is not None and self.model != "truth" and not quick:
            apart = _apart(links, deadline)
        if model is None or deadline.passed:
            return None
        weight = links.weights(log_ratios_of(links, model), model.goes_on)
        del links  # its features are as large as all else
        moves = _QUICK if quick else MOVES
        found = marginals(problem, weight, moves=moves, deadline=deadline)
        history = None if quick else likeliest_history(problem, weight, deadline)
        return Follower(tracklets, problem, model, found, self.limit, apart, true, n_kept, history)

    def _model(self, links: RideLinks, true: Bools | None, deadline: Deadline) -> RideModel | None:
        """The model of movement; None: the time was up."""
        if isinstance(self.model, RideModel):
            return self.model
        if self.model == "beliefs":
            return learn_by_beliefs(links, deadline)
        if true is None:
            raise InputError(
                "the data do not say which vehicle an identifier is of, so there are no rides to"
                " learn from",
                hint="name the column with the vehicle, or learn without truth",
            )
        return learn_from_truth(links, true)


def both_verdicts(followed: FollowedRides, follower: Follower | None) -> Verdict:
    """Whether enough rides have k candidates, none of which is believed too much.

    Parameters
    ----------
    followed
        The candidates.
    follower
        The beliefs; None: they are not known, so that nothing is safe.
    """
    counted = followed.verdict
    if follower is None:
        return Verdict.UNDECIDED if counted is Verdict.SAFE else counted
    if counted is Verdict.UNSAFE or follower.allowed(followed.rule.share):
        return counted
    return Verdict.UNDECIDED if follower.model.learned == "nothing" else Verdict.UNSAFE


def _true(tracklets: Tracklets, problem: LinkProblem) -> Bools:
    """(n_links,) links that are true."""
    n, links = len(problem), true_links(tracklets)
    found: Bools = np.isin(problem.owner.astype(np.int64) * n + problem.to, links @ (n, 1))
    return found


def _apart(links: RideLinks, deadline: Deadline) -> float | None:
    """Expected share that is right if each half of the time is judged by what the other taught.

    None: there is too little to learn from, or the time was up.
    """
    problem = links.problem
    if not problem.n_links:
        return None
    late = problem.last[problem.owner] >= np.median(problem.last[problem.owner])
    weight = np.zeros(problem.n_links)
    for half in (late, ~late):
        model = learn_by_beliefs(links.those(half), deadline)
        if model is None or model.learned == "nothing":
            return None
        others = links.those(~half)
        weight[~half] = others.weights(log_ratios_of(others, model), model.goes_on)
    belief = marginals(problem, weight, moves=_QUICK, deadline=deadline).belief
    ends = np.flatnonzero(np.diff(problem.ptr))
    return float(np.maximum.reduceat(belief, problem.ptr[ends]).mean())
