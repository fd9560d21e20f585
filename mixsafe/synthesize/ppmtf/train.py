"""PPMTF+: train a model of how people move, that holds none of them (contest paper, app. A)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import Floats, TraceModel
from mixsafe.model.progress import Progress, no_progress
from mixsafe.synthesize.ppmtf.counts import CountLimits, transition_counts, visit_counts
from mixsafe.synthesize.ppmtf.gibbs import Factors, gibbs
from mixsafe.synthesize.training import TrainingTraces


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
