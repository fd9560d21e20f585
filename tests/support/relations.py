"""Random small problems with relations, and their answers straight from the definitions."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.relation import Relation
from tests.support import oracles
from tests.support.oracles import History, agrees, knowledge_of, zones_of
from tests.support.strategies import problems

Pairs = set[tuple[int, int]]
"""Pairs of different users: whoever comes to a zone on the first one's track may leave on the
second one's."""


def with_pairs(zones: MixZones, allowed: Sequence[Pairs | None]) -> MixZones:
    """Zones that allow these pairs only; None: all."""
    restricted = [z for z, pairs in enumerate(allowed) if pairs is not None]
    if not restricted:
        return zones
    place = {
        (z, int(zones.members[at])): at
        for z in range(len(zones))
        for at in range(int(zones.ptr[z]), int(zones.ptr[z + 1]))
    }
    listed = [(place[z, a], place[z, b]) for z in restricted for a, b in sorted(allowed[z] or ())]
    one, other = np.array(listed, np.int64).reshape(-1, 2).T
    return replace(zones, relation=Relation.of(zones.ptr, np.array(restricted), one, other))


def pairs_of(zones: MixZones) -> list[Pairs | None]:
    """The pairs that each zone allows; None: all."""
    found: list[Pairs | None] = [None] * len(zones)
    if zones.relation is None:
        return found
    for z in zones.relation.zones.tolist():
        members = zones.members[zones.ptr[z] : zones.ptr[z + 1]].tolist()
        matrix = zones.relation.matrix(z, len(members))
        found[z] = {
            (a, b)
            for (i, a), (j, b) in itertools.permutations(enumerate(members), 2)
            if matrix[i, j]
        }
    return found


def exchanges(zones: MixZones) -> list[list[tuple[int, ...]]]:
    """The allowed permutations of each zone: the member whose token every member gets."""
    members = [zones.members[a:b].tolist() for a, b in itertools.pairwise(zones.ptr.tolist())]
    return [
        [
            givers
            for givers in itertools.permutations(those)
            if pairs is None
            or all(
                giver == user or (giver, user) in pairs
                for user, giver in zip(those, givers, strict=True)
            )
        ]
        for those, pairs in zip(members, pairs_of(zones), strict=True)
    ]


def moves(zones: MixZones) -> list[Pairs]:
    """The pairs of members that allowed permutations of each zone use, also of one with itself."""
    found = []
    for z, ways in enumerate(exchanges(zones)):
        members = zones.members[zones.ptr[z] : zones.ptr[z + 1]].tolist()
        found.append({pair for givers in ways for pair in zip(givers, members, strict=True)})
    return found


def assignments(problem: Problem) -> Iterator[History]:
    """All pseudonym functions of which every zone moves tokens by allowed pairs only."""
    zones = problem.zones
    return oracles.assignments(zones.n_users, zones.axis.steps, zones_of(problem), exchanges(zones))


def candidates(problem: Problem) -> dict[tuple[int, int], set[int]]:
    """D(u, t) of every user and time."""
    known = knowledge_of(problem)
    found: dict[tuple[int, int], set[int]] = {
        (user, t): set()
        for user in range(problem.zones.n_users)
        for t in range(problem.zones.axis.steps + 1)
    }
    for assignment in assignments(problem):
        if agrees(assignment, known):
            for user, t in found:
                found[user, t].add(assignment[t][user])
    return found


def with_random_pairs(problem: Problem, random: np.random.Generator) -> Problem:
    """The problem with zones that allow some pairs, or all, or none."""
    allowed: list[Pairs | None] = []
    for _, members in zones_of(problem):
        share = random.choice([0.0, 0.5, 0.8, 1.0])
        pairs = itertools.permutations(members, 2)
        some = {pair for pair in pairs if random.random() < share}
        allowed.append(some if random.random() < 0.7 else None)
    return replace(problem, zones=with_pairs(problem.zones, allowed))


@st.composite
def related_problems(draw: st.DrawFn) -> Problem:
    """Problems that brute force can answer, whose zones allow some pairs, or all, or none."""
    whole = draw(problems())
    allowed: list[Pairs | None] = []
    for _, members in zones_of(whole):
        pairs = sorted(itertools.permutations(members, 2))
        chosen = st.sets(st.sampled_from(pairs))
        allowed.append(draw(st.one_of(st.none(), chosen, chosen, st.just(set(pairs)))))
    return replace(whole, zones=with_pairs(whole.zones, allowed))
