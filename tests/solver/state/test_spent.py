"""What arguments cost: each what passed since the one before."""

from __future__ import annotations

import os
from types import SimpleNamespace

from mixsafe.model.answer.verdict import Argument
from mixsafe.solver.state import spent
from mixsafe.solver.state.spent import Spent


def test_an_argument_costs_what_this_process_and_its_workers_spent_since_the_last(monkeypatch):
    clock = iter([(1, 2, 3, 4, 100), (2, 4, 6, 8, 300), (2, 4, 6, 8, 500), (3, 4, 6, 8, 500)])
    monkeypatch.setattr(spent, "os", SimpleNamespace(times=lambda: next(clock)))
    found = Spent()
    assert found.seconds.tolist() == [0] * len(Argument)
    found.charge(Argument.SWAP)
    found.charge(Argument.MATCHING)
    found.charge(Argument.SWAP)
    assert found.seconds[Argument.SWAP] == 10 + 1
    assert found.seconds.sum() == 11
    assert len(os.times()) == 5  # user, system, both of ended workers, and what a wall clock says
