"""Witnesses, told by their exchanges, as whole assignments."""

from __future__ import annotations

import numpy as np

from mixsafe.model.answer.certificate import Witnesses
from mixsafe.network.core import Core
from mixsafe.solver.state.witness import Assignment


def assignment_of(core: Core, witnesses: Witnesses, number: int) -> Assignment:
    """(n_wires,) token on each wire in one of some witnesses.

    Parameters
    ----------
    core
        The question, with the steps of the data.
    witnesses, number
        All of them, and which one.
    """
    network = core.network
    exchanges = slice(int(witnesses.ptr[number]), int(witnesses.ptr[number + 1]))
    moved = slice(*witnesses.rows.ptr[[exchanges.start, exchanges.stop]].tolist())
    time = np.repeat(witnesses.time[exchanges], witnesses.rows.sizes[exchanges])
    row, token = witnesses.rows.values[moved], witnesses.tokens.values[moved]
    begins = network.wire_at(row, time)
    made: Assignment = network.row.copy()
    for i in np.argsort(time, kind="stable").tolist():  # a later exchange of a row overrides
        made[begins[i] : network.first[row[i] + 1]] = token[i]
    return made
