"""Two baselines that know no user: a common transition matrix per time slot (SGD), and nothing.

SGD is the special case of Bindschaedler, Shokri and Gunter's generator (PVLDB 2017) that the
contest paper compares with (appendix B.1): the model does not depend on the record.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import sparse

from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.synthesize.least import check_least
from mixsafe.synthesize.training import TrainingTraces

Ints = npt.NDArray[np.int64]


def uniform(n_users: int, n_steps: int, n_regions: int, random: np.random.Generator) -> TraceMatrix:
    """Draw every location from all regions alike.

    Parameters
    ----------
    n_users, n_steps, n_regions
        Numbers, >= 1 each; a user has ``n_steps`` locations.
    random
        Source of all chance.

    Returns
    -------
    TraceMatrix
        (n_users, n_steps) regions from 0.

    Raises
    ------
    InputError
        No user, no step or no region.
    """
    check_least(users=n_users, steps=n_steps, regions=n_regions)
    return TraceMatrix(random.integers(0, n_regions, (n_users, n_steps), np.int32))


def sgd(
    traces: TrainingTraces, n_users: int, days: int, random: np.random.Generator
) -> TraceMatrix:
    """Traces from the maximum likelihood transition matrix of each time slot of the day.

    Days begin with the first slot's population; from a region without
    transitions in a time slot, walkers move by that slot's population. One location per time slot.

    Parameters
    ----------
    traces
        Training traces; the time slot of a transition is that of its end.
    n_users, days
        Users, and days of each, >= 1.
    random
        Source of all chance.

    Raises
    ------
    InputError
        No user or no day.
    """
    check_least(users=n_users, days=days)
    n_slots, n_regions = traces.n_slots, traces.n_regions
    populations = _populations(traces)
    move = traces.moves()
    slot = traces.slot[move + 1]
    region = np.empty((n_users, days, n_slots), np.int32)
    walkers = n_users * days
    now = _inverse(populations[0], random.random(walkers))
    region[..., 0] = now.reshape(n_users, days)
    for s in range(1, n_slots):
        taken = move[slot == s]
        matrix = sparse.csr_array(
            (np.ones(len(taken)), (traces.region[taken], traces.region[taken + 1])),
            shape=(n_regions, n_regions),
        )
        now = _step(matrix, populations[s], now, random.random(walkers))
        region[..., s] = now.reshape(n_users, days)
    return TraceMatrix(region.reshape(n_users, -1))


def _populations(traces: TrainingTraces) -> npt.NDArray[np.float64]:
    """(n_slots, n_regions) visits; uniform in a time slot without any visit."""
    key = traces.slot * traces.n_regions + traces.region
    visits = np.bincount(key, minlength=traces.n_slots * traces.n_regions).astype(np.float64)
    visits = visits.reshape(traces.n_slots, traces.n_regions)
    visits[visits.sum(axis=1) == 0] = 1.0
    return visits


def _inverse(weights: npt.NDArray[np.float64], chance: npt.NDArray[np.float64]) -> Ints:
    """Numbers drawn in proportion to their weights."""
    total = np.cumsum(weights)
    drawn = np.searchsorted(total, chance * total[-1], side="right")
    return np.asarray(np.minimum(drawn, np.flatnonzero(weights)[-1]))


def _step(
    matrix: sparse.csr_array,
    population: npt.NDArray[np.float64],
    now: Ints,
    chance: npt.NDArray[np.float64],
) -> Ints:
    """The next region of each walker, from the current one, ``now``."""
    ptr, to = matrix.indptr, matrix.indices
    total = np.concatenate([[0.0], np.cumsum(matrix.data)])
    begin, end = ptr[now], ptr[now + 1]
    goal = total[begin] + chance * (total[end] - total[begin])
    entry = np.clip(np.searchsorted(total, goal, side="right") - 1, begin, end - 1)
    stuck = begin == end
    then = np.empty(len(now), np.int64)
    then[~stuck] = to[entry[~stuck]]
    then[stuck] = _inverse(population, chance[stuck])
    return then
