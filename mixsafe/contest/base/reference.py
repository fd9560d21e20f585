"""What attackers know: reference traces, and what can be learned from them.

Where users tend to be (:class:`VisitModel`) gives the likelihood of a released track. How much one
released cell speaks for each user depends on the time of the day (:class:`VisitEvidence`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import sparse

from mixsafe.contest.base.habits import VisitHabits
from mixsafe.contest.base.people import People, Weights
from mixsafe.contest.base.rules import Rules
from mixsafe.errors import InputError
from mixsafe.model.csr import pointers
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.model.release import Cells

STRANGE_SHARE = 0.3
"""Share of a user's visits that her reference traces say nothing about."""

STEPS_OF_MEMORY = 2.0
"""Reference visits count by exp(-steps / this) for other times of the day."""

MOST_RATIOS = 2**30
"""Entries of the largest table of ratios: 4 GB."""

UNSEEN = 1e-8
"""delta, the likelihood of a region where the reference never saw the user (paper, 4.1)."""

BLOCK = 256
"""Tracks whose likelihoods are in memory together."""


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


@dataclass(frozen=True, eq=False)
class Reference:
    """Reference traces under the rules of a contest; models are learned once, when asked for.

    Parameters
    ----------
    traces
        Earlier traces of the same users.
    rules
        The contest's rules.
    trained
        Weights of evidence, trained on other teams; None: learned from ``traces`` alone.
    """

    traces: TraceMatrix
    rules: Rules
    trained: Weights | None = None

    def __post_init__(self) -> None:
        # An array that is cut out of a larger one leads to it, and so perhaps to original traces.
        if self.traces.region.base is not None:
            own = replace(self.traces, region=self.traces.region.copy())
            object.__setattr__(self, "traces", own)

    def __reduce__(self) -> tuple[type[Reference], tuple[TraceMatrix, Rules, Weights | None]]:
        """Another process learns for itself what it needs."""
        return Reference, (self.traces, self.rules, self.trained)

    @property
    def days(self) -> int:
        """Number of whole days."""
        return self.traces.n_steps // self.rules.steps_per_day

    @cached_property
    def visits(self) -> VisitModel:
        """Visit probabilities over all times."""
        return VisitModel.learn(self.traces, self.rules.regions.count)

    @cached_property
    def homes(self) -> VisitModel:
        """Visit probabilities in the home hours.

        Raises
        ------
        InputError
            The reference traces have no home hour.
        """
        at_home = self.rules.is_home_time(self.traces.time_ids)
        return VisitModel.learn(self.traces, self.rules.regions.count, at_home)

    @cached_property
    def evidence(self) -> VisitEvidence:
        """How much cells speak for each user, by the time of the day."""
        step_of_day = self.rules.step_of_day(self.traces.time_ids)
        return VisitEvidence.learn(self.traces, self.rules.regions.count, step_of_day)

    @cached_property
    def habits(self) -> VisitHabits:
        """Where each user may be at each time of the day, and what seeing a cell tells."""
        return VisitHabits.learn(self.traces, self.rules)

    @cached_property
    def people(self) -> People:
        """Where users live and how their days go, and how much each kind of evidence counts."""
        return People.learn(self.traces, self.rules, self.habits, self.trained)

    def check_fits(self, release: Cells) -> None:
        """Refuse a release of another number of users.

        Raises
        ------
        InputError
            There are more or fewer pseudonyms than users.
        """
        if self.traces.n_users != release.n_rows:
            raise InputError(
                f"the reference traces have {self.traces.n_users} users,"
                f" the release {release.n_rows} pseudonyms",
                hint="both must come from one data set",
            )
