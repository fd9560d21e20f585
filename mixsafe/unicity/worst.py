"""The worst case: the fewest places and times of a person that leave fewer than k tracks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mixsafe.breaking.breaking import check_at_most
from mixsafe.errors import InputError
from mixsafe.model.limits import Deadline
from mixsafe.model.question.requirement import check_k
from mixsafe.solver.hitting import ImplicitHittingSet
from mixsafe.unicity.person_paths import (
    FAR,
    Misfits,
    PersonPaths,
    Whole,
    find_paths,
    missed_on,
)


class Singled(NamedTuple):
    """How many sightings single a person out.

    Parameters
    ----------
    lower
        Proven lower bound; ``at_most`` + 1 where no set of at most that size does.
    upper
        Size of the known set, ``steps``; None: no set is known.
    steps
        When she is seen, from 1 on.
    """

    lower: int
    upper: int | None
    steps: tuple[int, ...] = ()


def check_asked(k: int, at_most: int, draws: int = 1) -> None:
    """Reject arguments that are out of range.

    Raises
    ------
    InputError
        A value out of range.
    """
    check_k(k)
    if at_most < 0 or draws < 1:
        raise InputError(f"at most {at_most} and {draws} draws: one of them is too small")
    check_at_most(at_most)


def fewest(
    group: Whole,
    off: Misfits,
    k: int,
    at_most: int,
    paths: PersonPaths,
    deadline: Deadline,
) -> Singled:
    """The fewest sightings that leave fewer than ``k`` tracks to a person, at every step.

    Parameters
    ----------
    group
        (n_steps, n_tracks) which tracks exchange with which.
    off
        (n_steps, n_tracks): where a track is not where she was, and might be seen.
    k
        Tracks that she might be on, at least, >= 1.
    at_most
        Largest set size to search for.
    paths
        Working memory.
    deadline
        Time limit.
    """
    search = ImplicitHittingSet(most=at_most)
    while (chosen := search.propose(deadline)) is not None:
        seen = np.zeros(len(off), bool)
        seen[chosen] = True
        find_paths(group, off, seen, paths)
        missed = _missed(group, off, k, paths)
        if missed is None:
            search.accept(chosen)
            continue
        if missed[chosen].any():
            raise AssertionError("a path misses what was seen")
        search.refute(np.flatnonzero(missed).tolist())
    return Singled(search.lower, search.upper, tuple(step + 1 for step in search.best))


def _missed(group: Whole, off: Misfits, k: int, paths: PersonPaths) -> Misfits | None:
    """(n_steps,) possible sightings missed by the best paths to ``k`` tracks at one step.

    None: there are too few paths.
    """
    total = paths.before + paths.after
    n = total.shape[1]
    if k > n:
        return None
    cheapest = np.partition(total, k - 1, axis=1)[:, :k]
    step = int(cheapest.sum(axis=1, dtype=np.int64).argmin())
    if cheapest[step].max() >= FAR:
        possible = np.flatnonzero(cheapest.max(axis=1) < FAR)
        if not len(possible):
            return None
        step = int(possible[0])
    missed, by_one = np.zeros(len(off), np.bool_), np.zeros(len(off), np.bool_)
    for row in np.argsort(total[step], kind="stable")[:k].tolist():
        missed_on(step, row, group, off, paths, by_one)
        missed |= by_one
    return missed
