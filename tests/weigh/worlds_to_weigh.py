"""Random problems and laws of exchanges that brute force can weigh."""

from __future__ import annotations

import numpy as np

from mixsafe.model.question.problem import Problem
from mixsafe.weigh.laws import TakingPart
from tests.oracles import Zone, number_of_histories
from tests.strategies import problem


def random_problem(random: np.random.Generator, most: int = 300) -> Problem:
    """Any knowledge: none, ends, sightings from step 0 on, or later ones only (links)."""
    n, horizon = int(random.integers(2, 6)), int(random.integers(1, 7))
    zones: list[Zone] = []
    for _ in range(int(random.integers(1, 7))):
        t, size = int(random.integers(1, horizon + 1)), min(n, int(random.integers(2, 5)))
        members = sorted(random.choice(n, size, replace=False).tolist())
        busy = {user for time, others in zones if time == t for user in others}
        if number_of_histories([*zones, (t, members)]) <= most and not busy & set(members):
            zones.append((t, members))
    kind = random.integers(4)
    known: list[tuple[int, int]] = []
    if kind == 1:
        known = [(user, t) for user in range(n) if random.random() < 0.7 for t in (0, horizon)]
    if kind >= 2:
        first = 0 if kind == 2 else 1
        count = int(random.integers(0, 2 * n))
        known = [
            (int(random.integers(n)), int(random.integers(first, horizon + 1)))
            for _ in range(count)
        ]
    return problem(n, horizon, sorted(zones), sorted(set(known)))


def random_law(random: np.random.Generator, posed: Problem) -> TakingPart:
    """Chances of zones, of users, of both, or of neither."""
    kind = random.integers(4)
    zone, user = np.ones(len(posed.zones)), np.ones(posed.zones.n_users)
    if kind in (1, 3):
        zone = random.random(len(zone))
    if kind >= 2:
        user = random.choice([1.0, 0.3, 0.8], len(user))
    return TakingPart(zone, user)
