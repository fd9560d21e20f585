"""Answers straight from the definitions, for tiny problems: slow, and obviously right.

An assignment is the pseudonym function s itself, written out: ``assignment[t][u]`` is s(u, t). All
assignments that the mix zones allow are listed, those that contradict the knowledge are dropped,
and what is left is read off. Nothing here is shared with the engines.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from mixsafe.model.question.adversary import Pins
from mixsafe.model.question.mix_zones import MixZones, Relation
from mixsafe.model.question.problem import Problem

Zone = tuple[int, Sequence[int]]
"""Step, and the users who meet."""

Pin = tuple[int, int, Sequence[int]]
"""Token, step, and the rows on one of which it is then."""

History = tuple[tuple[int, ...], ...]

Pairs = set[tuple[int, int]]
"""Pairs of different users: whoever comes to a zone on the first one's track may leave on the
second one's."""


def zones_of(problem: Problem) -> list[Zone]:
    """The mix zones of a problem as plain pairs."""
    zones = problem.zones
    return [
        (int(zones.time[z]), zones.members[zones.ptr[z] : zones.ptr[z + 1]].tolist())
        for z in range(len(zones))
    ]


def knowledge_of(problem: Problem) -> list[tuple[int, int]]:
    """The sightings of a problem as plain pairs."""
    return list(zip(problem.knowledge.row.tolist(), problem.knowledge.time.tolist(), strict=True))


def pins_of(own: Pins) -> list[Pin]:
    """Pins as plain triples."""
    return [
        (int(own.token[p]), int(own.time[p]), own.rows[own.ptr[p] : own.ptr[p + 1]].tolist())
        for p in range(len(own))
    ]


def requirements_of(problem: Problem) -> list[tuple[int, int, int]]:
    """The requirements of a problem as plain triples."""
    asked = problem.requirements
    if asked is None:
        return []
    return list(zip(asked.row.tolist(), asked.time.tolist(), asked.k.tolist(), strict=True))


def number_of_assignments(zones: Iterable[Zone]) -> int:
    """How many assignments the zones allow."""
    return math.prod(math.factorial(len(members)) for _, members in zones)


def assignments(
    n_users: int,
    horizon: int,
    zones: Sequence[Zone],
    exchanges: Sequence[Sequence[Sequence[int]]] | None = None,
) -> Iterator[History]:
    """All pseudonym functions: every zone permutes the pseudonyms of its members, none else.

    ``exchanges``: for each zone the ways in which it may do so, each as the member whose pseudonym
    every member gets; None: all.
    """
    if exchanges is None:
        exchanges = [list(itertools.permutations(members)) for _, members in zones]
    found: list[History] = [(tuple(range(n_users)),)]
    for t in range(1, horizon + 1):
        meetings = [
            [list(zip(members, givers, strict=True)) for givers in ways]
            for (time, members), ways in zip(zones, exchanges, strict=True)
            if time == t
        ]
        moves = [dict(itertools.chain(*one)) for one in itertools.product(*meetings)]
        after = {
            now: [tuple(now[giver.get(user, user)] for user in range(n_users)) for giver in moves]
            for now in {one[-1] for one in found}
        }
        found = [(*one, now) for one in found for now in after[one[-1]]]
    yield from found


def pairs_of(zones: MixZones) -> list[Pairs | None]:
    """The pairs that each zone allows; None: all."""
    return allowed_pairs(zones.ptr, zones.members, zones.relation)


def allowed_pairs(
    ptr: npt.NDArray[np.int64], members: npt.NDArray[np.int32], relation: Relation | None
) -> list[Pairs | None]:
    """As :func:`pairs_of`, of zones in columns."""
    found: list[Pairs | None] = [None] * (len(ptr) - 1)
    for z in [] if relation is None else relation.zones.tolist():
        mine = members[ptr[z] : ptr[z + 1]].tolist()
        matrix = relation.matrix(z, len(mine))
        found[z] = {
            (a, b) for (i, a), (j, b) in itertools.permutations(enumerate(mine), 2) if matrix[i, j]
        }
    return found


def ways_of(problem: Problem) -> list[list[tuple[int, ...]]]:
    """For each zone the exchanges that it allows, each as the giver of every member."""
    return [
        _ways(members, pairs)
        for (_, members), pairs in zip(zones_of(problem), pairs_of(problem.zones), strict=True)
    ]


def _ways(members: Sequence[int], pairs: Pairs | None) -> list[tuple[int, ...]]:
    """The exchanges among some members that move pseudonyms by these pairs only; None: by any."""
    return [
        givers
        for givers in itertools.permutations(members)
        if pairs is None
        or all(
            giver == user or (giver, user) in pairs
            for user, giver in zip(members, givers, strict=True)
        )
    ]


