"""Which verdicts stay as they are when data are added at the end.

More knowledge about a past that does not change only takes candidates away: what is unsafe stays
unsafe. What is safe stays safe if everybody was seen at the last step, because every assignment
goes on from there by the identity (docs/develop/facts.md).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mixsafe.extract.days import day_starts
from mixsafe.model.question.problem import Problem


@dataclass(frozen=True)
class Lasting:
    """Whether verdicts are final, whatever is published and learned later.

    Parameters
    ----------
    safe, unsafe
        Whether what is safe stays safe, and what is unsafe stays unsafe.
    why
        Why not, a sentence each, with the way out.
    """

    safe: bool
    unsafe: bool
    why: tuple[str, ...]


def lasting(
    problem: Problem,
    adversary: str | None,
    *,
    centred: bool = False,
    limited: bool = False,
    steps_per_day: int = 20,
) -> Lasting:
    """Say which verdicts on a problem are final.

    Parameters
    ----------
    problem
        The problem.
    adversary
        Name of the built-in adversary; None: sightings from a file.
    centred
        Whether places are cells of a grid around the centre of the data.
    limited
        Whether exchanges are limited by how far people get.
    steps_per_day
        Length of a day where steps are numbered, >= 1.
    """
    lost, changed = [], []  # reasons why safe verdicts can be lost, and why any can change
    if centred:
        changed.append(
            "the grid is centred on the data and moves with them: use --cells h3:N or --places"
        )
    if adversary == "home":
        changed.append("homes can change when there are more mornings")
    moves = adversary == "endpoints" or (
        adversary == "daily" and not _is_days_end(problem, steps_per_day)
    )
    if not all_seen_at(problem, problem.zones.axis.steps):
        lost.append("not everybody is seen at the last step: say --sealed")
    if limited:
        lost.append("whoever has no fix after a mix zone yet may go anywhere")
    why = [*changed, *lost]
    if moves:
        why.append("the last sightings move with the end of the data, and may set candidates free")
    return Lasting(not changed and not lost, not changed and not moves, tuple(why))


def all_seen_at(problem: Problem, step: int) -> bool:
    """Whether everybody with data is seen at a step."""
    zones, known = problem.zones, problem.knowledge
    return len(np.union1d(known.row[known.time == step], zones.absent)) == zones.n_users


def _is_days_end(problem: Problem, steps_per_day: int) -> bool:
    """Whether the last step is the last one of its day."""
    axis = problem.zones.axis
    longer = replace(axis, steps=axis.steps + 1)
    return int(day_starts(longer, steps_per_day=steps_per_day)[-1]) == longer.steps
