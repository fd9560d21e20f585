"""Which tracklets may be continued by which, and what an adversary can conclude from that."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError

Bools = npt.NDArray[np.bool_]


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
        Bounds likewise: ``may_end_possible``, ``may_begin_possible``.
    contradiction
        Tracklets that cannot all be covered, so that there is no history; empty if there is one.
        No part of them shows it.
    """

    proven: Bools
    possible: Bools
    may_end: Bools
    may_begin: Bools
    may_end_possible: Bools
    may_begin_possible: Bools
    contradiction: npt.NDArray[np.int64]
