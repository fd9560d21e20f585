"""Random small problems with relations."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from mixsafe.model.question.mix_zones import MixZones, Relation
from mixsafe.model.question.problem import Problem
from tests.support.oracles import Pairs, ways_of, zones_of
from tests.support.strategies import problems


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


def moves(problem: Problem) -> list[Pairs]:
    """The pairs of members that allowed permutations of each zone use, also of one with itself."""
    return [
        {pair for givers in ways for pair in zip(givers, members, strict=True)}
        for ways, (_, members) in zip(ways_of(problem), zones_of(problem), strict=True)
    ]


@st.composite
def related_problems(draw: st.DrawFn, wholes: st.SearchStrategy[Problem] | None = None) -> Problem:
    """Problems that brute force can answer, whose zones allow some pairs, or all, or none."""
    whole = draw(problems() if wholes is None else wholes)
    allowed: list[Pairs | None] = []
    for _, members in zones_of(whole):
        pairs = sorted(itertools.permutations(members, 2))
        chosen = st.sets(st.sampled_from(pairs))
        allowed.append(draw(st.one_of(st.none(), chosen, chosen, st.just(set(pairs)))))
    return replace(whole, zones=with_pairs(whole.zones, allowed))


def with_random_pairs(
    whole: Problem, random: np.random.Generator, complete: float = 0.25
) -> Problem:
    """The problem, some of whose zones allow some pairs only; a share of them is ``complete``."""
    allowed: list[Pairs | None] = []
    for _, members in zones_of(whole):
        pairs = list(itertools.permutations(members, 2))
        share = random.choice([0.0, 0.4, 0.7, 1.0])
        chosen = {pair for pair in pairs if random.random() < share}
        allowed.append(None if random.random() < complete else chosen)
    return replace(whole, zones=with_pairs(whole.zones, allowed))