def passes_among(problem: Problem, group: Collection[int]) -> bool:
    """Whether all requirements of a group hold if nobody else is in any zone."""
    n_users, horizon = problem.zones.n_users, problem.zones.axis.steps
    left = [
        (t, [user for user in members if user in group], pairs)
        for (t, members), pairs in zip(zones_of(problem), pairs_of(problem.zones), strict=True)
    ]
    zones = [(t, members) for t, members, _ in left]
    ways = [_ways(members, pairs) for _, members, pairs in left]
    every = assignments(n_users, horizon, zones, ways)
    agreeing = [one for one in every if agrees_with(problem, one)]
    found = _domains(n_users, horizon, agreeing)
    return all(len(found[user, t]) >= k for user, t, k in requirements_of(problem) if user in group)


def groups_that_pass(problem: Problem) -> set[frozenset[int]]:
    """All groups of users that pass among themselves."""
    users = range(problem.zones.n_users)
    subsets = itertools.chain.from_iterable(
        itertools.combinations(users, size) for size in range(len(users) + 1)
    )
    return {frozenset(group) for group in subsets if passes_among(problem, group)}


def assignments_of(problem: Problem) -> Iterator[History]:
    """All pseudonym functions of which every zone moves pseudonyms by allowed pairs only."""
    zones = problem.zones
    return assignments(zones.n_users, zones.axis.steps, zones_of(problem), ways_of(problem))


def agrees(
    assignment: History,
    knowledge: Iterable[tuple[int, int]],
    pins: Iterable[Pin] = (),
    *,
    distinct: bool = False,
) -> bool:
    """Whether all pseudonyms of a user at her sightings are equal, and every pin holds.

    ``distinct``: and those of different users are different.
    """
    first: dict[int, int] = {}
    linked = all(
        first.setdefault(user, assignment[t][user]) == assignment[t][user] for user, t in knowledge
    )
    if distinct and len(set(first.values())) < len(first):
        return False
    return linked and all(assignment[t].index(token) in rows for token, t, rows in pins)


def agrees_with(problem: Problem, assignment: History) -> bool:
    """Whether an assignment agrees with what is known in a problem, as it is read there."""
    return agrees(assignment, knowledge_of(problem), distinct=problem.knowledge.distinct)


def domains(
    n_users: int,
    horizon: int,
    zones: Sequence[Zone],
    knowledge: Sequence[tuple[int, int]],
    pins: Sequence[Pin] = (),
    *,
    distinct: bool = False,
) -> dict[tuple[int, int], set[int]]:
    """D(u, t) of every user and time."""
    every = assignments(n_users, horizon, zones)
    agreeing = [one for one in every if agrees(one, knowledge, pins, distinct=distinct)]
    return _domains(n_users, horizon, agreeing)


def domains_of(problem: Problem) -> dict[tuple[int, int], set[int]]:
    """D(u, t) of every user and time of a problem."""
    zones = problem.zones
    agreeing = [one for one in assignments_of(problem) if agrees_with(problem, one)]
    return _domains(zones.n_users, zones.axis.steps, agreeing)


def _domains(
    n_users: int, horizon: int, agreeing: Sequence[History]
) -> dict[tuple[int, int], set[int]]:
    """Read off the assignments that are left."""
    states = [{one[t] for one in agreeing} for t in range(horizon + 1)]
    return {
        (user, t): {state[user] for state in states[t]}
        for user in range(n_users)
        for t in range(horizon + 1)
    }


def weight_of_exchange(
    members: Sequence[int], givers: Sequence[int], chance: float, users: Sequence[float]
) -> float:
    """What one exchange of a zone weighs: it happens or not, and each member takes part or not."""
    moved = {user for user, giver in zip(members, givers, strict=True) if user != giver}
    total = 0.0
    for taking in itertools.product([False, True], repeat=len(members)):
        part = {user for user, takes in zip(members, taking, strict=True) if takes}
        if moved <= part:
            odds = [users[user] if user in part else 1 - users[user] for user in members]
            total += math.prod(odds) / math.factorial(len(part))
    return chance * total + (1 - chance) * (not moved)


