"""The checker's bound on single tokens: never below the truth, and as narrow as the engines'."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from mixsafe.check.reached import Reached
from mixsafe.errors import InputError
from mixsafe.model.answer.proof import Closure
from mixsafe.model.question.adversary import pins_and_links
from mixsafe.network.wires import WireNetwork
from mixsafe.verify.bounds.reachability import reachable
from mixsafe.verify.core.core import Core
from tests.oracles import agrees, histories, knowledge_of, zones_of
from tests.strategies import problem, problems

MET = problem(4, 6, [(1, [0, 1]), (2, [0, 2]), (3, [1, 2, 3])])


@given(problems())
def test_wires_are_those_of_the_network_and_sets_those_of_the_engines(asked):
    network, found = WireNetwork.of(asked.zones), Reached(asked)
    for name in ("first", "row", "start", "end", "before"):
        assert np.array_equal(getattr(found, name), getattr(network, name)), name
    core = Core(network, *pins_and_links(asked.knowledge))
    assert np.array_equal(found.sets, reachable(core))


@given(problems())
def test_no_token_is_left_out_that_some_history_has(asked):
    found, n_users, horizon = Reached(asked), asked.zones.n_users, asked.zones.axis.steps
    known = knowledge_of(asked)
    for history in histories(n_users, horizon, zones_of(asked)):
        if agrees(history, known):
            for step, tokens in enumerate(history):
                for row, wire in enumerate(found.wires_at(step).tolist()):
                    assert tokens[row] in found.tokens(wire)


@pytest.mark.parametrize(
    ("time", "rows", "tokens", "message"),
    [
        (1, [0], [0], "leaves out a row"),  # token 0 may be on row 1
        (1, [0, 1, 2], [0, 1], "as many tokens as rows"),
        (1, [0, 1, 1], [0, 1, 2], "as many tokens as rows"),
        (1, [0, 1, 2], [0, 1, 1], "as many tokens as rows"),
        (1, [], [], "as many tokens as rows"),
        (1, [0, 4], [0, 1], "as many tokens as rows"),
        (1, [0, 1], [-1, 1], "as many tokens as rows"),
        (7, [0, 1], [0, 1], "as many tokens as rows"),
        (-1, [0, 1], [0, 1], "as many tokens as rows"),
    ],
)
def test_closures_that_are_none_are_refused(time, rows, tokens, message):
    with pytest.raises(InputError, match=message):
        Reached(MET).close([Closure(time, np.array(rows, int), np.array(tokens, int))])
