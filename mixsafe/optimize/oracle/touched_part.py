"""The part of a problem that one requirement and some zones can touch, as a problem of its own."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.model.csr import pointers
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Requirements
from mixsafe.network.components import connected


def part_of(problem: Problem, requirement: int, zones: npt.NDArray[np.bool_]) -> Problem:
    """The problem with some zones only, as far as it matters for one requirement.

    Tokens move in zones, so only users who are connected with the requirement's user, by who
    meets whom in ``zones``, can have to do with her; and steps in which nothing happens and
    nothing is seen can be left out. The candidates are the same ones.

    Parameters
    ----------
    problem
        With requirements.
    requirement
        Number of the requirement.
    zones
        (n_zones,) bool: zones in which an exchange happens.

    Returns
    -------
    Problem
        With that requirement; users and steps are numbered anew.
    """
    asked, whole, seen = problem.requirements, problem.zones, problem.knowledge
    if asked is None:
        raise ValueError("the problem has no requirements")
    one = slice(requirement, requirement + 1)
    near = _connected(whole, zones, int(asked.row[requirement]))
    rows = np.flatnonzero(near)
    kept = zones & near[whole.members[whole.ptr[:-1]]]
    known = near[seen.row]
    steps = np.unique(np.concatenate([[0, 1], whole.time[kept], seen.time[known], asked.time[one]]))
    knowledge = Knowledge(
        np.searchsorted(rows, seen.row[known]).astype(np.int32),
        np.searchsorted(steps, seen.time[known]).astype(np.int32),
    )
    question = Requirements(
        np.searchsorted(rows, asked.row[one]).astype(np.int32),
        np.searchsorted(steps, asked.time[one]).astype(np.int32),
        asked.k[one],
    )
    return Problem(problem.name, _renumbered(whole, kept, rows, steps), knowledge, question)


def _renumbered(
    whole: MixZones,
    kept: npt.NDArray[np.bool_],
    rows: npt.NDArray[np.int64],
    steps: npt.NDArray[np.int64],
) -> MixZones:
    """The zones that are ``kept``, of ``rows`` and at ``steps`` alone, both numbered anew."""
    members = whole.members[np.repeat(kept, whole.sizes)]
    return MixZones(
        users=rows,
        axis=TimeAxis(steps=len(steps) - 1),
        time=np.searchsorted(steps, whole.time[kept]).astype(np.int32),
        ptr=pointers(whole.sizes[kept]),
        members=np.searchsorted(rows, members).astype(np.int32),
    )


def _connected(whole: MixZones, zones: npt.NDArray[np.bool_], row: int) -> npt.NDArray[np.bool_]:
    """(n_users,) bool: users connected with ``row`` by meetings in ``zones``."""
    head = np.repeat(whole.members[whole.ptr[:-1]], whole.sizes)
    used = np.repeat(zones, whole.sizes)
    label = connected(whole.n_users, head[used], whole.members[used])
    same: npt.NDArray[np.bool_] = label == label[row]
    return same
