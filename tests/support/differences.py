"""Witnesses as differences, from plain pairs and back."""

from __future__ import annotations

import numpy as np

from mixsafe.solver.state.witness import Differences, fault


def differences(*witnesses):
    """From lists of (wire, token)."""
    flat = np.array([one for witness in witnesses for one in witness], np.int64).reshape(-1, 2)
    ptr = np.cumsum([0, *map(len, witnesses)])
    return Differences(ptr, flat[:, 0].copy(), flat[:, 1].astype(np.int32))


def listed(told):
    pairs = list(zip(told.wire.tolist(), told.token.tolist(), strict=True))
    return [pairs[told.ptr[number] : told.ptr[number + 1]] for number in range(told.n)]


ONE, TWO, NONE, THREE = [(4, 1)], [(0, 2), (3, 0)], [], [(1, 5), (2, 6), (7, 0)]


def assignments_of(core, told):
    """(n, n_wires) the witnesses as whole assignments."""
    found = np.tile(core.network.row, (told.n, 1))
    found[np.repeat(np.arange(told.n), np.diff(told.ptr)), told.wire] = told.token
    return found


def moved(core, *wires):
    """The identity, but that those wires have those tokens: (row, step, token)."""
    made = core.network.row.copy()
    for row, step, token in wires:
        made[core.network.wire_at(row, step)] = token
    assert fault(core, made) is None
    return made
