"""Tokens that can be on one wire only at some step: nobody else can be there.

It is what is left of matchings (:mod:`mixsafe.solver.propagate.matching`) where no solution is
known, with which those begin.
"""

from __future__ import annotations

import numpy as np

from mixsafe.network.core import Core
from mixsafe.solver.propagate.reachability import narrow
from mixsafe.solver.state.tokens import TokenSets


def force(core: Core, possible: TokenSets) -> None:
    """Strike others off wires that are a token's only ones at some step, until there are none.

    Parameters
    ----------
    core
        The question; the identity need not be a solution.
    possible
        (n_wires, words): upper bound on who is on each wire; is narrowed in place.
    """
    network = core.network
    rows = np.arange(network.n_rows)
    struck = True
    while struck:
        struck = False
        for step in range(network.horizon + 1):
            wires = network.wire_at(rows, np.full_like(rows, step))
            here = possible[wires]
            before = np.bitwise_or.accumulate(here, axis=0)
            twice = np.bitwise_or.reduce(before[:-1] & here[1:], axis=0)
            alone = here & ~twice
            held = alone.any(axis=1) & (alone != here).any(axis=1)
            possible[wires[held]] = alone[held]
            struck |= bool(held.any())
        if struck:
            narrow(core, possible)
