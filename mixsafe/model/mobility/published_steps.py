"""Steps in which something of a user is published: the time of which shares are taken."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Small = npt.NDArray[np.int32]

_BLOCK = 1 << 21
"""Published steps whose keys are in memory together."""


@dataclass(frozen=True, eq=False)
class PublishedSteps:
    """The steps in which something of each user is published: a fix, or a cell that is not deleted.

    Parameters
    ----------
    ptr
        (n_users + 1,) int64: user u has the steps ``step[ptr[u]:ptr[u + 1]]``.
    step
        (n_published,) int32, steps 1..t*, ascending within a user, none twice; it may be on disk.
    """

    ptr: Ints
    step: Small

    @classmethod
    def of(cls, row: Small, step: Small, n_users: int) -> PublishedSteps:
        """Group steps by user.

        Parameters
        ----------
        row, step
            (n_published,) each, sorted by (row, step), no pair twice.
        n_users
            Number of users; some may have no step.
        """
        return cls(np.searchsorted(row, np.arange(n_users + 1)).astype(np.int64), step)

    def __len__(self) -> int:
        return len(self.step)

    @property
    def n_users(self) -> int:
        """Number of users, those without a step included."""
        return len(self.ptr) - 1

    @property
    def counts(self) -> Ints:
        """(n_users,) number of published steps of each user."""
        return np.diff(self.ptr)

    @property
    def row(self) -> Small:
        """(n_published,) user of each step."""
        return np.repeat(np.arange(self.n_users, dtype=np.int32), self.counts)

    def are_all_of(self, steps: int) -> bool:
        """Whether each user has all of so many steps."""
        return len(self.step) == self.n_users * steps

    def between(
        self,
        row: npt.NDArray[np.integer],
        start: npt.NDArray[np.integer],
        end: npt.NDArray[np.integer],
    ) -> Ints:
        """(n,) number of published steps of a user from ``start`` to ``end``, both included.

        Parameters
        ----------
        row, start, end
            (n,) each; quickest if rows ascend.
        """
        if np.any(row[1:] < row[:-1]):
            order = np.argsort(row, kind="stable")
            found = np.empty(len(row), np.int64)
            found[order] = self.between(row[order], start[order], end[order])
            return found
        found = np.zeros(len(row), np.int64)
        for low, high in self._blocks(row):
            here = slice(*np.searchsorted(row, [low, high]).tolist())
            steps = self.step[self.ptr[low] : self.ptr[high]]
            if here.start == here.stop or not len(steps):
                continue
            width = int(steps.max()) + 2
            small = (high - low) * width < np.iinfo(np.int32).max
            kind = np.int32 if small else np.int64  # half the memory, and quicker to search
            begin = (np.arange(high - low) * width).astype(kind)
            keys = np.repeat(begin, np.diff(self.ptr[low : high + 1])) + steps.astype(kind)
            base = begin[row[here] - low]
            low_key, high_key = (
                base + np.clip(edge, 0, width - 1).astype(kind)
                for edge in (start[here].astype(np.int64), end[here].astype(np.int64) + 1)
            )
            before, until = (np.searchsorted(keys, key) for key in (low_key, high_key))
            found[here] = np.maximum(until - before, 0)
        return found

    def _blocks(self, row: npt.NDArray[np.integer]) -> Iterator[tuple[int, int]]:
        """Yield ranges of users, ``low`` to ``high - 1``, from the first to the last of ``row``."""
        if not len(row):
            return
        low, last = int(row[0]), int(row[-1]) + 1
        while low < last:
            until = int(self.ptr[low]) + _BLOCK
            high = int(np.searchsorted(self.ptr, until, side="right")) - 1
            high = min(max(high, low + 1), last)
            yield low, high
            low = high

    def part(self, first: int, last: int) -> PublishedSteps:
        """The steps ``first`` to ``last``, both included, numbered from 1."""
        inside = (self.step >= first) & (self.step <= last)
        counts = np.concatenate([[0], np.cumsum(inside)])[self.ptr]
        return PublishedSteps(counts.astype(np.int64), self.step[inside] - np.int32(first - 1))
