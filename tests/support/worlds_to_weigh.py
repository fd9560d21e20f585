"""Random problems and laws of exchanges that brute force can weigh."""

from __future__ import annotations

import numpy as np

from mixsafe.model.course import Course, SolveLimits
from mixsafe.model.question.problem import Problem
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.weigh import plan
from mixsafe.weigh.draw.chains import Chains, begin_of
from mixsafe.weigh.exchange_models import ExchangeModel, TakingPart
from tests.support.budgets import budgets
from tests.support.oracles import Zone, assignments, number_of_assignments, zones_of
from tests.support.relations import with_random_pairs
from tests.support.strategies import problem


def random_problem(random: np.random.Generator, most: int = 300) -> Problem:
    """Any knowledge: none, ends, sightings from step 0 on, or later ones only (links)."""
    n, horizon = int(random.integers(2, 6)), int(random.integers(1, 7))
    zones: list[Zone] = []
    for _ in range(int(random.integers(1, 7))):
        t, size = int(random.integers(1, horizon + 1)), min(n, int(random.integers(2, 5)))
        members = sorted(random.choice(n, size, replace=False).tolist())
        busy = {user for time, others in zones if time == t for user in others}
        if number_of_assignments([*zones, (t, members)]) <= most and not busy & set(members):
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


def random_model(random: np.random.Generator, presolved: Problem) -> TakingPart:
    """Chances of zones, of users, of both, or of neither."""
    kind = random.integers(4)
    zone, user = np.ones(len(presolved.zones)), np.ones(presolved.zones.n_users)
    if kind in (1, 3):
        zone = random.random(len(zone))
    if kind >= 2:
        user = random.choice([1.0, 0.3, 0.8], len(user))
    return TakingPart(zone, user)


def random_related(random: np.random.Generator, most: int = 300) -> tuple[Problem, TakingPart]:
    """A problem whose zones allow some pairs only, and chances of zones, or none."""
    presolved = with_random_pairs(random_problem(random, most), random)
    chance = np.ones(len(presolved.zones))
    if random.integers(2):
        chance = random.random(len(chance))
    return presolved, TakingPart(chance)


def core_of(presolved: Problem) -> Core:
    """The question with all its zones."""
    return Core.of(WireNetwork.of(presolved.zones), presolved.knowledge)


def full_chains(presolved: Problem, model: ExchangeModel, seed: int) -> Chains:
    """Chains from the identity that have drawn as much as there is room for."""
    core = core_of(presolved)
    with budgets(plan, most_draws=320):
        chains = Chains.begun(core, model.weights(presolved.zones), [core.network.row], seed)
    course = Course.begin(SolveLimits(workers=1))
    while not chains.is_full:
        chains.draw(course)
    chains.check()
    return chains


def apart(
    chains: Chains, truth: np.ndarray[tuple[int, int], np.dtype[np.float64]]
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """(n_wires,) total variation between what was drawn on each wire and the truth."""
    drawn = chains.room[:, begin_of(chains.filled) : chains.filled]
    found = [
        np.bincount(tokens.ravel(), minlength=truth.shape[1]) / tokens.size
        for tokens in np.moveaxis(drawn, 2, 0)
    ]
    return 0.5 * np.abs(np.array(found) - truth).sum(axis=1)


def known_at_both_ends(meetings: list[tuple[int, int]]) -> Problem:
    """Meetings of two, one after the other, of users who are all known at both ends."""
    n, horizon = 1 + max(max(pair) for pair in meetings), len(meetings)
    zones = [(t, sorted(pair)) for t, pair in enumerate(meetings, 1)]
    return problem(n, horizon, zones, [(user, t) for user in range(n) for t in (0, horizon)])


def all_are_one_move_apart(presolved: Problem) -> bool:
    """Whether small moves connect all assignments: exchanges from a meeting to a later one, of two.

    Everybody is known at both ends, so that two must meet again.
    """
    zones, horizon = zones_of(presolved), presolved.zones.axis.steps
    every = {
        tuple(map(tuple, one))
        for one in assignments(presolved.zones.n_users, horizon, zones)
        if tuple(one[-1]) == tuple(one[0])
    }
    meet = {t: set(members) for t, members in zones}
    first = min(every)
    seen, waiting = {first}, [first]
    while waiting:
        now = waiting.pop()
        for begin in meet:
            a, b = (now[begin][row] for row in meet[begin])
            for end in meet:
                there = {now[end - 1][row] for row in meet[end]}
                if end <= begin or there != {a, b}:
                    continue
                other = tuple(
                    tuple({a: b, b: a}.get(c, c) for c in line) if begin <= t < end else line
                    for t, line in enumerate(now)
                )
                if other in every and other not in seen:
                    seen.add(other)
                    waiting.append(other)
    return len(seen) == len(every)
