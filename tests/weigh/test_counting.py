"""Exact weights against the definition: all assignments listed, and their weights added up."""

from __future__ import annotations

import numpy as np
import pytest

from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.weigh import plan
from mixsafe.weigh.counting import counted
from mixsafe.weigh.exchange_models import TakingPart, Uniform
from tests.support.budgets import budgets
from tests.support.oracles import posterior
from tests.support.strategies import problem
from tests.support.worlds_to_weigh import random_model, random_problem


@pytest.mark.parametrize("seed", range(80))
def test_counting_gives_the_posterior_of_the_definition(seed: int) -> None:
    random = np.random.default_rng(seed)
    presolved = random_problem(random)
    model = random_model(random, presolved)
    network = WireNetwork.of(presolved.zones)
    core = Core.of(network, presolved.knowledge)
    found = counted(core, model.weights(presolved.zones))
    assert found is not None
    truth = posterior(presolved, model.zone.tolist(), model.user.tolist())
    for wire in range(network.n_wires):
        for step in range(network.start[wire], network.end[wire] + 1):
            wanted = truth[int(network.row[wire]), step]
            assert np.abs(found[wire] - wanted).max() < 1e-12


def test_a_uniform_law_weighs_like_chances_of_one() -> None:
    presolved = problem(3, 3, [(1, [0, 1]), (2, [0, 1, 2]), (3, [1, 2])], [(0, 0), (0, 3)])
    core = Core.of(WireNetwork.of(presolved.zones), presolved.knowledge)
    one, other = (
        counted(core, model.weights(presolved.zones)) for model in (Uniform(), TakingPart())
    )
    assert one is not None
    assert other is not None
    assert np.abs(one - other).max() < 1e-15


def test_what_takes_too_many_steps_is_not_counted() -> None:
    presolved = problem(4, 3, [(t, [0, 1, 2, 3]) for t in (1, 2, 3)], [(0, 0), (0, 3)])
    core = Core.of(WireNetwork.of(presolved.zones), presolved.knowledge)
    with budgets(plan, counted_steps=20):
        assert counted(core, Uniform().weights(presolved.zones)) is None
