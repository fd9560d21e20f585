"""How much a released cell speaks for each user, by the time of the day."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy import sparse

from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.model.release import Cells

STRANGE_SHARE = 0.3
"""Share of a user's visits that her reference traces say nothing about."""

STEPS_OF_MEMORY = 2.0
"""Reference visits count by exp(-steps / this) for other times of the day."""

MOST_RATIOS = 2**30
"""Entries of the largest table of ratios: 4 GB."""


@dataclass(frozen=True, eq=False)
class VisitEvidence:
    """Log-likelihood ratio of contents, of a user against anybody.

    A user's visits are a mixture of her reference visits at nearby times of the day and, with
    ``STRANGE_SHARE``, of everybody's. Both constants did best on the preliminary Osaka data, and
    little depends on them.

    Parameters
    ----------
    ratio
        (n_users, steps_per_day, n_contents) float32; 0 for a deleted cell.
    background
        (steps_per_day, n_regions) float32, everybody's visit probabilities, none of them 0.
    """

    ratio: npt.NDArray[np.float32]
    background: npt.NDArray[np.float32]
    _kept: dict[bytes, npt.NDArray[np.float32]] = field(default_factory=dict, repr=False)
    """Ratios of the sets that were asked for last: all pseudonymizations show the same."""

    @classmethod
    def learn(
        cls, traces: TraceMatrix, n_regions: int, step_of_day: npt.NDArray[np.int64]
    ) -> VisitEvidence:
        """Evidence of single regions and of deletion, from reference traces."""
        steps_per_day = int(step_of_day.max()) + 1
        visits = np.zeros((traces.n_users, steps_per_day, n_regions), np.float32)
        users = np.arange(traces.n_users)
        for column, step in enumerate(step_of_day):
            visits[users, step, traces.region[:, column]] += 1
        apart = np.abs(np.subtract.outer(np.arange(steps_per_day), np.arange(steps_per_day)))
        near = np.matmul(np.exp(-apart / STEPS_OF_MEMORY).astype(np.float32), visits)
        near /= near.sum(axis=2, keepdims=True)
        # Regions that nobody visits at the time get a thousandth of the background together.
        background = 0.999 * near.mean(axis=0) + np.float32(0.001 / n_regions)
        near *= (1 - STRANGE_SHARE) / background
        near += STRANGE_SHARE
        ratio = np.zeros((traces.n_users, steps_per_day, n_regions + 1), np.float32)
        np.log(near, out=ratio[:, :, :n_regions])
        return cls(ratio, background)

    def of_contents(self, release: Cells) -> npt.NDArray[np.float32]:
        """Ratios of all contents of a release, (n_users, steps_per_day, n_contents).

        Of a set: the likelihood of its regions together, under the user and under anybody. Kept for
        the next release, which may have the same sets.

        Raises
        ------
        InputError
            So many different sets that the table would not fit in memory.
        """
        if len(release.ptr) == 1:
            return self.ratio
        size = self.ratio.size // (release.n_regions + 1) * release.n_contents
        if size > MOST_RATIOS:
            raise InputError(
                f"{len(release.ptr) - 1} different sets of regions are too many to weigh for"
                f" {len(self.ratio)} users at {self.ratio.shape[1]} times of the day"
            )
        sets = release.ptr.tobytes() + release.member.tobytes()
        if sets not in self._kept:
            self._kept.clear()
            self._kept[sets] = self._of_sets(release)
        return self._kept[sets]

    def _of_sets(self, release: Cells) -> npt.NDArray[np.float32]:
        """Ratios of a release with sets of regions."""
        ratio = np.zeros((*self.ratio.shape[:2], release.n_contents), np.float32)
        ratio[:, :, : release.n_regions + 1] = self.ratio
        for step, background in enumerate(self.background):
            single = np.exp(self.ratio[:, step, :-1])
            together = single @ _share_of_members(release, background).toarray().T
            np.log(together, out=ratio[:, step, release.n_regions + 1 :])
        return ratio


def _share_of_members(release: Cells, background: npt.NDArray[np.float32]) -> sparse.csr_array:
    """Share of each region in the background of each set, (n_sets, n_regions)."""
    share = background[release.member]
    share = share / np.repeat(np.add.reduceat(share, release.ptr[:-1]), release.set_sizes)
    shape = (len(release.ptr) - 1, release.n_regions)
    return sparse.csr_array((share, release.member, release.ptr), shape)
