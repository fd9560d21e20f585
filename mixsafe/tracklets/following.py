"""How many vehicles may have made each ride: what an adversary can follow through a feed.

How likely each link is, if all histories are alike or each has a weight, is counted over subsets:
of each connected group of links, ends come one after the other, and a state is which beginnings are
taken. That is exact, and takes time that doubles with each beginning that is open at once, so large
groups are left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from mixsafe.geometry.grid import Grid
from mixsafe.model.answer.verdict import SAFE, UNDECIDED, UNSAFE, Verdict
from mixsafe.model.course import Deadline
from mixsafe.model.question.requirement import Rule
from mixsafe.model.tracklets import Contradiction, LinkBounds, LinkProblem, Moments, Tracklets
from mixsafe.tracklets.histories import decide
from mixsafe.tracklets.matching import Coverable, coverable, whole

Ints = npt.NDArray[np.int64]

NOWHERE = -1
"""Number of the cell of a tracklet whose place is not known."""


@dataclass(frozen=True, eq=False)
class TrackletCells:
    """The cells that tracklets begin or end in.

    Parameters
    ----------
    number
        (n,) number of each tracklet's cell, or ``NOWHERE``.
    lat, lon
        (n_cells,) degrees of the middles of the cells.
    """

    number: Ints
    lat: npt.NDArray[np.float64]
    lon: npt.NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.lat)


def cells_of(moments: Moments, size: float) -> TrackletCells:
    """The cells of ``size`` metres in which tracklets begin or end."""
    placed = moments.placed
    number = np.full(len(moments), NOWHERE)
    lat, lon = moments.lat[placed], moments.lon[placed]
    if not len(lat):
        return TrackletCells(number, lat, lon)
    grid = Grid((float(np.median(lat)), float(np.median(lon))), size)
    cells, number[placed] = np.unique(grid.cell(lat, lon), return_inverse=True)
    return TrackletCells(number, *grid.cell_center(cells))


Floats = npt.NDArray[np.float64]

MOST_OPEN = 20
"""Beginnings of a group that is counted."""

_WORK = 1 << 26  # links of a group times its states, which also bounds the memory


def chances_of(
    problem: LinkProblem,
    bounds: LinkBounds,
    most: int = MOST_OPEN,
    weights: Floats | None = None,
) -> Floats:
    """(n_links,) share of all histories with each link; not a number where it is not counted.

    Parameters
    ----------
    problem
        The tracklets and links; with pairs of ``same`` nothing is counted.
    bounds
        What :func:`mixsafe.tracklets.histories.decide` found of them; nothing is contradicted.
    most
        Beginnings of the largest group that is counted.
    weights
        (n_links,) of each link, > 0: a history counts as much as the product of the weights of its
        links. None: all histories are alike.
    """
    if len(problem.same):
        return np.full(problem.n_links, np.nan)
    weights = np.ones(problem.n_links) if weights is None else weights
    chance = np.where(bounds.possible, np.nan, 0.0)
    n, possible = len(problem), np.flatnonzero(bounds.possible)
    end, begin = problem.owner[possible], problem.to[possible]
    ones = np.ones(len(possible), np.int8)
    graph = coo_array((ones, (end, begin + n)), shape=(2 * n, 2 * n))
    label = connected_components(graph, directed=False)[1]
    size = np.bincount(label[n:], minlength=label.max() + 1)
    group = label[end]
    small = np.flatnonzero(size[group] <= most)
    order = small[np.argsort(group[small], kind="stable")]
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    for links in np.split(order, starts[1:]):
        n_begins = int(size[group[links[0]]]) if len(links) else most + 1
        if n_begins <= most and len(links) << n_begins <= _WORK:
            weight = weights[possible[links]]
            chance[possible[links]] = _counted(problem, end[links], begin[links], weight)
    return chance


def _counted(
    problem: LinkProblem,
    end: npt.NDArray[np.int32],
    begin: npt.NDArray[np.int32],
    weight: Floats,
) -> Floats:
    """Share of the matchings of one group, its links sorted by end, that have each link."""
    begins, place = np.unique(begin, return_inverse=True)
    states = np.arange(1 << len(begins))
    ends, first, n_links = np.unique(end, return_index=True, return_counts=True)
    links = np.split(place, first[1:])
    # Each end has one factor of all histories, so that products stay within floating-point numbers.
    largest = np.maximum(np.maximum.reduceat(weight, first), 1.0)
    weight = weight / np.repeat(largest, n_links)
    alone = np.where(problem.must_continue[ends], 0.0, 1.0 / largest)
    # In how many ways the ends before each one take a set of beginnings, and the later ones the
    # rest, of which they must take those that must have come.
    onward = [np.where(states == 0, 1.0, 0.0)]
    for at, choices in enumerate(links):
        some = weight[first[at] : first[at] + len(choices)]
        onward.append(_step(onward[-1], states, choices, some, alone[at]))
    needed = sum(1 << int(b) for b in np.flatnonzero(problem.must_come[begins]))
    back = np.where(states & needed == needed, 1.0, 0.0)
    found = np.zeros(len(end))
    total = float(onward[-1] @ back)
    for number in range(len(ends) - 1, -1, -1):
        later = back * alone[number]
        for at, b in enumerate(links[number].tolist(), first[number]):
            free = states[states & (1 << b) == 0]
            taken = back[free | (1 << b)] * weight[at]
            found[at] = float(onward[number][free] @ taken)
            later[free] += taken
        back = later
    return found / total


def _step(
    before: Floats,
    states: npt.NDArray[np.int64],
    choices: npt.NDArray[np.intp],
    weights: Floats,
    alone: float,
) -> Floats:
    """Ways to take each set of beginnings, with one end more."""
    after = before * alone
    for b, weight in zip(choices.tolist(), weights.tolist(), strict=True):
        free = states[states & (1 << b) == 0]
        after[free | (1 << b)] += before[free] * weight
    return after


EVERY = Rule("every")

PLACE = 100.0
"""Side of the cells in which candidates count as being at one place, metres."""


@dataclass(frozen=True, eq=False)
class RideCandidates:
    """Candidates of the rides, seen from where they begin or from where they end.

    Parameters
    ----------
    side
        ``end``: an identifier ends, and its candidates are those that may continue it;
        ``begin``: one begins, and its candidates are those that it may continue.
    which
        (m,) tracklets that end (begin) within the data and have a link.
    lower, upper
        (m,) candidates in the closed fleet, from which nobody leaves, and in the open one, from
        which anybody may.
    places
        (m,) different places of the candidates in the closed fleet, at least: candidates whose
        place is not known may be at one of the others.
    nowhere
        (m,) candidates in the closed fleet whose place is not known.
    chance
        (m,) chance of the likeliest candidate, if all histories of the closed fleet are alike; not
        a number where they are too many to be counted.
    n_without
        Tracklets that end (begin) within the data and have no link: there is no ride to follow.
    """

    side: str
    which: Ints
    lower: Ints
    upper: Ints
    places: Ints
    nowhere: Ints
    chance: npt.NDArray[np.float64]
    n_without: int

    @property
    def one_place(self) -> npt.NDArray[np.bool_]:
        """(m,) whether all candidates in the closed fleet are known to be at one place."""
        alone: npt.NDArray[np.bool_] = (self.places == 1) & (self.nowhere == 0)
        return alone


@dataclass(frozen=True, eq=False)
class FollowedRides:
    """Which rides of a fleet can be followed.

    Parameters
    ----------
    tracklets, problem
        What was published, and its links.
    k, rule
        Candidates that a ride needs, and which rides must have them: ``every``, or a share.
    closed
        True: the fleet is known to be closed.
    ends, begins
        Candidates from both sides; empty where no history is possible.
    left_out
        Tracklets that cannot all continue (or have come) if the fleet is closed: some vehicle did
        leave (or join). Nothing is claimed of candidates that this may concern.
    decided, bounds
        The problem that was decided, and the links that are in some history of it: the whole
        problem, or what is left of it without those that are left out.
    unsound
        Names of rules that exclude true links: with them, nothing is proven.
    n_kept
        Identifiers that did not change in a ride: it can be followed without any search.
    """

    tracklets: Tracklets
    problem: LinkProblem
    k: int
    rule: Rule
    closed: bool
    ends: RideCandidates
    begins: RideCandidates
    left_out: Ints
    decided: LinkProblem
    bounds: LinkBounds
    unsound: tuple[str, ...] = ()
    n_kept: int = 0

    def __repr__(self) -> str:
        return f"<FollowedRides: {len(self.tracklets):,} tracklets, {self.verdict.value}>"

    def verdicts(self, side: RideCandidates) -> Ints:
        """(m,) codes of verdicts of the rides seen from a side."""
        if self.unsound:
            return np.full(len(side.which), UNDECIDED)
        return np.select([side.lower >= self.k, side.upper < self.k], [SAFE, UNSAFE], UNDECIDED)

    @property
    def contradiction(self) -> Contradiction | None:
        """Why no history of the closed fleet is possible; None: one is."""
        return self.bounds.contradiction

    @property
    def sides(self) -> tuple[RideCandidates, RideCandidates]:
        """Candidates seen from both sides."""
        return self.ends, self.begins

    @property
    def verdict(self) -> Verdict:
        """Whether the required share of rides has k candidates, from either side.

        Without rides, or with a contradiction, it is undecided.
        """
        kept = np.full(self.n_kept, UNSAFE)
        codes = np.concatenate([*(self.verdicts(one) for one in self.sides), kept])
        if self.contradiction is not None or not len(codes):
            return Verdict.UNDECIDED
        n_needed = int(self.rule.needed(np.array([len(codes)]))[0])
        if np.count_nonzero(codes == SAFE) >= n_needed:
            return Verdict.SAFE
        return Verdict.UNSAFE if np.count_nonzero(codes != UNSAFE) < n_needed else Verdict.UNDECIDED


def follow(
    tracklets: Tracklets,
    problem: LinkProblem,
    k: int,
    *,
    rule: Rule = EVERY,
    closed: bool = False,
    deadline: Deadline | None = None,
) -> FollowedRides:
    """Count the candidates of every ride.

    Links never exclude the truth, and a vehicle that must continue never adds a candidate. So the
    closed fleet gives the fewest candidates and the open one the most. A ride with k candidates in
    the closed fleet has them whatever an adversary knows of who left, and one that has fewer in the
    open fleet has fewer for all. Where not all can continue, somebody did leave: the fewest are
    then counted in the part of the fleet that this does not concern
    (:func:`mixsafe.tracklets.matching.coverable`).

    Parameters
    ----------
    tracklets
        What is published.
    problem
        Its links, and who must continue and must have come in the closed fleet
        (:func:`mixsafe.tracklets.linking.link`).
    k, rule
        Candidates that a ride needs, and which rides must have them: ``every``, or a share.
    closed
        Nobody leaves but as ``problem`` says: that is a contradiction if not all can continue.
        Otherwise there are two bounds.
    deadline
        Of the decision.

    Raises
    ------
    InputError
        Nothing begins or ends within the data.
    """
    deadline = Deadline(None) if deadline is None else deadline
    part = whole(problem) if closed else coverable(problem)
    bounds = decide(part.problem, deadline)
    ends, begins = _Counter.of(tracklets, problem, part, bounds, closed=closed).both_sides()
    found = (ends, begins, part.left_out, part.problem, bounds)
    return FollowedRides(tracklets, problem, k, rule, closed, *found)


@dataclass(frozen=True, eq=False)
class _Counter:
    """Counts candidates at both ends of links.

    Parameters
    ----------
    source, to
        (n_links,) the tracklets that each link is from and to.
    lower, upper
        (n_links,) links that are certainly, and perhaps, in some history.
    chance
        (n_links,) of each link, if all histories are alike; not a number: not counted.
    """

    tracklets: Tracklets
    source: npt.NDArray[np.int32]
    to: npt.NDArray[np.int32]
    lower: npt.NDArray[np.bool_]
    upper: npt.NDArray[np.bool_]
    chance: npt.NDArray[np.float64]

    @classmethod
    def of(
        cls,
        tracklets: Tracklets,
        problem: LinkProblem,
        part: Coverable,
        bounds: LinkBounds,
        *,
        closed: bool,
    ) -> _Counter:
        """Count what was decided of the closed fleet, and all links of the open one."""
        lower = part.is_in.copy()
        lower[part.is_in] = bounds.proven
        chance = np.full(problem.n_links, np.nan)
        chance[part.is_in] = chances_of(part.problem, bounds)
        upper = bounds.possible if closed else np.ones(problem.n_links, bool)
        return cls(tracklets, problem.owner, problem.to, lower, upper, chance)

    def both_sides(self) -> tuple[RideCandidates, RideCandidates]:
        """Candidates of ends, and of beginnings."""
        ends, begins = self.tracklets.ends, self.tracklets.begins
        return (
            self._side("end", ends, self.source, begins, self.to),
            self._side("begin", begins, self.to, ends, self.source),
        )

    def _side(
        self,
        side: str,
        asked: Moments,
        of: npt.NDArray[np.int32],
        others: Moments,
        other: npt.NDArray[np.int32],
    ) -> RideCandidates:
        """Candidates of the tracklets ``of`` the links: those on the ``other`` side."""
        n = len(asked)
        upper = np.bincount(of[self.upper], minlength=n)
        linked = np.bincount(of, minlength=n) > 0
        which = np.flatnonzero(linked & ~asked.cut)
        lower = np.bincount(of[self.lower], minlength=n)
        cells = cells_of(others, PLACE)
        places, nowhere = _different(of[self.lower], other[self.lower], cells, n)
        likeliest = np.zeros(n)
        with np.errstate(invalid="ignore"):
            np.maximum.at(likeliest, of, self.chance)  # not a number, if one candidate has none
        alone = int(np.count_nonzero(~linked & ~asked.cut))
        counts = (lower[which], upper[which], places[which], nowhere[which], likeliest[which])
        return RideCandidates(side, which, *counts, alone)


def _different(
    of: npt.NDArray[np.int32], other: npt.NDArray[np.int32], cells: TrackletCells, n: int
) -> tuple[Ints, Ints]:
    """How many different places each of n tracklets has among its links, and links to nowhere.

    Returns
    -------
    (n,) places, at least 1 where there is a link, and (n,) links whose place is not known.
    """
    place = cells.number[other]
    known = place != NOWHERE
    pairs = of[known], place[known]
    met = csr_array((np.ones(len(pairs[0]), bool), pairs), shape=(n, max(len(cells), 1)))
    counts: Ints = np.diff(met.indptr).astype(np.int64)  # each pair once
    nowhere: Ints = np.bincount(of[~known], minlength=n)
    return np.maximum(counts, nowhere > 0), nowhere
