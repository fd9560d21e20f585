"""A question to a board: another token on a wire, and who keeps it from being there."""

from __future__ import annotations

from contextlib import closing
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.model.limits import Deadline
from mixsafe.network.subproblem import Subproblem
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.sat.encoding import Encoding
from mixsafe.solver.sat.session import Session
from mixsafe.solver.state import tokens
from mixsafe.solver.state.witness import Assignment


class Played(NamedTuple):
    """What a board says.

    Parameters
    ----------
    witness
        (n_wires of the whole,) with another token on the wire; None: there is none here.
    stuck
        Tokens that cannot all get home on these rows, where there is no witness; None: not known.
    """

    witness: Assignment | None
    stuck: npt.NDArray[np.int64] | None


def play(
    board: Subproblem, wire: int, proven: npt.NDArray[np.int64], conflicts: int, deadline: Deadline
) -> Played:
    """Ask a board for a token on a wire of the whole that is not among the ``proven`` ones.

    Each token of the board has a selector: without it, it need not be anywhere. All are assumed,
    so that a contradiction tells which of them it needs.
    """
    n_rows = len(board.rows)
    possible = reachable(board.core)
    encoding = Encoding.of(board.core, possible, np.arange(n_rows))
    here = int(board.place(np.array([wire]))[0])
    others = tokens.members(possible[here])
    others = others[~np.isin(board.rows[others], proven)]
    selectors = range(encoding.n_variables + 1, encoding.n_variables + n_rows + 1)
    with closing(Session()) as session:
        session.take_in(encoding.formula(selected=True))
        (asked,) = session.new(1).tolist()
        session.add([[-asked, *(encoding.on(here, token) for token in others.tolist())]])
        session.start_from(encoding.at_home())
        answer = session.solve([asked, *selectors], deadline, conflicts)
        if answer:
            return Played(board.of_whole(encoding.told(session.true())), None)
        if answer is None:
            return Played(None, None)
        core = np.array(session.core(), np.int64) - selectors[0]
    return Played(None, board.rows[core[(core >= 0) & (core < n_rows)]])
