"""Gibbs sampling of the factors of PPMTF: Bayesian tensor factorization with shared factors.

Both tensors have the users' and the locations' factors in common. Counts are normal around the
products of factors with precision ``alpha``, the rows of each factor normal around a mean of their
own, with a normal-Wishart prior (Salakhutdinov and Mnih, ICML 2008; PPMTF, PoPETs 2021).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import linalg, stats

from mixsafe.machinery.compiled import compiled, side_by_side
from mixsafe.model.progress import Progress
from mixsafe.synthesize.ppmtf.counts import CountTensor, Ints

Floats = npt.NDArray[np.float64]

BETA_0 = 2.0
"""Weight of the prior mean, 0, in rows (as in Salakhutdinov and Mnih)."""

_BLOCKS = 64  # of rows, which threads take up one by one


@dataclass(frozen=True, eq=False)
class Factors:
    """One sample from the posterior.

    Parameters
    ----------
    user, location, destination, slot
        (n_users, z), (n_regions, z), (n_regions, z) and (n_slots, z).
    mean, precision
        (z,) and (z, z): the distribution of the rows of ``user``.
    """

    user: Floats
    location: Floats
    destination: Floats
    slot: Floats
    mean: Floats
    precision: Floats


class _View(NamedTuple):
    """The cells of a tensor, by the rows of one factor; the two others give the products."""

    ptr: Ints
    one: Ints
    other: Ints
    counts: Floats

    @classmethod
    def of(cls, tensor: CountTensor, axis: int) -> _View:
        """By the rows along an axis: 0 users, 1 regions, 2 destinations or slots."""
        ends = [tensor.user, tensor.region, tensor.last]
        row = ends.pop(axis)
        order = np.argsort(row, kind="stable")
        ptr = np.searchsorted(row[order], np.arange(tensor.shape[axis] + 1))
        one, other = (end[order] for end in ends)
        return cls(ptr.astype(np.int64), one, other, tensor.count[order])


def gibbs(
    transitions: CountTensor,
    visits: CountTensor,
    *,
    z: int,
    alpha: float,
    iterations: int,
    random: np.random.Generator,
    progress: Progress,
) -> Factors:
    """The last of ``iterations`` samples: one draw from the posterior.

    The same for the same generator, on any number of threads: rows are summed each by itself.

    Parameters
    ----------
    transitions, visits
        Known cells of the two tensors.
    z
        Length of a feature vector, >= 1.
    alpha
        Precision of counts, > 0.
    iterations
        Sweeps over all factors, >= 1.
    random
        Source of all chance.
    progress
        Called once per sweep.
    """
    n_users, n_regions, n_slots = visits.shape
    user, location, destination, slot = (
        random.random((n_rows, z)) for n_rows in (n_users, n_regions, n_regions, n_slots)
    )
    sample = Factors(user, location, destination, slot, np.zeros(z), np.eye(z))
    moves, there = (
        [_View.of(tensor, axis) for axis in range(3)] for tensor in (transitions, visits)
    )
    for iteration in range(iterations):
        progress("sampling factors", iteration, iterations)
        sample = _next(sample, moves, there, alpha, random)
    return sample


def _next(
    last: Factors,
    transitions: list[_View],
    visits: list[_View],
    alpha: float,
    random: np.random.Generator,
) -> Factors:
    """The sample after ``last``: each factor anew, given the others."""
    location, destination, slot = last.location, last.destination, last.slot
    mean, precision = _hyper(last.user, random)
    of_location, of_destination, of_slot = (
        _hyper(factor, random) for factor in (location, destination, slot)
    )
    sums = _add(
        _sums(transitions[0], location, destination, alpha),
        _sums(visits[0], location, slot, alpha),
    )
    user = _rows(sums, mean, precision, random)
    sums = _add(
        _sums(transitions[1], user, destination, alpha),
        _sums(visits[1], user, slot, alpha),
    )
    location = _rows(sums, *of_location, random)
    sums = _sums(transitions[2], user, location, alpha)
    destination = _rows(sums, *of_destination, random)
    slot = _rows(_sums(visits[2], user, location, alpha), *of_slot, random)
    return Factors(user, location, destination, slot, mean, precision)


def _hyper(factor: Floats, random: np.random.Generator) -> tuple[Floats, Floats]:
    """Mean and precision of a factor's rows, from their normal-Wishart posterior."""
    n_rows, z = factor.shape
    average = factor.mean(axis=0)
    off = factor - average
    scatter = np.eye(z) + off.T @ off
    scatter += BETA_0 * n_rows / (BETA_0 + n_rows) * np.outer(average, average)
    scale = linalg.inv(scatter)
    degrees = z + n_rows
    precision = np.atleast_2d(
        stats.wishart(degrees, (scale + scale.T) / 2).rvs(random_state=random)
    )
    weight = BETA_0 + n_rows
    lower = linalg.cholesky(weight * precision, lower=True)
    jitter = linalg.solve_triangular(lower.T, random.standard_normal(z), lower=False)
    return n_rows / weight * average + jitter, precision


def _add(one: tuple[Floats, Floats], other: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    return one[0] + other[0], one[1] + other[1]


def _sums(view: _View, one: Floats, other: Floats, alpha: float) -> tuple[Floats, Floats]:
    """Per row, ``alpha`` times the sums of x x' and of x * count over its cells."""
    n_rows, z = len(view.ptr) - 1, one.shape[1]
    square, cross = np.zeros((n_rows, z, z)), np.zeros((n_rows, z))

    def accumulate(rows: Ints) -> None:
        _accumulate(rows, view, one, other, square, cross)

    blocks = np.array_split(np.arange(n_rows), _BLOCKS)
    side_by_side(accumulate, blocks)
    square *= alpha
    cross *= alpha
    return square, cross


def _rows(
    sums: tuple[Floats, Floats], mean: Floats, precision: Floats, random: np.random.Generator
) -> Floats:
    """(n_rows, z) rows from their normal posteriors."""
    square, cross = sums
    square += precision
    cross += precision @ mean
    noise = random.standard_normal(cross.shape)
    lower = np.asarray(np.linalg.cholesky(square), np.float64)
    upper = np.swapaxes(lower, 1, 2)
    # With L L' = precision: L'^-1 (L^-1 cross + noise) has the mean and the covariance wanted.
    half = np.linalg.solve(lower, cross[..., None]) + noise[..., None]
    return np.asarray(np.linalg.solve(upper, half)[..., 0], np.float64)


@compiled
def _accumulate(  # pragma: no cover - compiled
    rows: Ints, view: _View, one: Floats, other: Floats, square: Floats, cross: Floats
) -> None:
    """Sums of some rows, each by itself."""
    x = np.empty(one.shape[1])
    for row in rows:
        for cell in range(view.ptr[row], view.ptr[row + 1]):
            for k in range(len(x)):
                x[k] = one[view.one[cell], k] * other[view.other[cell], k]
            for k in range(len(x)):
                cross[row, k] += x[k] * view.counts[cell]
                for m in range(len(x)):  # the whole row: half of it is not faster, and not simpler
                    square[row, k, m] += x[k] * x[m]
