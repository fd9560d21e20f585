"""Around a window: carriers bring its tokens from home, and home again, wherever they can."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.state.tokens import members
from mixsafe.solver.windows.window_context import WindowContext, board_wires, carry
from tests.oracles import agrees, histories, knowledge_of, zones_of
from tests.solver.cores import core_of
from tests.strategies import problem, problems


def way_of(history, token, network):
    """Wires on which a token is in a history, in order of time."""
    wires = [int(network.wire_at(row.index(token), t)) for t, row in enumerate(map(list, history))]
    return list(dict.fromkeys(wires))


def is_way(wires, token, network):
    """Whether a token goes from its own row at step 0 to the horizon, zone by zone."""
    if wires[0] != network.first[token] or network.end[wires[-1]] != network.horizon:
        return False
    steps = itertools.pairwise(wires)
    return all(network.leads_to[a] == network.comes_from[b] >= 0 for a, b in steps)


@given(asked=problems(max_users=4, max_horizon=8, max_histories=80), data=st.data())
@settings(max_examples=300)
def test_a_token_is_carried_all_the_way_wherever_free_rows_can(asked, data):
    core = core_of(asked)
    network, context = core.network, WindowContext.of(core, reachable(core))
    possible = [
        history
        for history in histories(network.n_rows, network.horizon, zones_of(asked))
        if agrees(history, knowledge_of(asked))
    ]
    token = data.draw(st.integers(0, network.n_rows - 1))
    way = way_of(data.draw(st.sampled_from(possible)), token, network)
    begin, end = sorted(data.draw(st.tuples(*[st.integers(0, network.horizon)] * 2)))
    inside = [w for w in way if network.start[w] <= end and network.end[w] >= begin]
    if data.draw(st.booleans()):  # it leaves the board at some zone
        inside = inside[: data.draw(st.integers(1, len(inside)))]
    leaves = int(network.leads_to[inside[-1]]) if network.end[inside[-1]] < end else -1
    told = np.full(network.n_wires, -1, np.int32)
    told[inside] = token
    carried = bool(carry(token, begin, end, leaves, told, context.carriers))
    ends = (
        (inside[0], network.comes_from, context.comes),
        (inside[-1], network.leads_to, context.returns),
    )
    assert carried or not all(
        beyond[wire] < 0  # there is nothing to carry it through
        or network.row[wire] == token
        or (context.free[wire] and token in members(sets[wire]))
        for wire, beyond, sets in ends
    )
    if carried:
        made = sorted(np.flatnonzero(told == token), key=lambda wire: network.start[wire])
        assert set(inside) <= set(made)
        assert is_way(made, token, network)
        outside = [w for w in made if w not in inside]
        assert all(context.free[w] or network.row[w] == token for w in outside)
        assert np.all(told[told != token] == -1)


def test_a_token_that_is_not_in_its_window_is_not_carried():
    core = core_of(problem(2, 4, [(2, [0, 1])]))
    context = WindowContext.of(core, reachable(core))
    told = np.full(core.network.n_wires, -1, np.int32)
    assert not carry(0, 0, 4, -1, told, context.carriers)
    told[0] = 0
    assert not carry(0, 0, 4, -1, told, context.carriers)
    told[:2] = -1, 0
    assert not carry(0, 0, 4, -1, told, context.carriers)


def test_a_token_begins_at_home():
    core = core_of(problem(2, 4, [(2, [0, 1])]))
    context = WindowContext.of(core, reachable(core))
    told = np.full(core.network.n_wires, -1, np.int32)
    told[core.network.wire_at([1, 0], [0, 2])] = 0
    assert not carry(0, 0, 4, -1, told, context.carriers)


def test_who_is_told_to_be_on_a_wire_is_not_pushed_off_it():
    core = core_of(problem(2, 4, [(2, [0, 1])]))
    context = WindowContext.of(core, reachable(core))
    told = np.array([0, 1, -1, 0], np.int32)
    assert not carry(0, 0, 1, -1, told.copy(), context.carriers)
    told[3] = -1
    assert carry(0, 0, 1, -1, told, context.carriers)
    assert told.tolist() == [0, 1, -1, 0]


def test_a_carried_token_goes_home_first_and_stays_where_it_is_else():
    core = core_of(problem(4, 6, [(2, [1, 2, 3]), (4, [0, 2, 3])]))
    context = WindowContext.of(core, reachable(core))
    at = core.network.wire_at
    told = np.full(core.network.n_wires, -1, np.int32)
    told[[at(1, 0), at(3, 2)]] = 1
    assert carry(1, 0, 3, -1, told, context.carriers)
    assert told[at(3, 4)] == 1
    told = np.full(core.network.n_wires, -1, np.int32)
    told[[at(0, 0), at(0, 3)]] = 0
    assert carry(0, 0, 3, -1, told, context.carriers)
    assert told[at(0, 4)] == 0


def test_rows_of_the_board_are_looked_at_while_the_window_lasts():
    core = core_of(problem(4, 9, [(2, [0, 1]), (4, [1, 2]), (6, [0, 1, 2]), (8, [1, 3])]))
    network, context = core.network, WindowContext.of(core, reachable(core))
    for token in range(4):
        for begin, end in ((0, 9), (2, 4), (3, 3), (4, 7), (9, 9)):
            found = board_wires(
                token, np.array([2, 1]), begin, end, context.possible, network.wires
            )
            assert sorted(found.tolist()) == [
                wire
                for wire in range(network.n_wires)
                if network.row[wire] in (1, 2)
                and network.start[wire] <= end
                and network.end[wire] >= begin
                and token in members(context.possible[wire])
            ]
