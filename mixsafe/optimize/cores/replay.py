"""Witnesses of few tracked tokens, replayed with all tokens."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from mixsafe.network.absorption import network_without
from mixsafe.optimize.cores.witness_clauses import ZoneVariables
from mixsafe.solver.state.witness import Assignment, complete, fault


def strays(shared: ZoneVariables, told: Assignment, active: npt.NDArray[np.bool_]) -> set[int]:
    """Tokens that are not where they are known to be, when anonymous ones are filled in.

    Parameters
    ----------
    shared
        Zones and knowledge.
    told
        (n_wires,) tracked token on each wire, -1 for an anonymous one.
    active
        (n_zones,) zones in which an exchange happens.

    Returns
    -------
    Tokens that are elsewhere, and those who are there in their place; empty: it is a witness.
    """
    whole = shared.core
    network = network_without(whole.network, ~active)
    core = replace(whole, network=network)
    tracked = np.zeros(network.n_rows, bool)
    tracked[told[told >= 0]] = True
    made = complete(core, told[whole.network.wire_at(network.row, network.start)], tracked)
    pin, wire = core.pin_wires
    token = core.pins.token[pin]
    wrong = made[wire] != token
    linked = made[core.link_wires]
    broken = linked[linked[:, 0] != linked[:, 1]]
    found = set(np.concatenate([made[wire[wrong]], token[wrong], broken.ravel()]).tolist())
    if not found and (why := fault(core, made)) is not None:
        raise AssertionError(f"a witness of method auto is none: {why}")
    return found
