"""Upper bounds by ways of single tokens: what they name breaks, and nothing of it is needless."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mixsafe.breaking.allowed import Allowed
from mixsafe.breaking.assignments.conflicts import KnownUsers, listed
from mixsafe.breaking.assignments.token_paths import TokenPaths
from mixsafe.breaking.from_above import FromAbove
from mixsafe.breaking.targets import WantedTargets, targets
from mixsafe.model.course import Deadline
from mixsafe.network.wires import WireNetwork
from tests.support.breaking_questions import drawn


@pytest.mark.parametrize("at_most", [0, 9])
def test_sets_break_by_brute_force_and_need_all_that_they_have(at_most: int) -> None:
    random, found = np.random.default_rng(at_most), 0
    for _ in range(40):
        question = drawn(random, max_users=5, max_horizon=5, max_assignments=100)
        one = replace(question, target="each", sightings="anybody", away=0)
        network = WireNetwork.of(one.problem.zones)
        wanted = targets(one.problem.zones, network, WantedTargets(one.k), one.problem.requirements)
        known = KnownUsers.of(one.problem.knowledge, network)
        for target, breaks in zip(wanted, one.breaks(), strict=True):
            if target.k.min() < 2:
                continue
            choices = Allowed("anybody", None, 0).for_target(target, network)
            paths = TokenPaths(network, known, target, choices)
            everything = (1 << len(choices.row)) - 1
            chosen = FromAbove(paths, everything).breaking(at_most, Deadline(None))
            hurried = FromAbove(paths, everything).breaking(at_most, Deadline(1e-9))
            assert hurried is None or (chosen is not None and paths.witness(hurried) is None)
            if chosen is None:
                continue
            told = listed(chosen).tolist()
            assert breaks([(int(choices.row[i]), int(choices.time[i])) for i in told])
            assert all(paths.witness(chosen & ~(1 << i)) is not None for i in told)
            found += len(told) > 0
    assert found > 5
