"""A question to a board: another token on a wire, and who keeps it from being there."""

from __future__ import annotations

from contextlib import closing
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.model.limits import Deadline
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.sat.board import Board
from mixsafe.solver.sat.clauses import Formula, formula
from mixsafe.solver.sat.solving import Solving
from mixsafe.solver.sat.tracking import Tracking
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
    board: Board, wire: int, proven: npt.NDArray[np.int64], conflicts: int, deadline: Deadline
) -> Played:
    """Ask a board for a token on a wire of the whole that is not among the ``proven`` ones.

    Each token of the board has a selector: without it, it need not be anywhere. All are assumed,
    so that a contradiction tells which of them it needs.
    """
    n_rows = len(board.rows)
    possible = reachable(board.core)
    tracking = Tracking.of(board.core, possible, np.arange(n_rows))
    here = int(board.place(np.array([wire]))[0])
    others = tokens.members(possible[here])
    others = others[~np.isin(board.rows[others], proven)]
    said = formula(tracking, 1)
    asked = said.n_variables + 1
    one_of = [-asked, *(tracking.variable(here, token) for token in others.tolist()), 0]
    literals = np.concatenate([said.literals, np.array(one_of, np.int32)])
    selectors = range(tracking.n_variables + 1, tracking.n_variables + n_rows + 1)
    with closing(Solving(Formula(literals, asked))) as solving:
        solving.start_from(tracking.at_home())
        answer = solving.ask([asked, *selectors], conflicts, deadline)
        if answer:
            return Played(board.assignment(tracking.told(solving.true())), None)
        if answer is None:
            return Played(None, None)
        core = np.array(solving.core(), np.int64) - selectors[0]
    return Played(None, board.rows[core[(core >= 0) & (core < n_rows)]])
