"""The questions of the CSP paper's experiment (section 5, figure 5): requirements at random."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Requirements
from mixsafe.network.wires import WireNetwork
from mixsafe.verify.verification import verify

Known = Literal["asked", "everyone"]
"""Users whose sightings the adversary has: those with a requirement only, or all."""


@dataclass(frozen=True, eq=False)
class Question:
    """A problem to be put to several engines.

    Parameters
    ----------
    problem
        With requirements, or with what is asked of :func:`verify` otherwise.
    seed
        Seed with which it was drawn; None: it was not.
    """

    problem: Problem
    seed: int | None = None


def draw_requirements(
    problem: Problem, *, count: int, k: int, seed: int, known: Known = "asked"
) -> Problem:
    """Up to ``count`` users at random, each with a requirement (u, t, k) at a random step.

    Users and steps are drawn among those at which k candidates are not ruled out by reachability
    and matching (engine ``bounds``), uniformly; otherwise most questions of a small sample would
    be trivially infeasible. ``known`` does not change the draw.

    Parameters
    ----------
    problem
        With sightings; its requirements are not used.
    count
        Users to draw, >= 1; fewer are drawn where not so many come into question.
    k
        Candidates asked for, 2 or more.
    seed
        Of the draw.
    known
        Whose sightings the adversary has.

    Raises
    ------
    InputError
        A count below 1, or a k that is below 2 or above the number of users.
    """
    if count < 1 or k < 2:
        raise InputError(f"{count} requirements with k = {k} are no question")
    whole = WireNetwork.of(problem.zones)
    wires = verify(replace(problem, requirements=None), k=k, engine="bounds").wires
    if wires is None:
        raise InputError("the problem already contains its question")
    # Nothing is asked about step 0.
    length = whole.end.astype(np.int64) - np.maximum(whole.start, 1) + 1
    length[wires["upper"].to_numpy() < k] = 0
    random = np.random.default_rng(seed)
    rows = np.sort(random.permutation(np.unique(whole.row[length > 0]))[:count]).astype(np.int32)
    steps = np.array([_random_step(whole, length, row, random) for row in rows.tolist()], np.int32)
    asked = Requirements(rows, steps, np.full(len(rows), k, np.int32))
    seen = problem.knowledge
    if known == "asked":
        seen = seen.those(np.isin(seen.row, rows))
    return replace(problem, requirements=asked, knowledge=seen)


def _random_step(
    whole: WireNetwork, length: npt.NDArray[np.int64], row: int, random: np.random.Generator
) -> int:
    """A step of one row's wires, each wire counting ``length`` steps from its end backward."""
    mine = slice(int(whole.first[row]), int(whole.first[row + 1]))
    upto = np.cumsum(length[mine])
    drawn = int(random.integers(upto[-1]))
    wire = int(np.searchsorted(upto, drawn, side="right"))
    return int(whole.end[mine][wire]) - (int(upto[wire]) - 1 - drawn)


def draw_questions(
    sample: Callable[[int, int], Problem],
    sizes: Sequence[int],
    seeds: Iterable[int],
    *,
    count: int = 5,
    k: int = 3,
    known: Known = "asked",
) -> list[Question]:
    """Questions for each number of users and each seed.

    Parameters
    ----------
    sample
        Poses a problem for a random sample: number of users, seed.
    sizes
        Numbers of users.
    seeds
        A sample and a draw for each.
    count, k, known
        Users to draw, candidates asked for, and whose sightings the adversary has.

    Returns
    -------
    list of Question
        Without those for which no requirement came into question.
    """
    drawn = [
        Question(
            draw_requirements(sample(size, seed), count=count, k=k, seed=seed, known=known), seed
        )
        for size in sizes
        for seed in seeds
    ]
    return [q for q in drawn if q.problem.requirements is not None and len(q.problem.requirements)]
