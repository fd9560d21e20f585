"""PPMTF+: train a model of how people move, that holds none of them (contest paper, app. A).

The model has two count tensors: user x region x region, and user x region x time slot. A tensor is
known where a count is positive, and at some zeros per user that are drawn at random; all other
cells are missing (Murakami, Hamada, Kawamoto, Hatano: Privacy-Preserving Multiple Tensor
Factorization for Synthesizing Large-Scale Location Traces with Cluster-Specific Features, PoPETs
2021). What one user can contribute is bounded.

Their factors are drawn by Gibbs sampling: Bayesian tensor factorization with shared factors. Both
tensors have the users' and the locations' factors in common. Counts are normal around the products
of factors with precision ``alpha``, the rows of each factor normal around a mean of their own, with
a normal-Wishart prior (Salakhutdinov and Mnih, ICML 2008; PPMTF, PoPETs 2021).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import linalg, stats
from threadpoolctl import threadpool_limits

from mixsafe.errors import InputError
from mixsafe.machinery.compiled import compiled, side_by_side
from mixsafe.model.mobility.complete_traces import Floats, TraceMatrix, TraceModel
from mixsafe.model.mobility.traces import Traces
from mixsafe.model.progress import Progress, no_progress
from mixsafe.synthesize.ppmtf.virtual_users import SamplingPlan, sample
from mixsafe.synthesize.training import TrainingTraces

Ints = npt.NDArray[np.int64]

BETA_0 = 2.0
"""Weight of the prior mean, 0, in rows (as in Salakhutdinov and Mnih)."""

_BLOCKS = 64  # of rows, which threads take up one by one


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


@dataclass(frozen=True)
class TrainingSettings:
    """Options of training; the defaults are those of the contest's experiments.

    Parameters
    ----------
    z
        Length of a feature vector, >= 1.
    alpha
        Precision of counts, > 0: the larger, the closer the factors follow them.
    iterations
        Sweeps of the Gibbs sampler, >= 1.
    limits
        What is taken of each user.

    Raises
    ------
    InputError
        A number out of its range.
    """

    z: int = 16
    alpha: float = 200.0
    iterations: int = 100
    limits: CountLimits = field(default_factory=CountLimits)

    def __post_init__(self) -> None:
        if self.z < 1 or self.iterations < 1:
            raise InputError(f"{self.z} features and {self.iterations} iterations: less than 1")
        if not 0 < self.alpha < float("inf"):
            raise InputError(f"alpha is not positive: {self.alpha}")


@dataclass(frozen=True, eq=False)
class Trained:
    """The result of training.

    Parameters
    ----------
    model
        What is kept.
    features
        (n_users, z) feature vectors of the training users. PPMTF makes traces from them, PPMTF+
        throws them away; for comparisons only, never to be published.
    """

    model: TraceModel
    features: Floats


def train(
    traces: TrainingTraces,
    settings: TrainingSettings | None = None,
    *,
    seed: int,
    progress: Progress = no_progress,
) -> Trained:
    """Factorize the users' transition and visit counts, and keep the distribution of users.

    Time grows with ``iterations * n_users * (cells + zeros) * z^2``, memory with the cells.

    Parameters
    ----------
    traces
        Of two users or more.
    settings
        How; default: as in the contest's experiments.
    seed
        Of all chance, >= 0.

    Raises
    ------
    InputError
        One user only, or no transition at all.
    """
    settings = settings or TrainingSettings()
    if traces.n_users < 2:
        raise InputError("one training user is too few", hint="use traces of more users")
    random = np.random.default_rng([seed, 0])
    progress("counting", 0, 0)
    if not len(traces.moves()):
        raise InputError("no user has positions in two consecutive steps")
    counts = (
        transition_counts(traces, settings.limits, random),
        visit_counts(traces, settings.limits, random),
    )
    # BLAS sums in another order on more threads: the model would depend on the machine's load.
    with threadpool_limits(1, user_api="blas"):
        factors = gibbs(
            *counts,
            z=settings.z,
            alpha=settings.alpha,
            iterations=settings.iterations,
            random=random,
            progress=progress,
        )
        covariance = np.asarray(np.linalg.inv(factors.precision), np.float64)
    return Trained(_model(factors, covariance, traces), factors.user)


def _model(factors: Factors, covariance: Floats, traces: TrainingTraces) -> TraceModel:
    """The stored model: everything but the users' factors."""
    edge_ptr, edge_to = _edges(traces)
    visited = np.zeros((traces.n_slots, traces.n_regions), bool)
    visited[traces.slot, traces.region] = True
    return TraceModel(
        factors.mean,
        (covariance + covariance.T) / 2,
        factors.location,
        factors.destination,
        factors.slot,
        edge_ptr,
        edge_to,
        visited,
        traces.n_users,
    )


def _edges(traces: TrainingTraces) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """CSR of the transitions that occur."""
    move = traces.moves()
    n_regions = traces.n_regions
    here, there = np.divmod(
        np.unique(traces.region[move] * n_regions + traces.region[move + 1]), n_regions
    )
    ptr = np.searchsorted(here, np.arange(n_regions + 1)).astype(np.int64)
    return ptr, there.astype(np.int32)


def synthesize(
    traces: Traces | TraceMatrix,
    plan: SamplingPlan,
    *,
    steps_per_day: int = 20,
    settings: TrainingSettings | None = None,
    progress: Progress = no_progress,
) -> TraceMatrix:
    """Traces of people who do not exist, who move as a population does (PPMTF+).

    Parameters
    ----------
    traces
        Regions, numbered from 1 in :class:`Traces`, of the users to train on; time_id 1 is the
        first step of a day.
    plan
        How many virtual users and days, with what seed; its seed is the training's, too.
    steps_per_day
        Of ``traces``, >= 1.
    settings
        Of the training; default: as in the contest's experiments.
    progress
        Called with stage, what is done and what is to be done.

    Raises
    ------
    InputError
        Traces of one user, of coordinates, or without any transition.

    Examples
    --------
    >>> import mixsafe
    >>> from mixsafe.synthesize.ppmtf.train import TrainingSettings
    >>> town = mixsafe.load(mixsafe.sample("town"))
    >>> plan = mixsafe.SamplingPlan(users=50, seed=1)
    >>> quick = TrainingSettings(z=4, iterations=5)
    >>> mixsafe.synthesize(town, plan, settings=quick).n_users  # doctest: +SKIP
    50
    """
    if isinstance(traces, Traces):
        count = 0 if traces.region is None else int(traces.region.max(initial=1))
        visits = TrainingTraces.of_traces(traces, count, steps_per_day)
    else:
        count = int(traces.region.max()) + 1
        visits = TrainingTraces.of_matrix(traces, count, steps_per_day)
    trained = train(visits, settings, seed=plan.seed, progress=progress)
    return sample(trained.model, plan, progress=progress)
