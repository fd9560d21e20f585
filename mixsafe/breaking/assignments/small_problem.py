"""A small problem with all tokens tracked, as one formula that SAT decides."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mixsafe.model.course import Deadline
from mixsafe.network.core import Core
from mixsafe.solver.sat.encoding import Encoding
from mixsafe.solver.sat.session import Session
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.solver.state.witness import Assignment


class WireShown(NamedTuple):
    """Whether a wire has its candidates (None: not known), and the assignments that show it."""

    safe: bool | None
    assignments: tuple[Assignment, ...] = ()


class SmallProblem:
    """A small problem as one SAT formula; call :meth:`close` after use.

    Parameters
    ----------
    core
        The core.
    possible
        (n_wires, words): domain of each wire.
    """

    def __init__(self, core: Core, possible: TokenSets) -> None:
        self._row = core.network.row
        self._encoding = Encoding.of(core, possible, np.arange(core.network.n_rows))
        self._session = Session()
        self._session.take_in(self._encoding.formula())
        self._session.start_from(self._encoding.at_home())

    def close(self) -> None:
        """Free the solver's memory."""
        self._session.close()

    def others(self, wire: int, most: int, deadline: Deadline) -> WireShown:
        """Assignments with ``most`` different other tokens on a wire."""
        found, without = list[Assignment](), [-self._encoding.on(wire, int(self._row[wire]))]
        answer: bool | None = True
        while len(found) < most and answer:
            answer = self._session.solve(without, deadline)
            if answer:
                found.append(self._encoding.assignment(self._session.true()))
                without.append(-self._encoding.on(wire, int(found[-1][wire])))
        return WireShown(answer, tuple(found))
