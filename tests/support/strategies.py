"""Random small problems, for hypothesis and for loops over seeds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from mixsafe.model.mobility.published_steps import PublishedSteps
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Requirements
from tests.support.oracles import Zone, number_of_assignments


def mix_zones(n_users: int, horizon: int, zones: Sequence[Zone]) -> MixZones:
    """Mix zones of users 0, 1, …, from plain pairs (step, users) in any order."""
    listed = sorted((t, sorted(members)) for t, members in zones)
    return MixZones(
        users=np.arange(n_users),
        axis=TimeAxis(steps=horizon),
        time=np.array([t for t, _ in listed], np.int32),
        ptr=np.cumsum([0, *(len(members) for _, members in listed)]).astype(np.int64),
        members=np.array([user for _, members in listed for user in members], np.int32),
    )


def requirements_of(*listed: tuple[int, int, int]) -> Requirements:
    """Requirements from plain triples."""
    table = np.array(listed, np.int32).reshape(-1, 3)
    return Requirements(*(np.ascontiguousarray(column) for column in table.T))


def problem(
    n_users: int,
    horizon: int,
    zones: Sequence[Zone],
    knowledge: Sequence[tuple[int, int]] = (),
    requirements: Sequence[tuple[int, int, int]] | None = None,
    *,
    distinct: bool = False,
) -> Problem:
    """A problem from plain pairs and triples."""
    asked = None
    if requirements is not None:
        asked = requirements_of(*requirements)
    known = Knowledge.from_pairs(knowledge, distinct=distinct)
    return Problem("test", mix_zones(n_users, horizon, zones), known, asked)


def with_gaps(asked: Problem, shown: Iterable[tuple[int, int]]) -> Problem:
    """The same, of whose users something is published in their zones, and where it is ``shown``."""
    zones, steps = asked.zones, asked.zones.axis.steps
    met = zip(zones.members.tolist(), zones.time[zones.zone_of_member].tolist(), strict=True)
    inside = sorted({pair for pair in (*met, *shown) if pair[1] <= steps})
    row, step = np.array(inside, np.int32).reshape(-1, 2).T
    published = PublishedSteps.of(row, step, zones.n_users)
    return replace(asked, zones=replace(zones, published=published))


@st.composite
def zone_lists(
    draw: st.DrawFn, n_users: int, horizon: int, max_zones: int, max_assignments: int
) -> list[Zone]:
    """Zones with few assignments; steps may have several, and meetings like to be repeated."""
    zones: list[Zone] = []
    users = st.permutations(range(n_users))
    for _ in range(draw(st.integers(0, max_zones))):
        t = draw(st.integers(1, horizon))
        if zones and draw(st.booleans()):
            members = list(draw(st.sampled_from(zones))[1])
        else:
            members = draw(users)[: draw(st.integers(2, min(n_users, 4)))]
        busy = {user for time, others in zones if time == t for user in others}
        candidate: Zone = (t, sorted(members))
        few = number_of_assignments([*zones, candidate]) <= max_assignments
        if few and not busy & set(members):
            zones.append(candidate)
    return sorted(zones, key=lambda zone: zone[0])


@st.composite
def knowledge_lists(draw: st.DrawFn, n_users: int, horizon: int) -> list[tuple[int, int]]:
    """Sightings: of nobody, at both ends, or at any times (links whose token is unknown)."""
    everyone = st.sets(st.integers(0, n_users - 1))
    kind = draw(st.sampled_from(["none", "endpoints", "anywhere", "never at 0"]))
    if kind == "none":
        return []
    if kind == "endpoints":
        return [(user, t) for user in sorted(draw(everyone)) for t in (0, horizon)]
    times = st.integers(0 if kind == "anywhere" else 1, horizon)
    pairs = st.tuples(st.integers(0, n_users - 1), times)
    return sorted(draw(st.sets(pairs, max_size=2 * n_users)))


@st.composite
def problems(
    draw: st.DrawFn,
    *,
    max_users: int = 5,
    max_horizon: int = 7,
    max_zones: int = 6,
    max_assignments: int = 600,
    max_requirements: int = 3,
    max_k: int = 3,
    distinct: bool = True,
) -> Problem:
    """Problems that brute force can answer: 2 to ``max_users`` users, a step or more.

    ``distinct``: some are in the one reading of what is known and some in the other.
    """
    n_users = draw(st.integers(2, max_users))
    horizon = draw(st.integers(1, max_horizon))
    zones = draw(zone_lists(n_users, horizon, max_zones, max_assignments))
    knowledge = draw(knowledge_lists(n_users, horizon))
    requirement = st.tuples(
        st.integers(0, n_users - 1),
        st.integers(1, horizon),
        st.integers(1, max_k),  # more than there are users, too
    )
    requirements = draw(st.lists(requirement, min_size=1, max_size=max_requirements))
    different = distinct and draw(st.booleans())
    return problem(n_users, horizon, zones, knowledge, requirements, distinct=different)


@st.composite
def gatherings(draw):
    """Problems in which the same few people, or some of them, meet again and again."""
    n_users, horizon = draw(st.integers(2, 4)), draw(st.integers(3, 7))
    group = draw(st.permutations(range(n_users)))[: draw(st.integers(2, min(n_users, 3)))]
    zones = {t: group[: draw(st.integers(2, len(group)))] for t in range(1, horizon + 1)}
    missed = draw(st.sets(st.integers(1, horizon), max_size=2))
    zones = [(t, members) for t, members in zones.items() if t not in missed][:4]
    others = draw(zone_lists(n_users, horizon, max_zones=2, max_assignments=4))
    busy = {t for t, _ in zones}
    zones += [(t, members) for t, members in others if t not in busy]
    sighting = st.tuples(st.integers(0, n_users - 1), st.integers(0, horizon))
    known = sorted(draw(st.sets(sighting, max_size=5)))
    return problem(n_users, horizon, zones, known, distinct=draw(st.booleans()))
