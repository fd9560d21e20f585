"""Exact weights against a model counter, on the clauses that say what an assignment is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from mixsafe.model.question.problem import Problem
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.sat.encoding import Encoding
from mixsafe.weigh.counting import counted
from mixsafe.weigh.exchange_models import Uniform
from tests.support.worlds_to_weigh import core_of, random_problem

pyganak = pytest.importorskip("pyganak", reason="the model counter is not installed")


def models(clauses: Sequence[Sequence[int]], variables: int) -> int:
    """How many assignments of the first ``variables`` satisfy the clauses."""
    counter = pyganak.Counter()
    counter.add_clauses(clauses)
    counter.set_sampling_set(range(1, variables + 1))
    return int(counter.count())


def check(presolved: Problem, random: np.random.Generator) -> int:
    """Compare the posterior of a wire with shares of models; how many tokens it may carry."""
    core = core_of(presolved)
    network, possible = core.network, reachable(core)
    encoding = Encoding.of(core, possible, np.arange(network.n_rows))
    told = encoding.formula().clauses()
    found = counted(core, Uniform().weights(presolved.zones))
    assert found is not None
    wire = int(random.integers(network.n_wires))
    every, shares = models(told, encoding.n_variables), np.zeros(network.n_rows)
    for token in np.flatnonzero(found[wire]).tolist():
        here = [*told, [encoding.on(wire, token)]]
        shares[token] = models(here, encoding.n_variables) / every
    assert np.abs(found[wire] - shares).max() < 1e-12
    return int(np.count_nonzero(shares))


def test_counting_is_what_a_model_counter_counts() -> None:
    random = np.random.default_rng(3)
    several = [check(random_problem(random), random) > 1 for _ in range(12)]
    assert sum(several) > 3
