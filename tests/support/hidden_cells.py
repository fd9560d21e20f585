"""Cells that are hidden, in each of all worlds that may have been."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from mixsafe.model.course import Course
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.problem import Problem
from mixsafe.remedies.suppression import Hiding
from mixsafe.verify.query import Query, Settings
from mixsafe.verify.verification import answer
from tests.support.oracles import (
    History,
    agrees,
    assignments_of,
    knowledge_of,
    pairs_of,
    zones_of,
)
from tests.support.relations import with_pairs
from tests.support.strategies import mix_zones

Cells = set[tuple[int, int]]
HideBy = Callable[[Problem], Cells]


def worlds(asked: Problem) -> list[History]:
    """All that may have happened, as the adversary sees it: who was on which track when."""
    known, distinct = knowledge_of(asked), asked.knowledge.distinct
    return [one for one in assignments_of(asked) if agrees(one, known, distinct=distinct)]


def seen_from(asked: Problem, world: History) -> Problem:
    """The problem that the publisher would have had, if this had happened.

    Rows are people and the ways that they really took. Tracks meet where they met, and whoever
    came on one track may leave on the same others.
    """
    zones = []
    for (t, members), pairs in zip(zones_of(asked), pairs_of(asked.zones), strict=True):
        before, after = world[t - 1], world[t]
        there = None
        if pairs is not None:
            kept = pairs | {(track, track) for track in members}
            there = {(before[a], after[b]) for a, b in kept if before[a] != after[b]}
        zones.append((t, sorted(before[track] for track in members), there))
    zones.sort(key=lambda one: one[:2])
    n_users, steps = asked.zones.n_users, asked.zones.axis.steps
    met = mix_zones(n_users, steps, [one[:2] for one in zones])
    seen = [(world[t][track], t) for track, t in knowledge_of(asked)]
    known = Knowledge.from_pairs(seen, distinct=asked.knowledge.distinct)
    return replace(asked, zones=with_pairs(met, [one[2] for one in zones]), knowledge=known)


def hidden_tracks(asked: Problem, world: History, hide: HideBy) -> Cells:
    """Tracks and times that are hidden, if this had happened."""
    hidden = hide(seen_from(asked, world))
    return {
        (track, t)
        for t in range(1, asked.zones.axis.steps + 1)
        for track in range(asked.zones.n_users)
        if (world[t][track], t) in hidden
    }


def covered(hiding: Hiding, asked: Problem) -> Cells:
    """The cells that are hidden."""
    user, step = np.divmod(
        np.arange(asked.zones.n_users * asked.zones.axis.steps), asked.zones.axis.steps
    )
    hidden = hiding.covers(user, step + 1)
    return set(zip(user[hidden].tolist(), (step[hidden] + 1).tolist(), strict=True))


def hiding_of(asked: Problem, k: int, engine: str = "auto") -> Hiding:
    """What mixsafe hides of everybody."""
    return Hiding(answer(asked, Query(k), Settings(engine), Course.begin()))


def hidden_by_mixsafe(k: int, asked: Problem) -> Cells:
    """The cells that mixsafe hides."""
    return covered(hiding_of(asked, k), asked)
