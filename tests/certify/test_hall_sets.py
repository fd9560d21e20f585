"""Closures: what matching strikes off, as steps that the checker follows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from mixsafe.certify.hall_sets import closed
from mixsafe.check.reached import Reached
from mixsafe.errors import InputError
from mixsafe.model.course import Deadline
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.propagate.matching import match
from mixsafe.solver.propagate.reachability import narrow, reachable
from tests.support.oracles import domains_of
from tests.support.strategies import problem, problems


def everything(asked):
    """What is reached, all its wires, and a number of tokens that none of them may have."""
    reached = Reached(asked)
    return reached, (reached.row, reached.start), np.ones(len(reached.row), np.int32)


@given(problems())
def test_hall_sets_leave_at_most_what_matching_leaves_and_all_candidates(asked):
    reached, about, none = everything(asked)
    found = closed(reached, *about, none, Deadline(None))
    again = Reached(asked)
    again.close(found)
    assert np.array_equal(again.sets, reached.sets)
    core = Core.of(WireNetwork.of(asked.zones), asked.knowledge)
    possible = reachable(core)
    while match(core, possible, np.arange(core.network.n_wires)):
        narrow(core, possible)
    assert not np.any(reached.sets & ~possible)
    for (row, step), tokens in domains_of(asked).items():
        wire = int(reached.wires_at(step)[row])
        assert set(tokens) <= set(reached.tokens(wire))


def test_a_hall_set_with_a_token_or_a_row_more_or_less_or_another_is_refused(forgeable):
    asked, hall_sets = forgeable
    for number, one in enumerate(hall_sets):
        for forged in (
            one._replace(rows=one.rows[1:]),
            one._replace(tokens=one.tokens[1:]),
            one._replace(rows=np.append(one.rows, np.setdiff1d(range(5), one.rows)[:1])),
        ):
            with pytest.raises(InputError, match="closure"):
                Reached(asked).close([*hall_sets[:number], forged])


@pytest.fixture(name="forgeable")
def _forgeable():
    """The first problem of a list whose Hall sets strike something."""
    random = np.random.default_rng(3)
    while True:
        zones = [(t, sorted(random.choice(5, 2, replace=False).tolist())) for t in range(1, 9)]
        asked = problem(5, 9, zones, [(user, step) for user in range(5) for step in (0, 9)])
        reached, about, none = everything(asked)
        before = reached.sets.copy()
        hall_sets = closed(reached, *about, none, Deadline(None))
        if not np.array_equal(before, reached.sets):
            return asked, hall_sets
