"""Witnesses among a few people: what they show is so, and on all rows nothing is missed."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import numpy as np

from mixsafe.breaking.allowed import Allowed
from mixsafe.breaking.assignments.conflicts import KnownUsers, bits_of, listed, survives
from mixsafe.breaking.assignments.sat_subproblems import PeopleNearby
from mixsafe.breaking.targets import WantedTargets, targets
from mixsafe.model.limits import Deadline
from mixsafe.model.question.adversary import pins_and_links
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from tests.support.breaking_questions import drawn


def test_witnesses_survive_and_brute_force_finds_them_as_well() -> None:
    random, counted = np.random.default_rng(5), {True: 0, False: 0}
    for number in range(16):
        question = drawn(random, max_users=5, max_horizon=5, max_assignments=60)
        one = replace(question, target="each", sightings="anybody", away=0)
        problem = one.problem
        network = WireNetwork.of(problem.zones)
        core, known = (
            Core(network, *pins_and_links(problem.knowledge)),
            KnownUsers.of(problem.knowledge, network),
        )
        wanted = targets(network, WantedTargets(one.k), problem.requirements)
        for target, breaks in zip(wanted, one.breaks(), strict=True):
            if target.k.min() < 2:
                continue
            choices = Allowed("anybody", None, 0).for_target(target, network)
            every = np.arange(network.n_rows)
            rows = every if number % 2 else np.union1d(every[::2], [target.user])
            with closing(PeopleNearby(core, known, target, choices, rows)) as subproblem:
                for _ in range(4):
                    chosen = bits_of(random.random(len(choices.row)) < random.random() / 2)
                    at = listed(chosen)
                    told = list(
                        zip(choices.row[at].tolist(), choices.time[at].tolist(), strict=True)
                    )
                    witness = subproblem.witness(chosen, Deadline(None))
                    if witness is not None:
                        assert survives(witness, chosen)
                        assert not breaks(told)
                    elif len(rows) == len(every) and (known.wire >= 0).all():
                        named = set(problem.knowledge.row[problem.knowledge.time == 0].tolist())
                        assert len(named) < len(every) or breaks(told)
                    counted[witness is not None] += 1
    assert min(counted.values()) > 15
