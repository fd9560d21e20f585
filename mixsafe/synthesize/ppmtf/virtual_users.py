"""PPMTF+: virtual users and their traces from a trained model (contest paper, app. A and D)."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import Floats, TraceMatrix, TraceModel
from mixsafe.model.progress import Progress
from mixsafe.synthesize.least import check_least
from mixsafe.synthesize.ppmtf.metropolis import Habits, Home, Uniforms, walk

RegionArray = npt.NDArray[np.int32]

BLOCK = 256
"""Users whose traces are made, and held in memory, at once."""


@dataclass(frozen=True)
class SamplingPlan:
    """Which traces are made.

    Parameters
    ----------
    users, days
        Virtual users, and days of each, >= 1.
    steps
        Locations per user and day, >= 1; None: one per time slot.
    moves
        Metropolis-Hastings moves from one location to the next, >= 1. The more, the closer the
        population of each time slot is met, and the less the transitions are.
    skip_slots
        First time slots of each day that are walked through and left out, as the contest's 6:00
        to 8:00.
    home
        Weight that a user's home region gets on top of her visit probabilities in the first and
        the last ``home_slots`` of a day (appendix D; the contest's is 20); 0: no homes.
    home_slots
        Time slots at either end of a day; None: a sixth of them, and one at least.
    seen_only
        Make nothing likely that no training user did: visits of a region in a time slot, and
        transitions (as the contest's own traces; the paper's experiments do not).
    seed, team
        Of all chance, >= 0: other teams have other users.

    Raises
    ------
    InputError
        A number out of its range.
    """

    users: int
    days: int = 1
    steps: int | None = None
    moves: int = 1
    skip_slots: int = 0
    home: float = 0.0
    home_slots: int | None = None
    seen_only: bool = True
    seed: int = 0
    team: int = 0

    def __post_init__(self) -> None:
        check_least(users=self.users, days=self.days, moves=self.moves)
        if self.steps is not None:
            check_least(steps=self.steps)
        if min(self.seed, self.team, self.skip_slots, self.home_slots or 0) < 0:
            raise InputError("seed, team, skipped slots and home slots must not be negative")
        if not 0 <= self.home < float("inf"):
            raise InputError(f"the home weight {self.home} is not a weight", hint="use 0 or more")

    def slot_of_step(self, n_slots: int) -> tuple[npt.NDArray[np.int64], int]:
        """Time slot of each step of a day, and the number of steps left out at its beginning.

        Parameters
        ----------
        n_slots
            Time slots of a day of the model.

        Returns
        -------
        tuple
            (n_left_out + n_steps,) slot of each step, and n_left_out.

        Raises
        ------
        InputError
            All slots of the day would be left out.
        """
        kept = n_slots - self.skip_slots
        if kept < 1:
            raise InputError(f"the model's days have {n_slots} time slots: none would be left")
        steps = kept if self.steps is None else self.steps
        skipped = -(-self.skip_slots * steps // kept)
        slot = self.skip_slots + np.arange(-skipped, steps) * kept // steps
        return np.maximum(slot, 0), skipped

    def slots_at_home(self, n_slots: int) -> int:
        """Time slots at either end of a day in which users tend to be at home."""
        if self.home == 0.0:
            return 0
        return max(1, n_slots // 6) if self.home_slots is None else self.home_slots


def sample(
    model: TraceModel,
    plan: SamplingPlan,
    *,
    features: Floats | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> TraceMatrix:
    """Traces of all virtual users of a plan; memory is that of the traces.

    The same for the same plan on any number of workers, and the first users are the same however
    many there are.

    Parameters
    ----------
    features
        (users, z) feature vectors, instead of random ones: what PPMTF does, the predecessor.
    workers
        Threads, >= 1.

    Raises
    ------
    InputError
        A plan that does not fit the model, or no worker.
    """
    blocks = list(sample_blocks(model, plan, features=features, workers=workers, progress=progress))
    return TraceMatrix(np.concatenate(blocks))


def sample_blocks(
    model: TraceModel,
    plan: SamplingPlan,
    *,
    features: Floats | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> Iterator[RegionArray]:
    """As :func:`sample`, in blocks of users: (n, days * steps) int32 regions from 0 each.

    Raises
    ------
    InputError
        A plan that does not fit the model, or no worker.
    """
    check_least(workers=workers)
    if features is not None and features.shape != (plan.users, model.z):
        raise InputError(f"{features.shape} features do not fit {plan.users} users x {model.z}")
    lower = _root(model.covariance)
    slots, skipped = plan.slot_of_step(model.n_slots)

    def trace(number: int) -> RegionArray:
        random = np.random.default_rng([plan.seed, 1, plan.team, number])
        vector = model.mean + lower @ random.standard_normal(model.z)
        if features is not None:
            vector = features[number]
        return _trace(model, plan, vector, slots, random)[:, skipped:].reshape(-1)

    with ThreadPoolExecutor(workers) as pool:
        for begin in range(0, plan.users, BLOCK):
            if progress is not None:
                progress("sampling traces", begin, plan.users)
            end = min(begin + BLOCK, plan.users)
            yield np.stack(list(pool.map(trace, range(begin, end))))


def _root(covariance: Floats) -> Floats:
    """L with L L' = covariance; for one that is singular by rounding, too."""
    with threadpool_limits(1, user_api="blas"):  # the same on any number of threads
        value, vector = np.linalg.eigh(covariance)
    root: Floats = vector * np.sqrt(np.maximum(value, 0.0))
    return root


def _trace(
    model: TraceModel,
    plan: SamplingPlan,
    vector: Floats,
    slots: npt.NDArray[np.int64],
    random: np.random.Generator,
) -> RegionArray:
    """(days, steps) regions of one user."""
    habits = Habits(
        model.location * vector,
        np.ascontiguousarray(model.destination.T),
        model.slot,
        model.edge_ptr,
        model.edge_to,
        model.visited,
        plan.seen_only,
    )
    chances = Uniforms(
        random.random(),
        random.random(plan.days),
        random.random((plan.days, len(slots) - 1, plan.moves, 2)),
    )
    home = Home(float(plan.home), plan.slots_at_home(model.n_slots))
    regions: RegionArray = walk(habits, home, slots, chances)
    return regions
