"""Engines without sets of tokens: whatever they say is so, and is what engines with sets say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.model.answer.verdict import Argument
from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.model.progress import no_progress
from mixsafe.verify.core import tokens
from mixsafe.verify.core.answers import Answers
from mixsafe.verify.core.core import Core
from mixsafe.verify.engines import auto, large
from mixsafe.verify.sparse.sparse_answers import SparseAnswers
from tests.oracles import domains
from tests.strategies import problem, problems
from tests.verify.cores import core_of, truth_of
from tests.verify.test_engines_against_brute_force import pinned_cores

LIMITS = SolveLimits(workers=1)


def sparsely(core: Core, k: int, decide=large.decide) -> SparseAnswers:
    """What an engine says without sets."""
    wires = np.arange(core.network.n_wires)
    answers = SparseAnswers(core, wires, np.full(len(wires), k, np.int32))
    decide(answers, LIMITS, Deadline(None), no_progress)
    return answers


@given(asked=problems(), k=st.integers(1, 4))
@settings(max_examples=100, deadline=None)
def test_bounds_hold_in_all_histories(asked, k):
    answers = sparsely(core_of(asked), k)
    truth = np.array(list(map(len, truth_of(asked))))
    assert np.all(answers.lower <= truth)
    assert np.all(truth <= answers.upper)


@given(asked=pinned_cores(), k=st.integers(1, 4))
@settings(max_examples=50, deadline=None)
def test_bounds_hold_where_tokens_are_on_one_of_several_rows(asked, k):
    core, zones, pins = asked
    answers = sparsely(core, k)
    found = domains(core.network.n_rows, core.network.horizon, zones, [], pins)
    rows = core.network.row.tolist()
    truth = [len(found[row, t]) for row, t in zip(rows, core.network.start.tolist(), strict=True)]
    assert np.all(answers.lower <= truth)
    assert np.all(truth <= answers.upper)


def crowd(seed: int, n_users: int, horizon: int, places: int, adversary: str):
    """People who walk among some places, all of them zones: some of dozens of members."""
    random = np.random.default_rng(seed)
    at = random.integers(0, places, n_users)
    zones = []
    for t in range(1, horizon + 1):
        moved = random.random(n_users) < 0.3
        at = np.where(moved, (at + random.integers(-1, 2, n_users)) % places, at)
        groups = [np.flatnonzero(at == place).tolist() for place in range(places)]
        zones += [(t, members) for members in groups if len(members) > 1]
    everybody = range(n_users)
    knowledge = {
        "none": [],
        "endpoints": [(u, t) for u in everybody for t in (0, horizon)],
        "now and then": [
            (u, t) for u in everybody for t in {0, *random.integers(0, horizon, 3).tolist()}
        ],
        "never at 0": [(u, t) for u in everybody for t in random.integers(1, horizon, 3)],
    }[adversary]
    return problem(n_users, horizon, zones, sorted({(u, int(t)) for u, t in knowledge}))


@pytest.mark.parametrize("adversary", ["none", "endpoints", "now and then", "never at 0"])
@pytest.mark.parametrize("places", [1, 5, 30])
def test_verdicts_are_those_of_engines_with_sets(adversary, places):
    asked = crowd(places, 90, 24, places, adversary)
    core, k = core_of(asked), 3
    wires = np.arange(core.network.n_wires)
    dense = Answers(core, wires, np.full(len(wires), k, np.int32))
    auto.decide(dense, LIMITS, Deadline(None))
    sparse = sparsely(core, k)
    assert np.all(sparse.lower <= tokens.count(dense.possible))
    assert np.all(dense.lower <= sparse.upper)
    both = (dense.decided_by != Argument.NONE) & (sparse.decided_by != Argument.NONE)
    assert np.array_equal(dense.lower[both] >= k, sparse.lower[both] >= k)
    assert both.mean() > 0.95
