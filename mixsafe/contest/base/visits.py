"""Where users tend to be: visit counts, and the likelihood of released tracks under them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from mixsafe.errors import InputError
from mixsafe.model.csr import pointers
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.model.release import Cells

UNSEEN = 1e-8
"""delta, the likelihood of a region where the reference never saw the user (paper, 4.1)."""

BLOCK = 256
"""Tracks whose likelihoods are in memory together."""


def visit_counts(
    traces: TraceMatrix, n_regions: int, columns: npt.NDArray[np.bool_] | None = None
) -> npt.NDArray[np.float64]:
    """How often each user was in each region, (n_users, n_regions), at the chosen times."""
    region = traces.region if columns is None else traces.region[:, columns]
    key = np.arange(traces.n_users)[:, None] * n_regions + region
    counts = np.bincount(key.reshape(-1), minlength=traces.n_users * n_regions)
    return counts.reshape(traces.n_users, n_regions).astype(np.float64)


@dataclass(frozen=True, eq=False)
class VisitModel:
    """Visit probabilities of every user (contest paper, VisitProb).

    Parameters
    ----------
    likelihood
        (n_regions, n_users): count / total, or delta where the count is 0; not normalized.
    log
        Its logarithm, same shape.
    """

    likelihood: npt.NDArray[np.float64]
    log: npt.NDArray[np.float64]

    @classmethod
    def learn(
        cls,
        reference: TraceMatrix,
        n_regions: int,
        columns: npt.NDArray[np.bool_] | None = None,
    ) -> VisitModel:
        """Model from reference traces, at the chosen times (default: all).

        Raises
        ------
        InputError
            No time is chosen: the reference has no home hours.
        """
        if columns is not None and not columns.any():
            raise InputError("the reference traces have no time in the home hours to learn from")
        counts = visit_counts(reference, n_regions, columns).T
        likelihood = np.ascontiguousarray(counts / counts[:, 0].sum())
        likelihood[likelihood == 0] = UNSEEN
        return cls(likelihood, np.log(likelihood))

    def log_of_sets(
        self, ptr: npt.NDArray[np.int64], member: npt.NDArray[np.int32]
    ) -> npt.NDArray[np.float64]:
        """Logarithm of the mean likelihood over the regions of each set, (n_sets, n_users)."""
        n_sets = len(ptr) - 1
        share = np.repeat(1.0 / np.diff(ptr), np.diff(ptr))
        mean = sparse.csr_array((share, member, ptr), (n_sets, len(self.likelihood)))
        return np.asarray(np.log(mean @ self.likelihood))

    def scores(
        self,
        release: Cells,
        used: npt.NDArray[np.bool_],
        random: np.random.Generator,
        most: int | None,
    ) -> Iterator[npt.NDArray[np.float64]]:
        """Log-likelihood of each track under each user, in blocks of consecutive tracks.

        A product of a sparse matrix (track by content, a one per used cell) with the logarithms.
        The terms of a track are added in order of time, as the organizers' programs do: between
        users whose terms are the same in another order, rounding decides.

        Parameters
        ----------
        used
            (n_rows, n_steps) cells to use; deleted ones never count.
        most
            Of a set with more regions than this, so many are chosen for the cell, at random.

        Yields
        ------
        (at most BLOCK, n_users) float64
        """
        used = used & (release.code != release.deleted)
        for start in range(0, release.n_rows, BLOCK):
            code, chosen = release.code[start : start + BLOCK], used[start : start + BLOCK]
            is_set = code > release.deleted
            total = _sum_of_rows(chosen & ~is_set, code, self.log)
            if is_set.any():
                cells = chosen & is_set
                drawn, ptr, member = _draw_sets(release, code[cells], most, random)
                index = np.zeros_like(code)
                index[cells] = drawn
                total += _sum_of_rows(cells, index, self.log_of_sets(ptr, member))
            yield total


def _sum_of_rows(
    used: npt.NDArray[np.bool_], index: npt.NDArray[np.int32], table: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """For each track the sum of ``table[index]`` over its used cells, in order of time."""
    chosen = index[used]
    ptr = pointers(used.sum(axis=1))
    total = sparse.csr_array((np.ones(len(chosen)), chosen, ptr), (len(used), len(table))) @ table
    return np.asarray(total)


def _draw_sets(
    release: Cells,
    content: npt.NDArray[np.int32],
    most: int | None,
    random: np.random.Generator,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Sets of some cells, cut down at random to ``most`` regions, cell by cell.

    Returns
    -------
    which, ptr, member
        The set of each cell, and the sets as CSR; sets that are not cut down are shared.
    """
    size = release.set_sizes[content - release.n_regions - 1]
    large = np.zeros(len(content), bool) if most is None else size > most
    shared, which_shared = np.unique(content[~large], return_inverse=True)
    which = np.empty(len(content), np.int64)
    which[~large] = which_shared
    which[large] = len(shared) + np.arange(large.sum())
    ptr, member = release.members_of(shared)
    if most is None or not large.any():
        return which, ptr, member
    cell_ptr, cell_member = release.members_of(content[large])
    cell = np.repeat(np.arange(large.sum()), np.diff(cell_ptr))
    order = np.lexsort((random.random(len(cell)), cell))
    rank = np.arange(len(cell)) - cell_ptr[cell]
    cut = cell_member[order][rank < most]
    cut_ptr = ptr[-1] + most * np.arange(1, large.sum() + 1)
    return which, np.concatenate([ptr, cut_ptr]), np.concatenate([member, cut])
