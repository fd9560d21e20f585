"""Which fields to drop or to coarsen: the mildest changes to a feed that protect enough rides.

A link that is possible stays possible when a field goes or gets coarser, so that in the open fleet
candidates only grow. The share of rides that are safe need not: an identifier that nothing could
continue may be one of few that continue another. So changes are tried one after the other, in the
order of their steps on the ladders, until some of as many steps fulfil the rule.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mixsafe.model.answer.verdict import SAFE, Verdict
from mixsafe.model.course import Deadline
from mixsafe.model.progress import Progress, no_progress
from mixsafe.model.question.requirement import Rule
from mixsafe.model.tracklets import Tracklets
from mixsafe.tracklets.coarsening import coarser
from mixsafe.tracklets.following import FollowedRides, follow
from mixsafe.tracklets.linking import MayLeave, link
from mixsafe.tracklets.rules import LinkRules

_DROPPED = 0.0
"""Step of a ladder at which the field is not published at all."""

LADDERS: Mapping[str, tuple[float, ...]] = {
    "places": (50, 100, 250),
    "times": (60, 300, 900),
    "poll": (60, 180, 300),
    "range": (1_000, 5_000, _DROPPED),
    "battery": (_DROPPED,),
    "type": (_DROPPED,),
    "last_reported": (_DROPPED,),
    "station": (_DROPPED,),
    "uri": (_DROPPED,),
    "slots": (_DROPPED,),
}
"""Steps from mild to coarse: metres of a grid, seconds, seconds between snapshots, metres."""

_SAID = {
    "places": "places to {:g} m",
    "times": "times to {:g} min",
    "poll": "snapshots every {:g} min",
    "range": "range to {:g} km",
}
_UNIT = {"places": 1, "times": 60, "poll": 60, "range": 1_000}

Levels = tuple[int, ...]
"""Step on each ladder in use, 0: as it is."""


@dataclass(frozen=True)
class FeedChange:
    """A change to a feed, and what it brings.

    Parameters
    ----------
    changes
        Step of the ladder by field: what is coarser, and how much.
    n_steps
        Steps on all ladders together.
    safe
        Share of rides that have k candidates whoever leaves the fleet.
    verdict
        On the changed feed.
    """

    changes: Mapping[str, float]
    n_steps: int
    safe: float
    verdict: Verdict

    @property
    def words(self) -> str:
        """The change in words."""
        said = [
            f"{field} dropped" if size == _DROPPED else _SAID[field].format(size / _UNIT[field])
            for field, size in self.changes.items()
        ]
        return ", ".join(said) or "none"


@dataclass(frozen=True)
class FeedChanges:
    """What was tried, and whether something fulfils the rule.

    Parameters
    ----------
    tried
        From no change on, by steps.
    complete
        False: the deadline passed before something fulfilled the rule, or everything was tried.
    """

    tried: tuple[FeedChange, ...]
    complete: bool

    @property
    def mildest(self) -> tuple[FeedChange, ...]:
        """The changes that fulfil the rule with the fewest steps, the best first; may be empty."""
        found = [one for one in self.tried if one.verdict is Verdict.SAFE]
        fewest = min((one.n_steps for one in found), default=0)
        return tuple(sorted((one for one in found if one.n_steps == fewest), key=lambda r: -r.safe))

    @property
    def sentence(self) -> str:
        """The answer in a sentence."""
        best = max(self.tried, key=lambda one: one.safe)
        if not self.complete:
            return f"Not all changes were tried in time; the best of those tried: {best.words}."
        if not self.mildest:
            return "Even all steps together do not fulfil the rule."
        first = self.mildest[0]
        if not first.n_steps:
            return "The rule is fulfilled as it is."
        return f"The mildest change that fulfils the rule: {first.words}."


@dataclass(frozen=True)
class FeedQuestion:
    """What is asked of a feed, and under which rules.

    Parameters
    ----------
    rules
        Of the links.
    may_leave
        Who need not continue in a closed fleet.
    k, rule
        Candidates that a ride needs, and which rides must have them.
    closed
        The fleet is known to be closed.
    """

    rules: LinkRules
    may_leave: MayLeave
    k: int
    rule: Rule
    closed: bool = False

    def of(self, tracklets: Tracklets, deadline: Deadline | None = None) -> FollowedRides:
        """The candidates of all rides."""
        problem = link(tracklets, self.rules, fleet="closed", may_leave=self.may_leave)
        return follow(
            tracklets, problem, self.k, rule=self.rule, closed=self.closed, deadline=deadline
        )


def remedies(
    tracklets: Tracklets,
    asked: FeedQuestion,
    *,
    deadline: Deadline | None = None,
    progress: Progress = no_progress,
) -> FeedChanges:
    """Find the fewest and mildest changes to a feed that fulfil a rule.

    Parameters
    ----------
    tracklets
        What is published.
    asked
        The question.
    deadline
        Of the search; None: until it is complete.

    Returns
    -------
    All changes that were tried: those of each number of steps, until some fulfil the rule; where
    not even all steps together do, single steps only.
    """
    deadline = Deadline(None) if deadline is None else deadline
    ladders = _ladders(tracklets, asked.rules)
    tried: list[FeedChange] = []
    top = tuple(map(len, ladders.values()))
    best = _tried(tracklets, asked, ladders, top)
    for n_steps in range(sum(top) if best.verdict is Verdict.SAFE else 2):
        for levels in _with_steps(n_steps, top):
            if deadline.passed:
                return FeedChanges((*tried, best), complete=False)
            tried.append(_tried(tracklets, asked, ladders, levels))
            progress("trying changes", len(tried), 0)
        if any(one.verdict is Verdict.SAFE for one in tried):
            return FeedChanges(tuple(tried), complete=True)
    return FeedChanges((*tried, best), complete=True)


def _ladders(tracklets: Tracklets, rules: LinkRules) -> dict[str, tuple[float, ...]]:
    """The steps that change something: of fields that the feed has and the adversary compares."""
    ends = tracklets.ends
    between = float(np.median((ends.latest - ends.earliest)[~ends.cut])) if len(ends) else 0.0
    looked_at = {"places", "times", "poll", *(set(rules.fields) & ends.fields.keys())}
    found = {name: steps for name, steps in LADDERS.items() if name in looked_at}
    found["poll"] = tuple(one for one in found["poll"] if one > between)
    return {name: steps for name, steps in found.items() if steps}


def _with_steps(n_steps: int, top: Levels) -> Iterator[Levels]:
    """All levels with so many steps together."""
    choices = (range(min(most, n_steps) + 1) for most in top)
    return (levels for levels in itertools.product(*choices) if sum(levels) == n_steps)


def _tried(
    tracklets: Tracklets,
    asked: FeedQuestion,
    ladders: Mapping[str, tuple[float, ...]],
    levels: Levels,
) -> FeedChange:
    """A change, and what it brings."""
    changes = {
        name: steps[level - 1]
        for (name, steps), level in zip(ladders.items(), levels, strict=True)
        if level
    }
    drop = tuple(name for name, size in changes.items() if size == _DROPPED)
    sizes: dict[str, Any] = {name: size for name, size in changes.items() if size != _DROPPED}
    found = asked.of(coarser(tracklets, drop=drop, **sizes))
    codes = np.concatenate([found.verdicts(one) for one in found.sides])
    safe = float((codes == SAFE).mean()) if len(codes) else 0.0
    return FeedChange(changes, sum(levels), safe, found.verdict)
