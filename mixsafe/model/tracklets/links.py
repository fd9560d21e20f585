"""Which tracklets may be continued by which, and what an adversary can conclude from that."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.csr import pointers

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


def _none() -> Ints:
    return np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class LinkProblem:
    """Tracklets, and the links between them: the one may continue as the other.

    A *history* is a set of links, at most one from each tracklet and at most one to each, that
    covers every tracklet that must continue and every one that must have come.

    Parameters
    ----------
    first, last
        (n,) int64, times of the first and the last record of each tracklet.
    ptr, to
        Tracklet i may continue as ``to[ptr[i]:ptr[i + 1]]``, (n + 1,) int64 and (n_links,) int32,
        in ascending order.
    must_continue
        (n,) tracklets that another one continues.
    must_come
        (n,) tracklets that continue another one.
    same
        (n_same, 2) int32, pairs of tracklets that are of one vehicle, as an adversary knows.
    name
        Of the problem.

    Raises
    ------
    InputError
        A tracklet that ends before it begins, or a link that does not go forward in time
        (``last[i] < first[j]``).
    """

    first: npt.NDArray[np.int64]
    last: npt.NDArray[np.int64]
    ptr: npt.NDArray[np.int64]
    to: npt.NDArray[np.int32]
    must_continue: Bools
    must_come: Bools
    same: npt.NDArray[np.int32]
    name: str = "links"

    def __repr__(self) -> str:
        return f"<LinkProblem {self.name}: {len(self):,} tracklets, {self.n_links:,} links>"

    def __post_init__(self) -> None:
        if np.any(self.last < self.first):
            at = int(np.argmax(self.last < self.first))
            raise InputError(f"tracklet {at} ends before it begins")
        backwards = np.repeat(self.last, np.diff(self.ptr)) >= self.first[self.to]
        if np.any(backwards):
            link = int(np.argmax(backwards))
            one, other = int(np.searchsorted(self.ptr, link, "right")) - 1, int(self.to[link])
            raise InputError(
                f"the link from tracklet {one} to {other} goes backwards in time: {one} ends at "
                f"{self.last[one]}, {other} begins at {self.first[other]}"
            )

    def __len__(self) -> int:
        return len(self.first)

    @property
    def n_links(self) -> int:
        """Number of links."""
        return len(self.to)

    @property
    def owner(self) -> npt.NDArray[np.int32]:
        """(n_links,) the tracklet from which each link leads."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.ptr))

    @property
    def is_open(self) -> bool:
        """Whether no link must be in a history, so that each set of links that fit is one."""
        return not (len(self.same) or self.must_continue.any() or self.must_come.any())

    def there(self, time: int) -> Bools:
        """(n,) whether each tracklet has records before and after a time, or one then."""
        return (self.first <= time) & (time <= self.last)

    def leaves(self, links: Bools, may_end: Bools, time: int) -> Bools:
        """(n,) whether a chain may leave each tracklet before a time, and not be back.

        Parameters
        ----------
        links
            (n_links,) the links that are possible.
        may_end
            (n,) tracklets that nothing need continue.
        time
            The time.
        """
        jumps = np.bincount(self.owner[links & (self.first[self.to] > time)], minlength=len(self))
        return (self.last < time) & (may_end | (jumps > 0))

    def ends_of(self, links: Bools) -> tuple[Bools, Bools]:
        """(n,) each: tracklets from which one of the links leads, and those to which one does."""
        sides = np.zeros((2, len(self)), bool)
        sides[0, self.owner[links]] = sides[1, self.to[links]] = True
        return sides[0], sides[1]

    def fit_beside(self, links: Bools) -> Bools:
        """(n_links,) links that neither leave nor reach a tracklet that one of ``links`` does."""
        ends, begins = self.ends_of(links)
        fit: Bools = ~(ends[self.owner] | begins[self.to])
        return fit

    def beside(self, links: Bools, kept: Bools) -> LinkProblem:
        """What is left to be covered, by the links ``kept``, once others are in a history."""
        ends, begins = self.ends_of(links)
        return self.restricted(kept, self.must_continue & ~ends, self.must_come & ~begins)

    def restricted(self, keep: Bools, must_continue: Bools, must_come: Bools) -> LinkProblem:
        """The problem with some of the links, and other tracklets that must be covered."""
        size = np.bincount(self.owner[keep], minlength=len(self))
        return replace(
            self,
            ptr=pointers(size),
            to=self.to[keep],
            must_continue=must_continue,
            must_come=must_come,
        )


