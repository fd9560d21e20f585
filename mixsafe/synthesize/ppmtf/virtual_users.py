"""PPMTF+: virtual users and their traces from a trained model (contest paper, app. A and D).

A virtual user walks by Metropolis-Hastings moves. The user's transition counts, clipped from below
and normalized, propose the next region; a move is accepted so that the visit probabilities of the
time slot are stationary (PPMTF, PoPETs 2021). Rows of the transition matrix are computed when they
are needed, and only their sums are kept: memory is linear in the number of regions.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from mixsafe.errors import InputError
from mixsafe.machinery.compiled import compiled
from mixsafe.model.mobility.complete_traces import Floats, TraceMatrix, TraceModel
from mixsafe.model.progress import Progress
from mixsafe.synthesize.least import check_least

Ints = npt.NDArray[np.int64]
RegionArray = npt.NDArray[np.int32]

FLOOR = 1e-8
"""Smallest transition or visit count, which keeps all probabilities positive."""

BLOCK = 256
"""Users whose traces are made, and held in memory, at once."""


class Habits(NamedTuple):
    """Where one user is, and goes from there.

    Parameters
    ----------
    taste
        (n_regions, z): the user's features times those of each location.
    destination, slot
        (z, n_regions) and (n_slots, z) factors.
    edge_ptr, edge_to, visited, seen_only
        What training users did, and whether the rest is left out.
    """

    taste: Floats
    destination: Floats
    slot: Floats
    edge_ptr: Ints
    edge_to: RegionArray
    visited: npt.NDArray[np.bool_]
    seen_only: bool


class Home(NamedTuple):
    """The home region's weight, and the number of slots at both ends of a day that it covers."""

    weight: float
    slots: int


class Uniforms(NamedTuple):
    """Uniform numbers: of the home, (days,) of first regions, (days, steps - 1, moves, 2)."""

    home: float
    start: Floats
    move: Floats


class _TransitionRows(NamedTuple):
    """Rows of the transition matrix, computed when they are needed, and their sums.

    ``sums``, (n_regions,), NaN where not known yet; ``row`` of region ``region[0]``, and
    ``other``, of another one.
    """

    sums: Floats
    row: Floats
    other: Floats
    region: Ints


@compiled
def walk(  # pragma: no cover - compiled
    habits: Habits, home: Home, slot_of_step: Ints, chances: Uniforms
) -> RegionArray:
    """Regions of one user.

    Parameters
    ----------
    habits
        The user's.
    home
        Whether the user has one.
    slot_of_step
        (steps,) time slot of each step of a day.
    chances
        All that is drawn.

    Returns
    -------
    (days, steps) int32 regions.
    """
    visits = _visits(habits)
    _settle(visits, home, chances.home)
    n_regions, days, steps = len(habits.taste), len(chances.start), len(slot_of_step)
    rows = _TransitionRows(
        np.full(n_regions, np.nan),
        np.empty(n_regions),
        np.empty(n_regions),
        np.full(1, -1, np.int64),
    )
    regions = np.empty((days, steps), np.int32)
    for day in range(days):
        here = _draw(visits[slot_of_step[0]], 1.0, chances.start[day])
        regions[day, 0] = here
        for step in range(1, steps):
            aim, drawn = visits[slot_of_step[step]], chances.move[day, step - 1]
            for move in range(len(drawn)):
                here = _moved(here, aim, habits, rows, drawn[move])
            regions[day, step] = here
    return regions


@compiled
def _moved(  # pragma: no cover - compiled
    here: int, aim: Floats, habits: Habits, rows: _TransitionRows, chance: Floats
) -> int:
    """Region after one Metropolis-Hastings move, ``aim`` being stationary."""
    if rows.region[0] != here:
        rows.sums[here] = _row(habits, here, rows.row)
        rows.region[0] = here
    there = _draw(rows.row, rows.sums[here], chance[0])
    if there == here:
        return here
    if np.isnan(rows.sums[there]):
        rows.sums[there] = _row(habits, there, rows.other)
    gain = aim[there] * _count(habits, there, here) / rows.sums[there]
    loss = aim[here] * rows.row[there] / rows.sums[here]
    return there if chance[1] * loss < gain else here


@compiled
def _visits(habits: Habits) -> Floats:  # pragma: no cover - compiled
    """(n_slots, n_regions) visit probabilities."""
    taste, slot = habits.taste, habits.slot
    (n_slots, z), n_regions = slot.shape, len(taste)
    visits = np.empty((n_slots, n_regions))
    for s in range(n_slots):
        total = 0.0
        for i in range(n_regions):
            count = 0.0
            for k in range(z):
                count += taste[i, k] * slot[s, k]
            if count < FLOOR or (habits.seen_only and not habits.visited[s, i]):
                count = FLOOR
            visits[s, i] = count
            total += count
        visits[s] /= total
    return visits


@compiled
def _settle(  # pragma: no cover - compiled
    visits: Floats, home: Home, chance: float
) -> None:
    """Draw a home from the first time slot, and make the user be there morning and evening."""
    if home.weight == 0.0:
        return
    n_slots = len(visits)
    region = _draw(visits[0], 1.0, chance)
    for s in range(n_slots):
        if s < home.slots or s >= n_slots - home.slots:
            visits[s, region] += home.weight
            visits[s] /= 1.0 + home.weight


@compiled
def _row(  # pragma: no cover - compiled
    habits: Habits, region: int, row: Floats
) -> float:
    """Fill ``row`` with the transition counts out of ``region``; their sum."""
    taste, destination = habits.taste, habits.destination
    z = taste.shape[1]
    if habits.seen_only:
        row[:] = FLOOR
        for edge in range(habits.edge_ptr[region], habits.edge_ptr[region + 1]):
            there = habits.edge_to[edge]
            count = 0.0
            for k in range(z):
                count += taste[region, k] * destination[k, there]
            row[there] = max(count, FLOOR)
    else:
        row[:] = 0.0
        for k in range(z):
            row += taste[region, k] * destination[k]
        np.maximum(row, FLOOR, row)
    return float(row.sum())


@compiled
def _count(  # pragma: no cover - compiled
    habits: Habits, region: int, there: int
) -> float:
    """Transition count from ``region`` to ``there``."""
    if habits.seen_only:
        begin, end = habits.edge_ptr[region], habits.edge_ptr[region + 1]
        edge = begin + np.searchsorted(habits.edge_to[begin:end], there)
        if edge == end or habits.edge_to[edge] != there:
            return FLOOR
    count = 0.0
    for k in range(habits.taste.shape[1]):
        count += habits.taste[region, k] * habits.destination[k, there]
    return max(count, FLOOR)


@compiled
def _draw(weights: Floats, total: float, chance: float) -> int:  # pragma: no cover - compiled
    """Number with a probability in proportion to its weight; ``total`` is their sum."""
    left = chance * total
    for number in range(len(weights)):
        left -= weights[number]
        if left < 0.0:
            return number
    return len(weights) - 1  # by rounding, next to nothing was left


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
