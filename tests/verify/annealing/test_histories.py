"""Histories that may break what is known: what is kept of them is what their paths say."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.compiled import compiled
from mixsafe.verify.annealing.histories import (
    AHEAD,
    ENDING,
    SEEN,
    TOKEN,
    exchange,
    identity,
    landscape,
    loss,
    reset,
)
from mixsafe.verify.bounds.reachability import reachable
from tests.strategies import problems
from tests.verify.cores import core_of


@compiled
def exchanged(one, other, history):
    """Exchange; what was said that it would cost."""
    cost = loss(one, other, history.wires)
    exchange(one, other, history)
    return cost


@compiled
def undone(history, around):
    """Back to the identity."""
    reset(history, around)


def begun(asked):
    """A landscape, and its identity."""
    core = core_of(asked)
    around = landscape(core, reachable(core))
    return core.network, around, identity(around)


def exchange_some(data, network, history):
    """Some exchanges at random zones; whether each cost what was said."""
    if not network.n_zones:
        return True
    told = True
    for _ in range(data.draw(st.integers(0, 12))):
        zone = data.draw(st.integers(0, network.n_zones - 1))
        wires = range(network.zone_ptr[zone], network.zone_ptr[zone + 1])
        if len(wires) > 1:
            one, other = data.draw(st.permutations(wires))[:2]
            before = history.size[0]
            cost = exchanged(one, other, history)
            told &= history.size[0] - before == cost
    return told


def followed(around, history):
    """Token, and end of the path, of each wire, and broken sightings, from what is ahead."""
    ahead, seen = history.wires[:, AHEAD], around.wires[:, SEEN]
    token, ending, broken = [-1] * len(seen), [0] * len(seen), set()
    for first in np.flatnonzero(seen >= 0).tolist():
        path, wire = [first], int(ahead[first])
        while wire >= 0 and seen[wire] < 0:
            path.append(wire)
            wire = int(ahead[wire])
        for one in path:
            token[one] = int(seen[first])
            ending[one] = wire if wire >= 0 else ~path[-1]
        if wire >= 0 and seen[wire] != seen[first]:
            broken.add(wire)
    return token, ending, broken


@given(asked=problems(), data=st.data())
@settings(max_examples=100)
def test_after_any_exchanges_tokens_ends_and_broken_sightings_are_those_of_the_paths(asked, data):
    network, around, history = begun(asked)
    assert exchange_some(data, network, history)
    token, ending, broken = followed(around, history)
    assert history.wires[:, TOKEN].tolist() == token
    assert history.wires[:, ENDING].tolist() == ending
    assert set(history.broken[: history.size[0]].tolist()) == broken
    assert all(history.broken[history.place[wire]] == wire for wire in broken)
    assert np.count_nonzero(history.place >= 0) == len(broken)


@given(asked=problems(), data=st.data())
@settings(max_examples=50)
def test_a_history_that_is_reset_is_the_identity(asked, data):
    network, around, history = begun(asked)
    exchange_some(data, network, history)
    undone(history, around)
    again = identity(around)
    for name in ("wires", "place", "is_touched", "size"):
        assert np.array_equal(getattr(history, name), getattr(again, name)), name