@dataclass(frozen=True, eq=False)
class Contradiction:
    """Why there is no history: what cannot hold together. No part of it shows it.

    Parameters
    ----------
    ends
        Tracklets that must continue: too few begin that they could continue as, if this is all.
    begins
        Tracklets that must have come: too few end that could continue as them, if this is all.
    pairs
        Numbers of the pairs of ``same``.
    """

    ends: Ints = field(default_factory=_none)
    begins: Ints = field(default_factory=_none)
    pairs: Ints = field(default_factory=_none)

    def __len__(self) -> int:
        return len(self.ends) + len(self.begins) + len(self.pairs)


@dataclass(frozen=True, eq=False)
class LinkBounds:
    """Which links are in some history, as far as it is known.

    Parameters
    ----------
    proven
        (n_links,) links that are in a history.
    possible
        (n_links,) links that no proof excludes; equal to ``proven`` where all is decided.
    may_end, may_begin
        (n,) whether, in some history, nothing continues the tracklet, or it continues nothing.
    may_end_possible, may_begin_possible
        (n,) whether no proof excludes that.
    contradiction
        Why there is no history; None: there is one, or it is not known. Nothing is possible then.
    """

    proven: Bools
    possible: Bools
    may_end: Bools
    may_begin: Bools
    may_end_possible: Bools
    may_begin_possible: Bools
    contradiction: Contradiction | None = None

    @classmethod
    def exact(cls, links: Bools, may_end: Bools, may_begin: Bools) -> LinkBounds:
        """Bounds where all is decided."""
        return cls(links, links, may_end, may_begin, may_end, may_begin)

    @classmethod
    def impossible(cls, problem: LinkProblem, contradiction: Contradiction) -> LinkBounds:
        """Bounds where there is no history."""
        tracklets = np.zeros(len(problem), bool)
        nothing = cls.exact(np.zeros(problem.n_links, bool), tracklets, tracklets)
        return replace(nothing, contradiction=contradiction)

    @property
    def decided(self) -> bool:
        """True if nothing is open."""
        pairs = (
            (self.proven, self.possible),
            (self.may_end, self.may_end_possible),
            (self.may_begin, self.may_begin_possible),
        )
        return all(np.array_equal(proven, possible) for proven, possible in pairs)


@dataclass(frozen=True, eq=False)
class ChainBounds:
    """Which tracklets may be of the vehicle of one tracklet at a later time.

    Parameters
    ----------
    tracklet, time
        The question.
    proven
        Tracklets, ascending, that are there at that time and on its chain in some history.
    possible
        Those that no proof excludes.
    may_be_none, may_be_none_possible
        Whether, in some history, no tracklet of the chain is there at that time; whether no proof
        excludes that.
    """

    tracklet: int
    time: int
    proven: Ints
    possible: Ints
    may_be_none: bool
    may_be_none_possible: bool

    @property
    def decided(self) -> bool:
        """True if nothing is open."""
        return len(self.proven) == len(self.possible) and (
            self.may_be_none == self.may_be_none_possible
        )


@dataclass(frozen=True, eq=False)
class ChainCounts:
    """How many tracklets may be of the vehicle of each tracklet at one time.

    Parameters
    ----------
    time
        The time.
    asked
        (n,) tracklets that ended before it; the other numbers are about these only.
    lower, upper
        (n,) int64 bounds of the number of tracklets that are there then and may be of the vehicle;
        that none is there is not counted.
    may_be_none, may_be_none_possible
        (n,) whether, in some history, none is; whether no proof excludes that.
    """

    time: int
    asked: Bools
    lower: Ints
    upper: Ints
    may_be_none: Bools
    may_be_none_possible: Bools
