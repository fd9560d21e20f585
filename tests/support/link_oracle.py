"""Histories of small link problems, all of them listed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mixsafe.model.csr import pointers
from mixsafe.model.tracklets import LinkProblem

Links = dict[int, int]
"""What continues each tracklet that something continues."""


class Listed(NamedTuple):
    """What occurs in some history: pairs of tracklets; -1: none."""

    contradicted: bool
    after: set[tuple[int, int]]
    before: set[tuple[int, int]]
    chain: set[tuple[int, int, int]]  # tracklet, time, candidate
    count: dict[tuple[int, int], int]  # number of histories with each link
    n_histories: int


def problem_of(
    alive: list[tuple[int, int]],
    links: list[tuple[int, int]],
    must_continue: list[int] = [],  # noqa: B006 - never changed
    must_come: list[int] = [],  # noqa: B006
    same: list[tuple[int, int]] = [],  # noqa: B006
) -> LinkProblem:
    """The problem with these tracklets, links, and pairs."""
    n = len(alive)
    times = np.array(alive, np.int64).reshape(-1, 2)
    pairs = np.array(sorted(links), np.int64).reshape(-1, 2)
    is_in = [np.isin(np.arange(n), chosen) for chosen in (must_continue, must_come)]
    return LinkProblem(
        times[:, 0],
        times[:, 1],
        pointers(np.bincount(pairs[:, 0], minlength=n)),
        pairs[:, 1].astype(np.int32),
        *is_in,
        np.array(same, np.int32).reshape(-1, 2),
    )


def random_links(rng: np.random.Generator, most: int = 8) -> LinkProblem:
    """A random problem with up to ``most`` tracklets, some with pairs of ``same``."""
    n = int(rng.integers(1, most + 1))
    first = rng.choice([0, 0, 3, 5, 8, 11], n) + rng.integers(0, 2, n)
    alive = [(int(t), int(t + rng.integers(0, 4))) for t in first]
    share = rng.uniform(0.2, 1)
    links = [
        (i, j)
        for i in range(n)
        for j in range(n)
        if alive[i][1] < alive[j][0] and rng.random() < share
    ]
    musts = []
    for side in (0, 1):
        linked = sorted({link[side] for link in links} if rng.random() < 0.9 else range(n))
        musts.append([i for i in linked if rng.random() < rng.choice([0, 0.3, 0.8])])
    ahead = [(i, j) for i in range(n) for j in range(n) if alive[i][1] < alive[j][0]]
    same = []
    if ahead and rng.random() < 0.4:
        chosen = rng.choice(len(ahead), int(rng.integers(1, 3)))
        same = [ahead[c] if rng.random() < 0.5 else ahead[c][::-1] for c in chosen]
    return problem_of(alive, links, *musts, same)


def histories_of(problem: LinkProblem) -> Iterator[Links]:
    """Every history, one after the other."""

    def further(i: int, found: Links) -> Iterator[Links]:
        if i == len(problem):
            yield dict(found)
            return
        if not problem.must_continue[i]:
            yield from further(i + 1, found)
        for j in problem.to[problem.ptr[i] : problem.ptr[i + 1]].tolist():
            if j not in found.values():
                yield from further(i + 1, {**found, i: j})

    for found in further(0, {}):
        come = set(found.values())
        if come >= set(np.flatnonzero(problem.must_come).tolist()) and all(
            j in chain_of(i, found) or i in chain_of(j, found) for i, j in problem.same.tolist()
        ):
            yield found


def chain_of(i: int, history: Links) -> list[int]:
    """A tracklet, and all that continue it."""
    chain = [i]
    while chain[-1] in history:
        chain.append(history[chain[-1]])
    return chain


def times_of(problem: LinkProblem, i: int) -> list[int]:
    """Times after a tracklet at which some tracklet begins."""
    return sorted({t for t in problem.first.tolist() if t > problem.last[i]})


def listed(problem: LinkProblem) -> Listed:
    """What occurs in some history."""
    after, before, chain, count, n = set(), set(), set(), {}, 0
    for history in histories_of(problem):
        n += 1
        back = {j: i for i, j in history.items()}
        for link in history.items():
            count[link] = count.get(link, 0) + 1
        for i in range(len(problem)):
            after.add((i, history.get(i, -1)))
            before.add((i, back.get(i, -1)))
            for time in times_of(problem, i):
                there = [
                    j for j in chain_of(i, history) if problem.first[j] <= time <= problem.last[j]
                ]
                chain.add((i, time, there[0] if there else -1))
    return Listed(n == 0, after, before, chain, count, n)
