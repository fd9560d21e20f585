"""Steps in which something of a user is published: the time of which shares are taken."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.model.csr import batches, begins_of, ranges

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
        return cls(begins_of(row, n_users), step)

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
        begins = np.flatnonzero(np.append(True, row[1:] != row[:-1])[: len(row)])
        users, ends = row[begins].astype(np.int64), np.append(begins, len(row))
        for low, high in batches(np.cumsum(self.counts[users]), _BLOCK):
            here = slice(int(ends[low]), int(ends[high]))
            of_user = np.repeat(np.arange(high - low), np.diff(ends[low : high + 1]))
            found[here] = self._between(users[low:high], of_user, start[here], end[here])
        return found

    def _between(
        self,
        users: Ints,
        of_user: Ints,
        start: npt.NDArray[np.integer],
        end: npt.NDArray[np.integer],
    ) -> Ints:
        """As :meth:`between`, of a few users; ``of_user``: place of each stretch's in ``users``."""
        sizes = self.counts[users]
        first, last = int(self.ptr[users[0]]), int(self.ptr[users[-1] + 1])
        if last - first == sizes.sum():
            steps = self.step[first:last]
        else:
            steps = self.step[ranges(self.ptr[users], sizes)]
        width = int(steps.max(initial=0)) + 2
        small = len(users) * width < np.iinfo(np.int32).max
        kind = np.int32 if small else np.int64  # half the memory, and quicker to search
        base = (np.arange(len(users)) * width).astype(kind)
        keys = np.repeat(base, sizes) + steps.astype(kind)
        before, until = (
            np.searchsorted(keys, base[of_user] + np.clip(edge, 0, width - 1).astype(kind))
            for edge in (start.astype(np.int64), end.astype(np.int64) + 1)
        )
        counted: npt.NDArray[np.int64] = np.maximum(until - before, 0)
        return counted
