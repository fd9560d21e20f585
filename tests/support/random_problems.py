"""Random small problems for loops over many: sooner drawn than by hypothesis."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.problem import Problem
from tests.support.oracles import Zone, number_of_assignments
from tests.support.relations import with_random_pairs
from tests.support.strategies import problem

KNOWN = ("none", "endpoints", "anywhere", "never at 0")
"""Who is seen when: nobody, some at both ends, anybody at any step or at any but step 0."""


def random_problem(
    random: np.random.Generator,
    *,
    max_users: int = 5,
    max_horizon: int = 7,
    max_zones: int = 6,
    max_assignments: int = 200,
    max_k: int = 4,
    distinct: bool = False,
) -> Problem:
    """A problem that brute force can answer, with one to three requirements."""
    n_users, horizon = (int(random.integers(2, most + 1)) for most in (max_users, max_horizon))
    zones: list[Zone] = []
    for _ in range(int(random.integers(0, max_zones + 1))):
        t = int(random.integers(1, horizon + 1))
        size = int(random.integers(2, min(n_users, 4) + 1))
        members = sorted(random.choice(n_users, size, replace=False).tolist())
        if zones and random.random() < 0.5:
            members = list(zones[int(random.integers(len(zones)))][1])
        busy = {user for time, others in zones if time == t for user in others}
        few = number_of_assignments([*zones, (t, members)]) <= max_assignments
        if few and not busy & set(members):
            zones.append((t, members))
    asked = [
        (
            int(random.integers(n_users)),
            int(random.integers(horizon + 1)),
            int(random.integers(2, max(min(n_users + 1, max_k), 2) + 1)),
        )
        for _ in range(int(random.integers(1, 4)))
    ]
    known = _knowledge(random, n_users, horizon)
    return problem(n_users, horizon, zones, known, asked, distinct=distinct)


def of_different_people(random: np.random.Generator, max_assignments: int = 150) -> Problem:
    """A problem in which different people are different and few are seen: often only later, once.

    Some zones allow some pairs only.
    """
    drawn = random_problem(
        random, max_users=6, max_horizon=8, max_zones=7, max_assignments=max_assignments
    )
    n_users, horizon = drawn.zones.n_users, drawn.zones.axis.steps
    first, at_most = int(random.integers(2)), int(random.integers(1, 5))
    pairs = {
        (user, int(t))
        for user in np.flatnonzero(random.random(n_users) < 0.8).tolist()
        for t in random.integers(first, horizon + 1, int(random.integers(1, at_most + 1)))
    }
    known = Knowledge.from_pairs(sorted(pairs), distinct=True)
    found = replace(drawn, knowledge=known)
    return with_random_pairs(found, random) if random.random() < 0.3 else found


def _knowledge(random: np.random.Generator, n_users: int, horizon: int) -> list[tuple[int, int]]:
    kind = KNOWN[int(random.integers(len(KNOWN)))]
    if kind == "none":
        return []
    if kind == "endpoints":
        return [(user, t) for user in range(n_users) if random.random() < 0.8 for t in (0, horizon)]
    first = 0 if kind == "anywhere" else 1
    drawn = int(random.integers(1, 2 * n_users + 1))
    pairs = zip(
        random.integers(0, n_users, drawn).tolist(),
        random.integers(first, horizon + 1, drawn).tolist(),
        strict=True,
    )
    return sorted(set(pairs))


def crowd(seed: int, n_users: int, horizon: int, places: int, adversary: str):
    """People who walk among some places, all of them zones: some of dozens of members."""
    random = np.random.default_rng(seed)
    at = random.integers(0, places, n_users)
    zones = []
    for t in range(1, horizon + 1):
        moved = random.random(n_users) < 0.3
        at = np.where(moved, (at + random.integers(-1, 2, n_users)) % places, at)
        groups = [np.flatnonzero(at == place).tolist() for place in range(places)]
        zones += [(t, members) for members in groups if len(members) > 1]
    everybody = range(n_users)
    knowledge = {
        "none": [],
        "endpoints": [(u, t) for u in everybody for t in (0, horizon)],
        "now and then": [
            (u, t) for u in everybody for t in {0, *random.integers(0, horizon, 3).tolist()}
        ],
        "days": [(u, t) for u in everybody for t in (0, 7, 8, 15, 16, horizon)],
        "at home": [
            (u, t) for u in everybody for t in {0, *np.flatnonzero(random.random(horizon) < 0.6)}
        ],
        "never at 0": [(u, t) for u in everybody for t in random.integers(1, horizon, 3)],
    }[adversary]
    return problem(n_users, horizon, zones, sorted({(u, int(t)) for u, t in knowledge}))
