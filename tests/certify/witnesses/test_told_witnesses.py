"""Witnesses that exchanges through others tell: each is one, and shows what is said of it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.certify.certify import certify
from mixsafe.certify.witnesses.told_witnesses import told_witnesses
from mixsafe.certify.witnesses.wanted import Wanted
from mixsafe.certify.witnesses.witness_pool import Pool
from mixsafe.check.checker import check
from mixsafe.model.limits import Deadline
from mixsafe.network.core import Core
from mixsafe.solver.state import tokens
from mixsafe.solver.state.witness import fault
from mixsafe.verify.verification import verify
from tests.solver.construct.test_through_others import MEETINGS
from tests.solver.cores import core_of
from tests.strategies import problem, problems
from tests.verify.test_engines_against_brute_force import pinned_cores


def _shown(core: Core, need: int, first: int) -> None:
    """Ask for tokens on all wires; every witness is a history that shows what is noted of it."""
    network = core.network
    everything = tokens.everything(network.n_wires, network.n_rows)
    wanted = Wanted.of(np.full(network.n_wires, need, np.int32), network.row, everything)
    told = told_witnesses(core, wanted, first, Deadline(None))
    histories = np.tile(network.row, (len(told), 1))
    histories[np.repeat(np.arange(len(told)), np.diff(told.ptr)), told.wire] = told.token
    assert all(fault(core, history) is None for history in histories)
    shown = [set() for _ in histories]
    for place, wire in enumerate(wanted.wires.tolist()):
        by = wanted.shown_by[place, 1 : wanted.n_shown[place]] - first
        found = histories[by, wire].tolist()
        have = {*found, int(network.row[wire])}
        assert len(have) == len(found) + 1 == need + 1 - wanted.missing[place]
        assert have == set(tokens.members(wanted.have[place]))
        for one in by.tolist():
            shown[one].add(wire)
    assert all(shown)


@given(asked=problems(max_users=6, max_zones=8), need=st.integers(1, 4), first=st.integers(1, 9))
@settings(max_examples=60, deadline=None)
def test_each_witness_is_one_and_shows_what_is_noted_of_it(asked, need, first):
    _shown(core_of(asked), need, first)


@given(asked=pinned_cores(), need=st.integers(1, 3))
@settings(max_examples=30, deadline=None)
def test_witnesses_where_tokens_are_on_one_of_several_rows(asked, need):
    _shown(asked[0], need, 1)


@pytest.mark.parametrize("kind", MEETINGS)
@pytest.mark.parametrize("backward", [False, True])
def test_what_the_engine_proves_by_them_is_certified_without_any_search(
    kind, backward, monkeypatch
):
    step, pairs = MEETINGS[kind]
    horizon = len(pairs) + 1
    zones = [(horizon - t if backward else t, list(pair)) for t, pair in enumerate(pairs, 1)]
    step = horizon - 1 - step if backward else step
    known = [(user, t) for user in range(4) for t in (0, horizon)]
    for stage in ("_walk", "_recall", "_anneal", "_search_windows", "_ask_solver"):
        monkeypatch.setattr(Pool, stage, lambda *_, **__: None)
    asked = problem(4, horizon, sorted(zones), known, [(0, step, 2)])
    found = check(certify(verify(asked, engine="bounds", keep_grounds=True)))
    assert (found.safe, found.undecided) == (1, 0)