def posterior(
    problem: Problem,
    zone_chances: Sequence[float],
    user_chances: Sequence[float],
    likelihoods: Sequence[npt.NDArray[np.float64]] | None = None,
) -> dict[tuple[int, int], list[float]]:
    """P(s(u, t) = c) of every user, time and pseudonym, from the weights of all assignments.

    In zones that allow some pairs only, everybody takes part. ``likelihoods``: for each zone, of
    coming as each member and leaving as each other one; None: all are alike.
    """
    n, horizon = problem.zones.n_users, problem.zones.axis.steps
    zones = zones_of(problem)
    related, ways = pairs_of(problem.zones), ways_of(problem)

    @cache
    def weight_of(z: int, givers: tuple[int, ...]) -> float:
        members, chance, likelihood = zones[z][1], zone_chances[z], 1.0
        if likelihoods is not None:
            come = [members.index(giver) for giver in givers]
            likelihood = math.prod(likelihoods[z][come, np.arange(len(members))].tolist())
        return likelihood * weight_before(z, givers, members, chance)

    def weight_before(
        z: int, givers: tuple[int, ...], members: Sequence[int], chance: float
    ) -> float:
        if related[z] is None:
            return weight_of_exchange(members, givers, chance, user_chances)
        return chance / len(ways[z]) + (1 - chance) * (list(givers) == members)

    found = {(user, t): [0.0] * n for user in range(n) for t in range(horizon + 1)}
    for assignment in assignments_of(problem):
        if agrees_with(problem, assignment):
            weight = 1.0
            for z, (t, members) in enumerate(zones):
                givers = [assignment[t - 1].index(assignment[t][user]) for user in members]
                weight *= weight_of(z, tuple(givers))
            for user, t in found:
                found[user, t][assignment[t][user]] += weight
    return {at: [share / sum(weights) for share in weights] for at, weights in found.items()}


def meets_requirements(problem: Problem, kept: Iterable[int]) -> bool:
    """Whether all requirements hold when an exchange happens in the ``kept`` zones only."""
    zones = zones_of(problem)
    found = domains(
        problem.zones.n_users,
        problem.zones.axis.steps,
        [zones[z] for z in kept],
        knowledge_of(problem),
        distinct=problem.knowledge.distinct,
    )
    return all(len(found[user, t]) >= k for user, t, k in requirements_of(problem))


def minimum_zones(problem: Problem, *, count_members: bool = False) -> int | None:
    """Least cost of zones that meet all requirements; None: not even all zones do.

    A zone costs 1, or as many as it has members.
    """
    zones = zones_of(problem)
    cost = [len(members) if count_members else 1 for _, members in zones]
    subsets = itertools.chain.from_iterable(
        itertools.combinations(range(len(zones)), size) for size in range(len(zones) + 1)
    )
    for kept in sorted(subsets, key=lambda subset: sum(cost[z] for z in subset)):
        if meets_requirements(problem, kept):
            return sum(cost[z] for z in kept)
    return None


def fewest_places(problem: Problem) -> int | None:
    """Least cost of places whose zones meet all requirements; None: not even all zones do."""
    places = problem.places
    if places is None:
        raise ValueError("the zones have no places")
    at, cost = places.of.tolist(), places.cost.tolist()
    subsets = itertools.product((0, 1), repeat=len(places))
    for some in sorted(subsets, key=lambda some: sum(itertools.compress(cost, some))):
        if meets_requirements(problem, [z for z, place in enumerate(at) if some[place]]):
            return sum(itertools.compress(cost, some))
    return None


def breaking_number(
    problem: Problem,
    asked: Sequence[tuple[int, int, int, int, int]],
    needed: float,
    allowed: Sequence[tuple[int, int]],
    *,
    away: int | None,
    at_most: int,
) -> int | None:
    """Fewest of the ``allowed`` sightings under which too little of what is asked holds.

    Parameters
    ----------
    problem
        Zones and knowledge.
    asked
        User, first and last step, k, and steps that count, of stretches between two of her zones.
    needed
        Steps, of those asked about, that must hold.
    allowed
        Sightings that there may be.
    away
        Those count for a stretch that are more than so many steps from it; None: all do.
    at_most
        Larger sets are not looked at.

    Returns
    -------
    int or None
        None: more, or no set at all does it.
    """
    breaks = breaks_under(problem, asked, needed, away)
    for size in range(at_most + 1):
        if any(map(breaks, itertools.combinations(allowed, size))):
            return size
    return None


def breaks_under(
    problem: Problem,
    asked: Sequence[tuple[int, int, int, int, int]],
    needed: float,
    away: int | None,
) -> Callable[[Sequence[tuple[int, int]]], bool]:
    """Whether too little of what is asked holds under some sightings."""
    knowledge, distinct = knowledge_of(problem), problem.knowledge.distinct
    listed = [one for one in assignments_of(problem) if agrees_with(problem, one)]

    def breaks(chosen: Sequence[tuple[int, int]]) -> bool:
        holding = 0
        for user, start, end, k, weight in asked:
            seen = [
                one
                for one in chosen
                if away is None or one[1] < start - away or one[1] > end + away
            ]
            known = [*knowledge, *seen]
            left = (one for one in listed if agrees(one, known, distinct=distinct))
            holding += weight * (len({assignment[end][user] for assignment in left}) >= k)
        return holding < needed

    return breaks
