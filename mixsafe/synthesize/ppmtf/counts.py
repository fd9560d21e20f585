"""The two count tensors of PPMTF: user x region x region, and user x region x time slot.

A tensor is known where a count is positive, and at some zeros per user that are drawn at random;
all other cells are missing (Murakami, Hamada, Kawamoto, Hatano: Privacy-Preserving Multiple Tensor
Factorization for Synthesizing Large-Scale Location Traces with Cluster-Specific Features, PoPETs
2021). What one user can contribute is bounded.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.synthesize.training import TrainingTraces

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class CountLimits:
    """Limits of the counts of each user.

    Parameters
    ----------
    largest
        Counts above it are cut down to it, >= 1.
    cells
        Positive cells per user and tensor, >= 1; of more, a random choice.
    zeros
        Zero cells per user and tensor, >= 0; of fewer, all.

    Raises
    ------
    InputError
        A number out of its range.
    """

    largest: int = 10
    cells: int = 100
    zeros: int = 1000

    def __post_init__(self) -> None:
        if self.largest < 1 or self.cells < 1 or self.zeros < 0:
            raise InputError(
                f"limits {self.largest}, {self.cells}, {self.zeros} of counts, cells and zeros",
                hint="give counts and cells of at least 1, and zeros of at least 0",
            )


@dataclass(frozen=True, eq=False)
class CountTensor:
    """The known cells of a tensor (n_users, n_regions, n_last).

    Parameters
    ----------
    shape
        Of the tensor.
    user, region, last
        (n_cells,) int64 each: where the cells are, by user.
    count
        (n_cells,) float64, >= 0.
    """

    shape: tuple[int, int, int]
    user: Ints
    region: Ints
    last: Ints
    count: npt.NDArray[np.float64]


def transition_counts(
    traces: TrainingTraces, limits: CountLimits, random: np.random.Generator
) -> CountTensor:
    """Count the transitions of each user between regions, self-transitions included.

    Returns
    -------
    CountTensor
        Counts of (user, region, next region); shape (n_users, n_regions, n_regions).
    """
    move = traces.moves()
    here, there = traces.region[move], traces.region[move + 1]
    return _tensor(traces, traces.n_regions, traces.user[move], here, there, limits, random)


def visit_counts(
    traces: TrainingTraces, limits: CountLimits, random: np.random.Generator
) -> CountTensor:
    """Count the visits of each user by region and time slot.

    Returns
    -------
    CountTensor
        Counts of (user, region, slot); shape (n_users, n_regions, n_slots).
    """
    return _tensor(traces, traces.n_slots, traces.user, traces.region, traces.slot, limits, random)


def _tensor(
    traces: TrainingTraces,
    n_last: int,
    user: Ints,
    region: Ints,
    last: Ints,
    limits: CountLimits,
    random: np.random.Generator,
) -> CountTensor:
    """Counts of (user, region, last), cut down, with zeros."""
    n_cells = traces.n_regions * n_last
    key, count = np.unique((user * n_cells) + region * n_last + last, return_counts=True)
    ptr = np.searchsorted(key, np.arange(traces.n_users + 1) * n_cells)
    cells, counts = [], []
    for number in range(traces.n_users):  # each user's draw is her own, and of another size
        begin, end = ptr[number], ptr[number + 1]
        own = key[begin:end] - number * n_cells
        zero = _zeros(own, n_cells, limits.zeros, random)
        if len(own) > limits.cells:
            chosen = np.sort(random.permutation(len(own))[: limits.cells])
            own, number_of = own[chosen], count[begin:end][chosen]
        else:
            number_of = count[begin:end]
        cells.append(np.concatenate([own, zero]))
        counts.append(np.concatenate([np.minimum(number_of, limits.largest), np.zeros(len(zero))]))
    cell = np.concatenate(cells)
    where, what = np.divmod(cell, n_last)
    size = np.array([len(some) for some in cells])
    return CountTensor(
        (traces.n_users, traces.n_regions, n_last),
        np.repeat(np.arange(traces.n_users), size),
        where,
        what,
        np.concatenate(counts),
    )


def _zeros(own: Ints, n_cells: int, wanted: int, random: np.random.Generator) -> Ints:
    """``wanted`` random cells that are not in ``own``, or all of them if there are no more."""
    drawn = random.choice(n_cells, size=min(wanted + len(own), n_cells), replace=False)
    free: Ints = drawn[~np.isin(drawn, own)][:wanted].astype(np.int64)
    return free
