"""Answers to problems of tracklets and links that are given as such."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.course import Deadline
from mixsafe.model.tracklets import Bools, ChainBounds, LinkBounds, LinkProblem
from mixsafe.tracklets.chains import chain_at
from mixsafe.tracklets.histories import decide


@dataclass(frozen=True, eq=False)
class LinkAnswer:
    """What is known of a problem.

    Parameters
    ----------
    problem
        The tracklets and links.
    bounds
        Links that are in some history.
    chains
        Of every tracklet at every later time at which one begins; empty: not asked for.
    k
        Candidates that each end and each beginning with a link needs.
    """

    problem: LinkProblem
    bounds: LinkBounds
    chains: tuple[ChainBounds, ...]
    k: int

    def __repr__(self) -> str:
        return f"<LinkAnswer: {self.problem.n_links:,} links, {self.verdict.value}>"

    @property
    def verdict(self) -> Verdict:
        """Whether all have k candidates; a contradiction leaves it undecided."""
        asked = self._counts(np.ones(self.problem.n_links, bool)) > 0
        if self.bounds.contradiction is not None:
            return Verdict.UNDECIDED
        if np.all(self._counts(self.bounds.proven)[asked] >= self.k):
            return Verdict.SAFE
        fails = np.any(self._counts(self.bounds.possible)[asked] < self.k)
        return Verdict.UNSAFE if fails else Verdict.UNDECIDED

    def _counts(self, chosen: Bools) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """(2 n,) chosen links of each end, then of each beginning."""
        n, problem = len(self.problem), self.problem
        sides = (problem.owner[chosen], problem.to[chosen])
        return np.concatenate([np.bincount(side, minlength=n) for side in sides])


def answer(problem: LinkProblem, k: int, deadline: Deadline, *, exhaustive: bool) -> LinkAnswer:
    """Decide a problem.

    Parameters
    ----------
    exhaustive
        Also follow the chain of every tracklet.
    """
    bounds = decide(problem, deadline)
    is_possible = bounds.contradiction is None
    chains = every_chain(problem, bounds, deadline) if exhaustive and is_possible else ()
    return LinkAnswer(problem, bounds, tuple(chains), k)


def every_chain(
    problem: LinkProblem, bounds: LinkBounds, deadline: Deadline
) -> Iterator[ChainBounds]:
    """The chain of each tracklet at each later time at which one begins."""
    times = np.unique(problem.first)
    for tracklet, last in enumerate(problem.last.tolist()):
        for time in times[times > last].tolist():
            yield chain_at(problem, bounds, tracklet, time, deadline)
