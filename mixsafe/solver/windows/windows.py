"""Windows of time around an open wire: few tokens on few rows, decided by CP-SAT.

The model of a window follows the tokens of a few rows, its board, while they are on these rows, and
forgets everything else. That is a relaxation: if it has no solution, there is none (fact 9). If it
has one in which the followed tokens come from home and get home again, and nobody else who must be
home is pushed off, it is a witness. Otherwise those who were pushed off join the board, or the
window grows, and the question is asked again.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.model.limits import Deadline
from mixsafe.solver.windows.board import Found, Window, WindowEffort
from mixsafe.solver.windows.window_context import WindowContext

EFFORT = WindowEffort(rounds=16, literals=20_000, work=2.0, partners=1)


def another_candidate(
    around: WindowContext,
    wire: int,
    known: npt.NDArray[np.int64],
    deadline: Deadline,
    effort: WindowEffort = EFFORT,
    reach: int = 6,
) -> Found:
    """Look for a token on ``wire`` that is not among the ``known`` candidates.

    Parameters
    ----------
    around
        The problem.
    wire
        The wire asked about.
    known
        Its candidates so far, its own token among them.
    deadline
        When to give up.
    effort
        How much to try.
    reach
        Wires of the row to either side that the first window spans, >= 1.
    """
    network = around.core.network
    row = int(network.row[wire])
    board = dict.fromkeys([row, *known.tolist()])
    for _ in range(effort.rounds):
        begin = int(network.start[max(network.first[row], wire - reach)])
        end = int(network.end[min(network.first[row + 1] - 1, wire + reach)])
        window = Window(around, begin, end, list(board), effort)
        if window.n_literals > effort.literals or deadline.passed:
            return Found()
        outcome = window.solve(wire, known.tolist())
        if outcome is not None:
            return outcome
        if window.displaced:
            board.update(dict.fromkeys(window.displaced))
            partners = _partners(around, list(board), begin, end, effort.partners)
            board.update(dict.fromkeys(partners))
        elif (begin, end) == (0, network.horizon):
            return Found()
        else:
            reach *= 3
    return Found()


def _partners(
    around: WindowContext, board: list[int], begin: int, end: int, number: int
) -> list[int]:
    """Rows that meet the board most often in a window: with them, exchanges can be undone."""
    network = around.core.network
    zones = []
    for row in board:
        wires = slice(network.first[row] + 1, network.first[row + 1])
        zone = around.core.network.comes_from[wires]
        zones.append(zone[(network.start[wires] > begin) & (network.start[wires] <= end)])
    unique = np.unique(np.concatenate(zones))
    low, high = network.zone_ptr[unique], network.zone_ptr[unique + 1]
    entry = np.repeat(low - np.concatenate([[0], np.cumsum(high - low)[:-1]]), high - low)
    met = np.bincount(network.member[entry + np.arange(len(entry))], minlength=network.n_rows)
    met[board] = 0
    best = np.argsort(-met, kind="stable")[:number]
    return [int(row) for row in best if met[row] > 1]
