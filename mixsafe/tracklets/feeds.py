"""From a feed whose identifiers change to what can be followed through it.

How many tracklets may be of the vehicle of each at one time is found for all at once. Upper bounds
are sets of what links reach, gathered backwards in time. In an open fleet they are exact. Otherwise
lower bounds come from several histories: each is one matching, found among a random part of the
links.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from mixsafe.machinery.compiled import side_by_side, tiered
from mixsafe.model.answer.verdict import DECISIONS, Verdict
from mixsafe.model.arguments import of_kind
from mixsafe.model.course import Deadline
from mixsafe.model.progress import Progress, no_progress
from mixsafe.model.question.requirement import Rule
from mixsafe.model.tracklets import (
    Bools,
    ChainCounts,
    Feed,
    Ints,
    LinkBounds,
    LinkProblem,
    Tracklets,
)
from mixsafe.solver.state.tokens import count
from mixsafe.tracklets.follower import Betting, Follower, both_verdicts
from mixsafe.tracklets.following import EVERY, FollowedRides, RideCandidates
from mixsafe.tracklets.linking import MayLeave, counts_without
from mixsafe.tracklets.matching import History, history_of
from mixsafe.tracklets.remedies import FeedChanges, FeedQuestion
from mixsafe.tracklets.remedies import remedies as find_remedies
from mixsafe.tracklets.rules import LinkRules, RuleCheck, check_rules, rules_of

Names = npt.NDArray[np.str_]

HISTORIES = 32
"""Histories that lower bounds are from: no lower bound is higher."""

_LINKS = 10  # of each end that a history may use, on average, and those of the first history
_WORDS = 64  # of 64 candidates each: sets that are gathered at once


def count_at(
    problem: LinkProblem,
    bounds: LinkBounds,
    time: int,
    deadline: Deadline,
    *,
    histories: int = HISTORIES,
    seed: int = 0,
) -> ChainCounts:
    """Count for every tracklet that ended before a time who may be of its vehicle then.

    Parameters
    ----------
    problem
        The tracklets and links.
    bounds
        What :func:`mixsafe.tracklets.histories.decide` found of them; nothing is contradicted.
    time
        The time.
    deadline
        When to stop looking for histories.
    histories
        Number of histories for lower bounds.
    seed
        Of what they are drawn with.
    """
    asked = problem.last < time
    upper, none = _gathered(problem, bounds, time)
    upper[~asked], none[~asked] = 0, False
    if problem.is_open:
        return ChainCounts(time, asked, upper, upper, none, none)
    lower, found_none = _in_histories(problem, bounds, time, deadline, histories, seed)
    lower[~asked], found_none[~asked] = 0, False
    return ChainCounts(time, asked, lower, upper, found_none, none)


def _gathered(problem: LinkProblem, bounds: LinkBounds, time: int) -> tuple[Ints, Bools]:
    """Number of tracklets at a time that links reach from each one, and whether none may be."""
    n = len(problem)
    past = np.flatnonzero(problem.last < time)
    order = past[np.argsort(-problem.last[past], kind="stable")]
    there = np.flatnonzero(problem.there(time))
    leaves = problem.leaves(bounds.possible, bounds.may_end_possible, time)
    none = leaves.astype(np.uint64)[:, None]
    _gather(order, problem.ptr, problem.to, bounds.possible, none)
    parts = np.array_split(there, -(-len(there) // (64 * _WORDS)) or 1)
    counts = np.zeros((len(parts), n), np.int64)

    def gather(number: int) -> None:
        part = parts[number]
        place = np.arange(len(part))
        sets = np.zeros((n, -(-len(part) // 64) or 1), np.uint64)
        sets[part, place // 64] = np.uint64(1) << (place % 64).astype(np.uint64)
        _gather(order, problem.ptr, problem.to, bounds.possible, sets)
        counts[number] = count(sets)

    side_by_side(gather, range(len(parts)))
    return counts.sum(axis=0), none[:, 0] > 0


@tiered
def _gather(
    order: Ints,
    ptr: Ints,
    to: npt.NDArray[np.int32],
    possible: Bools,
    sets: npt.NDArray[np.uint64],
) -> None:
    """Add to the set of each tracklet, in order, the sets of those that may continue it."""
    for at in range(len(order)):
        i = order[at]
        for link in range(ptr[i], ptr[i + 1]):
            if possible[link]:
                for word in range(sets.shape[1]):
                    sets[i, word] |= sets[to[link], word]


def _in_histories(
    problem: LinkProblem,
    bounds: LinkBounds,
    time: int,
    deadline: Deadline,
    histories: int,
    seed: int,
) -> tuple[Ints, Bools]:
    """Number of tracklets at a time that are on each chain in histories; whether none is."""
    n, rng = len(problem), np.random.default_rng(seed)
    first = None if len(problem.same) else history_of(problem)
    if not isinstance(first, History):
        return np.zeros(n, np.int64), np.zeros(n, bool)
    known, found = first.links(problem), [_whereabouts(problem, first, time)]
    share = _LINKS * n / max(problem.n_links, 1)
    while len(found) < histories and not deadline.passed:
        keep = known | (bounds.possible & (rng.random(problem.n_links, np.float32) < share))
        part = problem.restricted(keep, problem.must_continue, problem.must_come)
        drawn = history_of(part, _any_links(part, rng))
        assert isinstance(drawn, History)  # noqa: S101 - the first one is among its links
        found.append(_whereabouts(problem, drawn, time))
    where = np.sort(np.stack(found), axis=0)
    new = np.ones(where.shape, bool)
    new[1:] = where[1:] != where[:-1]
    return (new & (where < n)).sum(axis=0), where[-1] == n


def _any_links(problem: LinkProblem, rng: np.random.Generator) -> History:
    """A random link of each end, where no other end has the same beginning."""
    size = np.diff(problem.ptr)
    ends = rng.permutation(np.flatnonzero(size))
    links = problem.ptr[ends] + (rng.random(len(ends)) * size[ends]).astype(np.int64)
    chosen = np.zeros(problem.n_links, bool)
    chosen[links[np.unique(problem.to[links], return_index=True)[1]]] = True
    return History.of(problem, chosen)


def _whereabouts(problem: LinkProblem, history: History, time: int) -> Ints:
    """(n,) tracklet on each chain at a time; n: none."""
    n = len(problem)
    hop = np.arange(n + 1)
    past = problem.last < time
    after = np.where(history.after < 0, n, history.after)
    after[np.append(problem.first, 0)[after] > time] = n
    hop[:n][past] = after[past]
    while not np.array_equal(further := hop[hop], hop):
        hop = further
    return hop[:n]


class WithoutRule(NamedTuple):
    """How well rides could be followed if the adversary did not look at some fields.

    Parameters
    ----------
    fields
        Those that are left out.
    median
        Of the candidates of rides, whoever leaves; in a closed fleet, if nobody does.
    followed
        Share of rides with one candidate.
    """

    fields: tuple[str, ...]
    median: float
    followed: float


@dataclass(frozen=True, eq=False)
class FeedAnswer:
    """Which rides of a feed can be followed.

    Parameters
    ----------
    feed
        What was read.
    followed
        Candidates of all rides.
    checks
        The rules, tested against the true vehicles where the feed says them.
    without
        The same with all fields, without each of them, and without any.
    remedies
        Changes that fulfil the rule; None: not asked for.
    later
        Candidates of every vehicle at the times asked about, in the closed fleet.
    follower
        What a follower who bets names; None: no history is possible, or the time was up.
    """

    feed: Feed
    followed: FollowedRides
    checks: tuple[RuleCheck, ...]
    without: tuple[WithoutRule, ...]
    remedies: FeedChanges | None
    later: tuple[ChainCounts, ...]
    follower: Follower | None = None

    def __repr__(self) -> str:
        return f"<FeedAnswer: {len(self.feed.tracklets):,} tracklets, {self.verdict.value}>"

    @property
    def verdict(self) -> Verdict:
        """Whether enough rides have k candidates, and no candidate that is believed too much.

        Candidates are proven. Beliefs are those of a model of movement, which decides nothing where
        it has learned nothing.
        """
        return both_verdicts(self.followed, self.follower)

    @property
    def table(self) -> pd.DataFrame:
        """A row per end and per beginning within the data.

        Returns
        -------
        Columns id, time (in the feed's zone), side (``end`` or ``begin``), lower and upper
        (candidates, in the closed and in the open fleet), places (different places of the
        candidates, at least), chance
        (of the likeliest candidate, if all histories of the closed fleet are alike; empty: not
        counted), decided_by, verdict, named (the candidate that a follower believes in most),
        belief (hers in it) and assigned (the candidate in the likeliest history as a whole; empty:
        none, or the time was up); sorted by time.
        """
        rows = pd.concat([self._rows(side) for side in self.followed.sides])
        return rows.sort_values(["time", "id"], ignore_index=True, kind="stable")

    def _rows(self, side: RideCandidates) -> pd.DataFrame:
        found, moments = self.followed, self.feed.tracklets.ends
        if side.side == "begin":
            moments = self.feed.tracklets.begins
        codes, words = found.verdicts(side), [one.value for one in DECISIONS]
        seconds = moments.latest if side.side == "begin" else moments.earliest
        times = pd.to_datetime(seconds, unit="s", utc=True).tz_convert(self.feed.tz)
        return pd.DataFrame(
            {
                "id": found.tracklets.ids[side.which],
                "time": times[side.which],
                "side": side.side,
                "lower": side.lower,
                "upper": side.upper,
                "places": side.places,
                "chance": side.chance,
                "decided_by": np.array(["components", "links", ""])[codes],
                "verdict": np.array(words)[codes],
                **self._named(side),
            }
        )

    def _named(self, side: RideCandidates) -> dict[str, Any]:
        """What a follower names for each ride, and her belief in it."""
        if self.follower is None:
            return {"named": "", "belief": np.nan, "assigned": ""}
        named, problem = self.follower.named(side.side), self.follower.problem
        other = problem.to if side.side == "end" else problem.owner
        link = named.link[side.which]
        return {
            "named": self.feed.tracklets.ids[other[link]],
            "belief": named.belief[side.which],
            "assigned": self._assigned(side),
        }

    def _assigned(self, side: RideCandidates) -> Names:
        """The candidate of each ride in the likeliest history as a whole; empty: none."""
        ids, follower = self.feed.tracklets.ids, self.follower
        if follower is None or follower.history is None:
            return np.full(len(side.which), "")
        other = np.full(len(ids), -1)
        chosen = follower.history[follower.history >= 0]
        owner, to = follower.problem.owner[chosen], follower.problem.to[chosen]
        if side.side == "end":
            other[owner] = to
        else:
            other[to] = owner
        assigned = other[side.which]
        return np.where(assigned >= 0, ids[assigned], "")


def links(
    feed: Feed,
    k: int = 3,
    *,
    rules: LinkRules | None = None,
    may_leave: MayLeave | None = None,
    rule: Rule = EVERY,
    closed: bool = False,
    remedies: bool = False,
    at: Sequence[int] = (),
    betting: Betting | None = None,
    deadline: Deadline | None = None,
    time_limit: float | None = None,
    progress: Progress = no_progress,
) -> FeedAnswer:
    """Find which rides can be followed through a feed whose identifiers change after every trip.

    Parameters
    ----------
    feed
        Tracklets of a feed, of :func:`mixsafe.io.gbfs.reading.read_feed`.
    k, rule
        Candidates that a ride needs, and which rides must have them: ``every``, or a share.
    rules
        Which identifiers may continue which; None: those by default.
    may_leave
        Who may leave or join a closed fleet besides those at the edge of the data; None: nobody.
    closed
        The fleet is known to be closed. Otherwise there are two bounds: nobody leaves, anybody may.
    remedies
        Also find the mildest changes to the feed that fulfil the rule.
    at
        Unix seconds at which also to count what each earlier identifier may be, over all rides.
    betting
        How a follower bets, and how much she may believe; None: a belief of 0.5, learned from the
        feed without truth.
    deadline
        Of the decision, and of the search for changes.
    time_limit
        Instead of a deadline: seconds.

    Raises
    ------
    InputError
        A rule needs a field that the feed does not have.
    """
    of_kind("feed", feed, (Feed,), "a feed", "give what mixsafe.read_feed returns")
    deadline = Deadline(time_limit) if deadline is None else deadline
    tracklets = feed.tracklets
    rules = LinkRules() if rules is None else rules
    betting = Betting() if betting is None else betting
    may_leave = MayLeave() if may_leave is None else may_leave
    asked = FeedQuestion(rules, may_leave, k, rule, closed, betting)
    checks = _checks(tracklets, rules)
    progress("deciding links", 0, 0)
    followed = replace(
        asked.of(tracklets, deadline),
        unsound=tuple(one.name for one in checks if one.excluded),
        n_kept=sum(one.count for one in feed.findings if one.kind == "kept"),
    )
    later: tuple[ChainCounts, ...] = ()
    if followed.contradiction is None:
        later = tuple(_later(followed, time, deadline or Deadline(None)) for time in at)
    follower = None
    if followed.contradiction is None and not deadline.passed:
        progress("betting on links", 0, 0)
        kept, problem = followed.n_kept, followed.problem
        follower = betting.on(tracklets, problem, rules, n_kept=kept, deadline=deadline)
    found = None
    if remedies:
        # A rule that is not sound leaves verdicts open; what changes bring is told all the same.
        known = None if follower is None else (replace(followed, unsound=()), follower)
        found = find_remedies(
            tracklets, asked, as_it_is=known, deadline=deadline, progress=progress
        )
    without = tuple(_without(followed, asked, deadline))
    return FeedAnswer(feed, followed, checks, without, found, later, follower)


def _later(followed: FollowedRides, time: int, deadline: Deadline) -> ChainCounts:
    """Candidates at a time: the fewest in the closed fleet, the most in the open one."""
    fewest = count_at(followed.decided, followed.bounds, time, deadline)
    if followed.closed:
        return fewest
    problem = followed.problem
    links, tracklets = np.ones(problem.n_links, bool), np.ones(len(problem), bool)
    free = problem.restricted(links, ~tracklets, ~tracklets)
    most = count_at(free, LinkBounds.exact(links, tracklets, tracklets), time, deadline)
    return replace(most, lower=fewest.lower)


def _checks(tracklets: Tracklets, rules: LinkRules) -> tuple[RuleCheck, ...]:
    """The rules; tested, if the true vehicles are known."""
    if tracklets.truth is not None:
        return check_rules(tracklets, rules)
    return tuple(
        RuleCheck(one.name, one.sentence, 0, 0, 0.0, 1.0) for one in rules_of(tracklets, rules)
    )


def _without(
    followed: FollowedRides, asked: FeedQuestion, deadline: Deadline | None
) -> Iterator[WithoutRule]:
    """What each field gives away, in the fleet that was asked about."""
    tracklets, rules = followed.tracklets, asked.rules
    open_counts = counts_without(tracklets, rules)
    for fields, counts in open_counts.items():
        linked = counts[(counts > 0) & ~tracklets.ends.cut]
        if followed.closed:
            kept = tuple(one for one in rules.fields if one not in fields)
            found = followed
            if fields:
                fewer = replace(asked, rules=replace(rules, fields=kept))
                found = fewer.of(tracklets, deadline)
            linked = found.ends.upper if found.contradiction is None else linked[:0]
        if len(linked):
            yield WithoutRule(fields, float(np.median(linked)), float((linked == 1).mean()))
