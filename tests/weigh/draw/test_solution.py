"""The state of a chain: what exchanges violate is counted as from scratch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mixsafe.machinery.compiled import as_python
from mixsafe.model.question.adversary import Knowledge
from mixsafe.network.core import Core
from mixsafe.weigh.draw.solution import (
    DrawnSolution,
    Instance,
    exchange_for_ever,
    instance_of,
    may_pass,
    solution_of,
)
from mixsafe.weigh.exchange_models import Uniform
from tests.support.worlds_to_weigh import core_of, random_problem, random_related


def violations(core: Core, instance: Instance, solution: DrawnSolution) -> int:
    """Pins, links, pairs that zones do not allow, and holders of a token but one."""
    network, pins, token = core.network, core.pins, solution.token
    found = 0
    for i, (name, time) in enumerate(zip(pins.token, pins.time, strict=True)):
        there = pins.rows[pins.ptr[i] : pins.ptr[i + 1]]
        found += name not in token[[network.wire_at(row, time) for row in there]]
    found += int(sum(token[one] != token[other] for one, other in core.link_wires))
    for come in network.before:
        found += not may_pass(int(come), int(solution.ahead[come]), instance)
    if len(core.apart):
        held = [*token[core.apart_wires].tolist(), *np.unique(pins.token).tolist()]
        found += len(held) - len(set(held))
    return found


@pytest.mark.parametrize("seed", range(40))
def test_violations_after_exchanges_are_those_of_the_assignment(seed: int) -> None:
    random = np.random.default_rng([seed, 82])
    posed = random_problem(random) if seed % 2 else random_related(random)[0]
    if seed % 4 > 1:  # different people are different
        n = posed.zones.n_users
        users, times = random.integers(0, [n, posed.zones.axis.steps + 1], (n + 2, 2)).T.tolist()
        seen = zip(users, times, strict=True)
        posed = replace(posed, knowledge=Knowledge.from_pairs(seen, distinct=True))
    core = core_of(posed)
    instance = instance_of(core, Uniform().weights(posed.zones))
    solution = solution_of(core, instance, core.network.row)
    with as_python():
        for _ in range(12):
            zone = int(random.integers(core.network.n_zones))
            members = core.network.before[instance.zone_of == zone]
            one, other = map(int, random.choice(members, 2, replace=False))
            exchange_for_ever(one, other, instance, solution)
            assert solution.violated[0] == violations(core, instance, solution)
            came = solution.behind >= 0
            assert np.all(solution.token[came] == solution.token[solution.behind[came]])
