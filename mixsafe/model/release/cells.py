"""Released cells: a region, a set of regions, or nothing, per user and time."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.csr import pointers, ranges


@dataclass(frozen=True, eq=False)
class Cells:
    """Released cells (contest paper, 3.4 "Anonymization"), one per row and time.

    Many cells share few distinct contents, so a cell stores a content number, and work is done
    once per content: numbers below ``n_regions`` are that region, ``n_regions`` is a deletion, and
    higher numbers are sets of two or more regions.

    Parameters
    ----------
    code
        (n_rows, n_steps) int32: content of each cell. Rows are users before pseudonymization and
        pseudonyms after it.
    n_regions
        Number of regions, >= 1.
    ptr
        (n_sets + 1,) int64: content ``n_regions + 1 + s`` is ``member[ptr[s]:ptr[s + 1]]``.
    member
        (n_entries,) int32 regions from 0, two or more distinct ones per set, in written order.
    first_time
        time_id of the first column, >= 1.

    Raises
    ------
    InputError
        There is no cell, a content or region is unknown, or a set has fewer than two regions.
    """

    code: npt.NDArray[np.int32]
    n_regions: int
    ptr: npt.NDArray[np.int64]
    member: npt.NDArray[np.int32]
    first_time: int = 1

    def __repr__(self) -> str:
        return f"<Cells: {self.n_rows:,} rows, {self.n_steps:,} times>"

    def __post_init__(self) -> None:
        if self.code.ndim != 2 or not self.code.size:
            raise InputError("a release needs at least one row and one time")
        if self.code.min() < 0 or self.code.max() >= self.n_contents:
            raise InputError("a released cell has an unknown content")
        if np.any(self.set_sizes < 2):
            raise InputError("a set of regions needs at least two regions")
        if len(self.member) and not 0 <= self.member.min() <= self.member.max() < self.n_regions:
            raise InputError(f"a set contains a region outside the {self.n_regions} regions")

    @classmethod
    def of_regions(
        cls, region: npt.NDArray[np.int32], n_regions: int, first_time: int = 1
    ) -> Cells:
        """One region in each cell; ``n_regions`` in ``region`` is a deletion."""
        no_sets = np.zeros(1, np.int64)
        return cls(region.astype(np.int32), n_regions, no_sets, np.zeros(0, np.int32), first_time)

    @property
    def n_rows(self) -> int:
        """Number of users or pseudonyms."""
        return len(self.code)

    @property
    def n_steps(self) -> int:
        """Number of times per row."""
        return int(self.code.shape[1])

    @property
    def time_ids(self) -> npt.NDArray[np.int64]:
        """(n_steps,) time_id of each column."""
        return np.arange(self.first_time, self.first_time + self.n_steps)

    @property
    def deleted(self) -> int:
        """The content of a deleted cell."""
        return self.n_regions

    @property
    def n_contents(self) -> int:
        """Number of contents: regions, deletion and sets."""
        return self.n_regions + len(self.ptr)

    @property
    def set_sizes(self) -> npt.NDArray[np.int64]:
        """(n_sets,) regions in each set."""
        return np.diff(self.ptr)

    def canonical(self) -> Cells:
        """The same cells in canonical form: each set once, ascending.

        Neither the order of regions nor the number of a set then identifies its author.
        """
        members_of = [
            tuple(sorted(self.member[begin:end].tolist()))
            for begin, end in zip(self.ptr[:-1], self.ptr[1:], strict=True)
        ]
        sets = sorted(set(members_of))
        number = {members: self.deleted + place for place, members in enumerate(sets, 1)}
        content = np.arange(self.n_contents, dtype=np.int32)
        content[self.deleted + 1 :] = [number[members] for members in members_of]
        return replace(
            self,
            code=content[self.code],
            ptr=np.concatenate([[0], np.cumsum([len(one) for one in sets])]).astype(np.int64),
            member=np.array([region for one in sets for region in one], np.int32),
        )

    def members_of(
        self, content: npt.NDArray[np.int32]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """Concatenated regions of contents; a deletion has none.

        Parameters
        ----------
        content
            (n,) contents.

        Returns
        -------
        ptr, member
            (n + 1,) and (n_entries,): CSR, in the order of ``content``.
        """
        ptr = np.concatenate([np.arange(self.n_regions + 1), self.n_regions + self.ptr])
        region = np.concatenate([np.arange(self.n_regions, dtype=np.int32), self.member])
        sizes = np.diff(ptr)[content]
        return pointers(sizes), region[ranges(ptr[content], sizes)]
