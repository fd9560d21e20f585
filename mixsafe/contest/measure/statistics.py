"""Statistics of traces and releases: who is where when, and where people go from there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.model.release import Cells

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Occupancy:
    """Traces, or released cells, as weights of regions.

    A cell that shows a set of regions counts in equal shares for each of them, a deleted one for
    none.

    Parameters
    ----------
    cells
        What is shown of each row at each time.
    steps_per_day
        Times per day; time_id 1 is the first of a day.
    """

    cells: Cells
    steps_per_day: int

    @classmethod
    def of(cls, shown: TraceMatrix | Cells, n_regions: int, steps_per_day: int) -> Occupancy:
        """Of traces, or of released cells.

        Raises
        ------
        InputError
            A region that is not one of ``n_regions``.
        """
        if isinstance(shown, TraceMatrix):
            if shown.region.max() >= n_regions:
                raise InputError(
                    f"region {shown.region.max() + 1} is not one of the {n_regions} regions"
                )
            shown = Cells.of_regions(shown.region, n_regions, shown.first_time)
        return cls(shown, steps_per_day)

    @property
    def step_of_day(self) -> npt.NDArray[np.int64]:
        """(n_steps,) place of each time in its day, from 0."""
        return (self.cells.time_ids - 1) % self.steps_per_day

    def shares(self) -> sparse.csr_array:
        """(n_contents, n_regions): what a cell of each content says about regions."""
        cells = self.cells
        ptr, region = cells.members_of(np.arange(cells.n_contents, dtype=np.int32))
        sizes = np.diff(ptr)
        share = np.repeat(1.0 / np.maximum(sizes, 1), sizes)
        return sparse.csr_array((share, region, ptr), shape=(cells.n_contents, cells.n_regions))

    def visits(self, group: npt.NDArray[np.int64], n_groups: int) -> sparse.csr_array:
        """(n_groups, n_regions) visits, ``group`` being what each cell belongs to.

        Parameters
        ----------
        group
            Broadcasts to (n_rows, n_steps), 0 to ``n_groups - 1``.
        """
        code = self.cells.code
        where = np.broadcast_to(group, code.shape).reshape(-1), code.reshape(-1)
        counts = sparse.coo_array(
            (np.ones(code.size), where), shape=(n_groups, self.cells.n_contents)
        )
        return sparse.csr_array(counts.tocsr() @ self.shares())

    def populations(self) -> Floats:
        """(steps_per_day, n_regions) where people are at each time of the day; rows sum to 1.

        A row of zeros is a time of the day that does not occur, or at which all is deleted.
        """
        visits = self.visits(self.step_of_day, self.steps_per_day).toarray()
        return np.asarray(_normalized(visits))

    def profiles(self) -> sparse.csr_array:
        """(n_rows, n_regions) the part of her time that each user spends in each region."""
        visits = self.visits(np.arange(self.cells.n_rows)[:, None], self.cells.n_rows)
        total = visits.sum(axis=1)
        scale = np.divide(1.0, total, out=np.zeros(len(total)), where=total > 0)
        return sparse.csr_array(sparse.diags_array(scale) @ visits)

    def transitions(self) -> sparse.csr_array:
        """(n_regions, n_regions) how often people go from a region to another within a day."""
        code = self.cells.code
        goes_on = self.step_of_day[1:] != 0
        pair = code[:, :-1][:, goes_on].reshape(-1), code[:, 1:][:, goes_on].reshape(-1)
        n_contents = self.cells.n_contents
        counts = sparse.coo_array((np.ones(len(pair[0])), pair), shape=(n_contents, n_contents))
        shares = self.shares()
        return sparse.csr_array(shares.T @ counts.tocsr() @ shares)

    def transition_matrix(self) -> Floats:
        """(n_regions, n_regions) probabilities, over all users and times.

        From where nobody goes, everybody stays, as in the experiments of PPMTF.
        """
        counts = self.transitions().toarray()
        nobody = np.flatnonzero(counts.sum(axis=1) == 0)
        counts[nobody, nobody] = 1.0
        return np.asarray(_normalized(counts))


def _normalized(counts: Floats) -> Floats:
    """Rows that sum to 1, or stay 0."""
    total = counts.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(counts, total, out=np.zeros_like(counts), where=total > 0))
